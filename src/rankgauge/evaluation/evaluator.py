"""The main verb: judgments, runs and measures in, scores out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.engines import facts
from rankgauge.engines.judged_runs import (
    Progress,
    blocks,
    judgments_for,
    needs_detail,
    numbers_in_topics,
    read_hits,
)
from rankgauge.engines.kernel import measured, value_facts
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments, assemble, batches, longest
from rankgauge.engines.run_inputs import RunInput, resolve_runs
from rankgauge.errors import MeasureError
from rankgauge.evaluation.fixed_candidates import FixedCandidates
from rankgauge.measures import Measure, parse_all
from rankgauge.model.curves import Curves
from rankgauge.model.document_order import DUPLICATES, ORDER, SCORE_PRECISION, TIES, DocumentOrder
from rankgauge.model.provenance import Provenance
from rankgauge.model.scores import Scores
from rankgauge.model.topic_rules import MISSING, UNDEFINED, TopicRules
from rankgauge.rankings.arrays import JudgedRankings
from rankgauge.rankings.arrays.curves import Floats, Ints
from rankgauge.schema.checks import whole_number


def evaluate(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    order: str = ORDER.default,
    ties: str = TIES.default,
    score_precision: str = SCORE_PRECISION.default,
    duplicates: str = DUPLICATES.default,
    missing: str = MISSING.default,
    undefined: str = UNDEFINED.default,
    threads: int | None = None,
    progress: Progress | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
) -> Scores:
    """The value of every measure for every run and judged topic.

    `qrels` is a path, a Qrels, a dict {topic: {document: grade}} or a frame; `runs` is a path or
    pattern, a Run, a dict {topic: {document: score}} or a frame, or a list or {name: run} of these.
    How documents are ordered (`order`, `ties`, `score_precision`, `duplicates`) and which topics count
    (`missing`, `undefined`) are choices between named rules. Formats and the names of columns are inferred,
    unless given: `run_columns={"topic": "my_q", "doc": "my_d"}`.

    >>> evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.2, "d2": 0.5}}, "RR nDCG@10").mean()
    {'run': {'RR': 0.5, 'nDCG@10': 0.6309297535714575}}
    """
    evaluator = Evaluator(
        qrels,
        measures,
        order=order,
        ties=ties,
        score_precision=score_precision,
        duplicates=duplicates,
        missing=missing,
        undefined=undefined,
        qrels_format=qrels_format,
        qrels_columns=qrels_columns,
    )
    return evaluator.evaluate(
        runs, threads=threads, progress=progress, run_format=run_format, run_columns=run_columns
    )


def curves(
    qrels: Any,
    runs: Any,
    measures: str | Measure | Iterable[str | Measure],
    *,
    depth: int = 100,
    **options: Any,
) -> Curves:
    """Measures at every rank from 1 to depth, for every run and judged topic, with the ideal beside them.

    Takes the options of `evaluate`.

    >>> curves({"q1": {"d1": 1}}, {"q1": {"d1": 0.2, "d2": 0.5}}, "P", depth=3).mean()
    {'run': {'P': [0.0, 0.5, 0.3333333333333333]}}
    """
    own = ("threads", "progress", "run_format", "run_columns")
    reading = {name: options.pop(name) for name in own if name in options}
    return Evaluator(qrels, measures, **options).curves(runs, depth=depth, **reading)


class Evaluator:
    """Judgments and measures, made ready once, for scoring run after run.

    >>> evaluator = Evaluator({"q1": {"d1": 1}}, "RR nDCG@10")
    >>> evaluator.evaluate({"q1": {"d1": 0.2, "d2": 0.5}}).mean()
    {'run': {'RR': 0.5, 'nDCG@10': 0.6309297535714575}}
    """

    def __init__(
        self,
        qrels: Any,
        measures: str | Measure | Iterable[str | Measure],
        *,
        order: str = ORDER.default,
        ties: str = TIES.default,
        score_precision: str = SCORE_PRECISION.default,
        duplicates: str = DUPLICATES.default,
        missing: str = MISSING.default,
        undefined: str = UNDEFINED.default,
        qrels_format: str | None = None,
        qrels_columns: Mapping[str, str] | None = None,
    ) -> None:
        self.measures = parse_all(measures)
        self.order = DocumentOrder(order, ties, score_precision, duplicates)
        self.rules = TopicRules(missing, undefined)
        self._detail = needs_detail(self.measures, self.order)
        self.qrels = judgments_for(
            self.measures, qrels, format=qrels_format, columns=qrels_columns, duplicates=duplicates
        )
        self._weighed = tuple(measure for measure in self.measures if measure.is_weighed)
        # What no measure looks at, the engine need not tell.
        self._least = facts.least(self.measures)
        self._pools = list(blocks(self.qrels, self._least))
        self._docs = numbers_in_topics(self.qrels, self._least)
        said = facts.judgments(
            qrels, len(self.qrels.sorted_topics), len(self.qrels.sorted_grades), self.qrels.dropped
        )
        every = [pool for _, _, pool in self._pools]
        self._provenance = facts.basis(self.measures, self.order, self.rules, every, said)

    @cached_property
    def _engine(self) -> LocalEngine:
        return LocalEngine(self.qrels, self.order, self._least, detail=self._detail)

    def evaluate(
        self,
        runs: Any,
        *,
        threads: int | None = None,
        progress: Progress | None = None,
        run_format: str | None = None,
        run_columns: Mapping[str, str] | None = None,
    ) -> Scores:
        """The scores of a run, or of several, given as to `rankgauge.evaluate`."""
        given = resolve_runs(runs, run_format, run_columns)
        return self._scores(given, self._hits(given, threads, progress))

    def _hits(
        self, given: list[RunInput], threads: int | None = None, progress: Progress | None = None
    ) -> list[RetrievedJudgments]:
        """The hits of each run."""
        return read_hits(self._engine, given, threads, progress)

    def of_hits(self, given: Sequence[RunInput], hits: Sequence[RetrievedJudgments]) -> Scores:
        """The scores of runs whose hits were read before (`read_hits`), with every judged document told."""
        return self._scores(given, self._told(hits))

    def curves_of_hits(
        self, given: Sequence[RunInput], hits: Sequence[RetrievedJudgments], depth: int
    ) -> Curves:
        """The same at every rank down to `depth`."""
        self._can_have_curves(depth)
        return self._curves(given, self._told(hits), depth)

    def _told(self, hits: Sequence[RetrievedJudgments]) -> list[RetrievedJudgments]:
        """What the engine would have told of hits, had it been asked for these measures."""
        told = self.qrels.sorted_grades >= self._least
        return [run.only(told[run.judgment]) for run in hits]

    def fixed(self, candidates: Any) -> FixedCandidates:
        """Candidates that stay while their scores change (re-ranking): a plan that takes just new scores."""
        return FixedCandidates(self, candidates)

    def _judged(self, runs: Sequence[RetrievedJudgments]) -> Iterator[tuple[slice, slice, JudgedRankings]]:
        """(runs, topics, their judged rankings), block by block."""
        grades, most = self.qrels.sorted_grades, longest(runs)
        for first, last, pool in self._pools:
            for some in batches(runs, first, last, pool):
                rankings = assemble(runs[some], first, last, grades, pool, most, self._docs)
                yield some, slice(first, last), rankings

    def _values(self, runs: Sequence[RetrievedJudgments]) -> tuple[Floats, Ints, Ints]:
        """(runs, measures and then weights for micro averages, topics): all values.

        And twice (runs, measures): for how many topics a value took random orders of tied documents; for how
        many a ranking beats the ideal, and its value is cut down to 1.
        """
        rows = len(self.measures) + len(self._weighed)
        values = np.empty((len(runs), rows, len(self.qrels.sorted_topics)))
        drawn, clipped = np.zeros((2, len(runs), len(self.measures)), dtype=np.int64)
        for some, topics, rankings in self._judged(runs):
            found = measured(self.measures, rankings, self.order)
            # (measures, rankings): the rankings are all topics of a run, and then of the next
            shape = len(self.measures), len(runs[some]), topics.stop - topics.start
            for row, each in enumerate((*found.values, *found.weights)):
                values[some, row, topics] = each.reshape(shape[1:])
            drawn[some] += found.drawn.reshape(shape).sum(axis=2).T
            clipped[some] += found.above.reshape(shape).sum(axis=2).T
        return values, drawn, clipped

    def curves(
        self,
        runs: Any,
        *,
        depth: int = 100,
        threads: int | None = None,
        run_format: str | None = None,
        run_columns: Mapping[str, str] | None = None,
        progress: Progress | None = None,
    ) -> Curves:
        """The measures of a run, or of several, at every rank down to `depth`."""
        self._can_have_curves(depth)
        given = resolve_runs(runs, run_format, run_columns)
        return self._curves(given, self._hits(given, threads, progress), depth)

    def _curves(self, given: Sequence[RunInput], hits: Sequence[RetrievedJudgments], depth: int) -> Curves:
        """The curves of runs, from their hits."""
        return Curves(
            runs=tuple(run.name for run in given),
            topics=self.qrels.sorted_topics,
            measures=tuple(map(str, self.measures)),
            values=self._vectors(hits, depth),
            ideal=self._ideal_vectors(depth),
            counted=np.array([self.rules.counts(run.retrieved) for run in hits]),
            rules=self.rules,
            averages={str(m): (m.average, m.spec.direction) for m in self.measures},
        )

    def _can_have_curves(self, depth: int) -> None:
        whole_number("depth", depth)
        self.order.decided("curves follow")
        for measure in self.measures:
            if measure.cutoff is not None and measure.cutoff < depth:
                raise MeasureError(
                    f"{measure} looks no further than rank {measure.cutoff}, which a curve down to {depth} "
                    f"does: give it without the cutoff, or a depth of {measure.cutoff}"
                )

    def _vectors(self, runs: Sequence[RetrievedJudgments], depth: int) -> Floats:
        """(runs, measures, topics, depth): all vectors."""
        vectors = np.empty((len(runs), len(self.measures), len(self.qrels.sorted_topics), depth))
        for some, topics, rankings in self._judged(runs):
            for row, measure in enumerate(self.measures):
                place = vectors[some, row, topics]
                place[:] = measure.vector(rankings, depth).reshape(place.shape)
        return vectors

    def _ideal_vectors(self, depth: int) -> Floats:
        """(measures, topics, depth): the vectors of the best rankings the judgments allow."""
        vectors = np.empty((len(self.measures), len(self.qrels.sorted_topics), depth))
        for first, last, pool in self._pools:
            for row, measure in zip(vectors, self.measures, strict=True):
                row[first:last] = measure.vector(measure.ideal(pool, depth), depth)
        return vectors

    def _scores(self, given: Sequence[RunInput], hits: Sequence[RetrievedJudgments]) -> Scores:
        """The scores of runs, from their hits."""
        counted = np.array([self.rules.counts(h.retrieved) for h in hits])
        found, drawn, clipped = self._values(hits)
        values, weights = np.split(found, [len(self.measures)], axis=1)
        undefined = (np.isnan(values) & counted[:, None, :]).sum(axis=2).tolist()
        runs = {
            run.name: {
                **facts.run_facts(
                    run.source,
                    facts.counts(h),
                    facts.by_measure(self.measures, nans),
                    facts.unjudged(self.measures, h),
                ),
                **value_facts(self.measures, random, above),
            }
            for run, h, nans, random, above in zip(
                given, hits, undefined, drawn.tolist(), clipped.tolist(), strict=True
            )
        }
        return Scores(
            runs=tuple(run.name for run in given),
            topics=self.qrels.sorted_topics,
            measures=tuple(map(str, self.measures)),
            values=values,
            counted=counted,
            rules=self.rules,
            provenance=Provenance(
                **self._provenance | {"measures": self._with_lengths(longest(hits))}, runs=runs
            ),
            weights={str(m): weights[:, row] for row, m in enumerate(self._weighed)},
        )

    def _with_lengths(self, most: int) -> dict[str, dict[str, Any]]:
        """The record of the measures, with what comes of the longest list."""
        known = [pool for _, _, pool in self._pools]
        return {
            str(m): self._provenance["measures"][str(m)] | facts.lengths(m, most, known)
            for m in self.measures
        }
