"""What is counted of each run: by tasks, of the pairs that they have, and added up on the driver.

Counts are numbers in a fixed order: `FIELDS` and the number of hits; for each measure, topics where it is
undefined, then those with random orders, then those above the ideal; unjudged documents by cutoff.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge.core.ids import to_text
from rankgauge.engines import facts
from rankgauge.engines.kernel import RankingValues
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.spark.blocks import Block, collected, error_from, read
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Bools, Ints
from rankgauge.model.provenance import RunFacts
from rankgauge.model.rules import TopicRules

FIELDS = (
    "topics",
    "retrieved",
    "missing",
    "unjudged_topics",
    "tied_topics",
    "tied_documents",
    "decisive_ties",
    "duplicates_dropped",
)  # of `RunFacts`
HITS = len(FIELDS)  # the place of the number of hits
PAIRS = [FIELDS.index(name) for name in ("topics", "missing", "unjudged_topics")]  # a pair is one of these


def counts_of_pairs(
    retrieved: RetrievedJudgments,
    values: RankingValues,
    first: int,
    judged: Bools,
    rows: Ints,
    rules: TopicRules,
    cutoffs: Sequence[int],
) -> Ints:
    """(pairs, counts) of consecutive pairs from the first on, which have these values and numbers of rows."""
    last = first + len(judged)
    documents, tied = retrieved.retrieved[first:last], retrieved.tied[first:last]
    hits = retrieved.within(first, last)
    starts = retrieved.starts[first : last + 1] - hits.start
    above = [np.concatenate(([0], np.cumsum(retrieved.rank[hits] <= k))) for k in cutoffs]
    columns = [
        judged & (documents > 0),
        np.where(judged, documents, 0),
        judged & (documents == 0),
        ~judged,
        tied > 0,
        tied,
        retrieved.decisive[first:last],
        rows - documents,
        np.diff(starts),
        *(judged & rules.counts(documents) & np.isnan(values.values)),
        *values.random,
        *values.above,
        *(
            np.where(judged, np.minimum(documents, k) - np.diff(n[starts]), 0)
            for k, n in zip(cutoffs, above, strict=True)
        ),
    ]
    counts: Ints = np.array(columns, dtype=np.int64).T
    return counts


def counts_of_runs(blocks: Any) -> dict[bytes, Ints]:
    """The counts of each run. This runs the job; problems reported by workers are raised as errors."""
    found = collected(blocks, "counts", "problem")
    failed = [to_text(block.data) for block in found if block.kind == "problem"]
    if failed:
        raise error_from(min(failed))
    return added_up(found)


def added_up(blocks: Iterable[Block]) -> dict[bytes, Ints]:
    """The counts of each run from all blocks of counts."""
    total: dict[bytes, Ints] = {}
    for row in (row for batch in read(block.data for block in blocks) for row in batch.to_pylist()):
        run, counts = row["run"], np.array(row["counts"], dtype=np.int64)
        total[run] = total[run] + counts if run in total else counts
    return total


def pairs_of(counts: Ints) -> int:
    """The number of pairs of which these are the counts."""
    return int(counts[PAIRS].sum())


def facts_of_runs(
    counts: Mapping[bytes, Ints],
    measures: Sequence[Measure],
    cutoffs: Sequence[int],
    sources: Mapping[str, str],
) -> dict[bytes, RunFacts]:
    """The facts of each run from its counts."""
    found, width = {}, len(measures)
    for run, numbers in counts.items():
        fields, hits, *more = np.split(numbers, [HITS, HITS + 1, *(HITS + 1 + n * width for n in (1, 2, 3))])
        undefined, random, above, unjudged = (some.tolist() for some in more)
        found[run] = RunFacts(
            source=sources.get(to_text(run), "DataFrame"),
            none_relevant=not hits.any(),
            undefined=facts.by_measure(measures, undefined),
            unjudged=dict(zip(map(str, cutoffs), unjudged, strict=True)),
            **facts.value_facts(measures, random, above),
            **dict(zip(FIELDS, fields.tolist(), strict=True)),
        )
    return found
