"""One measure against another."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.labels import averaging_note, counted, definitions
from rankgauge.figures.options import Highlight
from rankgauge.figures.panels import arrange
from rankgauge.figures.points import CELLS, count_cells, draw_cells, point_table
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.thinning import MAX_POINTS
from rankgauge.figures.tooltips import tooltip
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores


@figure(
    "scatter",
    title="One measure against another",
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
        str, Word(("topics", "runs")), "a point for each topic of each run, or for the means of each run"
    ] = "topics",
    highlight: Highlight = (),
) -> Drawing:
    """Two measures of the same rankings: the more they agree, the closer points are to a rising line.

    More than 25,000 points are shown as counts in the cells of a grid.
    """
    if len(scores.measures) != 2:
        raise OptionError(
            f"the figure scatter takes two measures, such as AP and nDCG@10, not {len(scores.measures)}"
        )
    x, y = scores.measures
    across, up = map(style.measure, (x, y))
    quality = {run: (scores.direction(x) or 1) * mean[x] for run, mean in scores.mean().items()}
    series = Series.assign(quality, style, highlight)
    points, undefined = point_table(scores, x, y, of, series, style)
    rows = list(points.rows)
    crowded = len(rows) > MAX_POINTS
    if crowded:
        points = count_cells([(row[3], row[4]) for row in rows])
        alt = require("altair")
        plot = draw_cells(style, alt.X("x:Q", title=across), alt.Y("y:Q", title=up))
    else:
        plot = _points(series, across, up, of)
    return Drawing(
        arrange([plot], style, height=style.height(0.85)),
        {"cells" if crowded else "points": points},
        f"{up} against {across}",
        f"{counted(len(rows), 'point')}: {counted(len(scores.runs), 'run')}, "
        f"{counted(len(scores.topics), 'topic')}",
        [
            definitions(scores.measures, style.labels),
            averaging_note(len(scores.topics), scores.rules) if of == "runs" else undefined,
            f"Colours are counts of points in {CELLS} × {CELLS} cells." if crowded else series.sentence,
        ],
        [] if crowded else series.labels,
    )


def _points(series: Series, x: str, y: str, of: str) -> Any:
    alt = require("altair")
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
            tooltip=tooltip("run", *(() if large else ("topic",)), ("x", x), ("y", y)),
        )
    )
