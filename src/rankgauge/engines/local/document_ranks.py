"""The rank of every document of a run, judged or not, in the one order that evaluation has."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.columns import Columns
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.run import Run
from rankgauge.rankings.arrays.curves import Ints


def opened(run: Any, order: DocumentOrder) -> Run:
    """The run that was given (`RunInput.open`), with all its documents in memory."""
    if isinstance(run, Columns):
        return Run.from_columns(run, duplicates=order.duplicates)
    return Run.of(run, duplicates=order.duplicates)


def ranks(run: Run, order: DocumentOrder) -> Ints:
    """(rows,) the rank of each row of a run within its topic."""
    if order.needs_ranks and run.ranks is None:
        raise order.rankless()
    again, _ = core.duplicates(run.topic, run.docs.data, run.docs.offsets)
    if len(again):
        row = int(np.frombuffer(again, dtype=np.int64)[0])
        document = run.topics[int(run.topic[row])] + b"\0" + run.docs[row]
        raise InputError(problems.sentence(codes.DUPLICATE, document, "run"))
    columns = run.topic, run.docs.data, run.docs.offsets, run.scores, run.ranks
    return np.frombuffer(core.ranks(*columns, *order.core_rules()), dtype=np.int64)


def first_documents(run: Run, order: DocumentOrder, depth: int | None) -> tuple[Ids, Ids, Ints]:
    """(topics, documents, ranks) of the rows of a run down to a depth, all of them if it is None."""
    rank = ranks(run, order)
    rows = np.arange(len(run)) if depth is None else np.flatnonzero(rank <= depth)
    return run.topics.take(run.topic[rows]), run.docs.take(rows), rank[rows]
