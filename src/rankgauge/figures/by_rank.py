"""Figures of measures at every rank."""

from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.figures.options import Highlight, Log, Topic
from rankgauge.figures.panels import arranged
from rankgauge.figures.record import Drawing, needed
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series, known
from rankgauge.figures.theme import Style
from rankgauge.figures.words import among, better, counted, definitions, legible
from rankgauge.measures.parameters import Flag
from rankgauge.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves

POINTS = 25_000  # more than these a page cannot draw at once, nor an eye see
LOG_TICKS = [step * 10**power for power in range(7) for step in (1, 2, 5)]
JARVELIN = "Järvelin and Kekäläinen 2002, figures 1 to 4"
Ideal = Annotated[bool, Flag(), "show what the best possible rankings would have"]


@figure(
    "curve",
    title="Measures by rank",
    needs="curves",
    cite=JARVELIN,
    example='-m "DCG DCG(gains=exp2)" --depth 50',
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
    log: Log = False,
) -> Drawing:
    """The value of measures at every rank, a line for each run, and the ideal beside them.

    Lines are means over topics, or the values of one topic. Several measures, or one with several
    weightings of grades, stand in plots of their own side by side.
    """
    lines, ideals = _lines(curves, topic)
    first = curves.measures[0]
    good = {run: (better(first) or 1) * vectors[first][-1] for run, vectors in lines.items()}
    series = Series.cast(good, style, highlight, ideal=ideal)
    ranks = kept_ranks(curves.depth, (len(curves.runs) + ideal) * len(curves.measures))
    data, plots = {}, []
    for number, measure in enumerate(curves.measures):
        rows: list[list[Cell]] = []
        for run in series.back_to_front:
            vector = lines[run][measure]
            rows += [[rank, series.of[run], series.names[run], vector[rank - 1]] for rank in ranks]
        if ideal:
            rows += [[rank, series.ideal, None, ideals[measure][rank - 1]] for rank in ranks]
        name = f"curve {number + 1}"
        data[name] = Table(("rank", "series", "run", "value"), rows)
        plots.append(_plot(name, measure, series, log))
    among_topics = (
        f"topic {legible(topic)}" if topic is not None else f"mean of {counted(len(curves.topics), 'topic')}"
    )
    thinned = "" if len(ranks) == curves.depth else f"Drawn at {len(ranks)} of the {curves.depth} ranks."
    sentences = (
        definitions(curves.measures),
        "" if topic is not None else among(len(curves.topics), curves.rules),
        "The ideal is the best ranking that the judgments allow." if ideal else "",
        series.sentence,
        thinned,
    )
    return Drawing(
        arranged(plots, style, height=style.panel(1) * 0.68),
        data,
        f"{', '.join(curves.measures)} by rank",
        f"{among_topics[0].upper()}{among_topics[1:]}, ranks 1 to {curves.depth}",
        sentences,
        series.labels,
        fits=len(plots) == 1,
    )


def _lines(
    curves: "Curves", topic: str | None
) -> tuple[dict[str, dict[str, list[float]]], dict[str, list[float]]]:
    """({run: {measure: its vector}}, {measure: the ideal's}): means, or those of one topic."""
    if topic is None:
        return curves.mean(), curves.mean_ideal()
    at = curves.topics.index(known("topic", topic, curves.topics))
    own = {
        run: {m: v[at].tolist() for m, v in zip(curves.measures, values, strict=True)}
        for run, values in zip(curves.runs, curves.values, strict=True)
    }
    return own, {m: v[at].tolist() for m, v in zip(curves.measures, curves.ideal, strict=True)}


def _plot(data: str, measure: str, series: Series, log: bool) -> Any:
    alt = needed("altair")
    scale = alt.Scale(type="log" if log else "linear", zero=False, nice=False)
    axis = alt.Axis(values=LOG_TICKS, format="~s") if log else alt.Axis(tickMinStep=1, format="~s")
    tooltip = [alt.Tooltip(field) for field in ("run:N", "series:N", "rank:Q")]
    return (
        alt.Chart(alt.NamedData(name=data))
        .mark_line(clip=True)
        .encode(
            x=alt.X("rank:Q", title="rank", scale=scale, axis=axis),
            y=alt.Y("value:Q", title=measure),
            color=series.colour(),
            strokeDash=series.dash(),
            strokeWidth=series.weight(),
            detail="run:N",
            tooltip=[*tooltip, alt.Tooltip("value:Q", format=".4f")],
        )
    )


def kept_ranks(depth: int, lines: int) -> list[int]:
    """The ranks at which so many lines are drawn: all, or the first and then evenly spread ones."""
    room = max(60, POINTS // max(1, lines))
    if depth <= room:
        return [*range(1, depth + 1)]
    first = room // 3  # where curves bend
    spread = {first + round(step * (depth - first) / (room - first)) for step in range(room - first + 1)}
    return sorted({*range(1, first + 1), *spread})
