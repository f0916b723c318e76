"""The rank of every document of a run, judged or not, in the one order that evaluation has."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.formats.columns import Columns
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.rankings.arrays.curves import Ints


def opened(run: Any, order: DocumentOrder) -> Run:
    """The run that was given (`Given.open`), with all its documents in memory."""
    if isinstance(run, Columns):
        return Run.from_columns(run, duplicates=order.duplicates)
    return Run.of(run, duplicates=order.duplicates)


def ranks(run: Run, order: DocumentOrder, threads: int = 1) -> Ints:
    """(rows,) the rank of each row of a run within its topic."""
    # The engine tells the ranks of judged documents: here all are, each with its row for a grade.
    rows = np.arange(len(run), dtype=np.float64)
    everything = Qrels(run.topics, run.topic, run.docs, rows)
    hits = LocalEngine(everything, order).retrieve(run, threads)
    found = np.empty(len(run), dtype=np.int64)
    found[everything.sorted_grades[hits.judgment].astype(np.int64)] = hits.rank
    return found


def first_documents(run: Run, order: DocumentOrder, depth: int | None) -> tuple[Ids, Ids, Ints]:
    """(topics, documents, ranks) of the rows of a run down to a depth, all of them if it is None."""
    rank = ranks(run, order)
    rows = np.arange(len(run)) if depth is None else np.flatnonzero(rank <= depth)
    return run.topics.take(run.topic[rows]), run.docs.take(rows), rank[rows]
