"""Figures of the scores of topics: their differences between runs, and which topics are hard."""

import math
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import OptionError
from rankgauge.figures.boxes import quantile
from rankgauge.figures.figure import Drawing, needed
from rankgauge.figures.labels import better, counted, definitions, legible, listed
from rankgauge.figures.options import Highlight, Name
from rankgauge.figures.panels import arranged
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series, known, labels
from rankgauge.figures.theme import Style
from rankgauge.model.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

BARS = 1_000  # topics beside each other; of more, some are drawn


@figure(
    "differences",
    title="Differences between two runs, topic by topic",
    needs="scores",
    cite="Buckley and Voorhees 2005, Retrieval system evaluation",
    example="-m AP --baseline bm25 --run dense",
    measures="AP",
)
def differences(
    scores: "Scores",
    style: Style,
    *,
    baseline: Annotated[str | None, Name(), "the run that is compared with (default: the first)"] = None,
    run: Annotated[str | None, Name(), "the run that is compared (default: the second)"] = None,
) -> Drawing:
    """How much one run helps or hurts against another, a bar for each topic, from best to worst."""
    old, new = _two(scores.runs, baseline, run)
    values, names = scores.to_dict(), labels(scores.topics)
    data, plots, counts, sizes = {}, [], [], []
    for number, measure in enumerate(scores.measures):
        sign = better(measure) or 1
        before, after = values[old][measure], values[new][measure]
        both = {t: after[t] - before[t] for t in scores.topics if t in before and t in after}
        order = sorted((t for t in both if not math.isnan(both[t])), key=lambda t: -sign * both[t])
        helps, hurts = (sum(sign * way * both[t] > 0 for t in order) for way in (1, -1))
        mean = math.fsum(both[t] for t in order) / len(order) if order else math.nan
        counts.append(
            f"{measure}: helps {helps}, hurts {hurts}, same {len(order) - helps - hurts}, mean {mean:+.4f}"
        )
        shown = _spread(len(order))
        rows: list[list[Cell]] = []
        for at in shown:
            t = order[at]
            effect = "helps" if sign * both[t] > 0 else "hurts" if sign * both[t] < 0 else "same"
            rows.append([at + 1, names[t], effect, both[t], before[t], after[t]])
        name = f"topics {number + 1}"
        sizes.append(len(order))
        data[name] = Table(("position", "topic", "effect", "difference", "baseline", "run"), rows)
        plots.append(_bars(name, measure, [str(row[1]) for row in rows], style, len(scores.measures)))
    return Drawing(
        arranged(plots, style, height=style.panel(1) * 0.6),
        data,
        f"{legible(new)} against {legible(old)}, topic by topic",
        "; ".join(counts),
        [
            f"{', '.join(scores.measures)} of {legible(new)} less that of {legible(old)} for each of "
            f"{_size(sizes)}, from where it helps most to where it hurts most.",
            definitions(scores.measures),
            *_not_drawn(sizes, len(scores.topics)),
        ],
        ["helps", "hurts"],
        fits=len(plots) == 1,
    )


def _two(runs: tuple[str, ...], baseline: str | None, run: str | None) -> tuple[str, str]:
    """The two runs of a comparison: those that were named, or the only two."""
    if len(runs) < 2:
        raise OptionError(f"the figure differences compares two runs, and there is only {runs[0]!r}")
    if len(runs) > 2 and (baseline is None or run is None):
        raise OptionError(
            f"the figure differences compares two runs, and there are {len(runs)}; "
            "name them by baseline and run"
        )
    if baseline is not None and baseline == run:
        raise OptionError(f"the figure differences compares two runs, and both are {run!r}; name another")
    if baseline is None:
        baseline = next(each for each in runs if each != run)
    if run is None:
        run = next(each for each in runs if each != baseline)
    return known("run", baseline, runs), known("run", run, runs)


def _size(sizes: list[int]) -> str:
    """Of how many topics there are values, by one measure or several."""
    least, most = min(sizes), max(sizes)
    return counted(most, "topic") if least == most else f"{least:,} to {most:,} topics"


def _not_drawn(sizes: list[int], topics: int) -> list[str]:
    """Sentences on topics that have no value, and on those that there is no room for."""
    drawn, without = len(_spread(max(sizes))), [topics - size for size in sizes]
    return [
        f"{_size(without)} without a value left out." if any(without) else "",
        f"Drawn are {drawn} topics, evenly spread." if drawn < max(sizes) else "",
    ]


def _spread(count: int) -> list[int]:
    """The places that are drawn of so many: all, or evenly spread ones with both ends."""
    if count <= BARS:
        return [*range(count)]
    return sorted({round(step * (count - 1) / (BARS - 1)) for step in range(BARS)})


def _places(order: list[str], style: Style, panels: int, said: str) -> tuple[Any, float]:
    """(the axis of topics, the width of a bar): with their names if there is room for them."""
    alt = needed("altair")
    room = style.panel(panels) / max(1, len(order))
    if room >= 8.5:
        axis = alt.Axis(labelAngle=-90, grid=False, labelOverlap=False)
        return alt.X("topic:N", scale=alt.Scale(domain=order), title=said, axis=axis), room * 0.7
    # An axis of numbers: so many names would be a grey band, and the tooltip has them.
    scale = alt.Scale(zero=False, nice=False, padding=room)
    axis = alt.Axis(grid=False, tickMinStep=1)
    return alt.X("position:Q", scale=scale, title=said, axis=axis), max(0.3, room * 0.8)


def _bars(data: str, measure: str, order: list[str], style: Style, panels: int) -> Any:
    alt, c = needed("altair"), style.colours
    x, size = _places(order, style, panels, "topics, from helped to hurt")
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("difference", "baseline", "run")]
    effects = alt.Scale(domain=["helps", "hurts"], range=[c.high, c.low])
    return (
        alt.Chart(alt.NamedData(name=data))
        .mark_bar(size=size)
        .encode(
            x=x,
            y=alt.Y("difference:Q", title=f"difference in {measure}", stack=None),
            color=alt.Color(
                "effect:N", scale=effects, legend=alt.Legend(title=None, symbolType="square", symbolSize=60)
            ),
            tooltip=["topic:N", *numbers],
        )
    )


@figure(
    "difficulty",
    title="Difficulty of topics",
    needs="scores",
    cite="Voorhees 2005, Overview of the TREC Robust Retrieval Track",
    example="-m AP --highlight bm25",
    measures="AP",
)
def difficulty(scores: "Scores", style: Style, *, highlight: Highlight = ()) -> Drawing:
    """The scores of all runs on each topic, from the easiest topic to the hardest.

    A topic's difficulty is the median over runs: the line across. The bar is from the first to the third
    quartile, the thin line from the worst run to the best; highlighted runs are points.
    """
    chosen = [known("run", run, scores.runs) for run in dict.fromkeys(highlight)]
    values, names = scores.to_dict(), labels(scores.topics)
    series = Series.cast(dict.fromkeys(chosen, 0.0), style, told=True)
    data, plots, hardest, sizes = {}, [], [], []
    for number, measure in enumerate(scores.measures):
        spread: dict[str, list[float]] = {}
        for topic in scores.topics:
            found = (values[run][measure].get(topic, math.nan) for run in scores.runs)
            if kept := sorted(value for value in found if not math.isnan(value)):
                spread[topic] = [
                    kept[0],
                    *(quantile(kept, share) for share in (0.25, 0.5, 0.75)),
                    kept[-1],
                ]
        sign = better(measure) or 1
        order = sorted(spread, key=lambda topic: (-sign * spread[topic][2], -sign * sum(spread[topic])))
        hardest.append(f"hardest by {measure}: {listed([legible(t) for t in reversed(order)][:3])}")
        sizes.append(len(order))
        shown = [(at + 1, order[at]) for at in _spread(len(order))]
        headers = ("position", "topic", "low", "q1", "median", "q3", "high")
        data[f"topics {number + 1}"] = Table(headers, [[at, names[t], *spread[t]] for at, t in shown])
        rows: list[list[Cell]] = [
            [at, names[t], series.of[run], series.names[run], values[run][measure][t]]
            for run in chosen
            for at, t in shown
            if t in values[run][measure]
        ]
        if chosen:
            data[f"runs {number + 1}"] = Table(("position", "topic", "series", "run", "value"), rows)
        plots.append(
            _spans(number + 1, measure, [names[t] for _, t in shown], series, style, len(scores.measures))
        )
    return Drawing(
        arranged(plots, style, height=style.panel(1) * 0.6),
        data,
        "Difficulty of topics",
        f"{_size(sizes)}, {counted(len(scores.runs), 'run')}; {'; '.join(hardest)}",
        [
            f"{', '.join(scores.measures)} of {counted(len(scores.runs), 'run')} on each topic, ordered by "
            "the median over runs; bars from the first to the third quartile, lines from lowest to highest.",
            definitions(scores.measures),
            *_not_drawn(sizes, len(scores.topics)),
        ],
        series.labels if chosen else [],
        fits=len(plots) == 1,
    )


def _spans(number: int, measure: str, order: list[str], series: Series, style: Style, panels: int) -> Any:
    alt, c = needed("altair"), style.colours
    x, size = _places(order, style, panels, "topics, from easy to hard")
    numbers = [alt.Tooltip(f"{name}:Q", format=".4f") for name in ("low", "q1", "median", "q3", "high")]
    base = alt.Chart(alt.NamedData(name=f"topics {number}")).encode(x=x, tooltip=["topic:N", *numbers])
    layers = [
        base.mark_rule(color=c.soft, strokeWidth=min(0.8, size)).encode(
            y=alt.Y("low:Q", title=measure), y2="high:Q"
        ),
        base.mark_bar(color=c.rest, size=size, opacity=0.7).encode(y="q1:Q", y2="q3:Q"),
        base.mark_tick(color=c.ink, thickness=1.2, size=max(size, 1.5)).encode(y="median:Q"),
    ]
    if series.of:
        layers.append(
            alt.Chart(alt.NamedData(name=f"runs {number}"))
            .mark_point(filled=True, size=14, opacity=1)
            .encode(
                x=x,
                y="value:Q",
                color=series.colour(points=True),
                shape=series.shape(),
                tooltip=["run:N", "topic:N", alt.Tooltip("value:Q", format=".4f")],
            )
        )
    return alt.layer(*layers)
