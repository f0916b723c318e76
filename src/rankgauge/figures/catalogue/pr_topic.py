"""Precision and recall of one topic, rank by rank."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.errors import OptionError
from rankgauge.figures.citations import MANNING
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.labels import check_name, definition
from rankgauge.figures.options import Highlight, Name
from rankgauge.figures.panels import arrange
from rankgauge.figures.precision_recall import recall_lines
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.thinning import longest_list, ranks_drawn
from rankgauge.measures import parse
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves


@figure(
    "pr-topic",
    title="Precision and recall of one topic, rank by rank",
    needs="curves",
    cite=f"{MANNING}, section 8.4, figure 8.2",
    example="--topic 103",
    measures="P R InterpolatedP",
    depth=1000,
)
def pr_topic(
    curves: "Curves",
    style: Style,
    *,
    topic: Annotated[str | None, Name(), "the topic (default: the first)"] = None,
    form: Annotated[str, Word(("both", "raw", "interpolated")), "which of the two curves to show"] = "both",
    highlight: Highlight = (),
) -> Drawing:
    """Precision against recall at the ranks of one topic: the raw sawtooth and the interpolated staircase.

    The interpolated precision at a recall level is the highest precision at that level or any higher one.
    """
    alt, names = require("altair"), [parse(measure).spec.name for measure in curves.measures]
    if sorted(names) != ["InterpolatedP", "P", "R"]:
        raise OptionError(
            f"the figure pr-topic takes P, R and InterpolatedP, not {', '.join(curves.measures)}"
        )
    topic = check_name("topic", topic, curves.topics) if topic is not None else curves.topics[0]
    place = curves.topics.index(topic)
    vectors = curves.values[:, :, place]  # (runs, measures, depth)
    precision, recall, interpolated = (
        vectors[:, names.index(name)].tolist() for name in ("P", "R", "InterpolatedP")
    )
    series = Series.assign(
        {run: sum(p) for run, p in zip(curves.runs, interpolated, strict=True)}, style, highlight
    )
    saw: list[list[Cell]] = []
    stairs: list[list[Cell]] = []
    for run in series.back_to_front:
        at = curves.runs.index(run)
        own = [series.entry_of[run], series.names[run]]
        p, r, best = precision[at], recall[at], interpolated[at]
        rises = [i for i in range(len(r)) if r[i] > (r[i - 1] if i else 0)]
        last = len(r) if curves.retrieved is None else min(len(r), int(curves.retrieved[at, place]))
        # Recall is constant from one relevant document to the next; the ends of these stretches are enough.
        ends = sorted({0, *rises, *(i - 1 for i in rises if i), last - 1}) if last else []
        saw += [[i + 1, *own, r[i], p[i]] for i in ends]
        stairs += [[0, *own, 0.0, best[rises[0]]]] if rises else []
        stairs += [[i + 1, *own, r[i], best[i]] for i in rises]
    deepest = longest_list(curves, curves.runs, [topic])
    headers = ("rank", "series", "run", "recall", "precision")
    data = {"saw": Table(headers, saw), "stairs": Table(headers, stairs)}
    parts = {
        "raw": recall_lines("saw", "precision", series, order=True, thin=form == "both"),
        "interpolated": recall_lines("stairs", "precision", series, order=True, interpolate="step-before"),
    }
    shown = [*parts] if form == "both" else [form]
    note = (
        definition(curves.measures[names.index("InterpolatedP")], style.labels)
        if "interpolated" in shown
        else ""
    )
    return Drawing(
        arrange([alt.layer(*(parts[name] for name in shown))], style, height=style.height(0.75)),
        {name: data[name] for name in ({"raw": "saw", "interpolated": "stairs"}[part] for part in shown)},
        "Precision and recall",
        f"Topic {style.topic(topic)}, {ranks_drawn(deepest)}; "
        + ("thin: raw, thick: interpolated" if form == "both" else form),
        [
            f"Precision against recall at the ranks of topic {style.topic(topic)}, down to the last document "
            f"retrieved{f' or rank {deepest:,}' if deepest == curves.depth else ''}.",
            note,
            series.sentence,
        ],
        series.labels,
    )
