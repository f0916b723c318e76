"""Which topics are hard."""

import math
from typing import TYPE_CHECKING, Any

from rankgauge.figures.figure import Drawing, needed
from rankgauge.figures.labels import better, counted, definitions, legible, listed
from rankgauge.figures.options import Highlight
from rankgauge.figures.panels import arranged
from rankgauge.figures.quartiles import quantile
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series, known, labels
from rankgauge.figures.theme import Style
from rankgauge.figures.topic_axis import count_topics, omission_notes, thin_places, topic_axis
from rankgauge.model.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores


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
        shown = [(at + 1, order[at]) for at in thin_places(len(order))]
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
        f"{count_topics(sizes)}, {counted(len(scores.runs), 'run')}; {'; '.join(hardest)}",
        [
            f"{', '.join(scores.measures)} of {counted(len(scores.runs), 'run')} on each topic, ordered by "
            "the median over runs; bars from the first to the third quartile, lines from lowest to highest.",
            definitions(scores.measures),
            *omission_notes(sizes, len(scores.topics)),
        ],
        series.labels if chosen else [],
        fits=len(plots) == 1,
    )


def _spans(number: int, measure: str, order: list[str], series: Series, style: Style, panels: int) -> Any:
    alt, c = needed("altair"), style.colours
    x, size = topic_axis(order, style, panels, "topics, from easy to hard")
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
