"""Precision and recall of runs, with lines of equal F."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.citations import MANNING
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.labels import averaging_note, counted, definitions
from rankgauge.figures.options import Highlight
from rankgauge.figures.panels import arrange
from rankgauge.figures.points import point_table
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.tooltips import tooltip
from rankgauge.measures import parse
from rankgauge.model.output.tables import Table
from rankgauge.schema.parameters import Number, Word
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

PRECISIONS, RECALLS = ("P", "SetP", "gP"), ("R", "SetR", "gR")


@figure(
    "pr-scatter",
    title="Precision and recall of runs, with lines of equal F",
    needs="scores",
    cite=f"{MANNING}, section 8.3 (F); van Rijsbergen 1979",
    example='-m "P@20 R@20" --beta 2',
    measures="P@10 R@10",
)
def pr_scatter(
    scores: "Scores",
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
    series = Series.assign(quality, style, highlight)
    points, undefined = point_table(scores, recall, precision, of, series, style)
    steps = [tenths / 10 for tenths in range(1, 10)]
    lines = [[f, r, p] for f in steps for r, p in equal_f(f, beta)]
    ends = [[f, f / (1 + beta**2 - beta**2 * f)] for f in steps]  # where recall is 1
    mark = _points(series, style.measure(recall), style.measure(precision), large=of == "runs")
    letter = "F" if beta == 1 else f"F (β = {format_number(beta)})"
    return Drawing(
        arrange([require("altair").layer(*_isocurves(style), mark)], style, height=style.height(1)),
        {
            "points": points,
            "equal F": Table(("F", "recall", "precision"), lines),
            "ends": Table(("F", "precision"), ends),
        },
        style.measures((precision, recall)).replace(", ", " and ", 1),
        f"{'Means' if of == 'runs' else 'Values'} of {counted(len(scores.topics), 'topic')}; "
        f"grey lines: equal {letter}",
        [
            definitions((precision, recall), style.labels),
            averaging_note(len(scores.topics), scores.rules) if of == "runs" else undefined,
            f"Grey lines connect points with the same {letter}; F of means is not the mean of F over topics."
            if of == "runs"
            else "",
            series.sentence,
        ],
        series.labels,
    )


def f_measure(precision: float, recall: float, beta: float) -> float:
    """F of a precision and a recall; 0 if both are 0."""
    over = beta**2 * precision + recall
    return (1 + beta**2) * precision * recall / over if over else 0.0


def equal_f(f: float, beta: float, steps: int = 60) -> list[tuple[float, float]]:
    """(recall, precision) at points of the line on which F is f, within the unit square.

    The line is a hyperbola. Its points are closer where it bends: their distances from its asymptotes are
    in a constant ratio.
    """
    square = beta**2
    recall, precision = square * f / (1 + square), f / (1 + square)  # the asymptotes
    product = recall * precision
    first, last = product / (1 - precision), 1 - recall  # from the asymptote, where precision or recall is 1
    distances = [first * (last / first) ** (step / steps) for step in range(steps + 1)]
    return [(min(1.0, recall + d), min(1.0, precision + product / d)) for d in distances]


def _isocurves(style: Style) -> list[Any]:
    alt, c = require("altair"), style.colours
    lines = (
        alt.Chart(alt.NamedData(name="equal F"))
        .mark_line(color=c.muted, strokeWidth=0.6)
        .encode(x="recall:Q", y="precision:Q", detail="F:Q")
    )
    ends = (
        alt.Chart(alt.NamedData(name="ends"))
        .mark_text(align="right", dx=-1, dy=-4, color=c.soft, fontSize=6.5)
        .encode(x=alt.datum(1.0), y="precision:Q", text=alt.Text("F:Q", format=".1f"))
    )
    return [lines, ends]


def _points(series: Series, recall: str, precision: str, *, large: bool) -> Any:
    alt = require("altair")
    unit = alt.Scale(domain=[0, 1])
    return (
        alt.Chart(alt.NamedData(name="points"))
        .mark_point(filled=True, size=55 if large else 12, opacity=1 if large else 0.6)
        .encode(
            x=alt.X("x:Q", title=recall, scale=unit, axis=alt.Axis(grid=False)),
            y=alt.Y("y:Q", title=precision, scale=unit, axis=alt.Axis(grid=False)),
            color=series.colour(points=True),
            shape=series.shape(),
            tooltip=tooltip("run", *(() if large else ("topic",)), ("x", recall), ("y", precision)),
        )
    )
