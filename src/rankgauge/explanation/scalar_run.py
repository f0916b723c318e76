"""One run and its judgments in small TREC files, without NumPy."""

from __future__ import annotations

from typing import Any

from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.evaluation.scalar_back_end import ScalarBackEnd, is_supported
from rankgauge.explanation.ways import OneRun, Values, Way, place_of_topic
from rankgauge.measures import Measure
from rankgauge.measures.rankings.scalars import JudgedRankings, Pool
from rankgauge.measures.rankings.vector import Unsupported, Vector
from rankgauge.model.rules import DocumentOrder
from rankgauge.schema.text import counted


class ScalarRun(OneRun):
    """One run and its judgments in vectors of the scalar back end.

    Other definitions and rules that it does not support are left out, and a note counts them.
    """

    def __init__(
        self, qrels: str, run: RunInput, topic: Any, duplicates: str = DocumentOrder().duplicates
    ) -> None:
        self._back_ends: dict[tuple[str, ...], ScalarBackEnd] = {}
        self._qrels, self._left_out = qrels, set[tuple[Measure, DocumentOrder]]()
        self._order = DocumentOrder(duplicates=duplicates)
        back_end = self._back_end(self._order)
        self.topics, self.levels = back_end.topics, back_end.levels
        super().__init__(run, None if topic is None else place_of_topic(topic, self.topics))

    def _back_end(self, order: DocumentOrder) -> ScalarBackEnd:
        rules = order.core_rules()
        if rules not in self._back_ends:
            order = order._replace(duplicates=self._order.duplicates)
            self._back_ends[rules] = ScalarBackEnd((), order, self._qrels)
        return self._back_ends[rules]

    def _read(self, order: DocumentOrder) -> RetrievedJudgments:
        return self._back_end(order).read([self.run])[0]

    def _assemble(self, retrieved: RetrievedJudgments) -> list[JudgedRankings]:
        rankings = self._back_end(self._order).rankings(retrieved)
        return [rankings if self.place is None else rankings.only(self.place)]

    def _measure(self, measure: Measure, judged: Any, order: DocumentOrder) -> tuple[Any, Any]:
        if order.over_orders or not is_supported(measure):
            raise Unsupported(f"{measure} with ties={order.ties}")
        values = measure.value(judged).astype(float)
        return values, measure.weight(judged).astype(float) if measure.is_weighed else None

    def values(self, measure: Measure, order: DocumentOrder) -> Values:
        """The values of topics; an error if the measure or the order cannot be used with this run."""
        try:
            return super().values(measure, order)
        except Unsupported:
            self._left_out.add((measure, order))
            raise

    def notes(self, order: DocumentOrder) -> tuple[str, ...]:
        """Warnings about the run, and about what is left out."""
        left_out = counted(len(self._left_out), "way") + " to compute a value left out, which need NumPy"
        return (*super().notes(order), *[left_out][: len(self._left_out)])

    def decisive_ties(self, way: Way) -> Vector:
        """(topics,): the number of ties that could change the value."""
        assert self.run.file is not None
        retrieved = self._back_end(way.order).retrieve(self.run.file, measures=(way.measure,))
        decisive: Vector = retrieved.decisive
        return decisive

    def judged(self, order: DocumentOrder) -> tuple[list[str], list[int]]:
        """(judged documents of the topic, the index among them of each that was retrieved, by rank)."""
        assert self.place is not None
        back_end, retrieved = self._back_end(order), self.retrieved(order)
        begin, hits = back_end.starts[self.place], retrieved.within(self.place, self.place + 1)
        return back_end.documents(self.place), [each - begin for each in retrieved.judgment[hits]]

    def documents(self, order: DocumentOrder) -> list[str]:
        """The documents that the run retrieved for the topic, judged or not, by rank."""
        assert self.run.file is not None
        return self._back_end(order).ranked(self.run.file, self.topic)

    def losses(self, measure: Measure, order: DocumentOrder, value: float) -> list[float]:
        """The loss in the value of the topic if an unjudged document were in the place of each hit."""
        (j,) = self.rankings(order)
        others = (j._only(j.nth != nth) for nth in j.nth)
        return [value - float(measure.value(without)[0]) for without in others]

    def suppose_judged(self, order: DocumentOrder, grade: float, depth: int) -> JudgedRankings:
        """The ranking of the topic as if its first `depth` documents had been judged: unjudged ones so."""
        (j,) = self.rankings(order)
        judged = dict(zip(j.rank, j.grade, strict=True))
        ranked = sorted((dict.fromkeys(range(1, depth + 1), grade) | judged).items())
        grades = [*j.pool.grades, *[grade] * (len(ranked) - len(judged))]
        rankings: JudgedRankings = j._view(
            starts=[0, len(ranked)],
            rank=Vector(rank for rank, _ in ranked),
            grade=Vector(each for _, each in ranked),
            pool=Pool(Vector(grades), [0, len(grades)], Vector(sorted({*j.pool.levels, grade}))),
        )
        return rankings
