"""Two runs side by side: which topics changed, which documents moved, and what that did to the measures."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, overload

from rankgauge.comparison import compare
from rankgauge.comparison.gate import check, parse_condition
from rankgauge.comparison.registry import SEED
from rankgauge.errors import OptionError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.explanation.diffs.moves import DocumentMove, Moved
from rankgauge.explanation.diffs.pair import Pair, resolve_pair
from rankgauge.explanation.diffs.pull_request import comment
from rankgauge.explanation.diffs.result import Diff, TopicChange
from rankgauge.explanation.diffs.topic import Change, TopicDiff
from rankgauge.measures import Measure
from rankgauge.measures.named_sets import ONE
from rankgauge.model.notes import on_data
from rankgauge.model.recoding import Grades
from rankgauge.model.rules import Inputs, Rules
from rankgauge.model.texts import Texts
from rankgauge.schema.checks import whole_number

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

    from rankgauge.engines.threads import Progress

__all__ = ["Change", "Diff", "DocumentMove", "Moved", "TopicChange", "TopicDiff", "comment", "diff"]

TextsLike = Texts | str | os.PathLike[str] | None


class Options(Inputs, total=False):
    """The options of `diff` that both of its results have, for the type checker."""

    documents: TextsLike
    topics: TextsLike
    depth: int | None
    threads: int | None
    progress: Progress | None


@overload
def diff(
    qrels: Any,
    old: Any,
    new: Any,
    measures: Measures | None = None,
    *,
    topic: str | bytes | int,
    **options: Unpack[Options],
) -> TopicDiff: ...


@overload
def diff(
    qrels: Any,
    old: Any,
    new: Any,
    measures: Measures | None = None,
    *,
    topic: None = None,
    fail_if: str | Sequence[str] = (),
    test: str = "t",
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = SEED,
    **options: Unpack[Options],
) -> Diff: ...


def diff(
    qrels: Any,
    old: Any,
    new: Any,
    measures: Measures | None = None,
    *,
    topic: str | bytes | int | None = None,
    documents: TextsLike = None,
    topics: TextsLike = None,
    depth: int | None = None,
    fail_if: str | Sequence[str] = (),
    test: str = "t",
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **rules: Unpack[Rules],
) -> Diff | TopicDiff:
    """What changed between an old and a new run: topic by topic, or document by document for one topic.

    Judgments, runs and rules are those of `evaluate`, tests those of `compare`; the measure is nDCG@10 unless
    others are named, and topics are ordered by the first. Moves are counted down to the cutoff of the first
    measure, or to `depth`. `fail_if` has the conditions of a check, such as "nDCG@10 drops by 2%".
    `documents` and `topics` are files of titles and texts to show: JSON lines, TSV, Parquet, TREC's topics.

    >>> qrels = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    >>> old, new = {"q1": ["d1", "d2"], "q2": ["d1"]}, {"q1": ["d3", "d1"], "q2": ["d1"]}
    >>> changed = diff(qrels, old, new, "RR")
    >>> [(each.topic, each.difference) for each in changed.topics]
    [('q1', -0.5), ('q2', 0.0)]
    >>> [(each.document, each.move, each.shares["RR"]) for each in changed.topic("q1").documents]
    [('d3', 'new', -0.5), ('d1', '↓1', 0.0), ('d2', 'lost', 0.0)]
    """
    conditions = [parse_condition(text) for text in ([fail_if] if isinstance(fail_if, str) else fail_if)]
    if conditions and topic is not None:
        raise OptionError("a check is made on all topics; leave out the topic, or the conditions")
    wanted = [measures] if isinstance(measures, (str, Measure)) else [] if measures is None else [*measures]
    if not wanted and not conditions:
        wanted = [ONE]
    evaluator = Evaluator(
        qrels,
        [*wanted, *(condition.measure for condition in conditions)],
        qrels_format=qrels_format,
        qrels_columns=qrels_columns,
        grades=grades,
        **rules,
    )
    evaluator.order.require_one_order("a diff shows")
    pair = Pair(
        evaluator,
        resolve_pair(old, new, run_format, run_columns),
        threads,
        progress,
        Texts.of(documents),
        Texts.of(topics),
    )
    down_to = pair.depth if depth is None else whole_number("depth", depth, 1)
    if topic is not None:
        return pair.topic_diff(topic, down_to)
    comparison = compare(
        pair.scores,
        baseline=pair.inputs[0].name,
        test=test,
        alpha=alpha,
        samples=samples,
        seed=seed,
        threads=threads,
    )
    return Diff(
        old_run=pair.inputs[0].name,
        new_run=pair.inputs[1].name,
        comparison=comparison,
        direction=comparison.compared[0].direction,
        topics=tuple(pair.changes(down_to)),
        checks=check(conditions, comparison),
        depth=down_to,
        notes=(*on_data(pair.scores.provenance, one_order=True), *comparison.remarks, *pair.unmatched),
        topic=partial(pair.topic_diff, depth=down_to),
    )
