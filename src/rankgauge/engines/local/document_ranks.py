"""The rank of every document of a run, judged or not, in the order that evaluation uses."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.arrow import Batches
from rankgauge.formats.columns import Columns
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.run import Run
from rankgauge.rankings.arrays.curves import Ints


def load_run(run: Any, order: DocumentOrder) -> Run:
    """What `RunInput.open` returned as a `Run`, with all its documents in memory."""
    if isinstance(run, Batches):
        run = run.read()
    if isinstance(run, Columns):
        return Run.from_columns(run, duplicates=order.duplicates)
    return Run.of(run, duplicates=order.duplicates)


def ranks(run: Run, order: DocumentOrder) -> Ints:
    """(rows,): the rank of each row of a run within its topic."""
    if order.needs_ranks and run.ranks is None:
        raise order.no_ranks()
    repeated, _ = core.duplicates(run.topic, run.docs.data, run.docs.offsets)
    if len(repeated):
        row = int(np.frombuffer(repeated, dtype=np.int64)[0])
        document = run.topics[int(run.topic[row])] + b"\0" + run.docs[row]
        raise InputError(problems.sentence(codes.DUPLICATE, document, "run"))
    columns = run.topic, run.docs.data, run.docs.offsets, run.scores, run.ranks
    return np.frombuffer(core.ranks(*columns, *order.core_rules()), dtype=np.int64)


def first_documents(run: Run, order: DocumentOrder, depth: int | None) -> tuple[Ids, Ids, Ints]:
    """(topics, documents, ranks) of the rows of a run down to a depth; of all rows if it is None."""
    rank = ranks(run, order)
    rows = np.arange(len(run)) if depth is None else np.flatnonzero(rank <= depth)
    return run.topics.take(run.topic[rows]), run.docs.take(rows), rank[rows]
