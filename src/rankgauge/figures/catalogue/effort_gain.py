"""Effort against gain, a point for each topic of each run."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.citations import FERRO
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.labels import counted, definitions
from rankgauge.figures.options import Highlight
from rankgauge.figures.panels import arrange
from rankgauge.figures.points import count_cells, draw_cells, point_table
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.thinning import MAX_POINTS
from rankgauge.model.tables import Cell, Table
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores
    from rankgauge.studies.effort.gain_plots import Quadrants


@figure(
    "effort-gain",
    title="Effort and gain, in sixteen quadrants",
    needs="scores",
    cite=f"{FERRO}, figures 7 to 10",
    example="--highlight bm25",
    measures="Twist nDCG(base=10)",
)
def effort_gain(
    scores: "Scores",
    style: Style,
    *,
    method: Annotated[str, Word(("linear", "hazen")), "how quartiles of gain are interpolated"] = "linear",
    highlight: Highlight = (),
) -> Drawing:
    """A point for each topic of each run, effort on the x axis and gain on the y axis, in sixteen quadrants.

    The first measure is one of effort, such as Twist, divided at .25, .5 and .75; the second is one of gain,
    divided at the quartiles of all points. `rankgauge study effort-gain` has the numbers.
    """
    from rankgauge.studies.effort.gain_plots import TWIST_CUTS, quadrants

    if len(scores.measures) != 2:
        raise OptionError(
            f"the figure effort-gain takes two measures, for effort and gain, not {len(scores.measures)}"
        )
    x, y = scores.measures
    series = Series.assign({run: mean[y] for run, mean in scores.mean().items()}, style, highlight)
    points, undefined = point_table(scores, x, y, "topics", series)
    rows = [*points.rows]
    shares = quadrants([row[3] for row in rows], [row[4] for row in rows], method=method)
    crowded = len(rows) > MAX_POINTS
    summary = f"{shares.diagonal:.0%} on the diagonal, {shares.high_high:.0%} with high gain and high effort"
    return Drawing(
        arrange([_quadrants(style, series, x, y, crowded)], style, height=style.panel_width(1)),
        {
            **({"cells": count_cells([(row[3], row[4]) for row in rows])} if crowded else {"points": points}),
            "quadrants": _edges(shares),
            "effort cuts": Table(("x",), [[cut] for cut in TWIST_CUTS]),
            "gain cuts": Table(("y",), [[cut] for cut in shares.cuts]),
        },
        f"Effort and gain: {x} and {y}",
        f"{counted(len(rows), 'point')}, {counted(len(scores.runs), 'run')}, "
        f"{counted(len(scores.topics), 'topic')}; {summary}",
        [
            f"Each point is a topic of a run; {x} is divided at .25, .5 and .75 (huge, high, medium and low "
            f"effort), {y} at its quartiles (low, medium, high and huge gain). "
            f"Percentages are shares of points: {summary}.",
            definitions(scores.measures),
            undefined,
            series.sentence,
        ],
        [] if crowded else series.labels,
    )


def _edges(quadrants: "Quadrants") -> Table:
    """The sixteen quadrants with their edges, counts and shares of points."""
    from rankgauge.studies.effort.gain_plots import EFFORTS, GAINS, TWIST_CUTS

    xs, ys = (0.0, *TWIST_CUTS, 1.0), (0.0, *quadrants.cuts, 1.0)
    counts, shares = quadrants.counts.tolist(), quadrants.shares.tolist()
    rows: list[list[Cell]] = [
        [effort, gain, xs[i], xs[i + 1], ys[j], ys[j + 1], counts[j][i], shares[j][i]]
        for j, gain in enumerate(GAINS)
        for i, effort in enumerate(EFFORTS)
    ]
    return Table(("effort", "gain", "x", "x2", "y", "y2", "points", "share"), rows)


def _quadrants(style: Style, series: Series, x: str, y: str, crowded: bool) -> Any:
    alt, c = require("altair"), style.colours
    unit = alt.Scale(domain=[0, 1])
    across = alt.X("x:Q", title=f"{x} (effort: huge to low)", scale=unit, axis=alt.Axis(grid=False))
    up = alt.Y("y:Q", title=f"{y} (gain)", scale=unit, axis=alt.Axis(grid=False))
    if crowded:
        cloud = draw_cells(style, across, up)
    else:
        cloud = (
            alt.Chart(alt.NamedData(name="points"))
            .mark_point(filled=True, size=11, opacity=0.6)
            .encode(
                x=across,
                y=up,
                color=series.colour(points=True),
                shape=series.shape(),
                tooltip=[
                    "run:N",
                    "topic:N",
                    alt.Tooltip("x:Q", format=".4f"),
                    alt.Tooltip("y:Q", format=".4f"),
                ],
            )
        )
    rules = {"strokeWidth": 0.7, "strokeDash": [3, 2], "color": c.soft}
    text = {"align": "left", "baseline": "top", "dx": 2, "dy": 2, "fontSize": 7, "fontWeight": "bold"}
    named = alt.Chart(alt.NamedData(name="quadrants")).encode(
        x=alt.X("x:Q"), y=alt.Y("y2:Q"), text=alt.Text("share:Q", format=".0%")
    )
    return alt.layer(
        cloud,
        alt.Chart(alt.NamedData(name="effort cuts")).mark_rule(**rules).encode(x="x:Q"),
        alt.Chart(alt.NamedData(name="gain cuts")).mark_rule(**rules).encode(y="y:Q"),
        # a halo in the colour of the paper keeps numbers readable on a cloud of points
        named.mark_text(**text, stroke=c.paper, strokeWidth=2.5),
        named.mark_text(**text, color=c.ink),
    )
