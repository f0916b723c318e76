"""One run and its judgments in NumPy arrays, of any format and size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge.engines.assembly import (
    assemble,
    blocks,
    judgments_for,
    longest,
    numbers_in_topics,
    pool_of_topic,
)
from rankgauge.engines.kernel import measure_rankings
from rankgauge.engines.local.document_ranks import documents_of_topic
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.local.reading import read_runs
from rankgauge.engines.requirements import tie_visibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.engines.threads import available
from rankgauge.explanation.contributions import TopicRankings
from rankgauge.explanation.topic import CoveredSubtopic
from rankgauge.explanation.ways import Covered, OneRun, Way, place_of_topic, single_run
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.measures.rankings.arrays.judged_rankings import suppose_judged
from rankgauge.measures.rankings.arrays.subtopic_rankings import (
    relevant_by_subtopic,
    useful_by_subtopic,
    worth_when_seen,
)
from rankgauge.measures.rankings.novelty import Novelty
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.subtopics import SubtopicQrels


def read_run(
    measures: Sequence[Measure],
    qrels: Any,
    run: Any,
    topic: Any,
    of_runs: Mapping[str, Any],
    threads: int | None,
    **reading: Any,
) -> ArrayRun:
    """One run and its judgments, or one topic of them; `of_runs` and `reading` are options of both."""
    judgments = judgments_for(measures, qrels, **reading)
    given = single_run(resolve_runs(run, judged=judgments, **of_runs))
    place = None if topic is None else place_of_topic(topic, judgments.sorted_topics)
    return ArrayRun(judgments, given, available(threads), place)


class ArrayRun(OneRun):
    """One run and its judgments in arrays."""

    def __init__(self, qrels: Qrels, run: RunInput, threads: int, place: int | None = None) -> None:
        super().__init__(run, place)
        self.qrels, self.topics, self.recoding = qrels, qrels.sorted_topics, qrels.recoding
        self.levels, self.by_subtopic = qrels.levels.tolist(), isinstance(qrels, SubtopicQrels)
        self._threads = threads
        self._blocks = (
            [*blocks(qrels)] if place is None else [(place, place + 1, pool_of_topic(qrels, place))]
        )

    def _read(self, order: DocumentOrder) -> RetrievedJudgments:
        return read_runs(LocalEngine(self.qrels, order, detail=True), [self.run], self._threads)[0]

    def _assemble(self, retrieved: RetrievedJudgments) -> list[JudgedRankings]:
        runs, docs = [retrieved], numbers_in_topics(self.qrels)
        return [
            assemble(runs, first, last, self.qrels.sorted_grades, pool, longest(runs), docs)
            for first, last, pool in self._blocks
        ]

    def _measure(self, measure: Measure, judged: Any, order: DocumentOrder) -> tuple[Floats, Any]:
        block = measure_rankings([measure], judged, order)
        return block.values[0], block.weights[0] if measure.is_weighed else None

    def decisive_ties(self, way: Way) -> Ints:
        """(topics,): the number of ties that could change the value, unless a rule considers all orders."""
        visible = tie_visibility([way.measure], *self.qrels.kinds)
        counted = self.retrieved(way.order).counting_ties(self.qrels.sorted_kinds, visible)
        decisive: Ints = counted.decisive
        return decisive

    def judged(self, order: DocumentOrder) -> tuple[list[str], list[int]]:
        """(judged documents of the topic, the index among them of each that was retrieved, by rank)."""
        assert self.place is not None
        begin, end = self.qrels.starts[self.place : self.place + 2]
        docs = self.qrels.sorted_docs.take(np.arange(begin, end)).texts()
        retrieved = self.retrieved(order)
        return docs, (retrieved.judgment[retrieved.within(self.place, self.place + 1)] - begin).tolist()

    def documents(self, order: DocumentOrder) -> list[str]:
        """The documents that the run retrieved for the topic, judged or not, by rank."""
        return documents_of_topic(self.run.open(), self.topic, order)

    def losses(self, measure: Measure, order: DocumentOrder, value: float) -> list[float]:
        """The loss in the value of the topic if an unjudged document were in the place of each hit."""
        (j,) = self.rankings(order)
        hits = np.array(self.judged(order)[1], dtype=np.int64)
        rankings = TopicRankings(j.pool, hits, j.longest, j.ties)
        return [*rankings.losses(measure, (j.rank, int(j.retrieved[0, 0])), value).values()]

    def suppose_judged(self, order: DocumentOrder, grade: float, depth: int) -> JudgedRankings:
        """The ranking of the topic as if its first `depth` documents had been judged: unjudged ones so."""
        return suppose_judged(self.rankings(order)[0], grade, depth)

    def covered(self, measure: Measure, order: DocumentOrder, depth: int) -> Covered:
        """The subtopics that documents cover at each rank, those of the ideal ranking, and its documents."""
        if self.place is None or not isinstance(self.qrels, SubtopicQrels):
            return {}, {}, {}
        (j,), names = self.rankings(order), self.qrels.subtopics[self.place]
        ideal = measure.ideal(j.pool, depth)
        subtopics, best = (subtopics_by_rank(measure, each, names) for each in (j, ideal))
        assert ideal.doc is not None
        return subtopics, best, dict(zip(ideal.rank.tolist(), ideal.doc.tolist(), strict=True))


def subtopics_by_rank(
    measure: Measure, j: JudgedRankings, names: tuple[str, ...]
) -> dict[int, tuple[CoveredSubtopic, ...]]:
    """{rank: subtopics} of a single ranking, as the measure sees it; `names` are those of all subtopics."""
    view = measure.view(j)
    covered = relevant_by_subtopic(view) if measure.spec.binary else useful_by_subtopic(view, measure.gains)
    hits = covered.rankings
    worth: list[float | None] = [None] * len(hits.rank)
    if measure.spec.has("alpha"):
        settings = {**{p.name: p.default for p in measure.spec.parameters}, **measure.settings}
        novelty = Novelty(settings["alpha"], settings.get("gamma"))
        weights = covered.weights if measure.spec.has("gamma") else covered.shares
        alone = worth_when_seen(covered, novelty, weights)
        worth = (alone if novelty.gamma is None else 1.0 - alone).tolist()
    by_rank: dict[int, tuple[CoveredSubtopic, ...]] = {}
    for rank, name, nth, each in zip(
        hits.rank.tolist(), hits.topic.tolist(), hits.nth.tolist(), worth, strict=True
    ):
        by_rank[rank] = (*by_rank.get(rank, ()), CoveredSubtopic(names[name], nth - 1, each))
    return by_rank
