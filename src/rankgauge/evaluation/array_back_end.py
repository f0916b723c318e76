"""The back end with NumPy: blocks of topics at a time, for runs of any size and format."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from rankgauge.engines.requirements import TieVisibility, lowest_grade, needs_detail, tie_visibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.engines.threads import Progress
from rankgauge.evaluation import Measured
from rankgauge.evaluation.scalar_back_end import is_supported
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import JudgedRankings, Pool
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.measures.rankings.vector import Unsupported
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
        made_anew = "_engine", "_dict_rankings"
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
    def _dict_rankings(self) -> DictRankings:
        scalar = not self.order.over_orders and all(map(is_supported, self.measures))
        return DictRankings(self._engine, self.lowest_grade, self.blocks, scalar=scalar)

    def values_of_dict(self, run: Mapping[Any, Any]) -> dict[Any, list[float]]:
        """{topic: the value of each measure} of a run {topic: {document: score}}."""
        rankings = self._dict_rankings
        topics = rankings.judged(run)
        numbers = sorted(topics.values())
        rows: list[list[float]] = []
        try:
            for judged in rankings.of(run, numbers):
                if isinstance(judged, JudgedRankings):
                    rows += measure_rankings(self.measures, judged, self.order).values.T.tolist()
                else:
                    rows.append([float(measure.value(judged)[0]) for measure in self.measures])
        except Unsupported:  # one of the measures needs arrays
            rankings.scalar = False
            return self.values_of_dict(run)
        by_number = dict(zip(numbers, rows, strict=True))
        return {topic: by_number[number] for topic, number in topics.items()}

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
        weighed = [measure for measure in self.measures if measure.is_weighed]
        shape = len(self.measures) + len(weighed), len(self.topics)
        values = np.empty((len(runs), *shape))
        random, above = np.zeros((2, len(runs), len(self.measures)), dtype=np.int64)
        for some, topics, rankings in self.rankings(runs):
            results = measure_rankings(self.measures, rankings, self.order)
            # (measures, rankings): the rankings are all topics of a run, and then of the next
            parts = len(self.measures), len(runs[some]), topics.stop - topics.start
            for row, each in enumerate((*results.values, *results.weights)):
                values[some, row, topics] = each.reshape(parts[1:])
            for of_measure, other in zip(read, others.values(), strict=True):
                of_measure[some, topics] = other.value(rankings).reshape(parts[1:])
            random[some] += results.random.reshape(parts).sum(axis=2).T
            above[some] += results.above.reshape(parts).sum(axis=2).T
        values, weights = np.split(values, [len(self.measures)], axis=1)
        by_measure = {str(measure): weights[:, row] for row, measure in enumerate(weighed)}
        readings_of = {
            text: (str(other), row) for (text, other), row in zip(others.items(), read, strict=True)
        }
        return Measured(values, by_measure, random.tolist(), above.tolist(), readings_of)

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
