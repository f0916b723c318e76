"""The result of an evaluation on Spark: a frame of values, their means, or `Scores` on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.engines.spark.library import failures, functions
from rankgauge.engines.spark.scored import Scored
from rankgauge.engines.spark.worker import Job
from rankgauge.model import notes
from rankgauge.model.provenance import Provenance, RunFacts
from rankgauge.model.rules import TopicRules
from rankgauge.model.scores import Scores

if TYPE_CHECKING:
    import pyarrow as pa

MEANS = "run string, measure string, value double"


class Evaluation:
    """Scores on Spark.

    `frame` is a DataFrame of run, topic, measure and value, NaN where a measure is undefined. The evaluation
    itself has the methods of that DataFrame, too (`show`, `where`, `write`, ...).
    """

    def __init__(
        self,
        spark: Any,
        scored: Scored,
        job: Job,
        rules: TopicRules,
        provenance: Provenance,
        runs: Mapping[bytes, RunFacts],
    ) -> None:
        self._scored, self._spark = scored, spark
        self._job, self._rules = job, rules
        self._provenance, self._runs = provenance, runs

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.frame, name)

    @property
    def frame(self) -> Any:
        """The values: run, topic, measure, value."""
        f = functions()
        names = f.array(*(f.lit(str(measure)) for measure in self._job.measures))
        each = f.explode(f.arrays_zip(names.alias("measure"), f.col("values").alias("value")))
        return (
            self._counted()
            .select(f.col("run").cast("string"), f.col("topic").cast("string"), each.alias("each"))
            .select("run", "topic", "each.measure", "each.value")
        )

    def _counted(self) -> Any:
        """The rows of judged topics that count."""
        f = functions()
        return self._scored.frame.where(f.col("judged") & self._rules.counts(f.col("retrieved")))

    def mean(self) -> Any:
        """A DataFrame of run, measure and its average over the topics that count.

        The values of a run are gathered in one task and added up exactly, as on one machine.
        """
        average = _Average(self._job, self._rules)

        def means(rows: pa.Table) -> pa.Table:
            return average(rows)

        by_run = self._counted().select("run", "values", "weights").groupBy("run")
        with failures():  # few rows, computed at once: a problem is an error here, in our words
            rows = by_run.applyInArrow(means, MEANS).collect()
        return self._spark.createDataFrame([tuple(row) for row in rows], MEANS)

    def scores(self, runs: Sequence[str] | None = None) -> Scores:
        """The scores on this machine, for tables, comparisons and studies; runs by name, or as listed."""
        import pyarrow.compute as pc

        tables = [table.filter(pc.field("judged")) for table in self._scored.tables()]
        ids, topics = (
            sorted({name for table in tables for name in table[column].unique().to_pylist()})
            for column in ("run", "topic")
        )
        if runs is not None:
            ids = [to_bytes(run) for run in runs]
        measures = self._job.measures
        weighed = [measure for measure in measures if measure.is_weighed]
        values = np.full((len(ids), len(measures), len(topics)), np.nan)
        weights = np.full((len(weighed), len(ids), len(topics)), np.nan)
        retrieved = np.zeros((len(ids), len(topics)), dtype=np.int64)
        for rows in tables:
            run, topic = (_places(rows[name], known) for name, known in (("run", ids), ("topic", topics)))
            values[run, :, topic] = _matrix(rows["values"], len(measures))
            weights[:, run, topic] = _matrix(rows["weights"], len(weighed)).T
            retrieved[run, topic] = rows["retrieved"].to_numpy()
        return Scores(
            runs=tuple(map(to_text, ids)),
            topics=tuple(map(to_text, topics)),
            measures=tuple(map(str, measures)),
            values=values,
            counted=self._rules.counts(retrieved),
            rules=self._rules,
            provenance=self._provenance._replace(runs={to_text(run): self._runs[run] for run in ids}),
            weights={str(measure): weights[row] for row, measure in enumerate(weighed)},
        )

    @property
    def provenance(self) -> Provenance:
        """How the scores were made."""
        return self._provenance._replace(
            runs={to_text(run): run_facts for run, run_facts in sorted(self._runs.items())}
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is missing, undefined or tied, and advice on reading the scores."""
        return notes.on_data(self.provenance) + notes.advice(self.provenance)

    def unpersist(self) -> None:
        """Free the values that Spark holds."""
        self._scored.unpersist()


def _places(names: Any, known: list[bytes]) -> Any:
    """(rows,): the index of each name among those known."""
    place = {name: number for number, name in enumerate(known)}
    return np.array([place[name] for name in names.to_pylist()], dtype=np.int64)


def _matrix(lists: Any, width: int) -> Any:
    """(rows, width) from a column of lists."""
    flat = lists.combine_chunks().flatten().to_numpy() if width else np.empty(0)
    return flat.reshape(len(lists), width)


class _Average:
    """Computes the averages of one run from all its values."""

    def __init__(self, job: Job, rules: TopicRules) -> None:
        self._measures, self._rules = job.measures, rules

    def __call__(self, rows: pa.Table) -> pa.Table:
        import pyarrow as pa

        means = list(self._means(rows))
        run = rows["run"][0].as_py()
        names = pa.array([run] * len(means), pa.binary()).view(pa.string())
        measures = pa.array(map(str, self._measures), pa.string())
        return pa.table({"run": names, "measure": measures, "value": pa.array(means, pa.float64())})

    def _means(self, rows: pa.Table) -> Iterator[float]:
        values = _matrix(rows["values"], len(self._measures)).T
        weights = iter(_matrix(rows["weights"], sum(m.is_weighed for m in self._measures)).T)
        for column, measure in zip(values, self._measures, strict=True):
            yield self._rules.average(
                column.tolist(),
                measure.average,
                weights=next(weights).tolist() if measure.is_weighed else (),
                direction=measure.spec.direction,
            )
