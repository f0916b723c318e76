"""The scores of judged topics for which runs have no results."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes
from rankgauge.engines.spark import rows, worker
from rankgauge.engines.spark.blocks import Block, read
from rankgauge.engines.spark.counts import added_up
from rankgauge.engines.spark.judgments import Judgments
from rankgauge.engines.spark.scored import OnThisMachine, Scored, computed
from rankgauge.model.qrels import Qrels

FEW = 1 << 20  # pairs that this machine looks at
AT_ONCE = 1 << 20  # pairs and judgments that are scored: each pair has a copy of its topic's


def scores_of_missing(spark: Any, scored: Scored, judgments: Judgments, job: worker.Job) -> Scored:
    """The scores of pairs of a run and a judged topic that are not among those scored."""
    runs, qrels = [*scored.counts], judgments.qrels
    if qrels is not None and scored.is_near and len(runs) * len(qrels.sorted_topics) <= FEW:
        return _near(spark, scored, qrels, job)
    named = spark.createDataFrame([(run,) for run in runs], "run binary")
    known = scored.frame.where("judged").select("run", "topic")
    pairs = named.crossJoin(judgments.topics()).join(known, ["run", "topic"], "left_anti")
    return computed(spark, judgments.score(rows.placeholder_rows(pairs), None, job))


def _near(spark: Any, scored: Scored, qrels: Qrels, job: worker.Job) -> Scored:
    """The same on this machine: Spark takes longer to start than this to end."""
    import pyarrow as pa

    known = {
        pair
        for table in scored.tables()
        for pair in zip(table["run"].to_pylist(), table["topic"].to_pylist(), strict=True)
    }
    topics = [*map(to_bytes, qrels.sorted_topics)]
    missing = [
        (run, n) for run in scored.counts for n, topic in enumerate(topics) if (run, topic) not in known
    ]
    judged = np.diff(qrels.starts)[[n for _, n in missing]]
    ends = np.flatnonzero(np.diff(np.cumsum(judged + 1) // AT_ONCE)) + 1
    pairs = [(run, topics[n]) for run, n in missing]
    found: dict[str, list[Block]] = {"scores": [], "counts": []}
    try:
        for begin, end in pairwise([0, *ends.tolist(), len(pairs)]):
            for block in job.score(rows.placeholder_table(pairs[begin:end])):
                found[block.kind].append(block)
    finally:
        worker.forget()
    table = pa.Table.from_batches(read(block.data for block in found["scores"]))
    return Scored((OnThisMachine(spark, table),), added_up(found["counts"]))
