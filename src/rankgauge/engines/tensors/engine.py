"""The engine for score lists: judged documents and their ranks, found where the scores are.

Long rows with few judged documents are counted, others are sorted; both in blocks, so that the memory beside
the scores is bounded. What leaves the device are the ranks of judged documents, and the scores of some: of
judged ones, of those a rule or measure asks for, and of excluded ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes
from rankgauge.engines.retrieved import Doubts, RetrievedJudgments
from rankgauge.engines.tensors.counting import Pairs, count_block
from rankgauge.engines.tensors.documents import (
    Documents,
    documents_of,
    numbers_as_ids,
    order_of_numbers,
    texts,
)
from rankgauge.engines.tensors.hits import Hits
from rankgauge.engines.tensors.host_arrays import LOWEST, Array
from rankgauge.engines.tensors.lists import ScoreLists
from rankgauge.engines.tensors.ordering import order_block
from rankgauge.errors import InputError, OptionError
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.id_differences import MOST_IDS, MOST_TOPICS, document_difference
from rankgauge.model.provenance import hardly_any
from rankgauge.model.qrels import Qrels
from rankgauge.rankings.array_types import Floats, Ints
from rankgauge.rankings.arrays import Ties
from rankgauge.rankings.arrays.curves import Ranking, Steps

# A row is counted if it is this long and has no more judged documents: then sorting it takes longer.
LONG, FEW = 512, 16


class ScoreEngine:
    """Score lists with the names of their queries and documents, ready to be joined with judgments.

    `documents` are those of earlier lists, in place of `doc_ids`.
    """

    def __init__(
        self,
        scores: Any,
        order: DocumentOrder,
        *,
        query_ids: Any = None,
        doc_ids: Any = None,
        lengths: Any = None,
        mask: Any = None,
        indexes: Any = None,
        documents: Documents | None = None,
    ) -> None:
        if order.needs_ranks:
            raise OptionError(
                "documents are ordered by these scores; order=rank and ties=rank need ranks and do not apply"
            )
        self.lists = ScoreLists(scores, lengths=lengths, mask=mask, indexes=indexes)
        self.topics = self._names(query_ids)
        self._numbered = query_ids is None and self.lists.indexes is None
        self.documents = documents or documents_of(doc_ids, self.lists, self.topics)
        self._order, (_, self._ties, precision) = order, order.core_rules()
        self._single = precision == "single"
        none = np.zeros(0, dtype=np.int64)
        self._excluded = none, none  # rows (ascending) and columns

    def _names(self, query_ids: Any) -> Sequence[str]:
        rows = self.lists.rows
        if query_ids is None:
            if self.lists.indexes is None:
                return numbers_as_ids(rows)
            return [*map(str, self.lists.indexes.tolist())]
        names = texts(query_ids, "query_ids")
        if len(names) != rows:
            raise InputError(f"query_ids must have an id for each of {rows} rows, not {len(names)}")
        if len({*names}) < rows:
            twice = next(name for n, name in enumerate(names) if name in names[:n])
            raise InputError(f"query_ids has {twice!r} twice; a query has one row")
        return names

    @cached_property
    def _by_name(self) -> Ints:
        """The rows in the order of their topics."""
        if self._numbered:
            return order_of_numbers(self.lists.rows)
        order = sorted(range(self.lists.rows), key=[*map(to_bytes, self.topics)].__getitem__)
        return np.array(order, dtype=np.int64)

    @property
    def source(self) -> str:
        """What the scores are, for a provenance."""
        kind: str = self.lists.kind
        return kind

    def exclude(self, excluded: Mapping[Any, Any]) -> None:
        """Take {query: documents} out of the lists, as if they were not there."""
        named = {name: texts(documents, "exclude") for name, documents in _by_name(excluded).items()}
        rows: list[int] = []
        columns: list[int] = []
        for n, topic in enumerate(self.topics):
            if topic in named:
                found = self.documents.find(n, {*named[topic]})
                rows += [n] * len(found)
                columns += found
        if named and not named.keys() & {*self.topics}:
            raise InputError(
                f"exclude has no query of the scores: it has {next(iter(named))!r}, they have "
                f"{self.topics[0]!r}; use the ids of the queries"
            )
        row, column = np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)
        known = self.lists.are_candidates(row, column)
        self._excluded = row[known], column[known]

    @cached_property
    def _sizes(self) -> Ints:
        """(rows,): how many documents each list has, without excluded ones."""
        sizes: Ints = self.lists.lengths - np.bincount(self._excluded[0], minlength=self.lists.rows)
        return sizes

    def join(self, qrels: Qrels, lowest_grade: float, *, scores: bool, squares: bool) -> RetrievedJudgments:
        """The retrieved judgments, ties included.

        Judgments below `lowest_grade` are left out. The scores of hits and the squares of all scores are
        NaN unless requested.
        """
        numbers = {topic: number for number, topic in enumerate(qrels.sorted_topics)}
        places = np.array([numbers.get(topic, -1) for topic in self.topics], dtype=np.int64)
        row, column, judgment = self.documents.judged(qrels, places)
        known = self.lists.are_candidates(row, column)
        known[known] = ~self._are_excluded(row[known], column[known])
        total = int(np.count_nonzero(known))
        known &= qrels.sorted_grades[judgment] >= lowest_grade
        by_row = np.flatnonzero(known)[np.argsort(row[known], kind="stable")]
        pairs = row[by_row], column[by_row], judgment[by_row]
        starts = np.searchsorted(pairs[0], np.arange(self.lists.rows + 1))
        long = np.diff(starts) <= FEW
        if self.lists.width < LONG or self.lists.is_flat:
            long[:] = False
        hits = [
            *self._counted(long, starts, *pairs),
            *self._sorted_by_judgments(np.flatnonzero(~long), places, starts, *pairs, scores),
        ]
        retrieved = self._gathered(Hits.joined(hits), places, len(numbers), squares=squares, detail=scores)
        return retrieved._replace(doubts=self._doubts(qrels, places, retrieved, total))

    def rank_grades(
        self, grades: Array, lowest_grade: float | None, *, scores: bool, squares: bool
    ) -> tuple[tuple[str, ...], Floats, RetrievedJudgments]:
        """(topics, grades of hits, retrieved judgments) where all candidates are judged, by an array.

        Topics are sorted. The number of a judgment is that of its hit; there is none below `lowest_grade`,
        and none at all if that is None.
        """
        order = self._by_name[self._sizes[self._by_name] > 0]
        places = np.full(self.lists.rows, -1, dtype=np.int64)
        places[order] = np.arange(len(order))
        hits = []
        for some, width in self._blocks(order):
            values, keys = self._without_excluded(some, width), self.lists.block_of(grades, some, width)
            if lowest_grade is not None:
                hits.append(self._order_block(values, keys, lowest_grade, some, scores))
        retrieved = self._gathered(Hits.joined(hits), places, len(order), squares=squares, detail=scores)
        of_hits = np.asarray(retrieved.judgment, dtype=np.float64)
        numbers = np.arange(len(of_hits))
        return (
            tuple(map(self.topics.__getitem__, order.tolist())),
            of_hits,
            retrieved._replace(judgment=numbers),
        )

    def _counted(self, long: Any, starts: Ints, row: Ints, column: Ints, judgment: Ints) -> Iterator[Hits]:
        """The hits of rows that are counted; scores are checked in every one of them."""
        if not long.any():
            return
        rows, arrays = self.lists.rows, self.lists.arrays
        step = max(1, arrays.counted_at_once // self.lists.width)
        for begin in range(0, rows, step):
            end = min(begin + step, rows)
            if not long[begin:end].any():
                continue
            some = begin + np.flatnonzero(long[begin:end])
            whole = len(some) == end - begin  # which need not be copied
            values = self._checked(slice(begin, end) if whole else some, self.lists.width)
            within = slice(starts[begin], starts[end])
            mine = np.flatnonzero(long[row[within]]) + starts[begin]
            if len(mine):
                judged = Pairs(len(some), np.searchsorted(some, row[mine]), column[mine])
                yield count_block(
                    arrays,
                    values,
                    judged,
                    judgment[mine],
                    self._excluded_of(some),
                    some,
                    self.documents,
                    self._ties,
                )

    def _sorted_by_judgments(
        self,
        rows: Ints,
        places: Ints,
        starts: Ints,
        row: Ints,
        column: Ints,
        judgment: Ints,
        scores: bool,
    ) -> Iterator[Hits]:
        """The hits of rows that are sorted; the number of a judgment goes along with each document."""
        rows = rows[np.argsort(places[rows], kind="stable")]
        for some, width in self._blocks(rows):
            values = self._without_excluded(some, width)
            keys = np.full((len(some), width), -1, dtype=np.int64)
            sizes = starts[some + 1] - starts[some]
            mine = np.repeat(starts[some] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
            keys[np.repeat(np.arange(len(some)), sizes), column[mine]] = judgment[mine]
            yield self._order_block(values, self.lists.arrays.put(keys), 0, some, scores)

    def _order_block(self, values: Array, keys: Array, lowest: float, rows: Ints, scores: bool) -> Hits:
        return order_block(
            self.lists.arrays,
            values,
            keys,
            lowest,
            rows,
            self._sizes[rows],
            self.documents,
            self._ties,
            with_scores=scores,
        )

    def _blocks(self, rows: Ints) -> Iterator[tuple[Ints, int]]:
        """(rows, width) of blocks that are sorted at once; where lists differ in length, by length."""
        lengths, at_once = self.lists.lengths[rows], self.lists.arrays.sorted_at_once
        if not self.lists.is_flat:
            step = max(1, at_once // max(1, self.lists.width))
            for begin in range(0, len(rows), step):
                yield rows[begin : begin + step], self.lists.width
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

    def _checked(self, rows: Any, width: int) -> Array:
        """The scores of some rows as they are compared, -inf for what is no candidate; all others finite."""
        arrays = self.lists.arrays
        values, candidates = self.lists.block(rows, width)
        values = arrays.floats(values)
        if candidates is not None or not arrays.all_finite(values):
            wrong = ~arrays.is_finite(values)
            wrong = wrong if candidates is None else wrong & candidates
            if arrays.any(wrong):
                self._refuse(np.arange(self.lists.rows)[rows], values, arrays.places(wrong))
        values = arrays.single(values) if self._single else values
        return values if candidates is None else arrays.where(candidates, values, -math.inf)

    def _without_excluded(self, rows: Ints, width: int) -> Array:
        """The same, with -inf for excluded documents, too."""
        values, order = self._checked(rows, width), np.argsort(rows, kind="stable")
        excluded = self._excluded_of(rows[order])
        if not len(excluded.row):
            return values
        kept = np.ones((len(rows), width), dtype=np.bool_)
        kept[order[excluded.row], excluded.column] = False
        return self.lists.arrays.where(self.lists.arrays.put(kept), values, -math.inf)

    def _refuse(self, rows: Ints, values: Array, places: tuple[Ints, ...]) -> None:
        """Raise an error for scores that are not finite, unless they are those of excluded documents."""
        row, column = rows[places[0]], places[1].astype(np.int64)
        wrong = np.flatnonzero(~self._are_excluded(row, column))
        if not len(wrong):
            return
        at = wrong[0]
        value = float(self.lists.arrays.host(values)[places[0][at], places[1][at]])
        where = (
            f"the score of document {self.documents.name(int(row[at]), int(column[at]))!r} for query "
            f"{self.topics[int(row[at])]!r} is {value}"
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

    def _are_excluded(self, row: Ints, column: Ints) -> Any:
        width = self.lists.width
        return np.isin(row * width + column, self._excluded[0] * width + self._excluded[1])

    def _excluded_of(self, rows: Ints) -> Pairs:
        row, column = self._excluded
        place = np.searchsorted(rows, row)
        mine = place < len(rows)
        mine[mine] = rows[place[mine]] == row[mine]
        return Pairs(len(rows), place[mine], column[mine])

    def _doubts(self, qrels: Qrels, places: Ints, retrieved: RetrievedJudgments, judged: int) -> Doubts:
        """What may be wrong with the lists, of which so many documents are judged with any grade."""
        if not retrieved.hardly_any:
            return Doubts()
        lists = int(np.count_nonzero(retrieved.retrieved))
        if not hardly_any(judged, int(retrieved.retrieved.sum()), lists):
            return Doubts() if len(retrieved.rank) else Doubts(judged=judged)
        documents = {}
        for row in np.flatnonzero(places >= 0)[:MOST_TOPICS].tolist():
            columns = np.arange(min(self.lists.width, MOST_IDS))
            columns = columns[self.lists.are_candidates(np.full(len(columns), row), columns)]
            documents[self.topics[row]] = self.documents.ids(np.full(len(columns), row), columns).texts()
        return Doubts(judged=judged, ids_differ=document_difference(documents, qrels.documents))

    def _gathered(
        self, hits: Hits, places: Ints, topics: int, *, squares: bool, detail: bool
    ) -> RetrievedJudgments:
        """The hits of rows as retrieved judgments; `places` are those of rows among judged topics.

        Without `detail`, ties are left out where there are none.
        """
        topic, hits = hits.sorted_by(places[hits.row])
        judged = np.flatnonzero(places >= 0)
        retrieved = np.zeros(topics, dtype=np.int64)
        retrieved[places[judged]] = self._sizes[judged]
        of_topics = np.full(topics, math.nan)
        if squares:
            of_topics[places[judged]] = self._squares(judged)
        nothing = np.zeros(topics, dtype=np.int64)
        return RetrievedJudgments(
            retrieved=retrieved,
            tied=nothing,
            decisive=nothing,
            starts=np.searchsorted(topic, np.arange(topics + 1)),
            rank=hits.rank,
            judgment=hits.key,
            unjudged_topics=int(np.count_nonzero(self._sizes[places < 0])),
            ties=Ties(hits.first, hits.last, _unrounded(hits.score), of_topics)
            if detail or (hits.first < hits.last).any()
            else None,
        )

    def _squares(self, rows: Ints) -> Floats:
        """(rows,): the sums of squared scores, in ascending order, as in the core; on the host."""
        totals = np.zeros(self.lists.rows)
        for some, width in self._blocks(rows):
            values = self.lists.arrays.host(self._without_excluded(some, width)).astype(np.float64)
            for row, of_row in zip(some.tolist(), values, strict=True):
                with np.errstate(over="ignore"):
                    squares = np.sort(np.square(_unrounded(of_row[of_row > -math.inf])))
                totals[row] = Steps(Ranking(np.array([0, len(squares)]), squares), squares).total.item()
        return totals[rows]


def _unrounded(scores: Floats) -> Floats:
    """Scores as single precision has them: some are infinite."""
    return np.where(scores == LOWEST, -math.inf, scores)


def _by_name(excluded: Mapping[Any, Any]) -> dict[str, Any]:
    if not isinstance(excluded, Mapping):
        raise InputError("exclude must be {query: documents}")
    names = texts([*excluded], "exclude")
    return dict(zip(names, excluded.values(), strict=True))
