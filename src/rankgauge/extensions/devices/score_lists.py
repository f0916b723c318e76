"""Evaluating score matrices and lists where they are, with judgments by ids or as labels beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.requirements import lowest_grade, needs_detail
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import UNNAMED, RunInput
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.extensions.devices.tensors.engine import ScoreEngine
from rankgauge.extensions.devices.tensors.lists import ListOptions, check_names, is_ragged
from rankgauge.formats.matrices import is_array
from rankgauge.formats.problems import LARGEST_GRADE
from rankgauge.measures import parse_all
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.measures.rankings.array_types import Floats, Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import OPTIONS, Rules, split_rules

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

    from rankgauge.model.scores import Scores


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
    """Judgments of documents without ids: topics are sorted, and judgments are those that measures need."""

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


@lru_cache(maxsize=8)
def _column(topics: tuple[str, ...]) -> Ids:
    """The ids of topics, which are often the same as before: those of numbers, or of a training."""
    return Ids.of(topics)


def _join(
    labels: Any, engine: ScoreEngine, lowest_grade: float, *, scores: bool, squares: bool
) -> tuple[LabelQrels, RetrievedJudgments]:
    """(the judgments, the retrieved judgments) by labels, both without those below `lowest_grade`."""
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
