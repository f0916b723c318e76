"""Ranks by counting: a judged document comes after those with a better score, and nothing is sorted.

For long rows with few judged documents. Ids are looked up only for the documents of a tie.
"""

from __future__ import annotations

import numpy as np

from rankgauge.engines.tensors.documents import Documents
from rankgauge.engines.tensors.hits import Hits
from rankgauge.engines.tensors.host_arrays import Array, Arrays
from rankgauge.measures.rankings.array_types import Bools, Floats, Ints
from rankgauge.model.qrels import comparable

PLACES = 1 << 22  # of tied documents that are looked at at once, unless a single tie has more


class Pairs:
    """Candidates of the rows of a block, by row: judged ones, or excluded ones."""

    def __init__(self, rows: int, row: Ints, column: Ints) -> None:
        self.row, self.column = row, column  # row within the block, ascending
        self.sizes = np.bincount(row, minlength=rows)
        nth = np.arange(len(row)) - np.repeat(np.cumsum(self.sizes) - self.sizes, self.sizes)
        self.places = row, nth  # in an array (rows, most pairs of a row)
        self.columns = np.zeros((rows, int(self.sizes.max(initial=0))), dtype=np.int64)
        self.columns[self.places] = column


def count_block(
    arrays: Arrays,
    scores: Array,
    judged: Pairs,
    keys: Ints,
    excluded: Pairs,
    rows: Ints,
    documents: Documents,
    ties: str,
) -> Hits:
    """The hits of a block: the judged candidates, none of which is excluded, with their `keys`.

    What is no candidate has a score of -inf. Excluded documents are subtracted from the counts.
    """
    thresholds = arrays.along(scores, arrays.put(judged.columns))
    above, equal = arrays.counts(scores, thresholds, judged.sizes)
    above, equal = (np.array(each[judged.places], dtype=np.int64) for each in (above, equal))
    score = arrays.host(thresholds)[judged.places].astype(np.float64)
    if len(excluded.row):
        others = arrays.host(arrays.along(scores, arrays.put(excluded.columns)))
        _subtract(above, equal, score, judged.row, excluded, others.astype(np.float64))
    rank, tied = above + 1, np.flatnonzero(equal > 1)
    if len(tied):
        # A row has one tie with so many better documents; one of its judged documents stands for it.
        key = judged.row[tied] * (int(scores.shape[1]) + 1) + above[tied]
        _, first, tie = np.unique(key, return_index=True, return_inverse=True)
        members = _Members(arrays, scores, excluded, rows, documents, ties)
        step = max(1, PLACES // int(scores.shape[1]))
        for begin in range(0, len(first), step):
            some = tied[first[begin : begin + step]]
            within = np.flatnonzero((tie >= begin) & (tie < begin + step))
            place = members.places(
                judged.row[some], judged.column[some], tie[within] - begin, judged.column[tied[within]]
            )
            rank[tied[within]] += place
    return Hits(rows[judged.row], rank, keys, above + 1, above + equal, score)


def _subtract(above: Ints, equal: Ints, score: Floats, row: Ints, excluded: Pairs, others: Floats) -> None:
    """Take the excluded documents out of the counts; `others` are their scores, (rows, most of a row)."""
    exists: Bools = np.arange(others.shape[1]) < excluded.sizes[:, None]
    of_row, exists = others[row], exists[row]
    above -= ((of_row > score[:, None]) & exists).sum(axis=1)
    equal -= ((of_row == score[:, None]) & exists).sum(axis=1)


class _Members:
    """The documents of ties, in the order of the tie rule."""

    def __init__(
        self,
        arrays: Arrays,
        scores: Array,
        excluded: Pairs,
        rows: Ints,
        documents: Documents,
        ties: str,
    ) -> None:
        self._arrays, self._scores, self._width = arrays, scores, int(scores.shape[1])
        self._excluded = excluded.row * self._width + excluded.column
        self._rows, self._documents, self._ties = rows, documents, ties

    def places(self, row: Ints, column: Ints, tie: Ints, wanted: Ints) -> Ints:
        """How many documents of their ties come before some columns.

        A tie is given by the row and column of a document, `tie` is its number for each of the columns.
        """
        of_rows = self._arrays.rows(self._scores, row)
        values = self._arrays.along(of_rows, self._arrays.put(column[:, None]))
        number, member = (each.astype(np.int64) for each in self._arrays.places(of_rows == values))
        if len(self._excluded):
            kept = ~np.isin(row[number] * self._width + member, self._excluded)
            number, member = number[kept], member[kept]
        if self._ties != "input":
            ids = comparable(self._documents.ids(self._rows[row[number]], member))
            order = np.argsort(ids, kind="stable")
            order = order if self._ties == "docid_asc" else order[::-1]
            order = order[np.argsort(number[order], kind="stable")]
            number, member = number[order], member[order]
        place = np.arange(len(number)) - np.searchsorted(number, number)
        key = number * self._width + member
        by_key = np.argsort(key)
        return place[by_key[np.searchsorted(key[by_key], tie * self._width + wanted)]]
