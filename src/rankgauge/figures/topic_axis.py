"""Topics side by side: which are drawn, and the axis they stand on."""

from typing import Any

from rankgauge.figures.figure import needed
from rankgauge.figures.labels import counted
from rankgauge.figures.theme import Style

MAX_TOPICS = 1_000  # topics beside each other; of more, some are drawn


def count_topics(sizes: list[int]) -> str:
    """Of how many topics there are values, by one measure or several."""
    least, most = min(sizes), max(sizes)
    return counted(most, "topic") if least == most else f"{least:,} to {most:,} topics"


def omission_notes(sizes: list[int], topics: int) -> list[str]:
    """Sentences on topics that have no value, and on those that there is no room for."""
    drawn, without = len(thin_places(max(sizes))), [topics - size for size in sizes]
    return [
        f"{count_topics(without)} without a value left out." if any(without) else "",
        f"Drawn are {drawn} topics, evenly spread." if drawn < max(sizes) else "",
    ]


def thin_places(count: int) -> list[int]:
    """The places that are drawn of so many: all, or evenly spread ones with both ends."""
    if count <= MAX_TOPICS:
        return [*range(count)]
    return sorted({round(step * (count - 1) / (MAX_TOPICS - 1)) for step in range(MAX_TOPICS)})


def topic_axis(order: list[str], style: Style, panels: int, said: str) -> tuple[Any, float]:
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
