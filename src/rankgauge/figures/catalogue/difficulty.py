"""Which topics are hard."""

import math
from typing import TYPE_CHECKING, Any

from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.labels import (
    check_name,
    counted,
    definitions,
    join_some,
    unique_labels,
)
from rankgauge.figures.options import Highlight
from rankgauge.figures.panels import arrange
from rankgauge.figures.quartiles import quantile
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import Style
from rankgauge.figures.tooltips import QUARTILES, tooltip
from rankgauge.figures.topic_axis import count_topics, omission_notes, thin_positions, topic_axis
from rankgauge.model.output.tables import Cell, Table

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

    The tick is the median over runs, by which topics are ordered. The bar covers the first to the third
    quartile, the thin line all runs; highlighted runs are points.
    """
    highlighted = [check_name("run", run, scores.runs) for run in dict.fromkeys(highlight)]
    values, names = scores.to_dict(), unique_labels(scores.topics, call=style.topic)
    series = Series.assign(dict.fromkeys(highlighted, 0.0), style, highlighted, always_legend=True)
    data, plots, hardest, sizes = {}, [], [], []
    for number, measure in enumerate(scores.measures):
        spread: dict[str, list[float]] = {}
        for topic in scores.topics:
            own = (values[run][measure].get(topic, math.nan) for run in scores.runs)
            if kept := sorted(value for value in own if not math.isnan(value)):
                spread[topic] = [
                    kept[0],
                    *(quantile(kept, share) for share in (0.25, 0.5, 0.75)),
                    kept[-1],
                ]
        sign = scores.direction(measure) or 1
        order = sorted(spread, key=lambda topic: (-sign * spread[topic][2], -sign * sum(spread[topic])))
        hardest.append(
            f"hardest by {style.measure(measure)}: {join_some([names[t] for t in reversed(order)][:3])}"
        )
        sizes.append(len(order))
        shown = [(at + 1, order[at]) for at in thin_positions(len(order))]
        headers = ("position", "topic", "low", "q1", "median", "q3", "high")
        data[f"topics {number + 1}"] = Table(headers, [[at, names[t], *spread[t]] for at, t in shown])
        rows: list[list[Cell]] = [
            [at, names[t], series.entry_of[run], series.names[run], values[run][measure][t]]
            for run in highlighted
            for at, t in shown
            if t in values[run][measure]
        ]
        if highlighted:
            data[f"runs {number + 1}"] = Table(("position", "topic", "series", "run", "value"), rows)
        plots.append(
            _spans(number + 1, measure, [names[t] for _, t in shown], series, style, len(scores.measures))
        )
    return Drawing(
        arrange(plots, style, height=style.height(0.6)),
        data,
        "Difficulty of topics",
        f"{count_topics(sizes)}, {counted(len(scores.runs), 'run')}; {'; '.join(hardest)}",
        [
            f"{style.measures(scores.measures)} of {counted(len(scores.runs), 'run')} on each topic, ordered "
            "by the median over runs; bars: first to third quartile, lines: lowest to highest.",
            definitions(scores.measures, style.labels),
            *omission_notes(sizes, len(scores.topics)),
        ],
        series.labels if highlighted else [],
        fits=len(plots) == 1,
    )


def _spans(number: int, measure: str, order: list[str], series: Series, style: Style, panels: int) -> Any:
    alt, c = require("altair"), style.colours
    x, size = topic_axis(order, style, panels, "topics, from easiest to hardest")
    base = alt.Chart(alt.NamedData(name=f"topics {number}")).encode(
        x=x, tooltip=tooltip("topic", *QUARTILES.items())
    )
    layers = [
        base.mark_rule(color=c.soft, strokeWidth=min(0.8, size)).encode(
            y=alt.Y("low:Q", title=style.measure(measure)), y2="high:Q"
        ),
        base.mark_bar(color=c.muted, size=size, opacity=0.7).encode(y="q1:Q", y2="q3:Q"),
        base.mark_tick(orient="horizontal", color=c.ink, thickness=1.2, size=max(size, 1.5)).encode(
            y="median:Q"
        ),
    ]
    if series.entry_of:
        layers.append(
            alt.Chart(alt.NamedData(name=f"runs {number}"))
            .mark_point(filled=True, size=14, opacity=1)
            .encode(
                x=x,
                y="value:Q",
                color=series.colour(points=True),
                shape=series.shape(),
                tooltip=tooltip("run", "topic", ("value", style.measure(measure))),
            )
        )
    return alt.layer(*layers)
