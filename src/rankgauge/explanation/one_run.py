"""One run and its judgments: read once for each order of documents, measured once by each measure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from rankgauge.engines.assembly import (
    assemble,
    blocks,
    longest,
    numbers_in_topics,
    pool_of_topic,
)
from rankgauge.engines.facts import notes_on
from rankgauge.engines.kernel import measure_rankings
from rankgauge.engines.local.document_ranks import documents_of_topic
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.local.reading import read_runs
from rankgauge.engines.requirements import needs_detail, tie_visibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import MeasureError, OptionError
from rankgauge.explanation.contributions import TopicRankings
from rankgauge.explanation.ways import Way, of_topics
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.measures.rankings.arrays.judged_rankings import suppose_judged
from rankgauge.measures.rankings.arrays.subtopic_rankings import (
    relevant_by_subtopic,
    useful_by_subtopic,
    worth_when_seen,
)
from rankgauge.measures.rankings.novelty import Novelty
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DUPLICATES, MISSING, OPTIONS, TIES, DocumentOrder
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.schema.frozen import Frozen


class Values(Frozen, eq=False):
    """The values of a measure for the topics of one run."""

    values: Sequence[float]  # NaN where it is undefined
    weights: Sequence[float]  # for a micro average


@dataclass(frozen=True)
class CoveredSubtopic:
    """A subtopic that a document is relevant to."""

    name: str
    seen: int  # number of documents before it that cover the subtopic
    worth: float | None  # its part of the document's gain; None if the measure has no such gain


SubtopicsByRank = Mapping[int, tuple[CoveredSubtopic, ...]]


class OneRun:
    """One run and its judgments, or those of the topic at `place`."""

    def __init__(self, qrels: Qrels, run: RunInput, threads: int, place: int | None = None) -> None:
        self.qrels, self.run, self.place = qrels, run, place
        self.topics, self.levels = qrels.sorted_topics, qrels.levels.tolist()
        self._threads = threads
        self._blocks = (
            [*blocks(qrels)] if place is None else [(place, place + 1, pool_of_topic(qrels, place))]
        )
        self._retrieved: dict[tuple[str, ...], RetrievedJudgments | OptionError] = {}
        self._rankings: dict[tuple[str, ...], list[JudgedRankings]] = {}
        self._values: dict[tuple[Measure, DocumentOrder], Values] = {}

    @property
    def topic(self) -> str:
        """The one topic."""
        assert self.place is not None
        return self.topics[self.place]

    @property
    def by_subtopic(self) -> bool:
        """Whether the judgments are those of subtopics."""
        return isinstance(self.qrels, SubtopicQrels)

    def retrieved(self, order: DocumentOrder) -> RetrievedJudgments:
        """The judged documents that the run retrieved, in this order."""
        rules = order.core_rules()
        if rules not in self._retrieved:
            self._retrieved[rules] = self._untied(order) or self._read(order)
        retrieved = self._retrieved[rules]
        if isinstance(retrieved, OptionError):
            raise retrieved
        return retrieved

    def _untied(self, order: DocumentOrder) -> RetrievedJudgments | None:
        """The result of reading by another rule for ties, if there were none."""
        for (what, _, precision), retrieved in self._retrieved.items():
            if isinstance(retrieved, OptionError) or order.needs_ranks or "rank" in what:
                continue
            if precision == order.score_precision and not retrieved.tied.any():
                return retrieved
        return None

    def _read(self, order: DocumentOrder) -> RetrievedJudgments | OptionError:
        engine = LocalEngine(self.qrels, order, detail=True)
        try:
            return read_runs(engine, [self.run], self._threads)[0]
        except OptionError as error:  # the run has no ranks, and this order needs them
            return error

    def notes(self, order: DocumentOrder) -> tuple[str, ...]:
        """Warnings about the run."""
        return notes_on([self.run], [self.retrieved(order)])

    def other_rules(self, asked: Way) -> Iterator[dict[str, str]]:
        """Each other rule to try that can make a difference."""
        retrieved = self.retrieved(asked.order)
        matters = {
            DUPLICATES.name: False,  # they were dropped when the run was read
            TIES.name: bool(retrieved.tied.any()),
            MISSING.name: not retrieved.retrieved.all(),
        }
        for option in OPTIONS:
            for rule in option.rules if matters.get(option.name, True) else ():
                if rule != asked.rules[option.name]:
                    yield {option.name: rule}

    def rankings(self, order: DocumentOrder) -> list[JudgedRankings]:
        """The judged rankings of blocks of topics, or of the topic."""
        rules = order.core_rules()
        if rules not in self._rankings:
            runs, docs = [self.retrieved(order)], numbers_in_topics(self.qrels)
            self._rankings[rules] = [
                assemble(runs, first, last, self.qrels.sorted_grades, pool, longest(runs), docs)
                for first, last, pool in self._blocks
            ]
        return self._rankings[rules]

    def values(self, measure: Measure, order: DocumentOrder) -> Values:
        """The values of topics; an error if measure or order cannot be used."""
        measure = of_topics(measure)
        if (measure, order) not in self._values:
            needs_detail([measure], order)
            measured = [measure_rankings([measure], judged, order) for judged in self.rankings(order)]
            values = [value for block in measured for value in block.values[0].tolist()]
            weights = [
                weight for block in measured if measure.is_weighed for weight in block.weights[0].tolist()
            ]
            self._values[measure, order] = Values(values, weights)
        return self._values[measure, order]

    def found(self, measure: Measure, order: DocumentOrder) -> Values | None:
        """The values of topics, if they can be computed: 2^1000 is too large."""
        try:
            return self.values(measure, order)
        except (MeasureError, OptionError):
            return None

    def value(self, way: Way) -> float | None:
        """The value of the run or topic, if it can be computed."""
        found = self.found(way.measure, way.order)
        if found is None:
            return None
        direction = way.measure.spec.direction
        if self.place is not None:
            return next(iter(way.topics.known(found.values, direction)), math.nan)
        counted = way.topics.counts(self.retrieved(way.order).retrieved).tolist()
        values, weights = (list(compress(each, counted)) for each in (found.values, found.weights))
        return way.topics.average(values, way.measure.average, weights=weights, direction=direction)

    def decisive_ties(self, way: Way) -> Ints:
        """(topics,): the number of ties that could change the value."""
        visible = tie_visibility([way.measure], *self.qrels.kinds)
        decisive: Ints = self.retrieved(way.order).counting_ties(self.qrels.sorted_kinds, visible).decisive
        return decisive

    def judged(self, order: DocumentOrder) -> tuple[list[str], list[int]]:
        """(judged documents of the topic, the index among them of each retrieved one)."""
        assert self.place is not None
        begin, end = self.qrels.starts[self.place : self.place + 2]
        docs = self.qrels.sorted_docs.part(slice(begin, end)).texts()
        retrieved = self.retrieved(order)
        return docs, (retrieved.judgment[retrieved.within(self.place, self.place + 1)] - begin).tolist()

    def documents(self, order: DocumentOrder) -> list[str]:
        """The documents retrieved for the topic, judged or not, by rank."""
        return documents_of_topic(self.run.open(), self.topic, order)

    def losses(self, measure: Measure, order: DocumentOrder, value: float) -> list[float]:
        """The loss in value if an unjudged document were in the place of each hit."""
        (j,) = self.rankings(order)
        hits = np.array(self.judged(order)[1], dtype=np.int64)
        rankings = TopicRankings(j.pool, hits, j.longest, j.ties)
        return rankings.losses(measure, (j.rank, int(j.retrieved[0, 0])), value)

    def suppose_judged(self, order: DocumentOrder, grade: float, depth: int) -> JudgedRankings:
        """The ranking of the topic as if the unjudged of its first `depth` documents had a grade."""
        return suppose_judged(self.rankings(order)[0], grade, depth)

    def covered(
        self, measure: Measure, order: DocumentOrder, depth: int
    ) -> tuple[SubtopicsByRank, SubtopicsByRank, dict[int, int]]:
        """(subtopics of the ranking, of the ideal one, {rank: index of the ideal one's document})."""
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
    """{rank: subtopics} of a single ranking, as the measure sees it."""
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
