"""The figure `effort-gain`: effort against gain, a point for each topic of each run."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.catalogue.scatter import count_cells, draw_cells, point_table
from rankgauge.figures.drawing import MAX_POINTS, Drawing, alt, chart, tooltip
from rankgauge.figures.labels import counted, definitions
from rankgauge.figures.panels import concatenate
from rankgauge.figures.registry import FERRO, Highlight, figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.studies.effort import Quadrants

ROW_NAMES = 24.0  # the width of the names of rows, right of a plot


@figure(
    "effort-gain",
    title="Effort and gain, in sixteen quadrants",
    needs="scores",
    cite=f"{FERRO}, figures 7 to 10",
    example='-m "Twist AP nDCG(base=10)" --width page',
    measures="Twist nDCG(base=10)",
)
def effort_gain(
    scores: Scores,
    style: Style,
    *,
    method: Annotated[str, Word(("linear", "hazen")), "how quartiles of gain are interpolated"] = "linear",
    highlight: Highlight = (),
) -> Drawing:
    """A point for each topic of each run, effort on the x axis and gain on the y axis, in sixteen quadrants.

    The first measure is one of effort, such as Twist, divided at .25, .5 and .75; the others are of gain,
    divided at the quartiles of all points. Each has a plot, and below it the shares of the points in the
    quadrants. `rankgauge study effort-gain` has the numbers.
    """
    from rankgauge.studies.effort import quadrants

    if len(scores.measures) < 2:
        raise OptionError(
            "the figure effort-gain takes a measure of effort and one or more of gain, such as Twist and "
            f"nDCG, not {', '.join(scores.measures)} alone"
        )
    x, *gains = scores.measures
    series = Series.assign({run: mean[gains[0]] for run, mean in scores.mean().items()}, style, highlight)
    data: dict[str, Table] = {}
    panels, summaries, undefined, sizes = [], [], [], []
    crowded = len(scores.runs) * len(scores.topics) > MAX_POINTS
    columns = style.columns(len(gains))
    width = style.panel_width(len(gains), columns) - ROW_NAMES
    for number, y in enumerate(gains):
        suffix = f" {number + 1}" if len(gains) > 1 else ""
        points, omitted = point_table(scores, x, y, "topics", series, style)
        rows = [*points.rows]
        shares = quadrants([row[3] for row in rows], [row[4] for row in rows], method=method)
        cloud = {"cells": count_cells([(row[3], row[4]) for row in rows])} if crowded else {"points": points}
        tables = {**cloud, **_edges(shares, gap=8.0 / width)}
        data |= {f"{name}{suffix}": table for name, table in tables.items()}
        panels.append(_panel(style, series, suffix, (style.measure(x), style.measure(y)), crowded, width))
        sizes.append(len(rows))
        undefined.append(omitted)
        summaries.append(
            (f"{style.measure(y)}: " if suffix else "")
            + f"{shares.diagonal:.0%} on the diagonal, {shares.high_high:.0%} with high gain and high effort"
        )
    names = style.measures(gains)
    summary = "; ".join(summaries)
    return Drawing(
        panels[0] if len(panels) == 1 else concatenate(panels, columns),
        data,
        f"Effort and gain: {style.measure(x)} and {names}",
        f"{counted(max(sizes), 'point')}, {counted(len(scores.runs), 'run')}, "
        f"{counted(len(scores.topics), 'topic')}; {summary}",
        [
            f"Each point is a topic of a run; {style.measure(x)} is divided at .25, .5 and .75 (huge, high, "
            f"medium and low effort), {names} at the quartiles (low, medium, high and huge gain). "
            f"Below, shares of points: {summary}.",
            definitions(scores.measures, style.labels),
            *dict.fromkeys(undefined),
            series.sentence,
        ],
        [] if crowded else series.labels,
        fits=False,
    )


def _edges(quadrants: "Quadrants", gap: float) -> dict[str, Table]:
    """The sixteen quadrants with their edges, counts and shares of points; the cuts, and where names stand.

    Names of rows stand at least a `gap` apart, however close quartiles are.
    """
    from rankgauge.studies.effort import EFFORTS, GAINS, TWIST_CUTS

    xs, ys = (0.0, *TWIST_CUTS, 1.0), (0.0, *quadrants.cuts, 1.0)
    counts, shares = quadrants.counts.tolist(), quadrants.shares.tolist()
    rows: list[list[Cell]] = [
        [effort, gain, xs[i], xs[i + 1], ys[j], ys[j + 1], counts[j][i], shares[j][i]]
        for j, gain in enumerate(GAINS)
        for i, effort in enumerate(EFFORTS)
    ]
    columns = [(low + high) / 2 for low, high in pairwise(xs)]
    lines = spread([(low + high) / 2 for low, high in pairwise(ys)], gap, (gap / 2, 1 - gap / 2))
    return {
        "quadrants": Table(("effort", "gain", "x", "x2", "y", "y2", "points", "share"), rows),
        "effort cuts": Table(("x",), [[cut] for cut in TWIST_CUTS]),
        "gain cuts": Table(("y",), [[cut] for cut in quadrants.cuts]),
        "columns": Table(("effort", "x"), [*zip(EFFORTS, columns, strict=True)]),
        "rows": Table(("gain", "y"), [*zip(GAINS, lines, strict=True)]),
    }


def spread(places: Sequence[float], gap: float, within: tuple[float, float]) -> list[float]:
    """Ascending places moved as little as it takes to be at least a gap apart, and within a range."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + gap if moved else within[0]))
    ceiling = within[1]
    for at in reversed(range(len(moved))):
        moved[at] = min(moved[at], ceiling)
        ceiling = moved[at] - gap
    return moved


def _panel(
    style: Style, series: Series, suffix: str, titles: tuple[str, str], crowded: bool, width: float
) -> Any:
    """Points in their quadrants, and the shares of points below."""
    height = min(width, style.height(1))
    points = _points(style, series, suffix, titles, crowded).properties(width=width, height=height)
    shares = _shares(style, suffix).properties(width=width, height=4 * 11)
    return alt.vconcat(points, shares, spacing=6).resolve_scale(x="independent", y="independent")


def _points(style: Style, series: Series, suffix: str, titles: tuple[str, str], crowded: bool) -> Any:
    c = style.colours
    unit = alt.Scale(domain=[0, 1])
    across = alt.X("x:Q", title=f"{titles[0]} (effort)", scale=unit, axis=alt.Axis(grid=False))
    up = alt.Y("y:Q", title=f"{titles[1]} (gain)", scale=unit, axis=alt.Axis(grid=False))
    if crowded:
        cloud = draw_cells(style, across, up, f"cells{suffix}")
    else:
        cloud = (
            chart(f"points{suffix}")
            .mark_point(filled=True, size=11, opacity=0.6)
            .encode(
                x=across,
                y=up,
                color=series.colour(points=True),
                shape=series.shape(),
                tooltip=tooltip("run", "topic", ("x", titles[0]), ("y", titles[1])),
            )
        )
    rules = {"strokeWidth": 0.7, "strokeDash": [3, 2], "color": c.soft}
    text = {"fontSize": 7, "color": c.soft}

    def layer(name: str) -> Any:
        return chart(f"{name}{suffix}")

    return alt.layer(
        cloud,
        layer("effort cuts").mark_rule(**rules).encode(x="x:Q"),
        layer("gain cuts").mark_rule(**rules).encode(y="y:Q"),
        layer("columns").mark_text(**text, dy=-6).encode(x="x:Q", y=alt.datum(1.0), text="effort:N"),
        layer("rows").mark_text(**text, align="left", dx=4).encode(x=alt.datum(1.0), y="y:Q", text="gain:N"),
    )


def _shares(style: Style, suffix: str) -> Any:
    """The shares of points as a table of quadrants: the more, the darker."""
    from rankgauge.studies.effort import EFFORTS, GAINS

    c = style.colours
    plain = {"grid": False, "ticks": False, "domain": False, "labelOverlap": False}
    base = chart(f"quadrants{suffix}").encode(
        x=alt.X(
            "effort:N",
            title="effort",
            scale=alt.Scale(domain=[*EFFORTS]),
            axis=alt.Axis(labelAngle=0, **plain),
        ),
        y=alt.Y("gain:N", title="gain", scale=alt.Scale(domain=[*reversed(GAINS)]), axis=alt.Axis(**plain)),
        tooltip=tooltip("effort", "gain", "points", ("share", "share of points")),
    )
    tint = alt.Scale(domain=[0, 0.5], range=[c.paper, c.high], clamp=True, interpolate="lab")
    # fill, since colours belong to runs
    cells = base.mark_rect(stroke=c.grid, strokeWidth=0.5).encode(
        fill=alt.Fill("share:Q", scale=tint, legend=None)
    )
    ink = alt.condition("datum.share > 0.3", alt.value(c.paper), alt.value(c.ink))
    share = alt.Text("share:Q", format=".0%")
    return alt.layer(cells, base.mark_text(fontSize=7).encode(text=share, color=ink))
