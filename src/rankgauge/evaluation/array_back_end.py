"""The back end with NumPy, for runs of any format: programs, and arrays for what these cannot express."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.engines.assembly import assemble, batches, blocks, judgments_for, longest, numbers_in_topics
from rankgauge.engines.facts import source_of
from rankgauge.engines.kernel import measure_rankings
from rankgauge.engines.local.dict_rankings import DictRankings
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.local.reading import read_runs
from rankgauge.engines.programs import FASTER, Programmed, record_measures
from rankgauge.engines.requirements import TieVisibility, lowest_grade, needs_detail, tie_visibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.engines.threads import Progress
from rankgauge.evaluation import Measured
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import JudgedRankings, Pool
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.measures.rankings.programs import Unsupported
from rankgauge.model.provenance import QrelsFacts
from rankgauge.model.rules import DocumentOrder


class ArrayBackEnd:
    """Judgments and measures, prepared for evaluating run after run."""

    def __init__(
        self, measures: tuple[Measure, ...], order: DocumentOrder, qrels: Any, **reading: Any
    ) -> None:
        self.measures, self.order = measures, order
        self.blocks: list[tuple[int, int, Pool]] = []
        self.detail = needs_detail(measures, order)
        self.qrels = judgments_for(measures, qrels, **reading)
        self.topics = self.qrels.sorted_topics
        self.qrels_facts = QrelsFacts(
            source_of(qrels),
            len(self.topics),
            self.qrels.judged_documents,
            self.qrels.dropped,
            grades=self.qrels.recoding,
            assumed=self.qrels.assumed,
            digest=self.qrels.digest,
        )
        # Judgments that no measure uses are not looked up.
        self.lowest_grade = lowest_grade(measures)
        self.blocks = list(blocks(self.qrels, self.lowest_grade))
        self._docs = numbers_in_topics(self.qrels, self.lowest_grade)

    @cached_property
    def visible(self) -> TieVisibility:
        """The ties that the measures see."""
        return tie_visibility(self.measures, *self.qrels.kinds)

    def __getstate__(self) -> dict[str, Any]:
        """All but the engine, which cannot be pickled and is made anew."""
        made_anew = "_engine", "_dict_rankings", "programmed"
        return {name: value for name, value in vars(self).items() if name not in made_anew}

    def __del__(self, is_ending: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_ending():  # then modules are taken apart, and all memory is freed anyway
            for pool in self.pools:
                pool.forget()

    @property
    def pools(self) -> list[Pool]:
        """The pools of all topics, a block at a time."""
        return [pool for _, _, pool in self.blocks]

    @cached_property
    def _engine(self) -> LocalEngine:
        return LocalEngine(
            self.qrels,
            self.order,
            self.lowest_grade,
            detail=self.detail,
            visible=self.visible,
        )

    def read(
        self, runs: Sequence[RunInput], threads: int | None, progress: Progress | None
    ) -> list[RetrievedJudgments]:
        """Read runs, order their documents, join them with the judgments."""
        return read_runs(self._engine, runs, threads, progress)

    def keep_needed(self, runs: Sequence[RetrievedJudgments]) -> list[RetrievedJudgments]:
        """The result of `read` for runs that were read with every judged document."""
        kept = self.qrels.sorted_grades >= self.lowest_grade
        left = [*runs] if kept.all() else [_left(run, kept[run.judgment]) for run in runs]
        return [run.counting_ties(self.qrels.sorted_kinds, self.visible) for run in left]

    def values(self, runs: Sequence[RetrievedJudgments]) -> Floats:
        """(runs, measures, topics) of runs that were read with every judged document."""
        kept = self.qrels.sorted_grades >= self.lowest_grade
        values: Floats = self.measure([run.only(kept[run.judgment]) for run in runs]).values
        return values

    @cached_property
    def programmed(self) -> tuple[Programmed | None, tuple[int, ...]]:
        """The program of those measures that have one, and their places."""
        if not FASTER or self.order.over_orders or not len(self.qrels.levels):
            return None, ()
        program, places = record_measures(self.measures, tuple(self.qrels.levels.tolist()))
        if not places:
            return None, ()
        return self._engine.programmed(program, [str(self.measures[place]) for place in places]), places

    def _rows(self, places: Sequence[int]) -> list[int]:
        """The rows of these measures, and of the weights of those that have some, which come after all."""
        weighed = [place for place, measure in enumerate(self.measures) if measure.is_weighed]
        return [*places, *(len(self.measures) + weighed.index(place) for place in places if place in weighed)]

    @cached_property
    def _dict_rankings(self) -> DictRankings:
        return DictRankings(self._engine, self.lowest_grade, self.blocks)

    def values_of_dict(self, run: Mapping[Any, Any]) -> dict[Any, dict[str, float]]:
        """{topic: {measure: value}} of a run {topic: {document: score}}."""
        programmed, places = self.programmed
        values = None
        if programmed is not None:
            with suppress(Unsupported):
                values = programmed.of_mapping(run)
        if values is None:
            return self._dict_values(run, self.measures)
        if len(places) == len(self.measures):
            return values
        others = tuple(m for place, m in enumerate(self.measures) if place not in places)
        by_arrays, names = self._dict_values(run, others), [*map(str, self.measures)]
        both = {topic: row | by_arrays[topic] for topic, row in values.items()}
        return {topic: {name: row[name] for name in names} for topic, row in both.items()}

    def _dict_values(
        self, run: Mapping[Any, Any], measures: Sequence[Measure]
    ) -> dict[Any, dict[str, float]]:
        rankings, names = self._dict_rankings, [*map(str, measures)]
        topics = rankings.judged(run)
        numbers = sorted(topics.values())
        rows: list[list[float]] = []
        for judged in rankings.of(run, numbers):
            rows += measure_rankings(measures, judged, self.order).values.T.tolist()
        by_number = dict(zip(numbers, rows, strict=True))
        return {topic: dict(zip(names, by_number[number], strict=True)) for topic, number in topics.items()}

    def rankings(self, runs: Sequence[RetrievedJudgments]) -> Iterator[tuple[slice, slice, JudgedRankings]]:
        """(runs, topics, their judged rankings), a block at a time."""
        grades, most = self.qrels.sorted_grades, longest(runs)
        for first, last, pool in self.blocks:
            for some in batches(runs, first, last, pool):
                rankings = assemble(runs[some], first, last, grades, pool, most, self._docs)
                yield some, slice(first, last), rankings
                rankings.forget()

    def measure(self, runs: Sequence[RetrievedJudgments], *, readings: bool = False) -> Measured:
        """The values of all measures; values are (runs, measures, topics).

        With `readings`, also those of measures by another reading of their definition.
        """
        read_otherwise = {str(m): m.other_reading for m in self.measures if readings}
        others = {text: other for text, other in read_otherwise.items() if other is not None}
        read = np.empty((len(others), len(runs), len(self.topics)))
        size = len(self.measures)
        values = np.empty((len(runs), len(self._rows(range(size))), len(self.topics)))
        left = self._run_program(runs, values)
        random, above = np.zeros((2, len(runs), size), dtype=np.int64)
        for some, topics, rankings in self.rankings(runs) if left or others else ():
            results = measure_rankings([self.measures[place] for place in left], rankings, self.order)
            # (measures, rankings): the rankings are all topics of a run, and then of the next
            parts = len(left), len(runs[some]), topics.stop - topics.start
            for row, each in zip(self._rows(left), (*results.values, *results.weights), strict=True):
                values[some, row, topics] = each.reshape(parts[1:])
            for of_measure, other in zip(read, others.values(), strict=True):
                of_measure[some, topics] = other.value(rankings).reshape(parts[1:])
            random[some, left] += results.random.reshape(parts).sum(axis=2).T
            above[some, left] += results.above.reshape(parts).sum(axis=2).T
        values, weights = np.split(values, [size], axis=1)
        weighed = (str(measure) for measure in self.measures if measure.is_weighed)
        by_measure = {text: weights[:, row] for row, text in enumerate(weighed)}
        readings_of = {
            text: (str(other), row) for (text, other), row in zip(others.items(), read, strict=True)
        }
        return Measured(values, by_measure, random.tolist(), above.tolist(), readings_of)

    def _run_program(self, runs: Sequence[RetrievedJudgments], values: Floats) -> list[int]:
        """Fill in the values that a program computes; returns the places of the other measures."""
        programmed, places = self.programmed
        if programmed is not None:
            rows = self._rows(places)
            try:
                for of_run, run in zip(values, runs, strict=True):
                    found = programmed.measure(run.starts, run.rank, run.judgment, run.retrieved)
                    of_run[rows] = np.frombuffer(found).reshape(len(rows), -1)
            except Unsupported:  # something about these rankings
                places = ()
        return [place for place in range(len(self.measures)) if place not in places]

    def table(self, rows: Sequence[Any]) -> Any:
        """(runs, topics) from a row per run."""
        return np.array(rows)

    def curves(self, runs: Sequence[RetrievedJudgments], depth: int) -> Floats:
        """(runs, measures, topics, depth): the value at every rank."""
        vectors = np.empty((len(runs), len(self.measures), len(self.topics), depth))
        for some, topics, rankings in self.rankings(runs):
            for row, measure in enumerate(self.measures):
                place = vectors[some, row, topics]
                place[:] = measure.vector(rankings, depth).reshape(place.shape)
        return vectors

    def ideal_curves(self, depth: int) -> Floats:
        """(measures, topics, depth): the values of the ideal rankings."""
        vectors = np.empty((len(self.measures), len(self.topics), depth))
        for first, last, pool in self.blocks:
            for row, measure in zip(vectors, self.measures, strict=True):
                row[first:last] = measure.vector(measure.ideal(pool, depth), depth)
        return vectors


def _left(run: RetrievedJudgments, kept: npt.NDArray[np.bool_]) -> RetrievedJudgments:
    """The remaining retrieved judgments; where none remain, with their original number."""
    left = run.only(kept)
    if len(left.rank) or left.warnings.judged is not None:
        return left
    return left._replace(warnings=left.warnings._replace(judged=len(run.rank)))
