from __future__ import annotations

from array import array
from itertools import groupby
from math import isnan
from typing import Any

from rankgauge.core.buffers import numbers, strings
from rankgauge.core.pure.order import DocumentOrder, TieCounter, visible_ties

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
