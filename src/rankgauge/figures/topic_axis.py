"""An axis of topics: which are drawn, and how they are labelled."""

from typing import Any

from rankgauge.figures.drawing import require
from rankgauge.figures.labels import counted
from rankgauge.figures.theme import Style

MAX_TOPICS = 1_000  # of more topics, an evenly spaced selection is drawn


def count_topics(sizes: list[int]) -> str:
    """The number of topics with values, or its range over several measures."""
    least, most = min(sizes), max(sizes)
    return counted(most, "topic") if least == most else f"{least:,} to {most:,} topics"


def omission_notes(sizes: list[int], topics: int) -> list[str]:
    """Caption sentences on topics without a value, and on topics left out for lack of room."""
    drawn, without = len(thin_positions(max(sizes))), [topics - size for size in sizes]
    return [
        f"{count_topics(without)} without a value left out." if any(without) else "",
        f"{drawn:,} evenly spaced topics are drawn." if drawn < max(sizes) else "",
    ]


def thin_positions(count: int) -> list[int]:
    """The positions to draw out of this number: all, or evenly spaced ones including both ends."""
    if count <= MAX_TOPICS:
        return [*range(count)]
    return sorted({round(step * (count - 1) / (MAX_TOPICS - 1)) for step in range(MAX_TOPICS)})


def topic_axis(order: list[str], style: Style, panels: int, title: str) -> tuple[Any, float]:
    """(the axis of topics, the width of a bar): labelled with names if there is room for them."""
    alt = require("altair")
    room = style.panel_width(panels) / max(1, len(order))
    if room >= 8.5:
        axis = alt.Axis(labelAngle=-90, grid=False, labelOverlap=False)
        return alt.X("topic:N", scale=alt.Scale(domain=order), title=title, axis=axis), room * 0.7
    # With so many topics names would blur into a grey band; the tooltips have them.
    scale = alt.Scale(zero=False, nice=False, padding=room)
    axis = alt.Axis(grid=False, tickMinStep=1)
    return alt.X("position:Q", scale=scale, title=title, axis=axis), max(0.3, room * 0.8)
