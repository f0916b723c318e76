"""The figure `scatter`: one measure against another."""

import math
from dataclasses import replace
from typing import Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.drawing import (
    MAX_POINTS,
    Drawing,
    Series,
    alt,
    arrange,
    chart,
    tooltip,
)
from rankgauge.extensions.pages.figures.labels import (
    counted,
    unique_labels,
)
from rankgauge.extensions.pages.figures.registry import Highlight, figure
from rankgauge.extensions.pages.figures.theme import MAX_COLOURS, Style
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Flag, Word

CELLS = 40  # per axis of the grid


def point_table(scores: Scores, x: str, y: str, of: str, series: Series, style: Style) -> tuple[Table, str]:
    """(rows of run, series, topic and the values of two measures, a caption sentence on omitted points)."""
    columns = ("topic", "x", "y")
    if of == "runs":
        return series.table(columns, {r: [[None, mean[x], mean[y]]] for r, mean in scores.mean().items()}), ""
    topics = unique_labels(scores.topics, call=style.name)
    points: dict[str, list[list[Cell]]] = {
        run: [[topics[topic], a, values[y][topic]] for topic, a in values[x].items()]
        for run, values in scores.to_dict().items()
    }
    # NaN does not equal itself
    defined = {run: [p for p in some if p[1] == p[1] and p[2] == p[2]] for run, some in points.items()}
    omitted = sum(map(len, points.values())) - sum(map(len, defined.values()))
    note = f"{counted(omitted, 'point')} with an undefined value left out." if omitted else ""
    return series.table(columns, defined), note


def count_cells(points: list[tuple[Any, Any]]) -> Table:
    """The number of points in each cell of a grid; empty cells are left out."""
    import numpy as np

    xs, ys = np.array(points, dtype=float).T
    counts, x_edges, y_edges = np.histogram2d(xs, ys, bins=CELLS)
    rows = [
        [*x_edges[[i, i + 1]].tolist(), *y_edges[[j, j + 1]].tolist(), int(counts[i, j])]
        for i, j in zip(*np.nonzero(counts), strict=True)
    ]
    return Table(("x", "x2", "y", "y2", "count"), rows)


def draw_points(
    x: Any,
    y: Any,
    titles: tuple[str, str],
    series: Series,
    data: str = "points",
    *,
    topics: bool,
    size: float,
    opacity: float = 1,
) -> Any:
    """The points of `point_table`: of `topics`, or of the means of runs."""
    names = zip(("x", "y"), titles, strict=True)
    return (
        chart(data)
        .mark_point(filled=True, size=size, opacity=opacity)
        .encode(
            x=x,
            y=y,
            **series.looks("color", "shape", points=True),
            tooltip=tooltip("run", *(("topic",) if topics else ()), *names),
        )
    )


def draw_cells(style: Style, x: Any, y: Any, data: str = "cells") -> Any:
    """A heat map of the counts of `count_cells`."""
    c = style.colours
    return (
        chart(data)
        .mark_rect()
        .encode(
            x=x,
            x2="x2:Q",
            y=y,
            y2="y2:Q",
            color=alt.Color(
                "count:Q",
                title="points",
                scale=alt.Scale(type="log", range=[c.grid, c.high]),
                legend=alt.Legend(orient="right", gradientThickness=8),
            ),
            tooltip=tooltip(("count", "points")),
        )
    )


def best_on_both(scores: Scores, x: str, y: str) -> list[list[Cell]]:
    """The means of runs that no other run beats on one measure without losing on the other, by x."""
    ways = scores.direction(x) or 1, scores.direction(y) or 1
    means = sorted({(mean[x], mean[y]) for mean in scores.mean().values()})

    def beaten(point: tuple[float, float]) -> bool:
        worth = [way * value for way, value in zip(ways, point, strict=True)]
        others = (
            [way * value for way, value in zip(ways, each, strict=True)] for each in means if each != point
        )
        return any(all(a >= b for a, b in zip(other, worth, strict=True)) for other in others)

    return [[*point] for point in means if not any(map(math.isnan, point)) and not beaten(point)]


def draw_frontier(style: Style, x: Any, y: Any) -> Any:
    """The steps through the points of `best_on_both`."""
    return (
        chart("frontier")
        .mark_line(color=style.colours.muted, strokeDash=[4, 3])
        .encode(x=x, y=y, order=alt.Order("x:Q"))
    )


@figure(
    "scatter",
    title="One measure against another",
    needs="scores",
    cite="Järvelin and Kekäläinen 2002, section 4; Sakai 2006, section 4",
    example='-m "AP nDCG@10" --of runs',
    measures="AP nDCG@10",
)
def scatter(
    scores: Scores,
    style: Style,
    *,
    of: Annotated[
        str | None,
        Word(("topics", "runs")),
        f"a point for each topic of each run, or for the means of each run (default: topics of up to "
        f"{MAX_COLOURS} runs, means of more)",
    ] = None,
    frontier: Annotated[
        bool, Flag(), "a line through the means of runs that no other run beats on both measures"
    ] = False,
    highlight: Highlight = (),
) -> Drawing:
    """Two measures of the same rankings: the more they agree, the closer points are to a rising line.

    `frontier` shows which runs are worth their latency or price. More than 25,000 points are shown as counts
    in the cells of a grid.
    """
    if len(scores.measures) != 2:
        raise OptionError(
            f"the figure scatter takes two measures, such as AP and nDCG@10, not {len(scores.measures)}"
        )
    if frontier and of == "topics":
        raise OptionError("a frontier is of runs; choose of=runs, or leave it out")
    if of is None:
        of = "topics" if not frontier and len(scores.runs) <= MAX_COLOURS else "runs"
    x, y = scores.measures
    across, up = map(style.name, (x, y))
    quality = {run: (scores.direction(x) or 1) * mean[x] for run, mean in scores.mean().items()}
    series = Series.assign(quality, style, highlight, results=scores)
    points, undefined = point_table(scores, x, y, of, series, style)
    rows = list(points.rows)
    crowded = len(rows) > MAX_POINTS
    if crowded:
        points = count_cells([(row[3], row[4]) for row in rows])
        plot = draw_cells(style, alt.X("x:Q", title=across), alt.Y("y:Q", title=up))
    else:
        large = of == "runs"
        scale = alt.Scale(zero=not large, padding=8 if large else 0)
        axes = alt.X("x:Q", title=across, scale=scale), alt.Y("y:Q", title=up, scale=scale)
        look = {"size": 45, "opacity": 1} if large else {"size": 12, "opacity": 0.65}
        plot = draw_points(*axes, (across, up), series, topics=not large, **look)
    tables = {"cells" if crowded else "points": points}
    plots = [plot]
    if frontier:
        tables["frontier"] = Table(("x", "y"), best_on_both(scores, x, y))
        plots.insert(0, draw_frontier(style, *axes))
    drawing = Drawing.of(
        scores,
        style,
        series,
        arrange([alt.layer(*plots)], style, height=style.height(0.85)),
        tables,
        title=f"{up} against {across}",
        subtitle=f"{counted(len(rows), 'point')}: {counted(len(scores.runs), 'run')}, "
        f"{counted(len(scores.topics), 'topic')}",
        sentences=None if of == "runs" else [undefined],
    )
    if not crowded:
        return drawing
    cells = f"Colours are counts of points in {CELLS} × {CELLS} cells."
    return replace(drawing, sentences=[*drawing.sentences[:-1], cells], legend=[])
