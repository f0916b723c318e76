"""The scores of lists as they are compared: checked, in one precision, without excluded documents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.extensions.devices.tensors.arrays import LOWEST, Array
from rankgauge.extensions.devices.tensors.documents import Documents, texts
from rankgauge.extensions.devices.tensors.lists import ScoreLists
from rankgauge.measures.rankings.array_types import Floats, Ints
from rankgauge.measures.rankings.arrays.curves import Ranking, Steps


class ComparedScores:
    """The scores of lists, a block of rows at a time; those of candidates are finite.

    With `single`, they are rounded to single precision.
    """

    def __init__(
        self, lists: ScoreLists, topics: Sequence[str], documents: Documents, *, single: bool
    ) -> None:
        self._lists, self._topics, self._documents, self._single = lists, topics, documents, single
        none = np.zeros(0, dtype=np.int64)
        self._excluded = none, none  # rows (ascending) and columns

    def exclude(self, excluded: Mapping[Any, Any]) -> None:
        """Take {query: documents} out of the lists, as if they were not there."""
        named = {name: texts(documents, "exclude") for name, documents in _by_name(excluded).items()}
        rows: list[int] = []
        columns: list[int] = []
        for n, topic in enumerate(self._topics):
            if topic in named:
                found = self._documents.find(n, {*named[topic]})
                rows += [n] * len(found)
                columns += found
        if named and not named.keys() & {*self._topics}:
            raise InputError(
                f"exclude has no query of the scores: it has {next(iter(named))!r}, they have "
                f"{self._topics[0]!r}; use the ids of the queries"
            )
        row, column = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)
        known = self._lists.are_candidates(row, column)
        self._excluded = row[known], column[known]

    @cached_property
    def sizes(self) -> Ints:
        """(rows,): how many documents each list has, without excluded ones."""
        sizes: Ints = self._lists.lengths - np.bincount(self._excluded[0], minlength=self._lists.rows)
        return sizes

    def blocks(self, rows: Ints) -> Iterator[tuple[Ints, int]]:
        """(rows, width) of blocks that are sorted at once; where lists differ in length, by length."""
        lengths, at_once = self._lists.lengths[rows], self._lists.arrays.sorted_at_once
        if not self._lists.is_flat:
            step = max(1, at_once // max(1, self._lists.width))
            for begin in range(0, len(rows), step):
                yield rows[begin : begin + step], self._lists.width
            return
        if len(rows) * int(lengths.max(initial=0)) > max(at_once, 2 * int(lengths.sum())):
            order = np.argsort(lengths, kind="stable")
            rows, lengths = rows[order], lengths[order]
        begin = 0
        while begin < len(rows):
            widths = np.maximum.accumulate(lengths[begin:])
            sizes = widths * np.arange(1, len(widths) + 1)
            # Padded to the longest list of the block, and not much more than the lists themselves.
            fits = sizes <= np.minimum(at_once, 2 * np.cumsum(lengths[begin:]) + at_once // 16)
            many = max(1, len(fits) if fits.all() else int(np.argmin(fits)))
            yield rows[begin : begin + many], max(1, int(widths[many - 1]))
            begin += many

    def block(self, rows: Any, width: int) -> Array:
        """The scores of some rows as they are compared, -inf for what is no candidate; all others finite."""
        arrays = self._lists.arrays
        values, candidates = self._lists.block(rows, width)
        values = arrays.floats(values)
        if candidates is not None or not arrays.all_finite(values):
            wrong = ~arrays.xp.isfinite(values)
            wrong = wrong if candidates is None else wrong & candidates
            if bool(arrays.xp.any(wrong)):
                self._refuse(np.arange(self._lists.rows)[rows], values, arrays.places(wrong))
        values = arrays.single(values) if self._single else values
        return values if candidates is None else arrays.where(candidates, values, -math.inf)

    def without_excluded(self, rows: Any, width: int) -> Array:
        """The same, with -inf for excluded documents, too."""
        values = self.block(rows, width)
        if not len(self._excluded[0]):
            return values
        place = np.full(self._lists.rows, -1)
        place[rows] = np.arange(int(values.shape[0]))
        row, column = place[self._excluded[0]], self._excluded[1]
        kept = np.ones((int(values.shape[0]), width), dtype=np.bool_)
        kept[row[row >= 0], column[row >= 0]] = False
        return (
            values
            if kept.all()
            else self._lists.arrays.where(self._lists.arrays.put(kept), values, -math.inf)
        )

    def _refuse(self, rows: Ints, values: Array, places: tuple[Ints, ...]) -> None:
        """Raise an error for scores that are not finite, unless they are those of excluded documents."""
        row, column = rows[places[0]], places[1]
        wrong = np.flatnonzero(~self.are_excluded(row, column))
        if not len(wrong):
            return
        at = wrong[0]
        value = float(self._lists.arrays.host(values)[places[0][at], places[1][at]])
        where = (
            f"the score of document {self._documents.name(int(row[at]), int(column[at]))!r} for query "
            f"{self._topics[int(row[at])]!r} is {value}"
        )
        if math.isnan(value):
            raise InputError(f"{where}; scores must be numbers")
        raise InputError(
            f"{where}; "
            + (
                "it would still be ranked: leave documents out with mask, lengths or exclude"
                if value < 0
                else "the model overflowed, and documents beyond it cannot be ordered; use a wider type"
            )
        )

    def are_excluded(self, row: Ints, column: Ints) -> Any:
        """A mask of the rows and columns that are excluded."""
        width = self._lists.width
        return np.isin(row * width + column, self._excluded[0] * width + self._excluded[1])

    def squares(self, rows: Ints) -> Floats:
        """(rows,): the sums of squared scores, in ascending order, as in the core; on the host."""
        totals = np.zeros(self._lists.rows)
        for some, width in self.blocks(rows):
            values = self._lists.arrays.host(self.without_excluded(some, width)).astype(np.float64)
            for row, of_row in zip(some.tolist(), values, strict=True):
                with np.errstate(over="ignore"):
                    squares = np.sort(np.square(self.as_rounded(of_row[of_row > -math.inf])))
                totals[row] = Steps(Ranking(np.array([0, len(squares)]), squares), squares).total.item()
        return totals[rows]

    def as_rounded(self, scores: Floats) -> Floats:
        """Scores as single precision has them, infinite ones included."""
        return np.where(scores == LOWEST, -math.inf, scores) if self._single else scores


def _by_name(excluded: Mapping[Any, Any]) -> dict[str, Any]:
    if not isinstance(excluded, Mapping):
        raise InputError("exclude must be {query: documents}")
    names = texts([*excluded], "exclude")
    return dict(zip(names, excluded.values(), strict=True))
