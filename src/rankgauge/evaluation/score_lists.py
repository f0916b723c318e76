"""Evaluating score matrices and lists where they are, with judgments by ids or as labels beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankgauge.engines.requirements import lowest_grade, needs_detail
from rankgauge.engines.run_inputs import UNNAMED, RunInput
from rankgauge.engines.tensors.engine import ScoreEngine
from rankgauge.engines.tensors.labels import Labels
from rankgauge.engines.tensors.lists import ListOptions, check_names, is_ragged
from rankgauge.errors import OptionError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.formats.matrices import is_array
from rankgauge.measures import parse_all
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.model.rules import OPTIONS, Rules, split_rules

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

    from rankgauge.model.scores import Scores


class Options(ListOptions, Rules, total=False):
    """What is given beside scores, and all rules."""


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
        return Evaluator(labels, measures, **rules).evaluate_scores(
            scores, exclude=exclude, name=name, **lists
        )
    if exclude:
        raise OptionError(
            "exclude is for judgments by ids; where labels are beside the scores, use mask to leave out "
            "documents with their labels"
        )
    parsed, order = parse_all(measures), split_rules(rules)[0]
    detail = needs_detail(parsed, order)
    engine = ScoreEngine(scores, order, **lists)
    qrels, retrieved = Labels(labels, engine).join(
        lowest_grade(parsed), scores=detail, squares=any(m.spec.needs.scores for m in parsed)
    )
    return Evaluator(qrels, parsed, **rules).evaluate_retrieved([RunInput(name, engine.source)], [retrieved])
