"""Which ties could change a value: what measures see of the documents of a tie, and of its ranks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from rankgauge.core.buffers import numbers

UNSEEN = -1  # the kind of documents that measures do not distinguish from unjudged ones


class Sight(NamedTuple):
    """What some measures see."""

    kinds: dict[float, int]  # of the documents of each level
    reach: int  # ties that begin below this rank are not seen ...
    cutoffs: list[int]  # ... unless they cross one of these ranks
    first: bool  # nothing is seen below the first document of a kind

    def covers(self, before: int, size: int) -> bool:
        """Whether it sees this many ranks behind so many others."""
        return before < self.reach or any(before < cutoff < before + size for cutoff in self.cutoffs)


def sights_of(given: Any) -> list[Sight]:
    """The sights of (levels, ((kinds, reach, cutoffs, first), ...)); none of None."""
    if given is None:
        return []
    levels, each = numbers(given[0], "d"), given[1]
    if levels != sorted(levels):
        raise ValueError("levels must ascend")
    sights = []
    for kinds, reach, cutoffs, first in each:
        of_levels = numbers(kinds, "q")
        if len(of_levels) != len(levels):
            raise ValueError("a kind per level is expected")
        sights.append(
            Sight(dict(zip(levels, of_levels, strict=True)), reach, numbers(cutoffs, "q"), bool(first))
        )
    return sights


class TieCounter:
    """Counts the ties of a topic that could change a value."""

    def __init__(self, sights: list[Sight]) -> None:
        self._sights = sights
        self._count = 0
        self._open: dict[int, list[Sight]] = {}  # ties that only these sights see, by the rank above them

    def add(self, before: int, levels: list[float | None]) -> None:
        """Add a tie of documents of these levels, None being unjudged, behind so many others."""
        seen = [
            sight
            for sight in self._sights
            if sight.covers(before, len(levels)) and len({_kind(sight, level) for level in levels}) > 1
        ]
        if all(sight.first for sight in seen):
            self._open[before] = seen
        else:
            self._count += 1

    def total(self, hits: Iterable[tuple[int, float]]) -> int:
        """The number of ties; hits are (rank, level), of all judged documents."""
        if not any(self._open.values()):
            return self._count
        known = sorted(hits)
        for before, sights in self._open.items():
            firsts = (
                next((rank for rank, level in known if _kind(sight, level) != UNSEEN), 0) for sight in sights
            )
            self._count += any(first > before for first in firsts)
        return self._count


def _kind(sight: Sight, level: float | None) -> int:
    return UNSEEN if level is None else sight.kinds.get(level, UNSEEN)
