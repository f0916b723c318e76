"""The plan `in-place`: topics that lie whole in a partition of a DataFrame are evaluated there.

A task cannot know whether its topics have rows elsewhere, so it evaluates what it has. A pair of a run and a
topic that is reported more than once was split: its scores are dropped, and Spark moves the rows of its
topic. If these were most topics, the work would be in vain, so the first rows are looked at before.
"""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from rankgauge.engines.spark import worker
from rankgauge.engines.spark.blocks import SCHEMA
from rankgauge.engines.spark.counts import FIELDS, pairs_of
from rankgauge.engines.spark.judgments import Judgments
from rankgauge.engines.spark.library import failures, functions, is_held
from rankgauge.engines.spark.rows import with_binary_ids
from rankgauge.engines.spark.scored import Scored, computed
from rankgauge.errors import InputError

FIRST = 4096  # rows that are looked at before
FEW = 16  # topics of these that are looked for in other partitions
SPREAD = 0.5  # share of pairs that are split, above which all rows are moved
MOST = 1000  # topics that are moved; Spark compares rows with each of them
LISTED = 10  # values of a condition that Spark compares with the bounds of the rows that it holds
DROPPED = FIELDS.index("duplicates_dropped")


def score(
    results: Any, judgments: Judgments, job: worker.Job, partitions: int | None, *, sure: bool
) -> Scored | None:
    """The scores; None if topics are spread over partitions, or the session does not keep frames."""
    if not sure and _are_spread(results):
        return None
    task = replace(job, guesses=True)

    def guess(batches: Any) -> Any:
        return task(batches)

    spark, width = results.sparkSession, len(job.measures)
    found = computed(spark, results.mapInArrow(guess, SCHEMA))
    with found.freed_on_error():
        if not found.counts:  # there are no rows, which is refused later
            return found
        is_kept = all(map(is_held, found.held))
        found = found.near(spark, width) if is_kept else found
        split = _split_topics(found) if is_kept else None
        if split is None:
            found.unpersist()
            return None
        return _corrected(found, split, results, judgments, job, partitions) if split else found


def _are_spread(results: Any) -> bool:
    """Whether most of the first topics have rows in several partitions."""
    f, keys = functions(), [name for name in ("run", "topic") if name in results.columns]
    pairs = with_binary_ids(results.select(*keys))
    with failures():
        topics = [bytes(row["topic"] or b"") for row in pairs.head(FIRST)]
        first = list(dict.fromkeys(topics))
        if not first or len(list(itertools.groupby(topics))) < 2 * len(first):  # topic after topic
            return False
        some = results.where(_is_any(results, first[:FEW]))
        places = some.select(*keys, f.spark_partition_id().alias("place")).distinct().groupBy(*keys).count()
        counts = [row["count"] for row in places.collect()]
    return bool(sum(count > 1 for count in counts) > SPREAD * len(counts))


def _split_topics(found: Scored) -> list[bytes] | None:
    """The topics of pairs that were reported more than once; None if these are many."""
    import pyarrow.compute as pc

    pairs = sum(map(pairs_of, found.counts.values()))
    if found.is_near:
        (table,) = found.tables()
        counted = table.group_by(["run", "topic"]).aggregate([([], "count_all")])
        split = counted.filter(pc.field("count_all") > 1).rename_columns({"count_all": "count"})
    else:
        many = found.frame.groupBy("run", "topic").count().where("count > 1")
        with failures():
            split = many.limit(MOST + 1).toArrow()
    if len(split) > MOST or (pc.sum(split["count"]).as_py() or 0) > SPREAD * pairs:
        return None
    return sorted(set(split["topic"].to_pylist()))


def _is_any(rows: Any, topics: list[bytes]) -> Any:
    """A condition: whether the topic is one of these.

    It is made of short lists, and of text if topics are text: then Spark skips what it holds of other topics.
    """
    f = functions()
    column, values = f.col("topic").cast("binary"), [f.lit(topic) for topic in topics]
    if dict(rows.dtypes)["topic"] == "string":
        with suppress(UnicodeDecodeError):
            column, values = f.col("topic"), [f.lit(topic.decode()) for topic in topics]
    lists = (values[begin : begin + LISTED] for begin in range(0, len(values), LISTED))
    return reduce(or_, (column.isin(*some) for some in lists))


def _corrected(
    found: Scored,
    split: list[bytes],
    results: Any,
    judgments: Judgments,
    job: worker.Job,
    partitions: int | None,
) -> Scored:
    """The scores with those of split topics replaced."""
    import pyarrow.compute as pc

    (part,), topics = found.parts, frozenset(split)
    counts = {run: numbers.copy() for run, numbers in found.counts.items()}
    rows = 0
    for pair in part.of_topics(topics).to_pylist():
        numbers = np.frombuffer(pair["own_counts"], dtype=np.int32)
        counts[pair["run"]] -= numbers
        rows += pair["retrieved"] + int(numbers[DROPPED])
    kept = Scored((part.without(topics),), counts, found.held)
    some = results.where(_is_any(results, split))
    spark, width = results.sparkSession, len(job.measures)
    moved = computed(spark, judgments.score(some, partitions, job))
    with moved.freed_on_error():
        moved = moved.near(spark, width)
        documents = sum(pc.sum(table["retrieved"]).as_py() or 0 for table in moved.tables())
        if documents + sum(int(numbers[DROPPED]) for numbers in moved.counts.values()) != rows:
            raise InputError(
                "the rows of the runs change each time that Spark computes them; "
                "persist the DataFrame, or use plan=shuffle"
            )
        return kept.plus(moved)
