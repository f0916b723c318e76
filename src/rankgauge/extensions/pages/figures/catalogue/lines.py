"""The figures `lines` and `intervals`: any table as lines, or as points with intervals."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Annotated, Any

from rankgauge.campaigns.options import NAME
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.drawing import (
    EXACT,
    MAX_POINTS,
    Drawing,
    Series,
    alt,
    arrange,
    chart,
    tooltip,
)
from rankgauge.extensions.pages.figures.labels import check_name, counted, unique_labels
from rankgauge.extensions.pages.figures.registry import SEVERAL_NAMES, Title, figure
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table, capital
from rankgauge.schema.parameters import Flag, Number, Word
from rankgauge.schema.text import format_number

FEW_PLACES = 12  # on the x axis, so that bars can stand side by side
STEP = 0.02  # the distance of bars at most, as a share of the axis
SPREAD = 0.55  # the share of the gap between two places that the bars of all lines take


def side_by_side(
    lines: Mapping[str, list[list[Cell]]], coloured: Sequence[str], *, log: bool
) -> dict[str, list[list[Cell]]] | None:
    """The points of lines, which begin with x, followed by the place of each, close to its x.

    Only lines in colour have bars. None without room or need for them.
    """
    forward, back = (math.log, math.exp) if log else (float, float)
    if not all(math.isfinite(_number(row[0])) for rows in lines.values() for row in rows):
        return None
    places = sorted({_number(row[0]) for name in coloured for row in lines[name]})
    if len(coloured) < 2 or not 2 <= len(places) <= FEW_PLACES or (log and places[0] <= 0):
        return None
    gap = min(forward(b) - forward(a) for a, b in pairwise(places))
    step = min(SPREAD * gap / len(coloured), STEP * (forward(places[-1]) - forward(places[0])))
    middle = (len(coloured) - 1) / 2
    placed = {name: [[*row, _number(row[0])] for row in rows] for name, rows in lines.items()}
    for at, name in enumerate(coloured):
        placed[name] = [[*row, back(forward(_number(row[0])) + (at - middle) * step)] for row in lines[name]]
    return placed


def draw_lines(
    style: Style,
    series: Series,
    titles: Mapping[str, str],
    *,
    ranges: str,
    ticks: Sequence[float],
    rule: bool,
    log: str,
    marks: bool,
    zero: bool,
) -> Any:
    """The chart of the table `lines`, and of `rule` if there is one.

    `titles` are those of columns, `ranges` "bands", "bars" or none, `ticks` those of the x axis with bars.
    """
    c = style.colours
    base = chart("lines").encode(detail="name:N")
    bars = ranges == "bars"
    x = alt.X(
        "place:Q" if bars else "x:Q",
        title=titles["x"],
        scale=alt.Scale(
            type="log" if log in ("x", "both") else "linear",
            zero=False,
            nice=False,
            padding=4 if bars else 0,
        ),
        axis=alt.Axis(values=[*ticks], format=EXACT) if bars else alt.Undefined,
    )
    y = alt.Y(
        "y:Q",
        title=titles["y"],
        scale=alt.Scale(type="log" if log in ("y", "both") else "linear", zero=zero),
    )
    ends = [(name, titles[name]) for name in ("low", "high") if ranges]
    shown = tooltip(("name", titles["name"]), ("x", titles["x"], EXACT), ("y", titles["y"]), *ends)
    layers = []
    if rule:
        layers.append(chart("rule").mark_rule(color=c.soft, strokeWidth=0.8).encode(y="y:Q"))
    # Before the ranges: the legend takes its symbols from the first layer.
    layers.append(
        base.mark_line(clip=True).encode(
            x=x,
            y=y,
            **series.looks("color", "strokeDash", "strokeWidth"),
            tooltip=shown,
        )
    )
    if ranges:
        mark = base.mark_rule(strokeWidth=0.9) if bars else base.mark_area(opacity=0.15)
        low = alt.Y("low:Q", title=titles["y"])
        layers.append(mark.encode(x=x, y=low, y2="high:Q", **series.looks("color")))
    if marks:
        points = base.mark_point(filled=True, size=18, opacity=1)
        layers.append(points.encode(x=x, y=y, **series.looks("color"), tooltip=shown))
    return alt.layer(*layers)


@figure(
    "lines",
    title="Lines from a table",
    needs="table",
    cite="Ferro et al. 2016, figures 13 and 14; Sakai 2006, figures 1 to 14; Clarke et al. 2008, figure 3",
    example="--x percent --y mean --marks",
)
def lines(
    table: Table,
    style: Style,
    *,
    x: Annotated[str | None, NAME, "the column on the x axis (default: the first with numbers)"] = None,
    y: Annotated[str | None, NAME, "the column on the y axis (default: the second with numbers)"] = None,
    series: Annotated[
        str | None, NAME, "the column that names the lines (default: the first with text)"
    ] = None,
    low: Annotated[str | None, NAME, "the column with the lower ends of bands or bars"] = None,
    high: Annotated[str | None, NAME, "the column with their upper ends"] = None,
    highlight: Annotated[
        tuple[str, ...], SEVERAL_NAMES, "a line to show in colour if there are too many to colour all"
    ] = (),
    rule: Annotated[
        float | None, Number(), "draw a horizontal line at this value, such as a significance level"
    ] = None,
    log: Annotated[str, Word(("none", "x", "y", "both")), "which axes are logarithmic"] = "none",
    marks: Annotated[bool, Flag(), "mark the points of each line"] = False,
    zero: Annotated[bool, Flag(), "start the y axis at 0"] = False,
    title: Title = None,
) -> Drawing:
    """A table as lines: one column on each axis, and a line for each value of a third.

    For example parameter sweeps, correlation by sample size, or significance levels. Several lines with few
    points have bars instead of bands, which would cover each other.
    """
    if (low is None) != (high is None):
        raise OptionError("bands have two ends: give both low and high, or neither")
    headers, rows = [*table.headers], [*table.rows]
    texts, numbers = _columns(headers, rows)
    line_column = check_name("column", series, headers) if series is not None else next(iter(texts), None)
    numbers = [name for name in numbers if name != line_column]
    columns = {"x": _numeric_column("x", x, 0, numbers), "y": _numeric_column("y", y, 1, numbers)}
    if low is not None and high is not None:
        columns |= {
            "low": _numeric_column("low", low, 0, numbers),
            "high": _numeric_column("high", high, 0, numbers),
        }
    places = [headers.index(name) for name in columns.values()]
    lines: dict[str, list[list[Cell]]] = {}
    for row in rows:
        name = "" if line_column is None else _name(row[headers.index(line_column)])
        lines.setdefault(name, []).append([row[place] for place in places])
    ends = {name: _number(points[-1][1]) for name, points in lines.items()}
    groups = Series.assign(ends, style, highlight, noun="line")
    if low is not None:  # lines in grey have no ranges, which would cover those in colour
        lines = {
            name: points if name in groups.coloured else [[x, y, None, None] for x, y, *_ in points]
            for name, points in lines.items()
        }
    ranges = "" if low is None else "bands"
    if low is not None and (placed := side_by_side(lines, groups.coloured, log=log in ("x", "both"))):
        lines, ranges, columns = placed, "bars", {**columns, "place": columns["x"]}
    step = -(-len(rows) // MAX_POINTS)
    drawn: list[list[Cell]] = []
    for name in groups.back_to_front:
        points = lines[name]
        thinned = points if step == 1 else [*points[:-1:step], points[-1]]
        drawn += [[groups.entry_of[name], groups.names[name], *cells] for cells in thinned]
    titles = {name: style.column(column) for name, column in columns.items()}
    titles["name"] = style.column(line_column) if line_column else "line"
    ticks = sorted({_number(points[0]) for own in lines.values() for points in own})
    plot = draw_lines(
        style,
        groups,
        titles,
        ranges=ranges,
        ticks=ticks,
        rule=rule is not None,
        log=log,
        marks=marks,
        zero=zero,
    )
    subject = f"{titles['y']} by {titles['x']}"
    return Drawing(
        arrange([plot], style, height=style.height(0.68)),
        {
            "lines": Table(("series", "name", *columns), drawn),
            **({} if rule is None else {"rule": Table(("y",), [[rule]])}),
        },
        title if title is not None else capital(subject),
        "" if line_column is None else f"{counted(len(lines), 'line')}: {style.column(line_column)}",
        [
            f"{capital(subject)}{f', a line for each {style.column(line_column)}' if line_column else ''}.",
            f"{capital(ranges)} reach from {titles['low']} to {titles['high']}"
            f"{'; they stand side by side so that all can be seen' if ranges == 'bars' else ''}."
            if ranges
            else "",
            f"The horizontal line is at {rule:g}." if rule is not None else "",
            groups.sentence,
            f"One point in {step} is drawn, and the last of each line." if step > 1 else "",
        ],
        groups.labels,
    )


@figure(
    "intervals",
    title="Values with intervals from a table",
    needs="table",
    cite="Cumming 2014, The new statistics: why and how",
    example="--name run --panels measure",
)
def intervals(
    table: Table,
    style: Style,
    *,
    name: Annotated[
        str | None, NAME, "the column that names the values (default: the one with the most different texts)"
    ] = None,
    value: Annotated[str | None, NAME, "the column with the values (default: the first with numbers)"] = None,
    low: Annotated[
        str | None, NAME, "the column with the lower ends (default: the second with numbers)"
    ] = None,
    high: Annotated[str | None, NAME, "the column with the upper ends (default: the third)"] = None,
    panels: Annotated[
        str | None, NAME, "the column that names panels, side by side (default: one that tells names apart)"
    ] = None,
    rule: Annotated[float | None, Number(), "draw a vertical line at this value, such as 0"] = None,
    title: Title = None,
) -> Drawing:
    """A point and an interval for each row of a table, the highest value of the first panel at the top.

    For example the bias of judges for runs: the table `runs` of `rankgauge agreement --judges`.
    """
    headers, rows = [*table.headers], [*table.rows]
    texts, numbers = _columns(headers, rows)
    different = {each: {_name(row[at]) for row in rows} for at, each in enumerate(headers)}
    ranked = sorted(texts or headers, key=lambda each: (len(different[each]), headers.index(each)))[::-1]
    names = check_name("column", name, headers) if name is not None else ranked[0]
    if panels is None and len(different[names]) < len(rows):  # a row would have several values
        panels = next((each for each in ranked[1:] if _tells_apart(headers, rows, names, each)), None)
    numbers = [each for each in numbers if each != names]
    chosen = {"value": (value, 0), "low": (low, 1), "high": (high, 2)}
    columns = {each: _numeric_column(each, *of, numbers) for each, of in chosen.items()}
    split = None if panels is None else headers.index(check_name("column", panels, headers))
    at = [headers.index(each) for each in (names, *columns.values())]
    by_panel: dict[str, list[list[Cell]]] = {}
    for row in rows:
        by_panel.setdefault("" if split is None else _name(row[split]), []).append([row[i] for i in at])
    first, *_ = by_panel.values()
    highest = sorted(first, key=lambda row: (math.isnan(_number(row[1])), -_number(row[1])))
    every = dict.fromkeys(
        _name(row[0]) for row in (*highest, *(row for own in by_panel.values() for row in own))
    )
    labels = unique_labels(every, call=style.name)
    titles = {each: style.column(column) for each, column in columns.items()}
    order, data, plots = [*labels.values()], {}, []
    for number, (panel, own) in enumerate(by_panel.items(), 1):
        cells = [[labels[_name(label)], *rest] for label, *rest in own]
        data[f"intervals {number}"] = Table(("name", *columns), cells)
        shown = f"{titles['value']}, {style.name(panel)}" if panels else titles["value"]
        plots.append(
            _draw_intervals(number, style, order, style.column(names), {**titles, "value": shown}, rule)
        )
    subject = f"{titles['value']} by {style.column(names)}"
    return Drawing(
        arrange(plots, style, height=max(2, len(order)) * style.row_height(order, len(order)), names=order),
        data | ({} if rule is None else {"rule": Table(("x",), [[rule]])}),
        title if title is not None else capital(subject),
        counted(len(order), "row"),
        [
            f"{capital(subject)}. Lines reach from {titles['low']} to {titles['high']}.",
            f"The vertical line is at {rule:g}." if rule is not None else "",
        ],
    )


def _tells_apart(headers: list[str], rows: Sequence[Sequence[Cell]], *columns: str) -> bool:
    places = [headers.index(each) for each in columns]
    return len({tuple(row[place] for place in places) for row in rows}) == len(rows)


def _draw_intervals(
    number: int, style: Style, order: list[str], noun: str, titles: Mapping[str, str], rule: float | None
) -> Any:
    c = style.colours
    y = alt.Y("name:N", title=None, scale=alt.Scale(domain=order), axis=alt.Axis(grid=False))
    shown = {"value": titles["value"], "low": "lower end", "high": "upper end"}
    base = chart(f"intervals {number}").encode(y=y, tooltip=tooltip(("name", noun), *shown.items()))
    layers = [
        base.mark_rule(color=c.series[0], strokeWidth=1.2).encode(
            x=alt.X("low:Q", title=titles["value"]), x2="high:Q"
        ),
        base.mark_point(filled=True, size=22, color=c.series[0], opacity=1).encode(x="value:Q"),
    ]
    if rule is not None:
        layers.insert(0, chart("rule").mark_rule(color=c.soft, strokeWidth=0.8).encode(x="x:Q"))
    return alt.layer(*layers)


def _name(cell: Cell) -> str:
    """The name of a line; numbers without needless digits (10.0 is 10)."""
    return format_number(cell) if isinstance(cell, (int, float)) else str(cell)


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, (int, float)) else math.nan


def _columns(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[list[str], list[str]]:
    if not rows:
        raise InputError("the table has no rows; there is nothing to draw")
    if len({*headers}) < len(headers):
        raise InputError(f"two columns of the table have the same name: {', '.join(headers)}")
    textual = [any(isinstance(cell, str) for cell in column) for column in zip(*rows, strict=True)]
    return (
        [name for name, is_text in zip(headers, textual, strict=True) if is_text],
        [name for name, is_text in zip(headers, textual, strict=True) if not is_text],
    )


def _numeric_column(option: str, name: str | None, place: int, numbers: list[str]) -> str:
    if name is None:
        if len(numbers) <= place:
            raise OptionError(
                f"the table has {counted(len(numbers), 'column')} of numbers, and none is left for {option}"
            )
        return numbers[place]
    return check_name("column of numbers", name, numbers)
