"""The plan `in-place`: topics that lie whole in a partition of a DataFrame are evaluated there.

A first job looks at the ids of topics and runs in each partition. For a frame that Spark has to compute,
that job is as long as the second, so the plan is chosen only for frames that are cached, or if requested.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankgauge.engines.spark import in_place
from rankgauge.engines.spark.in_place import ROWS
from rankgauge.engines.spark.library import failures
from rankgauge.engines.spark.split_pairs import collect_hashes, split_hashes
from rankgauge.engines.spark.worker import Job
from rankgauge.errors import InputError


def score(results: Any, job: Job, *, always: bool) -> tuple[Any, list[Any]] | None:
    """The scores as `in_place.score` returns them; None if topics are spread over partitions, or `always`."""
    keys = [name for name in ("run", "topic") if name in results.columns]
    hashes = collect_hashes(results.select(*keys), lambda batches: iter([(0, batches)]))
    of_tasks = None if hashes is None else split_hashes(hashes)
    if of_tasks is None and not always:
        return None
    split = None if of_tasks is None else np.unique(np.concatenate([*of_tasks, np.empty(0, dtype=np.uint64)]))
    moves, targets = (None, 0) if split is None else (bool(len(split)), 1)
    if moves is not False:
        with failures():
            rows = results.count()
        targets = math.ceil(rows / ROWS)
    return in_place.score(
        results, lambda batches: iter([(batches, split)]), job, max(1, targets), moves=moves
    )


def require_whole(scored: Any) -> None:
    """Refuse scores with a pair twice: then partitions were not the same when they were computed again."""
    with failures():
        twice = scored.where("topic is not null").groupBy("run", "topic").count().where("count > 1").head(1)
    if twice:
        raise InputError(
            "the partitions of the runs change each time that Spark computes them; "
            "persist the DataFrame, or use plan=shuffle"
        )
