"""Counting the preferences of a topic that a ranking fulfils.

Documents are numbered by place: retrieved ones first, in rank order, then the others. A preference is kept
when the preferred document has the smaller place. Pairs of documents are counted in blocks of rows, so that
memory does not grow with the square of the pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankgauge.errors import InputError
from rankgauge.formats.problems import quote
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints

BLOCK = 1 << 22  # pairs counted at once
NONE, ONE, BOTH = 0, 1, 2  # how many documents of a pair were retrieved


class Tally(NamedTuple):
    """Preferences by how many of their two documents were retrieved."""

    kept: list[int]
    broken: list[int]


class Group:
    """The preferences of one assessor for a topic; documents are in the order of their places."""

    def __init__(self, places: Ints, levels: Floats, partial: Bools | None, retrieved: int) -> None:
        self.places = places  # (n,) ascending
        self.levels = levels  # (n,)
        self.partial = (
            partial  # (n, n): which document is preferred to which; None: the one with the higher level
        )
        self.retrieved = int(np.searchsorted(places, retrieved))  # number of documents retrieved

    def better(self, rows: Ints) -> Bools:
        """(rows, n): whether a row's document is preferred to a column's."""
        higher: Bools = self.levels[rows, None] > self.levels if self.partial is None else self.partial[rows]
        return higher

    def worse(self, rows: Ints) -> Bools:
        """(rows, n): whether a column's document is preferred to a row's."""
        lower: Bools = (
            self.levels[rows, None] < self.levels if self.partial is None else self.partial[:, rows].T
        )
        return lower

    @cached_property
    def tally(self) -> Tally:
        """The numbers of preferences kept and broken."""
        tally = Tally([0, 0, 0], [0, 0, 0])
        columns = np.arange(len(self.places))
        for rows in _blocks(len(self.places)):
            later = columns > rows[:, None]
            top = int(np.searchsorted(rows, self.retrieved))  # number of retrieved rows
            for counts, pairs in ((tally.kept, self.better(rows)), (tally.broken, self.worse(rows))):
                pairs = pairs & later
                counts[BOTH] += int(np.count_nonzero(pairs[:top, : self.retrieved]))
                counts[ONE] += int(np.count_nonzero(pairs[:top, self.retrieved :]))
                counts[NONE] += int(np.count_nonzero(pairs[top:]))
        return tally

    @property
    def relevant(self) -> Bools:
        """(n,): whether a document is relevant, that is, its level is above 0."""
        return self.levels > 0

    def only(self, kept: Bools) -> Group:
        """The group with some of its documents (a mask)."""
        partial = None if self.partial is None else self.partial[np.ix_(kept, kept)]
        group = Group(self.places[kept], self.levels[kept], partial, 0)
        group.retrieved = int(np.count_nonzero(kept[: self.retrieved]))
        return group


def _blocks(size: int) -> Iterator[Ints]:
    """Consecutive rows of a square of this size, a block at a time."""
    step = max(1, BLOCK // max(1, size))
    return (np.arange(first, min(first + step, size)) for first in range(0, size, step))


class Counts:
    """The preferences of all groups for one topic, and the number of its documents retrieved."""

    def __init__(self, groups: Sequence[Group], retrieved: int, size: int) -> None:
        self.groups = groups
        self.retrieved = retrieved
        self.size = size  # documents of the topic

    @cached_property
    def pairs(self) -> list[Counter[tuple[int, int]]]:
        """Pairs by (groups whose preference is kept, broken), for each number of documents retrieved."""
        if len(self.groups) == 1:
            tally = self.groups[0].tally
            return [Counter({(1, 0): tally.kept[n], (0, 1): tally.broken[n]}) for n in (NONE, ONE, BOTH)]
        pairs: list[Counter[tuple[int, int]]] = [Counter(), Counter(), Counter()]
        columns, most = np.arange(self.size), len(self.groups) + 1
        for rows in _blocks(self.size):
            kept, broken = np.zeros((2, len(rows), self.size), dtype=np.int64)
            for group in self.groups:
                mine = np.flatnonzero((group.places >= rows[0]) & (group.places <= rows[-1]))
                where = np.ix_(group.places[mine] - rows[0], group.places)
                kept[where] += group.better(mine)
                broken[where] += group.worse(mine)
            codes = np.where(columns > rows[:, None], kept * most + broken, 0)
            top = int(np.searchsorted(rows, self.retrieved))
            parts = {
                BOTH: codes[:top, : self.retrieved],
                ONE: codes[:top, self.retrieved :],
                NONE: codes[top:],
            }
            for number, part in parts.items():
                for code, count in enumerate(np.bincount(part.ravel(), minlength=1).tolist()):
                    if code and count:
                        pairs[number][divmod(code, most)] += count
        return pairs


def count_preferences(
    groups: Mapping[str, Mapping[str, Mapping[str, float]]], places: Mapping[str, int], retrieved: int
) -> Counts:
    """The preferences of a topic, counted by the places of its documents."""
    return Counts([_group(groups[name], places, retrieved, name) for name in groups], retrieved, len(places))


def _group(
    subgroups: Mapping[str, Mapping[str, float]], places: Mapping[str, int], retrieved: int, name: str
) -> Group:
    docs = sorted({doc for levels in subgroups.values() for doc in levels}, key=places.__getitem__)
    place = np.array([places[doc] for doc in docs], dtype=np.int64)
    if len(subgroups) == 1:
        (levels,) = subgroups.values()
        return Group(place, np.array([levels[doc] for doc in docs], dtype=np.float64), None, retrieved)
    number = {doc: i for i, doc in enumerate(docs)}
    level = np.full(len(docs), np.nan)
    better = np.zeros((len(docs), len(docs)), dtype=bool)
    for levels in subgroups.values():
        mine = np.array([number[doc] for doc in levels])
        own = np.array(list(levels.values()), dtype=np.float64)
        before = level[mine]
        contradicted = ~np.isnan(before) & ((before == 0) != (own == 0))
        if contradicted.any():
            doc = docs[mine[int(contradicted.argmax())]]
            raise InputError(
                f"document {quote(doc)} has level 0 in one subgroup of group {quote(name)} and another level "
                "in a second one; 0 means not relevant: correct one of the two"
            )
        level[mine] = own
        better[np.ix_(mine, mine)] |= own[:, None] > own[None, :]
    _add_transitive(better)
    np.fill_diagonal(better, False)  # so that a cycle is reported by two documents
    both_ways = np.argwhere(better & better.T)
    if len(both_ways):
        one, other = (docs[int(i)] for i in both_ways[0])
        raise InputError(
            f"in group {quote(name)} document {quote(one)} is preferred to {quote(other)} and vice "
            "versa; a group must be consistent: correct it, or split it into two groups"
        )
    return Group(place, level, better, retrieved)


def _add_transitive(better: Bools) -> None:
    """Add the preferences that follow by transitivity."""
    for middle in range(len(better)):
        above = better[:, middle]
        if above.any() and better[middle].any():
            better[above] |= better[middle]
