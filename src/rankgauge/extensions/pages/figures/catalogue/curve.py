"""The figure `curve`: measures at every rank."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.drawing import (
    Drawing,
    Series,
    alt,
    arrange,
    chart,
    longest_list,
    ranks_drawn,
    thin_ranks,
    tooltip,
)
from rankgauge.extensions.pages.figures.labels import averaging_note, check_name, counted
from rankgauge.extensions.pages.figures.registry import Highlight, Log, Topic, figure
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.measures import parse
from rankgauge.model.output.tables import Cell, Table, capital
from rankgauge.model.rules import MIN_TOPICS, NORMALISE
from rankgauge.schema.parameters import Flag, Number, Word

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves

MARKS = 6  # on each line, if colours repeat
FEW_RANKS = 10  # each with a tick
LOG_TICKS = [step * 10**power for power in range(7) for step in (1, 2, 5)]
JARVELIN = "Järvelin and Kekäläinen 2002, figures 1 to 4"
Ideal = Annotated[bool, Flag(), "show the ideal, the values of the best possible rankings"]
Normalise = Annotated[
    str,
    Word(tuple(NORMALISE.rules)),
    "divide by the ideal: each topic's curve by its own, or the mean curve by the mean ideal",
]
Band = Annotated[
    float | None,
    Number(0, 1, above=True, below=True),
    "show a confidence band of the mean at this level, such as 0.95",
]


@figure(
    "curve",
    title="Measures by rank",
    needs="curves",
    cite=JARVELIN,
    example='-m "DCG DCG(gains=exp2)" --depth 100 --width page',
    measures="nDCG",
    depth=100,
)
def curve(
    curves: "Curves",
    style: Style,
    *,
    topic: Topic = None,
    highlight: Highlight = (),
    ideal: Ideal = True,
    normalise: Normalise = "no",
    band: Band = None,
    log: Log = False,
) -> Drawing:
    """The value of measures at every rank, a line for each run, with the ideal.

    Lines are means over topics, or the values of one topic. Several measures, or one with several gains, have
    a plot each, side by side.
    """
    if topic is not None and (normalise != "no" or band is not None):
        raise OptionError("normalise and band apply to means over topics; leave them out, or leave out topic")
    lines, ideals = _lines(curves, topic, normalise)
    bands = None if band is None else curves.band(band, normalise)
    first = curves.measures[0]
    quality = {run: (curves.averages[first][1] or 1) * vectors[first][-1] for run, vectors in lines.items()}
    series = Series.assign(quality, style, highlight, ideal=ideal, results=curves)
    last = longest_list(curves, curves.runs, curves.topics if topic is None else (topic,))
    ranks = thin_ranks(last, (len(curves.runs) + ideal) * len(curves.measures))
    data: dict[str, Table] = {}
    titles: dict[str, str] = {}
    for number, measure in enumerate(curves.measures):
        rows: list[list[Cell]] = []
        for run in series.back_to_front:
            vector = lines[run][measure]
            own = [series.entry_of[run], series.names[run]]
            ends = bands[run][measure] if bands and run in series.coloured else ()
            rows += [[rank, *own, vector[rank - 1], *(end[rank - 1] for end in ends)] for rank in ranks]
        if ideal:
            rows += [[rank, series.ideal, series.ideal, ideals[measure][rank - 1]] for rank in ranks]
        name = f"curve {number + 1}"
        columns = ("rank", "series", "run", "value", *(("low", "high") if bands else ()))
        gap = [math.nan] * len(columns)  # neither the ideal nor runs in grey have a band
        data[name] = Table(columns, [[*row, *gap[len(row) :]] for row in rows])
        title = style.name(measure) if normalise == "no" else f"{style.name(measure)} / ideal"
        titles[name] = title
    domain = _common_range(data, curves.measures, normalise)
    ticks = LOG_TICKS if log else [*range(1, last + 1)] if last <= FEW_RANKS else []
    plots = [
        _plot(name, title, series, domain, ticks, log=log, band=bands is not None)
        for name, title in titles.items()
    ]
    if series.repeats_colours:
        for number, name in enumerate([*data]):
            marks = f"marks {number + 1}"
            data[marks] = _marks(data[name], ranks, series)
            plots[number] = alt.layer(plots[number], _points(marks, titles[name], series))
    shown_topics = (
        f"mean of {counted(len(curves.topics), 'topic')}" if topic is None else f"topic {style.name(topic)}"
    )
    thinned = "" if len(ranks) == last else f"Drawn at {len(ranks)} of {last} ranks."
    sentences = (
        "" if topic is not None else averaging_note(len(curves.topics), curves.rules),
        "The ideal is the best possible ranking by the judgments." if ideal else "",
        "" if normalise == NORMALISE.default else f"{capital(NORMALISE.rules[normalise])}.",
        ""
        if band is None
        else f"There are no bands: on fewer than {MIN_TOPICS} topics no interval is useful."
        if len(curves.topics) < MIN_TOPICS
        else f"Bands are {band:.0%} confidence intervals of the mean.",
        thinned,
        f"No list is longer than {counted(last, 'document')}." if last < curves.depth else "",
    )
    return Drawing.of(
        curves,
        style,
        series,
        arrange(plots, style, height=style.height(0.68)),
        data,
        title=f"{style.measures(curves.measures)} by rank",
        subtitle=f"{capital(shown_topics)}, {ranks_drawn(last)}",
        sentences=sentences,
    )


def _lines(
    curves: "Curves", topic: str | None, normalise: str
) -> tuple[dict[str, dict[str, list[float]]], dict[str, list[float]]]:
    """({run: {measure: values by rank}}, {measure: ideal values by rank}), means or those of one topic."""
    if topic is None:
        ideals = curves.mean_ideal()
        if normalise != "no":  # divided by itself it is 1
            ideals = {measure: [1.0] * len(vector) for measure, vector in ideals.items()}
        return curves.mean(normalise), ideals
    at = curves.topics.index(check_name("topic", topic, curves.topics))
    own = {
        run: {m: v[at].tolist() for m, v in zip(curves.measures, values, strict=True)}
        for run, values in zip(curves.runs, curves.values, strict=True)
    }
    return own, {m: v[at].tolist() for m, v in zip(curves.measures, curves.ideal, strict=True)}


def _common_range(
    data: Mapping[str, Table], measures: Sequence[str], normalise: str
) -> tuple[float, float] | None:
    """The range of all vertical axes if plots are comparable: shares of the ideal, or values from 0 to 1."""
    comparable = normalise != "no" or all(parse(measure).spec.bounds == (0, 1) for measure in measures)
    if not comparable or (len(data) == 1 and normalise == "no"):
        return None
    numbers = [
        float(value)
        for table in data.values()
        for row in table.rows
        for value in row[3:]
        if isinstance(value, (int, float)) and math.isfinite(value)
    ]
    return min(0.0, *numbers, 0.0), max(normalise != "no", *numbers, 0.0)


def _marks(table: Table, ranks: Sequence[int], series: Series) -> Table:
    step = max(1, len(ranks) // MARKS)
    rows: list[Sequence[Cell]] = []
    for place, run in enumerate(series.coloured):
        shown = {*ranks[place * step // len(series.coloured) :: step]}
        rows += [row[:4] for row in table.rows if row[2] == series.names[run] and row[0] in shown]
    return Table(("rank", "series", "run", "value"), rows)


def _points(data: str, title: str, series: Series) -> Any:
    return (
        chart(data)
        .mark_point(filled=True, size=20, opacity=1)
        .encode(
            x="rank:Q",
            y=alt.Y("value:Q", title=title),
            **series.looks("color", "shape", points=True),
        )
    )


def _plot(
    data: str,
    title: str,
    series: Series,
    domain: tuple[float, float] | None,
    ticks: list[int],
    *,
    log: bool,
    band: bool,
) -> Any:
    scale = alt.Scale(type="log" if log else "linear", zero=False, nice=False)
    axis = alt.Axis(format="~s", **({"values": ticks} if ticks else {}))
    marked = series.repeats_colours
    base = chart(data).encode(
        x=alt.X("rank:Q", title="rank", scale=scale, axis=axis),
        **series.looks("color", points=marked),
        detail="run:N",
    )
    vertical = alt.Undefined if domain is None else alt.Scale(domain=[*domain], nice=True)
    lines = base.mark_line(clip=True).encode(
        y=alt.Y("value:Q", title=title, scale=vertical),
        **series.looks("strokeDash", "strokeWidth", points=marked),
        tooltip=tooltip("run", "rank", ("value", title)),
    )
    if not band:
        return lines
    area = base.mark_area(opacity=0.15, clip=True)
    return alt.layer(lines, area.encode(y=alt.Y("low:Q", title=title), y2="high:Q"))
