"""The figures `pr`, `pr-topic` and `pr-scatter` of precision and recall."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.campaigns.options import NAME
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.catalogue.scatter import draw_points, point_table
from rankgauge.extensions.pages.figures.drawing import (
    Drawing,
    Series,
    alt,
    arrange,
    chart,
    longest_list,
    ranks_drawn,
    tooltip,
)
from rankgauge.extensions.pages.figures.labels import (
    averaging_note,
    check_name,
    counted,
    definition,
)
from rankgauge.extensions.pages.figures.registry import MANNING, Highlight, figure
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.measures import parse
from rankgauge.measures.interpolated import ELEVEN
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Number, Word
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves
LEVELS = f"IPrec@{','.join(map(format_number, ELEVEN))}"
PRECISIONS, RECALLS = ("P", "SetP", "gP"), ("R", "SetR", "gR")


def recall_lines(
    data: str,
    title: str,
    series: Series,
    *,
    order: bool = False,
    thin: bool = False,
    interpolate: str = "linear",
) -> Any:
    """Precision against recall, a line for each run; `order` connects points in rank order."""
    unit = alt.Scale(domain=[0, 1])
    more: dict[str, Any] = {"order": alt.Order("rank:Q")} if order else {}
    more |= series.looks("color", "strokeDash", "strokeWidth")
    more |= {"strokeWidth": alt.value(0.6)} if thin else {}
    return (
        chart(data)
        .mark_line(interpolate=interpolate)
        .encode(
            x=alt.X("recall:Q", scale=unit),
            y=alt.Y("precision:Q", title=title, scale=unit),
            detail="run:N",
            tooltip=tooltip("run", *(("rank",) if order else ()), "recall", ("precision", title)),
            **more,
        )
    )


@figure(
    "pr",
    title="Precision at eleven recall levels",
    needs="scores",
    cite=f"{MANNING}, section 8.4, figure 8.3; "
    "Järvelin and Kekäläinen 2002, section 4.1 (by relevance level)",
    example="--highlight bm25",
    measures=LEVELS,
)
def pr(scores: Scores, style: Style, *, highlight: Highlight = ()) -> Drawing:
    """Interpolated precision at recall levels, averaged over topics, a line for each run.

    The measures are IPrec at several recall levels. With `rel=` or `grade=`, each relevance level has a plot
    of its own.
    """
    means = scores.mean()
    levels: dict[str, list[tuple[float, str]]] = {}
    for text in scores.measures:
        measure = parse(text)
        if measure.spec.name != "IPrec":
            raise OptionError(f"the figure pr takes IPrec at recall levels, such as {LEVELS}, not {text}")
        others = {name: value for name, value in measure.settings.items() if name != "recall"}
        variant = str(replace(measure, settings=others))
        levels.setdefault(variant, []).append((measure.settings["recall"], text))
    first = next(iter(levels.values()))
    quality = {run: sum(mean[text] for _, text in first) for run, mean in means.items()}
    series = Series.assign(quality, style, highlight, results=scores)
    data, plots = {}, []
    for number, (variant, points) in enumerate(levels.items()):
        name = f"levels {number + 1}"
        rows = {run: [[level, mean[text]] for level, text in sorted(points)] for run, mean in means.items()}
        data[name] = series.table(("recall", "precision"), rows)
        plots.append(recall_lines(name, "precision" if len(levels) == 1 else variant, series))
    return Drawing(
        arrange(plots, style, height=style.height(0.75)),
        data,
        f"Interpolated precision at {counted(len(first), 'recall level')}",
        f"Mean of {counted(len(scores.topics), 'topic')}; {', '.join(levels)}",
        [
            definition(first[0][1], style.labels),
            averaging_note(len(scores.topics), scores.rules),
            series.sentence,
        ],
        series.labels,
    )


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
    topic: Annotated[str | None, NAME, "the topic (default: the first)"] = None,
    form: Annotated[str, Word(("both", "raw", "interpolated")), "which of the two curves to show"] = "both",
    highlight: Highlight = (),
) -> Drawing:
    """Precision against recall at the ranks of one topic: the raw sawtooth and the interpolated staircase.

    The interpolated precision at a recall level is the highest precision at that level or any higher one.
    """
    names = [parse(measure).spec.name for measure in curves.measures]
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
        {run: sum(p) for run, p in zip(curves.runs, interpolated, strict=True)},
        style,
        highlight,
        results=curves,
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
        f"Topic {style.name(topic)}, {ranks_drawn(deepest)}; "
        + ("thin: raw, thick: interpolated" if form == "both" else form),
        [
            f"Precision against recall at the ranks of topic {style.name(topic)}, down to the last document "
            f"retrieved{f' or rank {deepest:,}' if deepest == curves.depth else ''}.",
            note,
            series.sentence,
        ],
        series.labels,
    )


@figure(
    "pr-scatter",
    title="Precision and recall of runs, with lines of equal F",
    needs="scores",
    cite=f"{MANNING}, section 8.3 (F); van Rijsbergen 1979",
    example='-m "P@20 R@20" --beta 2',
    measures="P@10 R@10",
)
def pr_scatter(
    scores: Scores,
    style: Style,
    *,
    beta: Annotated[float, Number(0.01, 100), "the weight of recall relative to precision in F"] = 1.0,
    of: Annotated[
        str, Word(("runs", "topics")), "a point for the means of each run, or for each of its topics"
    ] = "runs",
    highlight: Highlight = (),
) -> Drawing:
    """Precision against recall, a point for each run, with lines of equal F.

    The measures are a precision and a recall, such as P@10 and R@10, or SetP and SetR.
    """
    names = {parse(text).spec.name: text for text in scores.measures}
    precision = next((text for name, text in names.items() if name in PRECISIONS), None)
    recall = next((text for name, text in names.items() if name in RECALLS), None)
    if not precision or not recall or len(scores.measures) != 2:
        raise OptionError(
            "the figure pr-scatter takes a precision and a recall, such as P@10 and R@10, "
            f"not {', '.join(scores.measures)}"
        )
    means = scores.mean()
    quality = {run: f_measure(mean[precision], mean[recall], beta) for run, mean in means.items()}
    series = Series.assign(quality, style, highlight, results=scores)
    points, undefined = point_table(scores, recall, precision, of, series, style)
    steps = [tenths / 10 for tenths in range(1, 10)]
    lines = [[f, r, p] for f in steps for r, p in equal_f(f, beta)]
    ends = [[f, f / (1 + beta**2 - beta**2 * f)] for f in steps]  # where recall is 1
    titles = style.name(recall), style.name(precision)
    look = {"scale": alt.Scale(domain=[0, 1]), "axis": alt.Axis(grid=False)}
    x, y = alt.X("x:Q", title=titles[0], **look), alt.Y("y:Q", title=titles[1], **look)
    size = {"size": 55, "opacity": 1} if of == "runs" else {"size": 12, "opacity": 0.6}
    mark = draw_points(x, y, titles, series, topics=of == "topics", **size)
    letter = "F" if beta == 1 else f"F (β = {format_number(beta)})"
    equal = f"Grey lines connect points with the same {letter}; F of means is not the mean of F over topics."
    of_means = [averaging_note(len(scores.topics), scores.rules), equal]
    return Drawing.of(
        scores.only(measures=(precision, recall)),
        style,
        series,
        arrange([alt.layer(*_isocurves(style), mark)], style, height=style.height(1)),
        {
            "points": points,
            "equal F": Table(("F", "recall", "precision"), lines),
            "ends": Table(("F", "precision"), ends),
        },
        title=style.measures((precision, recall)).replace(", ", " and ", 1),
        subtitle=f"{'Means' if of == 'runs' else 'Values'} of {counted(len(scores.topics), 'topic')}; "
        f"grey lines: equal {letter}",
        sentences=of_means if of == "runs" else [undefined],
    )


def f_measure(precision: float, recall: float, beta: float) -> float:
    """F of a precision and a recall; 0 if both are 0."""
    over = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / over if over else 0.0


def equal_f(f: float, beta: float, steps: int = 60) -> list[tuple[float, float]]:
    """(recall, precision) at points of the hyperbola F = f, within the unit square.

    Points are closer where it bends: their distances from its asymptotes are in a constant ratio.
    """
    square = beta**2
    recall, precision = square * f / (1 + square), f / (1 + square)  # the asymptotes
    product = recall * precision
    first, last = product / (1 - precision), 1 - recall  # from the asymptote, where precision or recall is 1
    distances = [first * (last / first) ** (step / steps) for step in range(steps + 1)]
    return [(min(1.0, recall + d), min(1.0, precision + product / d)) for d in distances]


def _isocurves(style: Style) -> list[Any]:
    c = style.colours
    lines = (
        chart("equal F")
        .mark_line(color=c.muted, strokeWidth=0.6)
        .encode(x="recall:Q", y="precision:Q", detail="F:Q")
    )
    ends = (
        chart("ends")
        .mark_text(align="right", dx=-1, dy=-4, color=c.soft, fontSize=6.5)
        .encode(x=alt.datum(1.0), y="precision:Q", text=alt.Text("F:Q", format=".1f"))
    )
    return [lines, ends]
