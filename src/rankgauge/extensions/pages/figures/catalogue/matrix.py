"""The figures `matrix` and `significance`."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Union

from rankgauge.campaigns.options import NAME
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.drawing import Drawing, alt, chart, tooltip
from rankgauge.extensions.pages.figures.labels import counted, definition, unique_labels
from rankgauge.extensions.pages.figures.registry import Title, figure
from rankgauge.extensions.pages.figures.theme import Colours, Style
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.schema.parameters import Whole, Word

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison


TALLEST_CELL, TALLEST = 30.0, 500.0  # a cell; a matrix of many rows, which takes most of a page
MAX_GAPS = 40  # columns with gaps between them
FULL_NAME, SMALLEST_NAME = 9.0, 5.5  # the height of a row whose name has the usual type, or the smallest
SMALLEST_TYPE = 4.5
LEVELS = (0.001, 0.01, 0.05)  # of significance, shown as stars
STEPS = [*(f"< {level:g}" for level in LEVELS), f"≥ {LEVELS[-1]:g}"]
SHADES = (1.0, 0.6, 0.3, 0.06)  # of a colour: below each level, and above all of them


@figure(
    "matrix",
    title="Matrix from a table",
    needs="table",
    cite="Sakai 2006, figures 1 to 4 (rank correlations)",
    example="--scale correlation",
)
def matrix(
    table: Table,
    style: Style,
    *,
    scale: Annotated[
        str,
        Word(("correlation", "p", "values")),
        "correlation: from -1 to 1; p: significance levels; values: from lowest to highest",
    ] = "correlation",
    title: Title = None,
) -> Drawing:
    """A table as a matrix of coloured cells, such as correlations of measures or p-values of runs.

    The first column names the rows. With `scale=p`, cells are dark if a difference is significant.
    """
    return _drawing(table, style, scale, title)


def _drawing(
    table: Table,
    style: Style,
    scale: str,
    title: str | None,
    better: Mapping[tuple[Cell, Cell], str] | None = None,
) -> Drawing:
    """The matrix of a table; `better` has the better side, row or column, of (row, column)."""
    sides = sorted({*(better or {}).values()}, reverse=True)
    rows = [*table.rows]
    if not rows or len(table.headers) < 2:
        raise InputError("a matrix needs a column of names, and at least one row and one column of numbers")
    across = unique_labels(table.headers[1:], call=style.name)
    down = unique_labels([str(row[0]) for row in rows], call=style.name)
    if len(down) < len(rows) or len(across) < len(table.headers) - 1:
        raise InputError("two rows or two columns of the matrix have the same name")
    cells: list[list[Cell]] = []
    for row, label in zip(rows, down.values(), strict=True):
        for value, (name, column) in zip(row[1:], across.items(), strict=True):
            if isinstance(value, str):
                raise InputError(f"a matrix contains numbers, not {value!r}")
            if value is None and better is not None:
                continue  # each pair has one cell
            level = _level(value)
            if better and level in STEPS[:-1] and (row[0], name) in better:
                level = f"{better[row[0], name]} better, {level}"
            cells.append([label, column, value, _cell_text(value, scale), level])
    side = style.panel_width(1)
    roomy = side / len(across) >= (13 if scale == "p" else 19)
    height = max(40.0, min(side * len(rows) / len(across), TALLEST_CELL * len(rows), side))
    height = max(height, min(SMALLEST_NAME * len(rows), TALLEST))  # so that all rows are named
    of_rows = _step(height / len(rows))
    step = max(of_rows, _step(_cell_width(style, [*down], [*across])))
    numbered = step > of_rows == 1 and [*down] == [*across]
    thinned = "rows and columns" if of_rows > 1 else "columns"
    note = f"One in {step} {thinned} is named, for lack of room; all are in the same order." * (step > 1)
    kinds = {"correlation": "correlation, from -1 to 1", "p": "p-value", "values": "value"}
    stars = "; ".join(f"{'*' * (3 - at)} below {level:g}" for at, level in enumerate(LEVELS))
    return Drawing(
        _matrix(
            style, [*down.values()], [*across.values()], scale, height, roomy, numbered, sides
        ).properties(height=height),
        {"cells": Table(("row", "column", "value", "text", "level"), cells)},
        title
        if title is not None
        else {"correlation": "Correlations", "p": "p-values", "values": "Values"}[scale],
        f"{counted(len(rows), 'row')}, {counted(len(across), 'column')}: {kinds[scale]}"
        + (f" ({stars})" if scale == "p" and roomy else ""),
        [
            f"Each cell is the {kinds[scale].partition(',')[0]} of its row and column.",
            f"{stars}." if scale == "p" else "",
            "Columns have the numbers of the rows." if numbered else note,
        ],
        [f"{sides[-1]} better, {STEPS[0]}" if sides else STEPS[0], STEPS[-1]] if scale == "p" else [],
    )


def _cell_text(value: Cell, scale: str) -> str:
    if not isinstance(value, (int, float)) or value != value:
        return "–"
    if scale == "p":
        return next(
            ("*" * (3 - at) for at, level in enumerate(LEVELS) if value < level), f"{value:.2f}".lstrip("0")
        )
    text = f"{value:.2f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3g}"
    return text.replace("-", "−")


def _level(value: Cell) -> str | None:
    if not isinstance(value, (int, float)) or value != value:
        return None
    return next((step for step, level in zip(STEPS, LEVELS, strict=False) if value < level), STEPS[-1])


def _matrix(
    style: Style,
    down: list[str],
    across: list[str],
    scale: str,
    height: float,
    roomy: bool,
    numbered: bool,
    sides: Sequence[str],
) -> Any:
    c = style.colours
    cell = _cell_width(style, down, across)
    upright = 0 if style.label_width(across) < cell else -90
    number = f"(indexof({json.dumps(down)}, datum.value) + 1)"
    beside = _axis(down, height / len(down), 0, f"datum.label + '\u2003' + {number}" if numbered else "")
    below = _numbers(across, cell, number) if numbered else _axis(across, cell, upright)
    base = chart("cells").encode(
        x=alt.X("column:N", scale=alt.Scale(domain=across), title=None, axis=below),
        y=alt.Y("row:N", scale=alt.Scale(domain=down), title=None, axis=beside),
        tooltip=tooltip("row", "column", ("value", "value" if scale == "values" else scale)),
    )
    gap = 0.5 if len(across) <= MAX_GAPS else 0  # with many columns, gaps would hide the cells
    cells = base.mark_rect(stroke=c.paper, strokeWidth=gap).encode(
        color=_colour(c, scale, 2 if sides or cell * len(across) <= 150 else 4, sides)
    )
    if not roomy:
        return alt.layer(cells)
    # Text is in the colour of the paper if a cell is strongly coloured.
    strong = {"p": "datum.value < 0.01", "correlation": "abs(datum.value) > 0.6", "values": "false"}[scale]
    ink = alt.condition(strong, alt.value(c.paper), alt.value(c.ink))
    return alt.layer(cells, base.mark_text(fontSize=7).encode(text="text:N", color=ink))


def _cell_width(style: Style, down: list[str], across: list[str]) -> float:
    return (style.panel_width(1) - style.label_width(down)) / len(across)


def _step(room: float) -> int:
    """How many rows share a name where a row has this much room; 1 if all are named."""
    return math.ceil(SMALLEST_NAME / room)


def _axis(names: list[str], room: float, angle: int, text: str = "") -> Any:
    """An axis of names, smaller if there are many, thinned out if there are too many."""
    step = _step(room)
    more: dict[str, Any] = {"labelExpr": text} if text else {}
    if room < FULL_NAME:
        more["labelFontSize"] = max(SMALLEST_TYPE, 0.85 * step * room)
    return alt.Axis(
        values=names[::step],
        labelAngle=angle,
        ticks=False,
        domain=False,
        grid=False,
        labelOverlap=angle == 0 and room >= FULL_NAME,
        **more,
    )


def _numbers(names: list[str], room: float, number: str) -> Any:
    """An axis of numbers in place of names, thinned out for lack of room."""
    digits = len(str(len(names)))
    step = next(
        n for n in (1, 2, 5, 10, 20, 50, 100, len(names)) if n * room >= SMALLEST_NAME * (digits + 1) / 2
    )
    return alt.Axis(
        values=[*dict.fromkeys([names[0], *names[step - 1 :: step]])],
        labelExpr=number,
        labelAngle=0,
        labelFontSize=SMALLEST_NAME,
        domain=False,
        grid=False,
        labelOverlap=False,
    )


def _colour(c: Colours, scale: str, columns: int, sides: Sequence[str]) -> Any:
    bar = alt.Legend(title=None, orient="bottom", gradientThickness=7, gradientLength=110)
    if scale == "correlation":
        ends = alt.Scale(domain=[-1, 0, 1], range=[c.low, c.paper, c.high], interpolate="lab")
        return alt.Color("value:Q", scale=ends, legend=bar)
    if scale == "values":
        return alt.Color("value:Q", scale=alt.Scale(range=[c.paper, c.high], interpolate="lab"), legend=bar)
    shades = {
        f"{side} better, {step}" if side else step: _mix(
            c.low if side == "column" else c.high, c.paper, share
        )
        for side in sides or ("",)
        for step, share in zip(STEPS[:-1], SHADES, strict=False)
    } | {STEPS[-1]: _mix(c.high, c.paper, SHADES[-1])}
    square = alt.Legend(
        title="p", titleOrient="left", symbolType="square", symbolSize=60, columns=columns, rowPadding=2
    )
    return alt.Color("level:N", scale=alt.Scale(domain=[*shades], range=[*shades.values()]), legend=square)


def _mix(a: str, b: str, share: float) -> str:
    pairs = ((int(a[i : i + 2], 16), int(b[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(share * x + (1 - share) * y):02x}" for x, y in pairs)


@figure(
    "significance",
    title="Significant differences between runs",
    needs="scores",
    cite="Carterette 2012, Multiple testing in statistical analysis of systems-based IR experiments",
    example="-m AP --test randomisation --correction holm --seed 7",
    measures="AP",
)
def significance(
    scores: Union[Scores, "Comparison"],
    style: Style,
    *,
    test: Annotated[str, NAME, "the statistical test, as for `rankgauge compare`"] = "t",
    correction: Annotated[str | None, NAME, "the correction for multiple comparisons (default: Holm)"] = None,
    seed: Annotated[
        int | None, Whole(0), "the seed of random tests (default: as for `rankgauge compare`)"
    ] = None,
) -> Drawing:
    """Which runs beat which: the corrected p-value of each pair, in the row of the run with the better mean.

    Colours say which run is better, that of the row or, by a test that does not compare means, of the column.
    Takes scores for one measure, or a comparison from `rankgauge.compare`.
    """
    from rankgauge.comparison import Comparison, compare
    from rankgauge.comparison.registry import SEED

    comparison = scores
    if not isinstance(comparison, Comparison):
        if len(comparison.measures) != 1:
            raise OptionError(f"the figure significance takes one measure, not {len(comparison.measures)}")
        options: Any = {"test": test, "correction": correction, "seed": SEED if seed is None else seed}
        comparison = compare(comparison, **options)
    result = comparison.compared[0]
    order = result.best_first
    pairs = {frozenset((pair.run, pair.against)): pair for pair in result.pairs}
    rows: list[list[Cell]] = []
    better: dict[tuple[Cell, Cell], str] = {}
    for at, a in enumerate(order):
        own = {b: pairs.get(frozenset((a, b))) for b in order[at + 1 :]}
        rows.append([a, *[None] * (at + 1), *(pair.corrected if pair else math.nan for pair in own.values())])
        better |= {
            (a, b): "row" if pair.favours == a else "column"
            for b, pair in own.items()
            if pair and pair.favours
        }
    drawing = _drawing(Table(("run", *order), rows), style, "p", None, better)
    topics = max((pair.topics for pair in result.pairs), default=0)
    correction = "protected pairs" if comparison.protected else comparison.corrected_by.title
    method = f"{comparison.statistical_test.title}, {correction}"
    below = len(result.significant)
    return replace(
        drawing,
        title=f"Significance of differences in {style.name(result.measure)}",
        subtitle=f"{counted(len(order), 'run')}, best first; {counted(topics, 'topic')}; {method}",
        sentences=[
            f"Corrected p-values of {counted(len(result.pairs), 'pair')} of runs, from the best mean to the "
            f"worst, by {comparison.test_phrase(result)}; {below} below {comparison.alpha:g}.",
            comparison.cautions,
            "Colours of significant differences say which run is better, that of the row or of the column.",
            *drawing.sentences[1:],
            definition(result.measure, style.labels),
        ],
    )
