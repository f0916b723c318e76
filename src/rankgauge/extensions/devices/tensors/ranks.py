"""Ranks of judged documents in a block of score lists.

Short lists, and those with many judgments, are sorted: first regardless of ties, then again, by the tie rule,
where a judged document is tied. In long lists with few judgments, better documents are counted, and ids
looked up for tied ones alone.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rankgauge import core
from rankgauge.extensions.devices.tensors.arrays import HOST, Array, Arrays
from rankgauge.extensions.devices.tensors.documents import Documents
from rankgauge.measures.rankings.array_types import Floats, Ints
from rankgauge.model.qrels import comparable

FEW_SCORES = 1 << 14  # so many are sorted on the host before another device has begun
PLACES = 1 << 22  # of tied documents that are looked at at once, unless a single tie has more


class Hits(NamedTuple):
    """Judged candidates and their ranks."""

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
        """These hits with those of some rows replaced by as many others; both by row and rank."""
        mine = np.isin(self.row, others.row)
        columns = [np.array(column) for column in self]
        for column, of_others in zip(columns, others, strict=True):
            column[mine] = of_others
        return Hits._make(columns)

    def sorted_by(self, topic: Ints) -> tuple[Ints, Hits]:
        """(topics, hits) by topic and rank."""
        if (np.diff(topic) >= 0).all() and ((np.diff(self.rank) > 0) | (np.diff(topic) > 0)).all():
            return topic, self
        order = np.lexsort((self.rank, topic))
        return topic[order], Hits._make(column[order] for column in self)


class ScoreBlock(NamedTuple):
    """Some rows of scores: finite, or -inf for what is no candidate."""

    arrays: Arrays
    scores: Array  # (rows, columns)
    rows: Ints  # their numbers among all rows
    documents: Documents
    ties: str  # the rule

    def hits_by_sorting(self, keys: Array, lowest: float, lengths: Ints, *, with_scores: bool) -> Hits:
        """The candidates whose key is `lowest` or higher; `lengths` are the candidates of each row."""
        arrays, scores, rows = self.arrays, self.scores, self.rows
        hits, tied, _ = _hits(arrays, scores, keys, lowest, lengths, stable=False, with_scores=with_scores)
        if tied.any():
            some = np.flatnonzero(np.bincount(hits.row[tied], minlength=len(rows)))
            if len(some) < len(rows):
                scores, keys = arrays.rows(scores, some), arrays.rows(keys, some)
            width = int(scores.shape[1])
            if len(some) * width <= FEW_SCORES:
                (scores, keys), arrays = arrays.hosts(scores, keys), HOST
            if self.ties != "input":
                by_id = self.documents.ordered(rows[some], width, ascending=self.ties == "docid_asc")
                take = arrays.xp.take if by_id.ndim == 1 else arrays.xp.take_along_axis
                by_id = arrays.put(by_id)
                scores, keys = take(scores, by_id, axis=1), take(keys, by_id, axis=1)
            again, _, values = _hits(
                arrays, scores, keys, lowest, lengths[some], stable=True, with_scores=with_scores
            )
            same = arrays.host(values[:, 1:] == values[:, :-1])
            first, last = _ends(same, again.row, again.rank)
            hits = hits.with_rows(again._replace(row=some[again.row], first=first, last=last))
        return hits._replace(row=rows[hits.row])

    def hits_by_counting(self, row: Ints, column: Ints, keys: Any) -> Hits:
        """The judged candidates, by column and their ascending row in the block."""
        arrays, width = self.arrays, int(self.scores.shape[1])
        flat = arrays.xp.reshape(self.scores, (-1,))
        values = arrays.host(arrays.pick(flat, arrays.put(row * width + column)))
        # Judged documents of a row with equal scores are in one tie; the first of them stands for it.
        order = np.lexsort((values, row))
        begins = np.ones(len(row), dtype=np.bool_)
        begins[1:] = (np.diff(row[order]) > 0) | (values[order][1:] != values[order][:-1])
        tie = np.empty_like(row)
        tie[order] = np.cumsum(begins) - 1
        some = order[begins]
        above, equal, place = np.zeros((3, len(row)), dtype=np.int64)
        for begin, better, number, member in _ties(
            arrays, self.scores, row[some], column[some], values[some]
        ):
            mine = np.flatnonzero((tie >= begin) & (tie < begin + len(better)))
            of_mine = tie[mine] - begin
            above[mine], equal[mine] = better[of_mine], np.bincount(number)[of_mine]
            several = equal[mine] > 1
            if several.any():
                tied = np.isin(number, of_mine[several])
                members = self._in_order(row[some[begin + number[tied]]], number[tied], member[tied])
                place[mine[several]] = _places(*members, of_mine[several], column[mine[several]], width)
        return Hits(
            self.rows[row], above + place + 1, keys, above + 1, above + equal, values.astype(np.float64)
        )

    def _in_order(self, row: Ints, number: Ints, member: Ints) -> tuple[Ints, Ints]:
        """(number of the tie, column) of documents, by tie and then by the rule."""
        if self.ties == "input":
            return number, member
        ids = comparable(self.documents.ids(self.rows[row], member))
        order = np.argsort(ids, kind="stable")
        order = order if self.ties == "docid_asc" else order[::-1]
        order = order[np.argsort(number[order], kind="stable")]
        return number[order], member[order]


def _places(number: Ints, member: Ints, tie: Ints, column: Ints, width: int) -> Ints:
    """The members of its tie before each column; members are by tie and in order."""
    place = np.arange(len(number)) - np.searchsorted(number, number)
    key = number * width + member
    by_key = np.argsort(key)
    return place[by_key[np.searchsorted(key[by_key], tie * width + column)]]


def _ties(
    arrays: Arrays, scores: Array, row: Ints, column: Ints, values: Any
) -> Iterator[tuple[int, Ints, Ints, Ints]]:
    """(the first of some ties, how many scores are above each; numbers and columns of their documents).

    A tie is a row and the score of a column; rows ascend, and a row has a score once.
    """
    step = max(1, PLACES // max(1, int(scores.shape[1])))
    if arrays.is_host:
        matrix = np.ascontiguousarray(arrays.host(scores))
        for begin in range(0, len(row), step):
            some = slice(begin, begin + step)
            limits = np.ascontiguousarray(values[some], dtype=matrix.dtype)
            found = core.near(matrix, matrix.shape[1], np.ascontiguousarray(row[some]), limits, limits)
            above, number, member = (np.frombuffer(each, dtype=np.int64) for each in found)
            yield begin, above, number, member
        return
    above, equal = _counted_there(arrays, scores, row, column)
    # Only rows of ties are looked at again, so only their number is limited.
    cuts = np.flatnonzero(np.diff(np.cumsum(equal > 1) // step)) + 1
    for begin, end in itertools.pairwise([0, *cuts.tolist(), len(row)]):
        some = slice(begin, end)
        tied = np.flatnonzero(equal[some] > 1)
        alone = np.flatnonzero(equal[some] == 1)
        number, member = alone, column[some][alone]
        if len(tied):
            of_ties = arrays.rows(scores, row[some][tied])
            equals = of_ties == arrays.along(of_ties, arrays.put(column[some][tied][:, None]))
            nth, columns = arrays.places(equals)
            number, member = np.append(number, tied[nth]), np.append(member, columns)
        order = np.argsort(number, kind="stable")
        yield begin, above[some], number[order], member[order]


def _counted_there(arrays: Arrays, scores: Array, row: Ints, column: Ints) -> tuple[Ints, Ints]:
    """(how many scores of its row are above that of each column, how many equal it), on another device."""
    rows = int(scores.shape[0])
    sizes = np.bincount(row, minlength=rows)
    nth = np.arange(len(row)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    columns = np.zeros((rows, int(sizes.max(initial=0))), dtype=np.int64)
    columns[row, nth] = column
    thresholds = arrays.along(scores, arrays.put(columns))
    counts = []
    for n in range(columns.shape[1]):
        threshold = thresholds[:, n : n + 1]
        counts.append(arrays.counts(scores > threshold))
        counts.append(arrays.counts(scores == threshold))
    every = np.stack(arrays.hosts(*counts)).astype(np.int64)
    return every[2 * nth, row], every[2 * nth + 1, row]


def _hits(
    arrays: Arrays,
    scores: Array,
    keys: Array,
    lowest: float,
    lengths: Ints,
    *,
    stable: bool,
    with_scores: bool,
) -> tuple[Hits, Any, Array]:
    """(hits as if there were no ties, which of them are in one, the scores in their order)."""
    width = int(scores.shape[1])
    values, order = arrays.sort(scores, stable=stable)
    keys = arrays.along(keys, order)
    are_hits = keys >= lowest
    if lengths.min(initial=width) < width:
        are_hits = are_hits & arrays.put(np.arange(width) < lengths[:, None])
    place, key, tied, *score = arrays.chosen(
        are_hits, keys, arrays.tied(values), *([values] if with_scores else [])
    )
    row, column = np.divmod(place.astype(np.int64), max(1, width))
    rank = column + 1
    of_hits = score[0].astype(np.float64) if with_scores else np.full(len(rank), math.nan)
    return Hits(row, rank, key, rank, rank, of_hits), tied, values


def _ends(same: Any, row: Ints, rank: Ints) -> tuple[Ints, Ints]:
    """(first, last rank) of the ties of hits; `same` is whether a place of a row ties with the next."""
    begins = np.ones((len(same), same.shape[1] + 1), dtype=np.bool_)
    np.logical_not(same, out=begins[:, 1:])
    ends = np.append(np.flatnonzero(begins), begins.size)
    before = row * begins.shape[1]
    tie = np.searchsorted(ends, before + rank)  # which is that of the place, counted from 1
    return ends[tie - 1] - before + 1, ends[tie] - before
