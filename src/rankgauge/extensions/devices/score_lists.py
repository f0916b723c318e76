"""Evaluation of score matrices and lists on their device, with judgments by ids or as labels."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge import core
from rankgauge.core.ids import Ids, to_text
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.requirements import TieVisibility, lowest_grade, needs_detail
from rankgauge.engines.retrieved import RetrievedJudgments, RunWarnings
from rankgauge.engines.run_inputs import UNNAMED, RunInput
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.extensions.devices.tensors.arrays import HOST, Arrays, of_library
from rankgauge.extensions.devices.tensors.documents import Documents
from rankgauge.extensions.devices.tensors.engine import ScoreEngine
from rankgauge.extensions.devices.tensors.lists import ListOptions, check_names, is_ragged
from rankgauge.formats.matrices import is_array
from rankgauge.formats.problems import LARGEST_GRADE
from rankgauge.measures import parse_all
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.measures.rankings.arrays import Ties
from rankgauge.measures.rankings.arrays.curves import Floats, Ints, Ranking, Steps
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import OPTIONS, Rules, split_rules
from rankgauge.model.run import Run
from rankgauge.model.scores import Scores
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on


class Options(ListOptions, Rules, total=False):
    """Arguments beside the scores, and all rules."""


def evaluate_scores(
    labels: Any,
    scores: Any,
    measures: Measures = SEVERAL,
    *,
    exclude: Mapping[Any, Any] | None = None,
    name: str = UNNAMED,
    **options: Unpack[Options],
) -> Scores:
    """The scores of a matrix with a row per query, or of lists, evaluated where they are.

    `labels` are grades in the shape of the scores, for all documents there are; or judgments by ids, as
    `evaluate` takes them. The other arguments are those of `Evaluator.evaluate_scores` (`query_ids`,
    `doc_ids`, `lengths`, `mask`, `indexes`, `exclude`), and the rules.

    >>> evaluate_scores([[0, 1, 2]], [[0.2, 0.5, 0.3]], "RR nDCG@10").mean()
    {'run': {'RR': 1.0, 'nDCG@10': 0.8597186998521972}}
    """
    check_names(options, (rule.name for rule in OPTIONS))
    lists: Any = {each: option for each, option in options.items() if each in ListOptions.__annotations__}
    rules: Any = {each: option for each, option in options.items() if each not in lists}
    if not (is_array(labels) or is_ragged(labels)):
        return evaluate_with(
            Evaluator(labels, measures, **rules), scores, exclude=exclude, name=name, **lists
        )
    if exclude:
        raise OptionError(
            "exclude is for judgments by ids; where labels are beside the scores, use mask to leave out "
            "documents with their labels"
        )
    parsed, order = parse_all(measures), split_rules(rules)[0]
    detail = needs_detail(parsed, order)
    engine = ScoreEngine(scores, order, **lists)
    squares = any(measure.spec.needs.scores for measure in parsed)
    qrels, retrieved = _join(labels, engine, lowest_grade(parsed), scores=detail, squares=squares)
    return Evaluator(qrels, parsed, **rules).evaluate_retrieved(
        [RunInput(name, engine.lists.kind)], [retrieved]
    )


def evaluate_with(
    evaluator: Evaluator,
    scores: Any,
    *,
    exclude: Mapping[Any, Any] | None,
    name: str,
    **lists: Unpack[ListOptions],
) -> Scores:
    """`Evaluator.evaluate_scores`."""
    check_names(lists)
    engine = ScoreEngine(scores, evaluator.order, exclude=exclude, **lists)
    back_end = evaluator.back_end
    retrieved = engine.join(
        back_end.qrels,
        back_end.lowest_grade,
        scores=back_end.detail,
        squares=any(measure.spec.needs.scores for measure in evaluator.measures),
    )
    if not retrieved.retrieved.any():
        raise no_common_topic(name, back_end.topics, engine.topics)
    return evaluator.evaluate_retrieved([RunInput(name, engine.lists.kind)], [retrieved])


@dataclass(frozen=True, eq=False, repr=False)
class LabelQrels(Qrels):
    """Judgments, by sorted topic, of documents without ids: those that measures need."""

    all_levels: Any = None  # the distinct grades of all judgments
    all_judged: int = 0  # the number of all judgments

    @classmethod
    def of_hits(
        cls, topics: tuple[str, ...], starts: Ints, grades: Floats, levels: Floats, judged: int
    ) -> LabelQrels:
        """The judgments of hits, topic by topic."""
        topic = np.repeat(np.arange(len(topics)), np.diff(starts))
        unnamed = Ids(b"", np.zeros(len(grades) + 1, dtype=np.int64))
        qrels = cls(
            _column(topics), topic, unnamed, grades, name="labels", all_levels=levels, all_judged=judged
        )
        vars(qrels)["sorted_topics"] = topics  # they are at hand
        vars(qrels)["_in_order"] = (qrels.topics, starts, unnamed, grades)
        return qrels

    @property
    def levels(self) -> Floats:
        """The distinct grades, ascending."""
        levels: Floats = self.all_levels
        return levels

    @property
    def judged_documents(self) -> int:
        """The number of judged documents."""
        return self.all_judged

    def judgments(self, lowest_grade: float = -math.inf) -> Any:
        """A table of the topics alone: nobody can look up documents without ids."""
        topics, starts, docs, grades = self._in_order
        none = np.full(len(grades), np.nan)  # is left out
        return core.Judgments(
            topics.data, topics.offsets, starts, docs.data, docs.offsets, none, lowest_grade
        )


@lru_cache(maxsize=8)
def _column(topics: tuple[str, ...]) -> Ids:
    return Ids.of(topics)


def _join(
    labels: Any, engine: ScoreEngine, lowest_grade: float, *, scores: bool, squares: bool
) -> tuple[LabelQrels, RetrievedJudgments]:
    """(judgments, retrieved judgments) by labels of at least `lowest_grade`."""
    lists = engine.lists
    grades = lists.arrays.numbers(lists.alike(labels, "labels"))
    if not lists.lengths.any():
        raise InputError("there are no scores; give at least one candidate of one query")
    candidates = None if lists.is_flat else lists.candidates(slice(0, lists.rows), lists.width)
    levels: Floats = lists.arrays.distinct(grades, candidates)  # ascending
    wrong = levels[~(np.abs(levels) <= LARGEST_GRADE)]
    if len(wrong):
        raise InputError(
            f"the labels have {wrong[0]}; grades must be numbers from {-LARGEST_GRADE:g} to {LARGEST_GRADE:g}"
        )
    used = levels[levels >= lowest_grade]
    # A number that the labels have is compared exactly, whatever their type is.
    least = float(used[0]) if len(used) else None
    if least is not None and least.is_integer():
        least = int(least)
    topics, of_hits, retrieved = engine.rank_grades(grades, least, scores=scores, squares=squares)
    judged = int(lists.lengths.sum())
    return LabelQrels.of_hits(topics, retrieved.starts, of_hits, levels, judged), retrieved


class FixedCandidates:
    """Candidates that stay the same while their scores change, as in training a re-ranker.

    Made by `Evaluator.fixed` from a run or {topic: [documents]}. `evaluate` then takes the candidates' scores
    in that order: one flat array, one row per topic, or a list of one array per topic; of NumPy, torch, or
    any library of the array API. Scores on a GPU are ranked there, unless some are infinite.

    >>> from rankgauge import Evaluator
    >>> candidates = Evaluator({"q1": {"d1": 1}}, "RR").fixed({"q1": ["d1", "d2"]})
    >>> candidates.evaluate([0.2, 0.5]).mean(), candidates.evaluate([0.7, 0.5]).mean()
    ({'run': {'RR': 0.5}}, {'run': {'RR': 1.0}})
    """

    def __init__(self, evaluator: Evaluator, candidates: Any) -> None:
        back_end = evaluator.back_end
        qrels: Qrels = back_end.qrels
        visible: TieVisibility = back_end.visible
        order, lowest_grade = evaluator.order, back_end.lowest_grade
        run = Run.of(candidates, duplicates="first")
        # Whatever the rule for duplicates is: which of them would a score belong to?
        if run.dropped and run is not candidates:
            rows = counted(run.dropped, "row")
            raise InputError(
                f"a document is listed twice among the candidates of its topic ({rows} too many); "
                "list each document once"
            )
        if order.needs_ranks:
            raise OptionError(
                "candidates are ordered by score; order=rank and ties=rank need ranks and do not apply"
            )
        self._evaluator, self._qrels, self._order, self._lowest_grade = evaluator, qrels, order, lowest_grade
        self._detail, self._visible = back_end.detail, visible
        self.name = run.name
        numbers = {topic: number for number, topic in enumerate(qrels.sorted_topics)}
        number = np.array([numbers.get(topic, -1) for topic in run.topics.texts()], dtype=np.int64)
        topic, docs, self._rows = run.topic, run.docs, None
        if np.count_nonzero(np.diff(topic)) + 1 > len(run.topics):  # topics are interleaved
            self._rows = np.argsort(topic, kind="stable")
            topic, docs = topic[self._rows], docs.take(self._rows)
        begins = np.flatnonzero(np.diff(topic, prepend=-1))
        ends = np.append(begins[1:], len(topic))
        place = number[topic[begins]]  # among the judged topics, or -1
        first, last = np.zeros((2, len(numbers)), dtype=np.int64)
        first[place[place >= 0]], last[place[place >= 0]] = begins[place >= 0], ends[place >= 0]
        judgment = np.frombuffer(
            qrels.judgments(lowest_grade).lookup(number[topic], docs.data, docs.offsets), dtype=np.int64
        )
        hits = np.concatenate(([0], np.cumsum(judgment >= 0)))
        self._hit_starts = np.concatenate(([0], np.cumsum(hits[last] - hits[first])))
        self._fixed = core.FixedCandidates(
            first,
            last,
            docs.data,
            docs.offsets,
            judgment,
            qrels.sorted_kinds,
            *order.core_rules(),
            visible.for_core(),
        )
        self._first = first
        self._retrieved = last - first
        self._docs, self._lengths = docs, ends - begins
        self._topics = [to_text(run.topics[n]) for n in topic[begins].tolist()]
        self._unjudged_topics = int(np.count_nonzero(place < 0))
        self._size = len(run.scores)
        self._listed: Documents | None = None  # the candidates, once scores elsewhere were ranked
        self._sizes: list[int] = np.bincount(run.topic, minlength=len(run.topics)).tolist()
        if not self._retrieved.any():
            raise no_common_topic(run.name, qrels.sorted_topics, run.topics.texts())

    def evaluate(self, scores: Any, *, name: str | None = None) -> Scores:
        """The evaluation of the candidates, ordered by these scores."""
        inputs = [RunInput(name or self.name, "fixed candidates")]
        return self._evaluator.gather(inputs, [self._retrieve(scores)])

    def _retrieve(self, scores: Any) -> RetrievedJudgments:
        arrays, scores = self._in_library(scores)
        if not arrays.is_host and self._fits(arrays, scores):
            return self._ranked_there(arrays, scores)
        scores = self._flat(scores if arrays is HOST else arrays.host(scores))
        values = scores if self._rows is None else scores[self._rows]
        placed = self._fixed.place(values)
        if placed is None:
            place = int(np.isnan(scores).argmax())
            raise InputError(f"score {place} (counted from 0) is NaN; scores must be numbers")
        rank, judgment, tied, decisive = (np.frombuffer(buffer, dtype=np.int64) for buffer in placed)
        return RetrievedJudgments(
            retrieved=self._retrieved,
            tied=tied,
            decisive=decisive,
            starts=self._hit_starts,
            rank=rank,
            judgment=judgment,
            unjudged_topics=self._unjudged_topics,
            ties=self._ties(values, rank) if self._detail else None,
        )

    def _in_library(self, scores: Any) -> tuple[Arrays, Any]:
        """(operations on the device of the scores, flat scores); on the host, scores are left as they are."""
        parts = scores if isinstance(scores, (list, tuple)) and scores else [scores]
        if not hasattr(parts[0], "__dlpack__") or isinstance(parts[0], np.ndarray):
            return HOST, scores
        if parts is not scores:
            return of_library(scores)
        self._check_sizes([math.prod(part.shape) for part in parts])
        owners = [of_library(part) for part in parts]
        arrays = owners[0][0]
        return arrays, arrays.xp.concat([arrays.xp.reshape(arrays.put(part), (-1,)) for _, part in owners])

    def _fits(self, arrays: Arrays, scores: Any) -> bool:
        """Whether scores can be ranked elsewhere; the host handles infinite ones and reports errors."""
        fits = math.prod(scores.shape) == self._size and arrays.is_real(scores)
        return fits and arrays.all_finite(arrays.floats(scores))

    def _ranked_there(self, arrays: Arrays, scores: Any) -> RetrievedJudgments:
        flat = arrays.xp.reshape(scores, (-1,))
        if self._rows is not None:
            flat = arrays.pick(flat, arrays.put(self._rows))
        engine = ScoreEngine(
            flat,
            self._order,
            lengths=self._lengths,
            query_ids=self._topics,
            doc_ids=self._docs,
            documents=self._listed,
        )
        self._listed = engine.documents
        retrieved = engine.join(self._qrels, self._lowest_grade, scores=self._detail, squares=self._detail)
        counted = retrieved.counting_ties(self._qrels.sorted_kinds, self._visible)
        return counted._replace(warnings=RunWarnings(), ties=counted.ties if self._detail else None)

    def _ties(self, values: Floats, rank: Ints) -> Ties:
        starts = np.concatenate(([0], np.cumsum(self._retrieved)))
        all_ = Ranking(starts, np.arange(starts[-1]))
        scores = values[np.arange(starts[-1]) + (self._first - starts[:-1])[all_.topic]].astype(np.float64)
        with np.errstate(over="ignore"):
            if self._order.score_precision == "single":
                scores = scores.astype(np.float32).astype(np.float64)
            squares = scores * scores
        squares = squares[np.lexsort((squares, all_.topic))]  # in ascending order, as in the core
        scores = scores[np.lexsort((-scores, all_.topic))]
        begins = np.flatnonzero(scores[1:] != scores[:-1]) + 1
        begins = np.unique(np.concatenate((begins, starts[:-1][self._retrieved > 0])))
        hits = Ranking(self._hit_starts, rank)
        before = starts[hits.topic]
        place = before + rank - 1
        tie = np.searchsorted(begins, place, side="right")
        ends = np.append(begins, starts[-1])
        return Ties(
            first=begins[tie - 1] - before + 1,
            last=ends[tie] - before,
            score=scores[place],
            squares=Steps(all_, squares).total[:, 0],
        )

    def _flat(self, scores: Any) -> Any:
        if isinstance(scores, (list, tuple)) and scores and np.ndim(scores[0]) > 0:
            parts = [_numbers(part) for part in scores]
            self._check_sizes([len(part) for part in parts])
            scores = np.concatenate(parts, dtype=np.float64)
        values = _numbers(scores).ravel()
        if len(values) != self._size:
            raise InputError(
                f"expected {self._size} scores, one per candidate and in their order, found {len(values)}"
            )
        return values

    def _check_sizes(self, sizes: list[int]) -> None:
        if self._rows is None and sizes != self._sizes:
            raise InputError(
                f"expected a list of scores per topic, of lengths {_first_few(self._sizes)}, "
                f"found lengths {_first_few(sizes)}; give one score per candidate, in their order"
            )


def _numbers(scores: Any) -> Any:
    """Scores as a contiguous array of single or double precision, as given."""
    if np.ma.is_masked(scores):
        raise InputError("some scores are masked; give one score per candidate, in their order")
    try:
        values = np.asarray(scores)
        if values.dtype.kind not in "cmMSU":  # NumPy would convert complex numbers, dates and texts, too
            single = values.dtype == np.float32
            return np.ascontiguousarray(values, dtype=np.float32 if single else np.float64)
    except (OverflowError, TypeError, ValueError):
        pass
    raise InputError("some scores are not numbers; give one number per candidate, in their order")


def _first_few(sizes: list[int]) -> str:
    return ", ".join([*map(str, sizes[:5]), *["..."][: len(sizes) > 5]])
