"""Points of two measures, or counts of them in cells where there are too many."""

from typing import TYPE_CHECKING, Any

from rankgauge.figures.figure import needed
from rankgauge.figures.labels import counted
from rankgauge.figures.series import Series, labels
from rankgauge.figures.theme import Style
from rankgauge.model.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

CELLS = 40  # in each direction


def point_table(scores: "Scores", x: str, y: str, of: str, series: Series) -> tuple[Table, str]:
    """Rows of run, series, topic and the values of two measures; and what was left out, as a sentence."""
    rows: list[list[Cell]] = []
    if of == "runs":
        means = scores.mean()
        rows = [
            [series.names[run], series.of[run], None, means[run][x], means[run][y]]
            for run in series.back_to_front
        ]
        return Table(("run", "series", "topic", "x", "y"), rows), ""
    values, topics = scores.to_dict(), labels(scores.topics)
    for run in series.back_to_front:
        ys = values[run][y]
        own = [series.names[run], series.of[run]]
        rows += [[*own, topics[topic], a, ys[topic]] for topic, a in values[run][x].items()]
    defined = [row for row in rows if row[3] == row[3] and row[4] == row[4]]  # NaN is not itself
    left = len(rows) - len(defined)
    said = f"{counted(left, 'point')} with an undefined value left out." if left else ""
    return Table(("run", "series", "topic", "x", "y"), defined), said


def count_cells(points: list[tuple[Any, Any]]) -> Table:
    """How many points there are in each cell of a grid over all of them; empty cells are left out."""
    import numpy as np

    xs, ys = np.array(points, dtype=float).T
    counts, x_edges, y_edges = np.histogram2d(xs, ys, bins=CELLS)
    rows = [
        [*x_edges[[i, i + 1]].tolist(), *y_edges[[j, j + 1]].tolist(), int(counts[i, j])]
        for i, j in zip(*np.nonzero(counts), strict=True)
    ]
    return Table(("x", "x2", "y", "y2", "count"), rows)


def draw_cells(style: Style, x: Any, y: Any) -> Any:
    """The counts of `cells`, the darker the more, with these axes."""
    alt, c = needed("altair"), style.colours
    return (
        alt.Chart(alt.NamedData(name="cells"))
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
            tooltip=["count:Q"],
        )
    )
