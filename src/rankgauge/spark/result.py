"""What an evaluation on Spark returns: a frame of values, their means, or `Scores` on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge import advice
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.ids import to_bytes, to_text
from rankgauge.model.scores import How, Scores
from rankgauge.spark.library import functions
from rankgauge.spark.worker import Job, told
from rankgauge.topics import TopicRules

if TYPE_CHECKING:
    import pyarrow as pa

MEANS = "run string, measure string, value double"


class Evaluation:
    """Scores on Spark.

    `frame` is a DataFrame of run, topic, measure and value, NaN where a measure is undefined; whatever a
    DataFrame can do (`show`, `where`, `write`, ...) can be asked of the evaluation itself.
    """

    def __init__(
        self, scored: Any, job: Job, rules: TopicRules, how: How, found: Mapping[bytes, Any]
    ) -> None:
        self._scored, self._job, self._rules, self._how, self._found = scored, job, rules, how, found

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
        judged = self._scored.where(f.col("judged"))
        return judged if self._rules.counts(np.zeros(1))[0] else judged.where("retrieved > 0")

    def mean(self) -> Any:
        """A DataFrame of run, measure and mean over the topics that count, as its `average` asks for.

        A run's values come together in one task, where they are added up exactly, as on one machine.
        """
        average = _Average(self._job, self._rules)

        def means(rows: pa.Table) -> pa.Table:
            return average(rows)

        return self._counted().select("run", "values", "weights").groupBy("run").applyInArrow(means, MEANS)

    def scores(self, runs: Sequence[str] | None = None) -> Scores:
        """All of it on this machine, for tables, comparisons and studies; runs by name, or in this order."""
        rows = self._scored.where("judged").select("run", "topic", "retrieved", "values", "weights").toArrow()
        ids, topics = (sorted(set(rows[name].to_pylist())) for name in ("run", "topic"))
        if runs is not None:
            ids = [to_bytes(run) for run in runs]
        run, topic = (_places(rows[name], known) for name, known in (("run", ids), ("topic", topics)))
        measures = self._job.measures
        weighed = [measure for measure in measures if measure.average == "micro"]
        values = np.full((len(ids), len(measures), len(topics)), np.nan)
        weights = np.full((len(weighed), len(ids), len(topics)), np.nan)
        values[run, :, topic] = _matrix(rows["values"], len(measures))
        weights[:, run, topic] = _matrix(rows["weights"], len(weighed)).T
        retrieved = np.zeros((len(ids), len(topics)), dtype=np.int64)
        retrieved[run, topic] = rows["retrieved"].to_numpy()
        return Scores(
            runs=tuple(map(to_text, ids)),
            topics=tuple(map(to_text, topics)),
            measures=tuple(map(str, measures)),
            values=values,
            counted=self._rules.counts(retrieved),
            rules=self._rules,
            how=replace(self.how, runs={to_text(run): self.how.runs[to_text(run)] for run in ids}),
            weights={str(measure): weights[row] for row, measure in enumerate(weighed)},
        )

    @property
    def how(self) -> How:
        """How the scores were made."""
        return replace(
            self._how, runs={to_text(run): dict(fact["told"]) for run, fact in sorted(self._found.items())}
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is missing, undefined or tied, and advice on reading the scores."""
        return advice.facts(self.how) + advice.advice(self.how)

    def unpersist(self) -> None:
        """Let Spark forget the values that it keeps."""
        self._scored.unpersist()


def _places(names: Any, known: list[bytes]) -> Any:
    """(rows,) where each name stands among those known."""
    place = {name: number for number, name in enumerate(known)}
    return np.array([place[name] for name in names.to_pylist()], dtype=np.int64)


def _matrix(lists: Any, width: int) -> Any:
    """(rows, width) from a column of lists."""
    flat = lists.combine_chunks().flatten().to_numpy() if width else np.empty(0)
    return flat.reshape(len(lists), width)


class _Average:
    """The means of one run, from all its values."""

    def __init__(self, job: Job, rules: TopicRules) -> None:
        self._names = [str(measure) for measure in job.measures]
        self._ways = [(measure.average, measure.spec.direction) for measure in job.measures]
        self._rules = rules

    def __call__(self, rows: pa.Table) -> pa.Table:
        import pyarrow as pa

        means = list(self._means(rows))
        run = rows["run"][0].as_py()
        names = pa.array([run] * len(means), pa.binary()).view(pa.string())
        return pa.table({"run": names, "measure": self._names, "value": pa.array(means, pa.float64())})

    def _means(self, rows: pa.Table) -> Iterator[float]:
        values = _matrix(rows["values"], len(self._ways)).T
        weights = iter(_matrix(rows["weights"], sum(way == "micro" for way, _ in self._ways)).T)
        for column, (way, direction) in zip(values, self._ways, strict=True):
            weight = next(weights).tolist() if way == "micro" else ()
            yield self._rules.average(column.tolist(), way, weights=weight, direction=direction)


@contextmanager
def failures() -> Iterator[None]:
    """A job that fails is told in a sentence; what Spark has to say of it is the cause."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
        if "No module named 'rankgauge'" in str(error):
            raise InputError(
                "the workers of Spark cannot import rankgauge; install it on them, or send it along "
                "(docs/how-to/spark.md says how)"
            ) from error
        at_last = (
            lines[-1] if lines[0].startswith("An exception was thrown from the Python worker") else lines[0]
        )
        raise InputError(f"the Spark job failed: {problems.quote(at_last, 300)}") from error


def facts(scored: Any, job: Job, rules: TopicRules) -> dict[bytes, dict[str, Any]]:
    """What there is to tell of each run; here the job is run, and what went wrong becomes an error."""
    f = functions()
    judged, retrieved = f.col("judged"), f.col("retrieved")
    counts = judged & (f.lit(bool(rules.counts(np.zeros(1))[0])) | (retrieved > 0))
    told_of = {
        "judged": f.count_if(judged),
        "topics": f.count_if(judged & (retrieved > 0)),
        "retrieved": f.sum(f.when(judged, retrieved).otherwise(0)),
        "unjudged_topics": f.count_if(~judged),
        "tied_topics": f.count_if(f.col("tied") > 0),
        "tied_documents": f.sum("tied"),
        "decisive_ties": f.sum("decisive"),
        "duplicates_dropped": f.sum("dropped"),
        "undefined": f.array(
            *(f.count_if(counts & f.isnan(f.col("values")[i])) for i in range(len(job.measures)))
        ),
        "drawn": f.array(*(f.count_if(f.col("drawn")[i]) for i in range(len(job.measures)))),
        "above": f.array(*(f.count_if(f.col("above")[i]) for i in range(len(job.measures)))),
        "unjudged": f.array(*(f.sum(f.when(judged, f.col("unjudged")[i])) for i in range(len(job.cutoffs)))),
        "problem": f.min("problem"),
    }
    with failures():
        found = scored.groupBy("run").agg(*(column.alias(name) for name, column in told_of.items())).collect()
    trouble = [row["problem"] for row in found if row["problem"] is not None]
    if trouble:
        raise told(min(trouble))
    return {bytes(row["run"]): _facts(row, job) for row in found}


def _facts(row: Any, job: Job) -> dict[str, Any]:
    from rankgauge.tied import RANDOM_ORDERS, SEED

    def by_measure(counts: list[int]) -> dict[str, int]:
        return {str(m): int(count) for m, count in zip(job.measures, counts, strict=True) if count}

    told_of: dict[str, Any] = {
        "source": "DataFrame",
        "topics": int(row["topics"]),
        "retrieved": int(row["retrieved"]),
        "missing": int(row["judged"] - row["topics"]),
        "unjudged_topics": int(row["unjudged_topics"]),
        "tied_topics": int(row["tied_topics"]),
        "tied_documents": int(row["tied_documents"]),
        "decisive_ties": int(row["decisive_ties"]),
        "duplicates_dropped": int(row["duplicates_dropped"]),
        "undefined": by_measure(row["undefined"]),
    }
    if job.cutoffs:
        told_of["unjudged"] = {str(k): int(n) for k, n in zip(job.cutoffs, row["unjudged"], strict=True)}
    if drawn := by_measure(row["drawn"]):
        told_of["random_orders"] = {"topics": drawn, "orders": RANDOM_ORDERS, "seed": SEED}
    if above := by_measure(row["above"]):
        told_of["above_ideal"] = above
    return {"judged": int(row["judged"]), "retrieved": told_of["retrieved"], "told": told_of}
