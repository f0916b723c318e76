"""Figures of one measure over another, a point for each run or each topic of a run."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.figure import Drawing, needed
from rankgauge.figures.labels import among, better, counted, definitions
from rankgauge.figures.options import Highlight
from rankgauge.figures.panels import arranged
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series, labels
from rankgauge.figures.theme import Style
from rankgauge.model.tables import Cell, Table
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

POINTS = 25_000  # more than these a page cannot draw at once, nor an eye see
CELLS = 40  # in each direction


@figure(
    "scatter",
    title="One measure over another",
    needs="scores",
    cite="Järvelin and Kekäläinen 2002, section 4; Sakai 2006, section 4",
    example='-m "AP nDCG@10" --of runs',
    measures="AP nDCG@10",
)
def scatter(
    scores: "Scores",
    style: Style,
    *,
    of: Annotated[
        str, Word(("topics", "runs")), "a point for each topic of each run, or for each run's means"
    ] = "topics",
    highlight: Highlight = (),
) -> Drawing:
    """Two measures of the same rankings: where they agree, points lie along a rising line.

    More than 25,000 points are counted in cells, the darker the more.
    """
    if len(scores.measures) != 2:
        raise OptionError(
            f"the figure scatter is of two measures, such as AP and nDCG@10, not of {len(scores.measures)}"
        )
    x, y = scores.measures
    good = {run: (better(x) or 1) * mean[x] for run, mean in scores.mean().items()}
    series = Series.cast(good, style, highlight)
    points, undefined = pairs(scores, x, y, of, series)
    rows = list(points.rows)
    crowded = len(rows) > POINTS
    if crowded:
        points = cells([(row[3], row[4]) for row in rows])
        alt = needed("altair")
        plot = counted_cells(style, alt.X("x:Q", title=x), alt.Y("y:Q", title=y))
    else:
        plot = _points(series, x, y, of)
    return Drawing(
        arranged([plot], style, height=style.panel(1) * 0.85),
        {"cells" if crowded else "points": points},
        f"{y} over {x}",
        f"{counted(len(rows), 'point')}: {counted(len(scores.runs), 'run')}, "
        f"{counted(len(scores.topics), 'topic')}",
        [
            definitions(scores.measures),
            among(len(scores.topics), scores.rules) if of == "runs" else undefined,
            f"Points are counted in {CELLS} × {CELLS} cells." if crowded else series.sentence,
        ],
        [] if crowded else series.labels,
    )


def pairs(scores: "Scores", x: str, y: str, of: str, series: Series) -> tuple[Table, str]:
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


def cells(points: list[tuple[Any, Any]]) -> Table:
    """How many points there are in each cell of a grid over all of them; empty cells are left out."""
    import numpy as np

    xs, ys = np.array(points, dtype=float).T
    counts, x_edges, y_edges = np.histogram2d(xs, ys, bins=CELLS)
    rows = [
        [*x_edges[[i, i + 1]].tolist(), *y_edges[[j, j + 1]].tolist(), int(counts[i, j])]
        for i, j in zip(*np.nonzero(counts), strict=True)
    ]
    return Table(("x", "x2", "y", "y2", "count"), rows)


def _points(series: Series, x: str, y: str, of: str) -> Any:
    alt = needed("altair")
    large = of == "runs"
    scale = alt.Scale(zero=not large, padding=8 if large else 0)
    return (
        alt.Chart(alt.NamedData(name="points"))
        .mark_point(filled=True, size=45 if large else 12, opacity=1 if large else 0.65)
        .encode(
            x=alt.X("x:Q", title=x, scale=scale),
            y=alt.Y("y:Q", title=y, scale=scale),
            color=series.colour(points=True),
            shape=series.shape(),
            tooltip=["run:N", "topic:N", alt.Tooltip("x:Q", format=".4f"), alt.Tooltip("y:Q", format=".4f")],
        )
    )


def counted_cells(style: Style, x: Any, y: Any) -> Any:
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
