"""The order of documents within a topic, decided by this module alone, and ties that could change a value."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple

from rankgauge.core.buffers import numbers, strings

ORDERS = ("score", "rank")
TIES = ("docid_desc", "docid_asc", "input", "rank")
PRECISIONS = ("double", "single")


def check_rule(name: str, rules: tuple[str, ...]) -> str:
    """The name of a rule; an error if there is no such rule."""
    if name not in rules:
        raise ValueError(f"no such rule: {name}")
    return name


class DocumentOrder:
    """The rules that order documents: the highest key comes first, then the rule for ties decides."""

    def __init__(self, order: str, ties: str, precision: str) -> None:
        self.by_rank = check_rule(order, ORDERS) == "rank"  # the rank column orders, not the score
        self.ties = check_rule(ties, TIES)
        self.single = check_rule(precision, PRECISIONS) == "single"  # scores are compared in single precision
        self.needs_rank = self.by_rank or ties == "rank"

    def keys(self, scores: list[float], ranks: list[int]) -> list[float]:
        """The keys of documents with these scores and ranks."""
        if self.by_rank:
            return [-float(rank) for rank in ranks]
        return list(array("f", scores)) if self.single else scores

    def sort_tied(self, rows: list[int], docs: list[bytes], ranks: list[int]) -> None:
        """Sort rows of equal keys, which are in input order; equal ids stay in it."""
        if self.ties != "input":
            rows.sort(key=docs.__getitem__, reverse=self.ties != "docid_asc")
        if self.ties == "rank":
            rows.sort(key=ranks.__getitem__)


def ranks(
    topic: Any,
    doc_data: Any,
    doc_offsets: Any,
    scores: Any,
    ranks: Any,
    order: str,
    ties: str,
    precision: str,
) -> array[int]:
    """The rank of every row within its topic: rows of equal numbers are a topic, interleaved or not.

    `ranks` is the rank column, or None where the rules do not need it. Rows whose score is NaN come
    last, in input order.
    """
    rules = DocumentOrder(order, ties, precision)
    if ranks is None and rules.needs_rank:
        raise ValueError("these rules need ranks")
    topics, docs, values = numbers(topic, "q"), strings(doc_data, doc_offsets), numbers(scores, "d")
    places = [0] * len(docs) if ranks is None else numbers(ranks, "q")
    if not len(topics) == len(docs) == len(values) == len(places):
        raise ValueError("columns of different lengths")
    keys = rules.keys(values, places)
    rows = [row for row, key in enumerate(keys) if key == key]
    rules.sort_tied(rows, docs, places)  # as if all were tied
    rows.sort(key=keys.__getitem__, reverse=True)
    rows += [row for row, key in enumerate(keys) if key != key]
    result, seen = array("q", bytes(8 * len(rows))), dict.fromkeys(topics, 0)
    for row in rows:
        seen[topics[row]] += 1
        result[row] = seen[topics[row]]
    return result


UNSEEN = -1  # the kind of documents that measures do not distinguish from unjudged ones


class Sight(NamedTuple):
    """The documents and ranks that some measures see."""

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
