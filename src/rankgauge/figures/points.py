"""Points of two measures against each other, or their counts in the cells of a grid if there are too many."""

from typing import TYPE_CHECKING, Any

from rankgauge.figures.drawing import require
from rankgauge.figures.labels import counted, unique_labels
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.tooltips import tooltip
from rankgauge.model.output.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

CELLS = 40  # per axis of the grid


def point_table(scores: "Scores", x: str, y: str, of: str, series: Series, style: Style) -> tuple[Table, str]:
    """(rows of run, series, topic and the values of two measures, a caption sentence on omitted points)."""
    rows: list[list[Cell]] = []
    if of == "runs":
        means = scores.mean()
        rows = [
            [series.names[run], series.entry_of[run], None, means[run][x], means[run][y]]
            for run in series.back_to_front
        ]
        return Table(("run", "series", "topic", "x", "y"), rows), ""
    values, topics = scores.to_dict(), unique_labels(scores.topics, call=style.topic)
    for run in series.back_to_front:
        ys = values[run][y]
        own = [series.names[run], series.entry_of[run]]
        rows += [[*own, topics[topic], a, ys[topic]] for topic, a in values[run][x].items()]
    defined = [row for row in rows if row[3] == row[3] and row[4] == row[4]]  # NaN does not equal itself
    omitted = len(rows) - len(defined)
    note = f"{counted(omitted, 'point')} with an undefined value left out." if omitted else ""
    return Table(("run", "series", "topic", "x", "y"), defined), note


def count_cells(points: list[tuple[Any, Any]]) -> Table:
    """The number of points in each cell of a grid over all of them; empty cells are left out."""
    import numpy as np

    xs, ys = np.array(points, dtype=float).T
    counts, x_edges, y_edges = np.histogram2d(xs, ys, bins=CELLS)
    rows = [
        [*x_edges[[i, i + 1]].tolist(), *y_edges[[j, j + 1]].tolist(), int(counts[i, j])]
        for i, j in zip(*np.nonzero(counts), strict=True)
    ]
    return Table(("x", "x2", "y", "y2", "count"), rows)


def draw_cells(style: Style, x: Any, y: Any, data: str = "cells") -> Any:
    """A heat map of the counts of `count_cells` on these axes."""
    alt, c = require("altair"), style.colours
    return (
        alt.Chart(alt.NamedData(name=data))
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
