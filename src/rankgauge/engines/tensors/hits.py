"""Judged documents of score lists and their ranks, as the kernels find them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from rankgauge.measures.rankings.array_types import Floats, Ints


class Hits(NamedTuple):
    """Judged candidates, an element each."""

    row: Ints
    rank: Ints
    key: Any  # the number of the judgment, or the grade
    first: Ints  # the first rank of its tie
    last: Ints
    score: Floats  # NaN unless requested

    @classmethod
    def joined(cls, parts: Sequence[Hits]) -> Hits:
        """The hits of several blocks."""
        if len(parts) == 1:
            return parts[0]
        if not parts:
            none = np.zeros(0, dtype=np.int64)
            return cls(none, none, none, none, none, np.zeros(0))
        return cls._make(np.concatenate(columns) for columns in zip(*parts, strict=True))

    def with_rows(self, others: Hits) -> Hits:
        """With the hits of some rows replaced by others, which are as many; both by row and rank."""
        mine = np.isin(self.row, others.row)
        columns = [np.array(column) for column in self]
        for column, of_others in zip(columns, others, strict=True):
            column[mine] = of_others
        return Hits._make(columns)

    def sorted_by(self, topic: Ints) -> tuple[Ints, Hits]:
        """(topics, hits) by topic and rank; `topic` is that of each hit."""
        if (np.diff(topic) >= 0).all() and ((np.diff(self.rank) > 0) | (np.diff(topic) > 0)).all():
            return topic, self
        order = np.lexsort((self.rank, topic))
        return topic[order], Hits._make(column[order] for column in self)
