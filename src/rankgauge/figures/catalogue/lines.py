"""Any table as lines."""

import math
from collections.abc import Sequence
from typing import Annotated, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.figures.figure import Drawing, needed
from rankgauge.figures.labels import counted, legible
from rankgauge.figures.options import Name, Names, Title
from rankgauge.figures.panels import arranged
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series, known
from rankgauge.figures.theme import Style
from rankgauge.figures.thinning import MAX_POINTS
from rankgauge.model.tables import Cell, Table, capital
from rankgauge.schema.parameters import Flag, Number, Word


@figure(
    "lines",
    title="Lines of a table",
    needs="table",
    cite="Ferro et al. 2016, figures 13 and 14; Sakai 2006, figures 1 to 14; Clarke et al. 2008, figure 3",
    example="--x percent --y mean --marks",
)
def lines(
    table: Table,
    style: Style,
    *,
    x: Annotated[str | None, Name(), "the column across (default: the first of numbers)"] = None,
    y: Annotated[str | None, Name(), "the column upwards (default: the second of numbers)"] = None,
    series: Annotated[str | None, Name(), "the column that parts lines (default: the first of words)"] = None,
    low: Annotated[str | None, Name(), "the column with the lower end of a band around each line"] = None,
    high: Annotated[str | None, Name(), "the column with its upper end"] = None,
    highlight: Annotated[
        tuple[str, ...], Names(), "a line to show in colour, if there are too many for all"
    ] = (),
    rule: Annotated[
        float | None, Number(), "a value to draw a line across at, such as a level of significance"
    ] = None,
    log: Annotated[str, Word(("none", "x", "y", "both")), "which axes are logarithmic"] = "none",
    marks: Annotated[bool, Flag(), "mark the points of lines"] = False,
    zero: Annotated[bool, Flag(), "let the axis upwards begin at 0"] = False,
    title: Title = None,
) -> Drawing:
    """A table as lines: x across, y upwards, a line for each value of a column.

    For sweeps over a parameter, correlation against the size of a sample, curves of significance levels.
    """
    if (low is None) != (high is None):
        raise OptionError("a band has two ends: give both low and high, or neither")
    headers, rows = [*table.headers], [*table.rows]
    words, numbers = _columns(headers, rows)
    parted = known("column", series, headers) if series is not None else next(iter(words), None)
    numbers = [name for name in numbers if name != parted]
    columns = {"x": _chosen("x", x, numbers, 0), "y": _chosen("y", y, numbers, 1)}
    if low is not None and high is not None:
        columns |= {"low": _chosen("low", low, numbers, 0), "high": _chosen("high", high, numbers, 0)}
    places = [headers.index(name) for name in columns.values()]
    lines: dict[str, list[list[Cell]]] = {}
    for row in rows:
        name = "" if parted is None else str(row[headers.index(parted)])
        lines.setdefault(name, []).append([row[place] for place in places])
    ends = {name: _number(points[-1][1]) for name, points in lines.items()}
    cast = Series.cast(ends, style, highlight, what="line")
    step = -(-len(rows) // MAX_POINTS)
    drawn: list[list[Cell]] = []
    for name in cast.back_to_front:
        points = lines[name]
        thinned = points if step == 1 else [*points[:-1:step], points[-1]]
        drawn += [[cast.of[name], cast.names[name], *cells] for cells in thinned]
    across, up = columns["x"], columns["y"]
    said = f"{legible(up)} over {legible(across)}"
    return Drawing(
        arranged(
            [_lines(style, cast, (across, up), low is not None, rule, log, marks, zero)],
            style,
            height=style.panel(1) * 0.68,
        ),
        {
            "lines": Table(("series", "name", *columns), drawn),
            **({} if rule is None else {"rule": Table(("y",), [[rule]])}),
        },
        title if title is not None else capital(said),
        "" if parted is None else f"{counted(len(lines), 'line')}: {legible(parted)}",
        [
            f"{capital(said)}{f', a line for each {legible(parted)}' if parted else ''}.",
            f"The band is from {legible(low)} to {legible(high)}."
            if low is not None and high is not None
            else "",
            f"The line across is at {rule:g}." if rule is not None else "",
            cast.sentence,
            f"Drawn is one point of {step}, and the last of each line." if step > 1 else "",
        ],
        cast.labels,
    )


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, (int, float)) else math.nan


def _columns(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[list[str], list[str]]:
    """(columns of words, columns of numbers)."""
    if not rows:
        raise InputError("the table has no rows; there is nothing to draw")
    if len({*headers}) < len(headers):
        raise InputError(f"two columns of the table have the same name: {', '.join(headers)}")
    worded = [any(isinstance(cell, str) for cell in column) for column in zip(*rows, strict=True)]
    return (
        [name for name, word in zip(headers, worded, strict=True) if word],
        [name for name, word in zip(headers, worded, strict=True) if not word],
    )


def _chosen(option: str, name: str | None, numbers: list[str], place: int) -> str:
    """The column that was chosen, if it holds numbers, or else the one that is taken if none is."""
    if name is None:
        if len(numbers) <= place:
            raise OptionError(
                f"the table has {len(numbers)} columns of numbers, and none is left for {option}"
            )
        return numbers[place]
    return known("column of numbers", name, numbers)


def _lines(
    style: Style,
    series: Series,
    titles: tuple[str, str],
    band: bool,
    rule: float | None,
    log: str,
    marks: bool,
    zero: bool,
) -> Any:
    alt, c = needed("altair"), style.colours
    base = alt.Chart(alt.NamedData(name="lines"))
    x = alt.X(
        "x:Q",
        title=legible(titles[0]),
        scale=alt.Scale(type="log" if log in ("x", "both") else "linear", zero=False, nice=False),
    )
    y = alt.Y(
        "y:Q",
        title=legible(titles[1]),
        scale=alt.Scale(type="log" if log in ("y", "both") else "linear", zero=zero),
    )
    numbers = [alt.Tooltip("x:Q"), alt.Tooltip("y:Q", format=".4f")]
    layers = []
    if rule is not None:
        layers.append(
            alt.Chart(alt.NamedData(name="rule")).mark_rule(color=c.soft, strokeWidth=0.8).encode(y="y:Q")
        )
    lines = base.mark_line(clip=True).encode(
        x=x,
        y=y,
        color=series.colour(),
        strokeDash=series.dash(),
        strokeWidth=series.weight(),
        detail="name:N",
        tooltip=["name:N", *numbers],
    )
    layers.append(lines)  # before the band: a legend looks like what comes first
    if band:
        layers.append(
            base.mark_area(opacity=0.15).encode(
                x=x,
                y=alt.Y("low:Q", title=legible(titles[1])),
                y2="high:Q",
                color=series.colour(),
                detail="name:N",
            )
        )
    if marks:
        points = base.mark_point(filled=True, size=18, opacity=1)
        layers.append(points.encode(x=x, y=y, color=series.colour(), tooltip=["name:N", *numbers]))
    return alt.layer(*layers)
