"""The order of documents within a topic, ties that could change a value, and candidates to order again."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from itertools import groupby
from math import isnan
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

    `ranks` is the rank column, or None where the rules do not need it. Rows whose score is NaN come last, in
    input order.
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


class VisibleTies(NamedTuple):
    """The ties that some measures see, which distinguish the same kinds of documents."""

    kinds: dict[float, int]  # of the documents of each level
    reach: int  # ties that begin below this rank are not seen ...
    cutoffs: list[int]  # ... unless they cross one of these ranks
    first: bool  # nothing is seen below the first document of a kind

    def covers(self, before: int, size: int) -> bool:
        """Whether it sees this many ranks behind so many others."""
        return before < self.reach or any(before < cutoff < before + size for cutoff in self.cutoffs)

    def kind(self, level: float | None) -> int:
        """The kind of the documents of a level; None is that of unjudged ones."""
        return UNSEEN if level is None else self.kinds.get(level, UNSEEN)


def visible_ties(visibility: Any) -> list[VisibleTies]:
    """The groups of (levels, ((kinds, reach, cutoffs, first), ...)); none of None."""
    if visibility is None:
        return []
    levels = numbers(visibility[0], "d")
    if levels != sorted(levels):
        raise ValueError("levels must ascend")
    groups = []
    for kinds, reach, cutoffs, first in visibility[1]:
        of_levels = numbers(kinds, "q")
        if len(of_levels) != len(levels):
            raise ValueError("a kind per level is expected")
        kind_of = dict(zip(levels, of_levels, strict=True))
        groups.append(VisibleTies(kind_of, reach, numbers(cutoffs, "q"), bool(first)))
    return groups


class TieCounter:
    """Counts the ties of a topic that could change a value."""

    def __init__(self, visible: list[VisibleTies]) -> None:
        self._visible = visible
        self._count = 0
        self._open: dict[int, list[VisibleTies]] = {}  # by the rank above a tie, the groups alone that see it

    def add(self, before: int, levels: list[float | None]) -> None:
        """Add a tie of documents of these levels, None being unjudged, behind so many others."""
        seen = [
            ties
            for ties in self._visible
            if ties.covers(before, len(levels)) and len({ties.kind(level) for level in levels}) > 1
        ]
        if all(ties.first for ties in seen):
            self._open[before] = seen
        else:
            self._count += 1

    def total(self, hits: Iterable[tuple[int, float]]) -> int:
        """The number of ties; hits are (rank, level), of all judged documents."""
        if not any(self._open.values()):
            return self._count
        known = sorted(hits)
        for before, groups in self._open.items():
            firsts = (
                next((rank for rank, level in known if ties.kind(level) != UNSEEN), 0) for ties in groups
            )
            self._count += any(first > before for first in firsts)
        return self._count


Placed = tuple["array[int]", "array[int]", "array[int]", "array[int]"]


class FixedCandidates:
    """Fixed candidates that take new scores."""

    def __init__(
        self,
        begins: Any,
        ends: Any,
        doc_data: Any,
        doc_offsets: Any,
        judgment: Any,
        grades: Any,
        order: str,
        ties: str,
        precision: str,
        visibility: Any = None,
    ) -> None:
        self._visible = visible_ties(visibility)
        rules = DocumentOrder(order, ties, precision)
        if rules.needs_rank:
            raise ValueError("candidates have no ranks")
        self._rules = rules
        self._grades = numbers(grades, "d")
        self._judgment = numbers(judgment, "q")
        docs = strings(doc_data, doc_offsets)
        self._order = []  # of each topic's candidates, as if all had the same score
        for begin, end in zip(numbers(begins, "q"), numbers(ends, "q"), strict=True):
            candidates = list(range(begin, end))
            rules.sort_tied(candidates, docs, [])
            self._order.append(candidates)

    def place(self, scores: Any) -> Placed | None:
        """(rank, judgment, tied, decisive): hits in rank order within each topic, then one entry per topic.

        None if a score, in single or double precision, is NaN.
        """
        values = numbers(scores, "f" if memoryview(scores).itemsize == 4 else "d")
        if len(values) != len(self._judgment):
            raise ValueError("scores of another length")
        if any(map(isnan, values)):
            return None
        values = self._rules.keys(values, [])
        ranks, hits, tied, decisive = array("q"), array("q"), array("q"), array("q")
        for candidates in self._order:
            ties, before, start, counter = 0, 0, len(hits), TieCounter(self._visible)
            ordered = sorted(candidates, key=values.__getitem__, reverse=True)
            for _, group in groupby(ordered, values.__getitem__):
                members = [self._judgment[at] for at in group]
                for rank, judgment in enumerate(members, before + 1):
                    if judgment >= 0:
                        ranks.append(rank)
                        hits.append(judgment)
                if len(members) > 1 and max(members) >= 0:
                    ties += len(members)
                    counter.add(before, [self._grades[j] if j >= 0 else None for j in members])
                before += len(members)
            tied.append(ties)
            levels = [self._grades[judgment] for judgment in hits[start:]]
            decisive.append(counter.total(zip(ranks[start:], levels, strict=True)))
        return ranks, hits, tied, decisive
