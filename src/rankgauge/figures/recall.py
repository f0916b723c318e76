"""Figures of precision and recall."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.figure import Drawing, needed
from rankgauge.figures.labels import among, counted, definition, definitions, legible
from rankgauge.figures.options import Highlight, Name
from rankgauge.figures.panels import arranged
from rankgauge.figures.points import pairs
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series, known
from rankgauge.figures.theme import Style
from rankgauge.measures import parse
from rankgauge.measures.interpolated import ELEVEN
from rankgauge.model.tables import Cell, Table
from rankgauge.schema.parameters import Number, Word
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves
    from rankgauge.model.scores import Scores

LEVELS = f"IPrec@{','.join(map(format_number, ELEVEN))}"
LECTURE = "Manning, Raghavan and Schütze 2008, section 8.4"
PRECISIONS, RECALLS = ("P", "SetP", "gP"), ("R", "SetR", "gR")


@figure(
    "pr",
    title="Precision at eleven recall levels",
    needs="scores",
    cite=f"{LECTURE}, figure 8.3; Järvelin and Kekäläinen 2002, section 4.1 (by relevance level)",
    example="--highlight bm25",
    measures=LEVELS,
)
def pr(scores: "Scores", style: Style, *, highlight: Highlight = ()) -> Drawing:
    """Interpolated precision at recall levels, averaged over topics, a line for each run.

    The measures are IPrec at some levels. With `rel=` or `grade=`, each relevance
    level has a plot of its own.
    """
    means = scores.mean()
    levels: dict[str, list[tuple[float, str]]] = {}
    for text in scores.measures:
        measure = parse(text)
        if measure.spec.name != "IPrec":
            raise OptionError(f"the figure pr is of IPrec at recall levels, such as {LEVELS}, not of {text}")
        settings = {name: value for name, value in measure.settings.items() if name != "recall"}
        kept = str(replace(measure, settings=settings))
        levels.setdefault(kept, []).append((measure.settings["recall"], text))
    first = next(iter(levels.values()))
    good = {run: sum(mean[text] for _, text in first) for run, mean in means.items()}
    series = Series.cast(good, style, highlight)
    data, plots = {}, []
    for number, (kept, points) in enumerate(levels.items()):
        rows: list[list[Cell]] = [
            [level, series.of[run], series.names[run], means[run][text]]
            for run in series.back_to_front
            for level, text in sorted(points)
        ]
        name = f"levels {number + 1}"
        data[name] = Table(("recall", "series", "run", "precision"), rows)
        plots.append(_lines(name, "recall", f"precision, {kept}" if len(levels) > 1 else "precision", series))
    return Drawing(
        arranged(plots, style, height=style.panel(1) * 0.75),
        data,
        f"Interpolated precision at {counted(len(first), 'recall level')}",
        f"Mean of {counted(len(scores.topics), 'topic')}; {', '.join(levels)}",
        [definition(first[0][1]), among(len(scores.topics), scores.rules), series.sentence],
        series.labels,
        fits=len(plots) == 1,
    )


@figure(
    "pr-topic",
    title="Precision and recall of one topic, rank by rank",
    needs="curves",
    cite=f"{LECTURE}, figure 8.2",
    example="--topic 103",
    measures="P R InterpolatedP",
    depth=1000,
)
def pr_topic(
    curves: "Curves",
    style: Style,
    *,
    topic: Annotated[str | None, Name(), "the topic (default: the first)"] = None,
    form: Annotated[str, Word(("both", "raw", "interpolated")), "which of the two curves"] = "both",
    highlight: Highlight = (),
) -> Drawing:
    """Precision over recall at the ranks of one topic: as it is, a saw, and interpolated, stairs.

    The interpolated precision at a recall level is the best precision at that level or any higher one.
    """
    alt, names = needed("altair"), [parse(measure).spec.name for measure in curves.measures]
    if sorted(names) != ["InterpolatedP", "P", "R"]:
        raise OptionError(
            f"the figure pr-topic is of P, R and InterpolatedP, not of {', '.join(curves.measures)}"
        )
    topic = known("topic", topic, curves.topics) if topic is not None else curves.topics[0]
    vectors = curves.values[:, :, curves.topics.index(topic)]  # (runs, measures, depth)
    precision, recall, interpolated = (
        vectors[:, names.index(name)].tolist() for name in ("P", "R", "InterpolatedP")
    )
    series = Series.cast(
        {run: sum(p) for run, p in zip(curves.runs, interpolated, strict=True)}, style, highlight
    )
    saw: list[list[Cell]] = []
    stairs: list[list[Cell]] = []
    for run in series.back_to_front:
        at = curves.runs.index(run)
        own = [series.of[run], series.names[run]]
        p, r, best = precision[at], recall[at], interpolated[at]
        found = [i for i in range(len(r)) if r[i] > (r[i - 1] if i else 0)]
        # Recall stands still from one relevant document to the next: where it does, the ends will do.
        ends = sorted({0, *found, *(i - 1 for i in found if i), len(r) - 1})
        saw += [[i + 1, *own, r[i], p[i]] for i in ends]
        stairs += [[0, *own, 0.0, best[found[0]]]] if found else []
        stairs += [[i + 1, *own, r[i], best[i]] for i in found]
    headers = ("rank", "series", "run", "recall", "precision")
    data = {"saw": Table(headers, saw), "stairs": Table(headers, stairs)}
    parts = {
        "raw": _lines("saw", "recall", "precision", series, order=True, thin=form == "both"),
        "interpolated": _lines(
            "stairs", "recall", "precision", series, order=True, interpolate="step-before"
        ),
    }
    shown = [*parts] if form == "both" else [form]
    said = definition(curves.measures[names.index("InterpolatedP")]) if "interpolated" in shown else ""
    return Drawing(
        arranged([alt.layer(*(parts[name] for name in shown))], style, height=style.panel(1) * 0.75),
        {name: data[name] for name in ({"raw": "saw", "interpolated": "stairs"}[part] for part in shown)},
        "Precision and recall",
        f"Topic {legible(topic)}, ranks 1 to {curves.depth}; "
        + ("thin: raw, thick: interpolated" if form == "both" else form),
        [
            f"Precision over recall at the ranks of topic {legible(topic)}, to rank {curves.depth}.",
            said,
            series.sentence,
        ],
        series.labels,
    )


@figure(
    "pr-scatter",
    title="Precision and recall of runs, among lines of equal F",
    needs="scores",
    cite=f"{LECTURE[:-3]}8.3 (F); van Rijsbergen 1979",
    example='-m "P@20 R@20" --beta 2',
    measures="P@10 R@10",
)
def pr_scatter(
    scores: "Scores",
    style: Style,
    *,
    beta: Annotated[float, Number(0.01, 100), "how much more recall weighs in F"] = 1.0,
    of: Annotated[
        str, Word(("runs", "topics")), "a point for each run's means, or for each of its topics"
    ] = "runs",
    highlight: Highlight = (),
) -> Drawing:
    """Precision over recall, a point for each run, with the lines on which F is the same.

    The measures are a precision and a recall, such as P@10 and R@10, or SetP and SetR.
    """
    names = {parse(text).spec.name: text for text in scores.measures}
    precision = next((text for name, text in names.items() if name in PRECISIONS), None)
    recall = next((text for name, text in names.items() if name in RECALLS), None)
    if not precision or not recall or len(scores.measures) != 2:
        raise OptionError(
            "the figure pr-scatter is of a precision and a recall, such as P@10 and R@10, "
            f"not of {', '.join(scores.measures)}"
        )
    means = scores.mean()
    good = {run: f_measure(mean[precision], mean[recall], beta) for run, mean in means.items()}
    series = Series.cast(good, style, highlight)
    points, undefined = pairs(scores, recall, precision, of, series)
    steps = [tenths / 10 for tenths in range(1, 10)]
    lines = [[f, r, p] for f in steps for r, p in equal_f(f, beta)]
    ends = [[f, f / (1 + beta**2 - beta**2 * f)] for f in steps]  # where recall is 1
    mark = alt_points(series, recall, precision, large=of == "runs")
    letter = "F" if beta == 1 else f"F (β = {format_number(beta)})"
    return Drawing(
        arranged([needed("altair").layer(*_isocurves(style), mark)], style, height=style.panel(1)),
        {
            "points": points,
            "equal F": Table(("F", "recall", "precision"), lines),
            "ends": Table(("F", "precision"), ends),
        },
        f"{precision} and {recall}",
        f"{'Means' if of == 'runs' else 'Values'} of {counted(len(scores.topics), 'topic')}; "
        f"grey lines: equal {letter}",
        [
            definitions((precision, recall)),
            among(len(scores.topics), scores.rules) if of == "runs" else undefined,
            f"On a grey line {letter} of the two values is the same; "
            "of means it is not the mean of F over topics."
            if of == "runs"
            else "",
            series.sentence,
        ],
        series.labels,
    )


def f_measure(precision: float, recall: float, beta: float) -> float:
    """F of a precision and a recall; 0 where both are."""
    over = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / over if over else 0.0


def equal_f(f: float, beta: float, steps: int = 60) -> list[tuple[float, float]]:
    """(recall, precision) along the line on which F is f, inside the unit square."""
    square = beta**2
    least = square * f / (1 + square - f)  # where precision is 1
    recalls = [least + (1 - least) * step / steps for step in range(steps + 1)]
    return [(r, min(1.0, f * r / ((1 + square) * r - square * f))) for r in recalls]


def _isocurves(style: Style) -> list[Any]:
    alt, c = needed("altair"), style.colours
    lines = (
        alt.Chart(alt.NamedData(name="equal F"))
        .mark_line(color=c.rest, strokeWidth=0.6)
        .encode(x="recall:Q", y="precision:Q", detail="F:Q")
    )
    ends = (
        alt.Chart(alt.NamedData(name="ends"))
        .mark_text(align="right", dx=-1, dy=-4, color=c.soft, fontSize=6.5)
        .encode(x=alt.datum(1.0), y="precision:Q", text=alt.Text("F:Q", format=".1f"))
    )
    return [lines, ends]


def alt_points(series: Series, recall: str, precision: str, *, large: bool) -> Any:
    """Points of precision over recall."""
    alt = needed("altair")
    unit = alt.Scale(domain=[0, 1])
    return (
        alt.Chart(alt.NamedData(name="points"))
        .mark_point(filled=True, size=55 if large else 12, opacity=1 if large else 0.6)
        .encode(
            x=alt.X("x:Q", title=recall, scale=unit, axis=alt.Axis(grid=False)),
            y=alt.Y("y:Q", title=precision, scale=unit, axis=alt.Axis(grid=False)),
            color=series.colour(points=True),
            shape=series.shape(),
            tooltip=["run:N", "topic:N", alt.Tooltip("x:Q", format=".4f"), alt.Tooltip("y:Q", format=".4f")],
        )
    )


def _lines(
    data: str,
    x: str,
    title: str,
    series: Series,
    *,
    order: bool = False,
    thin: bool = False,
    interpolate: str = "linear",
) -> Any:
    alt = needed("altair")
    unit = alt.Scale(domain=[0, 1])
    more: dict[str, Any] = {"order": alt.Order("rank:Q")} if order else {}
    more |= {"strokeWidth": alt.value(0.6)} if thin else {"strokeWidth": series.weight()}
    return (
        alt.Chart(alt.NamedData(name=data))
        .mark_line(interpolate=interpolate)
        .encode(
            x=alt.X(f"{x}:Q", scale=unit),
            y=alt.Y("precision:Q", title=title, scale=unit),
            color=series.colour(),
            strokeDash=series.dash(),
            detail="run:N",
            tooltip=["run:N", alt.Tooltip(f"{x}:Q", format=".4f"), alt.Tooltip("precision:Q", format=".4f")],
            **more,
        )
    )
