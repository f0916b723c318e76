"""Score lists joined with judgments; scores are checked, and compared in one precision."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes
from rankgauge.engines.retrieved import RetrievedJudgments, RunWarnings
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.devices.tensors.arrays import LOWEST, Array, Arrays
from rankgauge.extensions.devices.tensors.documents import (
    Documents,
    documents_of,
    numbers_as_ids,
    order_of_numbers,
    sorted_numbers_as_ids,
    texts,
)
from rankgauge.extensions.devices.tensors.lists import ScoreLists
from rankgauge.extensions.devices.tensors.ranks import Hits, ScoreBlock
from rankgauge.measures.rankings.array_types import Bools, Floats, Ints
from rankgauge.measures.rankings.arrays import Ties
from rankgauge.measures.rankings.arrays.curves import Ranking, Steps
from rankgauge.model.id_differences import MAX_IDS, MAX_TOPICS, document_difference
from rankgauge.model.provenance import hardly_any
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder


class ComparedScores:
    """The scores of lists, a block of rows at a time; with `single`, in single precision."""

    def __init__(
        self, lists: ScoreLists, topics: Sequence[str], documents: Documents, *, single: bool
    ) -> None:
        self._lists, self._topics, self._documents, self._single = lists, topics, documents, single
        none = np.zeros(0, dtype=np.int64)
        self._excluded = none, none  # rows (ascending) and columns

    def exclude(self, excluded: Mapping[Any, Any]) -> None:
        """Take {query: documents} out of the lists."""
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
        """(rows,): the length of each list without excluded documents."""
        sizes: Ints = self._lists.lengths - np.bincount(self._excluded[0], minlength=self._lists.rows)
        return sizes

    def blocks(self, rows: Ints) -> Iterator[tuple[Ints, int]]:
        """(rows, width) of blocks to sort at once; by length if lists differ."""
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
        """The scores of some rows: finite, or -inf for what is no candidate."""
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
        """The same, with -inf for excluded documents."""
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
        """(rows,): the sums of squared scores, added in ascending order as in the core; on the host."""
        totals = np.zeros(self._lists.rows)
        for some, width in self.blocks(rows):
            values = self._lists.arrays.host(self.without_excluded(some, width)).astype(np.float64)
            for row, of_row in zip(some.tolist(), values, strict=True):
                with np.errstate(over="ignore"):
                    squares = np.sort(np.square(self.as_rounded(of_row[of_row > -math.inf])))
                totals[row] = Steps(Ranking(np.array([0, len(squares)]), squares), squares).total.item()
        return totals[rows]

    def as_rounded(self, scores: Floats) -> Floats:
        """Scores in single precision, infinite ones included."""
        return np.where(scores == LOWEST, -math.inf, scores) if self._single else scores


def _by_name(excluded: Mapping[Any, Any]) -> dict[str, Any]:
    if not isinstance(excluded, Mapping):
        raise InputError("exclude must be {query: documents}")
    names = texts([*excluded], "exclude")
    return dict(zip(names, excluded.values(), strict=True))


class ScoreEngine:
    """Score lists with the names of their queries and documents.

    {query: documents} of `exclude` are taken out. `documents` are those of earlier lists, in place of
    `doc_ids`.
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
        exclude: Mapping[Any, Any] | None = None,
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
        self._ties, single = order.tie_rule, order.score_precision == "single"
        self._scores = ComparedScores(self.lists, self.topics, self.documents, single=single)
        if exclude:
            self._scores.exclude(exclude)

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
        if self._numbered:
            return order_of_numbers(self.lists.rows)
        order = sorted(range(self.lists.rows), key=[*map(to_bytes, self.topics)].__getitem__)
        return np.array(order, dtype=np.int64)

    def join(self, qrels: Qrels, lowest_grade: float, *, scores: bool, squares: bool) -> RetrievedJudgments:
        """The retrieved judgments, ties included, of grades from `lowest_grade` on.

        The scores of hits and the squares of all scores are NaN unless requested.
        """
        numbers = {topic: number for number, topic in enumerate(qrels.sorted_topics)}
        places = np.array([numbers.get(topic, -1) for topic in self.topics], dtype=np.int64)
        row, column, judgment = self.documents.judged(qrels, places)
        known = self.lists.are_candidates(row, column)
        known[known] = ~self._scores.are_excluded(row[known], column[known])
        total = int(np.count_nonzero(known))
        known &= qrels.sorted_grades[judgment] >= lowest_grade
        by_row = np.flatnonzero(known)[np.argsort(row[known], kind="stable")]
        pairs = row[by_row], column[by_row], judgment[by_row]
        starts = np.searchsorted(pairs[0], np.arange(self.lists.rows + 1))
        long = self._are_counted(starts)
        hits = [
            *self._counted(long, starts, *pairs),
            *self._sorted_by_judgments(np.flatnonzero(~long), places, starts, *pairs, scores),
        ]
        retrieved = self._gathered(Hits.joined(hits), places, len(numbers), squares=squares, detail=scores)
        return retrieved._replace(warnings=self._warnings(qrels, places, retrieved, total))

    def rank_grades(
        self, grades: Array, lowest_grade: float | None, *, scores: bool, squares: bool
    ) -> tuple[tuple[str, ...], Floats, RetrievedJudgments]:
        """(topics, grades of hits, retrieved judgments) where an array judges all candidates.

        Topics are sorted, and judgments numbered as hits. There is none below `lowest_grade`, and none at all
        if that is None.
        """
        order = self._by_name[self._scores.sizes[self._by_name] > 0]
        places = np.full(self.lists.rows, -1, dtype=np.int64)
        places[order] = np.arange(len(order))
        hits, others = [], order
        pairs = self._few_relevant(grades, lowest_grade)
        if pairs is not None:
            starts = np.searchsorted(pairs[0], np.arange(self.lists.rows + 1))
            long = self._are_counted(starts)
            hits, others = [*self._counted(long, starts, *pairs)], order[~long[order]]
        for some, width in self._scores.blocks(others):
            block, keys = self._block(some, some, width), self.lists.block_of(grades, some, width)
            if lowest_grade is not None:
                sizes = self._scores.sizes[some]
                hits.append(block.hits_by_sorting(keys, lowest_grade, sizes, with_scores=scores))
        retrieved = self._gathered(Hits.joined(hits), places, len(order), squares=squares, detail=scores)
        of_hits = np.asarray(retrieved.judgment, dtype=np.float64)
        numbers = np.arange(len(of_hits))
        return self._sorted_topics(order), of_hits, retrieved._replace(judgment=numbers)

    def _sorted_topics(self, rows: Ints) -> tuple[str, ...]:
        if self._numbered and len(rows) == self.lists.rows:
            return sorted_numbers_as_ids(len(rows))
        return tuple(map(self.topics.__getitem__, rows.tolist()))

    def _are_counted(self, starts: Ints) -> Bools:
        """A mask of the rows to count, by where the judged documents of each start."""
        if not self._has_long_rows:
            return np.zeros(self.lists.rows, dtype=np.bool_)
        counted: Bools = np.diff(starts) <= self._few
        return counted

    @property
    def _has_long_rows(self) -> bool:
        return self.lists.width >= self.lists.arrays.long and not self.lists.is_flat

    @property
    def _few(self) -> int:
        """How many judged documents of a long row are counted faster than it is sorted."""
        arrays: Arrays = self.lists.arrays
        return min(arrays.few, self.lists.width // arrays.per_judged)

    def _few_relevant(self, grades: Array, lowest_grade: float | None) -> tuple[Ints, Ints, Any] | None:
        """(row, column, grade) of candidates graded `lowest_grade` or higher, if long rows have few such."""
        arrays, lists = self.lists.arrays, self.lists
        if not self._has_long_rows or lowest_grade is None:
            return None
        candidates = lists.candidates(slice(0, lists.rows), lists.width)
        relevant = grades >= lowest_grade
        relevant = relevant if candidates is None else relevant & candidates
        if int(arrays.xp.count_nonzero(relevant)) > self._few * lists.rows:
            return None
        place, grade = arrays.chosen(relevant, grades)
        row, column = np.divmod(place.astype(np.int64), lists.width)
        return row, column, grade

    def _counted(self, long: Any, starts: Ints, row: Ints, column: Ints, keys: Any) -> Iterator[Hits]:
        """The hits of rows that are counted, once all their scores are checked."""
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
            block = self._block(slice(begin, end) if whole else some, some, self.lists.width)
            within = slice(starts[begin], starts[end])
            mine = np.flatnonzero(long[row[within]]) + starts[begin]
            if len(mine):
                yield block.hits_by_counting(np.searchsorted(some, row[mine]), column[mine], keys[mine])

    def _block(self, rows: Any, numbers: Ints, width: int) -> ScoreBlock:
        scores = self._scores.without_excluded(rows, width)
        return ScoreBlock(self.lists.arrays, scores, numbers, self.documents, self._ties)

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
        """The hits of rows that are sorted, along with the number of each judgment."""
        rows = rows[np.argsort(places[rows], kind="stable")]
        for some, width in self._scores.blocks(rows):
            block = self._block(some, some, width)
            keys = np.full((len(some), width), -1, dtype=np.int64)
            sizes = starts[some + 1] - starts[some]
            mine = np.repeat(starts[some] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
            keys[np.repeat(np.arange(len(some)), sizes), column[mine]] = judgment[mine]
            keys = self.lists.arrays.put(keys)
            yield block.hits_by_sorting(keys, 0, self._scores.sizes[some], with_scores=scores)

    def _warnings(
        self, qrels: Qrels, places: Ints, retrieved: RetrievedJudgments, judged: int
    ) -> RunWarnings:
        if not retrieved.hardly_any:
            return RunWarnings()
        lists = int(np.count_nonzero(retrieved.retrieved))
        if not hardly_any(judged, int(retrieved.retrieved.sum()), lists):
            return RunWarnings() if len(retrieved.rank) else RunWarnings(judged=judged)
        documents = {}
        for row in np.flatnonzero(places >= 0)[:MAX_TOPICS].tolist():
            columns = np.arange(min(self.lists.width, MAX_IDS))
            columns = columns[self.lists.are_candidates(np.full(len(columns), row), columns)]
            documents[self.topics[row]] = self.documents.ids(np.full(len(columns), row), columns).texts()
        return RunWarnings(judged=judged, ids_differ=document_difference(documents, qrels.documents))

    def _gathered(
        self, hits: Hits, places: Ints, topics: int, *, squares: bool, detail: bool
    ) -> RetrievedJudgments:
        """The hits of rows at these places among judged topics; without `detail`, only ties that exist."""
        topic, hits = hits.sorted_by(places[hits.row])
        judged = np.flatnonzero(places >= 0)
        retrieved = np.zeros(topics, dtype=np.int64)
        retrieved[places[judged]] = self._scores.sizes[judged]
        of_topics = np.full(topics, math.nan)
        if squares:
            of_topics[places[judged]] = self._scores.squares(judged)
        nothing = np.zeros(topics, dtype=np.int64)
        return RetrievedJudgments(
            retrieved=retrieved,
            tied=nothing,
            decisive=nothing,
            starts=np.concatenate(([0], np.cumsum(np.bincount(topic, minlength=topics)))),
            rank=hits.rank,
            judgment=hits.key,
            unjudged_topics=int(np.count_nonzero(self._scores.sizes[places < 0])),
            ties=Ties(hits.first, hits.last, self._scores.as_rounded(hits.score), of_topics)
            if detail or (hits.first < hits.last).any()
            else None,
        )
