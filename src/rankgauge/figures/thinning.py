"""Which ranks and points to draw: none beyond the longest list, and fewer if there are too many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves

MAX_POINTS = 25_000  # more are slow to draw in a browser, and cannot be seen


def longest_list(curves: Curves, runs: Sequence[str], topics: Sequence[str]) -> int:
    """The last rank at which one of these runs has a document for one of the topics; at least 1."""
    if curves.retrieved is None:
        return curves.depth
    rows, columns = [curves.runs.index(run) for run in runs], [curves.topics.index(each) for each in topics]
    return min(curves.depth, max(1, int(curves.retrieved[rows][:, columns].max(initial=0))))


def thin_ranks(depth: int, lines: int) -> list[int]:
    """The ranks at which to draw this number of lines: all, or the first ones and then evenly spaced ones."""
    room = max(60, MAX_POINTS // max(1, lines))
    if depth <= room:
        return [*range(1, depth + 1)]
    first = room // 3  # where curves bend
    spaced = {first + round(step * (depth - first) / (room - first)) for step in range(room - first + 1)}
    return sorted({*range(1, first + 1), *spaced})


def ranks_drawn(last: int) -> str:
    """The ranks of a figure, in words."""
    return f"ranks 1 to {last:,}" if last > 1 else "rank 1"
