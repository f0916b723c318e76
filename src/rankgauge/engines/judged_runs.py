"""From judgments and runs to judged rankings: what every verb begins with."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from rankgauge.engines import facts
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments, assemble, longest
from rankgauge.engines.run_inputs import RunInput
from rankgauge.engines.threads import available, in_threads
from rankgauge.errors import OptionError
from rankgauge.measures import Measure
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.rankings.arrays import BLOCK, JudgedRankings, Pool, Subtopics, pools
from rankgauge.rankings.arrays.curves import Ints

Progress = Callable[[int, int], None]  # (done, total) in bytes


def judgments_for(measures: Iterable[Measure], qrels: Any, **reading: Any) -> Qrels:
    """The judgments as measures need them: by subtopic, or not."""
    by_subtopic = any(measure.spec.needs_subtopics for measure in measures)
    return (SubtopicQrels if by_subtopic else Qrels).of(qrels, **reading)


def needs_detail(measures: Iterable[Measure], order: DocumentOrder) -> bool:
    """Whether the engine has to tell scores, and which documents tie."""
    needs = {measure: measure.spec.needs for measure in measures}
    for measure, need in needs.items():
        if need.scores and order.order == "rank":
            raise OptionError(f"{measure} looks at scores, and order=rank ignores them; choose order=score")
    return order.over_orders or any(need.ties_or_scores for need in needs.values())


def blocks(qrels: Qrels, least: float = -math.inf, block: int = BLOCK) -> Iterator[tuple[int, int, Pool]]:
    """(first topic, last + 1, pool) of blocks of topics, with the judgments of at least this grade."""
    told = qrels.sorted_grades >= least
    starts = np.concatenate(([0], np.cumsum(told)))[qrels.starts]
    known = Subtopics(**qrels.by_subtopic).only(told) if isinstance(qrels, SubtopicQrels) else None
    return pools(qrels.sorted_grades[told], starts, qrels.levels, block, known)


def numbers_in_topics(qrels: Qrels, least: float = -math.inf) -> Ints | None:
    """(judgments,): the number of each among those of its topic in `blocks`; None without subtopics."""
    if not isinstance(qrels, SubtopicQrels):
        return None
    before: Ints = np.concatenate(([0], np.cumsum(qrels.sorted_grades >= least)))
    return before[:-1] - np.repeat(before[qrels.starts[:-1]], np.diff(qrels.starts))


def rankings(
    qrels: Qrels,
    run: RunInput,
    order: DocumentOrder,
    *,
    depth: int | None = None,
    threads: int | None = None,
    detail: bool = False,
) -> tuple[RetrievedJudgments, Iterator[tuple[int, int, JudgedRankings]]]:
    """(hits, judged rankings) of one run, for what is no measure of the language.

    The rankings come block by block, as (first topic, last + 1, rankings), with every judged document
    told; of each the first `depth` documents.
    """
    hits = LocalEngine(qrels, order, detail=detail).hits(run.open(), available(threads))
    most, docs = longest([hits]), numbers_in_topics(qrels)

    def parts() -> Iterator[tuple[int, int, JudgedRankings]]:
        for first, last, pool in blocks(qrels):
            told = assemble([hits], first, last, qrels.sorted_grades, pool, most, docs)
            yield first, last, told if depth is None else told.cut(depth)

    return hits, parts()


def read_hits(
    engine: LocalEngine,
    given: Sequence[RunInput],
    threads: int | None = None,
    progress: Progress | None = None,
) -> list[RetrievedJudgments]:
    """The hits of each run; runs are read over several threads."""
    workers = available(threads)
    tick = _ticker(sum(run.size for run in given), progress)

    def hits_of(run: RunInput) -> RetrievedJudgments:
        told = [0]

        def tick_run(size: int) -> None:
            told.append(size)
            tick(size)

        hits = engine.hits(run.open(), max(1, workers // len(given)), tick_run)
        tick(run.size - sum(told))  # what was read without being counted, or read twice
        if not hits.retrieved.any():
            raise facts.no_common_topic(run.name, engine.qrels.sorted_topics)
        return hits

    return in_threads(hits_of, given, workers)


def _ticker(total: int, progress: Progress | None) -> Callable[[int], None]:
    """A function that adds up what is done and reports it, from any thread."""
    if progress is None:
        return lambda _: None
    lock, done = threading.Lock(), 0

    def tick(size: int) -> None:
        nonlocal done
        with lock:
            done += size
            progress(min(done, total), total)

    return tick
