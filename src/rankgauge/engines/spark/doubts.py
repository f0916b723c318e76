"""What may be wrong with runs on Spark of which nothing is relevant: looked into only where that is so."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankgauge.core.ids import to_text
from rankgauge.engines.spark import rows
from rankgauge.engines.spark.counts import HITS, counts_of_runs
from rankgauge.engines.spark.library import failures, functions
from rankgauge.model.id_differences import MOST_ROWS, document_difference, documents_of
from rankgauge.model.provenance import RunFacts

if TYPE_CHECKING:
    from rankgauge.engines.spark.judgments import Judgments
    from rankgauge.engines.spark.worker import Job


def with_doubts(
    runs: Mapping[bytes, RunFacts], results: Any, judgments: Judgments, job: Job, partitions: int | None
) -> dict[bytes, RunFacts]:
    """The facts of runs; for those without a relevant document, with the number of judged ones and why."""
    doubted = [run for run, facts in runs.items() if facts.none_relevant]
    if not doubted:
        return dict(runs)
    f, results = functions(), rows.with_binary_ids(results)

    def rows_of(some: list[bytes]) -> Any:
        return results.where(f.col("run").isin(*map(f.lit, some))) if "run" in results.columns else results

    every = replace(job, name=uuid.uuid4().hex, lowest_grade=-math.inf, cutoffs=())
    counts = counts_of_runs(judgments.score(rows_of(doubted), partitions, every))
    noted = dict(runs)
    for run, numbers in counts.items():
        judged = int(numbers[HITS])
        noted[run] = runs[run]._replace(judged=judged)
        if not judged and judgments.qrels is not None:
            with failures():
                some = rows_of([run]).select("topic", "doc").limit(MOST_ROWS).collect()
            pairs = ((to_text(bytes(topic)), to_text(bytes(doc))) for topic, doc in some)
            documents = documents_of(pairs, judgments.qrels.sorted_topics)
            different = document_difference(documents, judgments.qrels.documents)
            noted[run] = noted[run]._replace(ids_differ=different)
    return noted
