"""Ranks for formats that need them, in the order that evaluation uses by default."""

from __future__ import annotations

import numpy as np

from rankgauge import core
from rankgauge.formats.columns import Columns, Ints

# Score descending, equal scores by document id, descending as bytes.
TREC_EVAL = ("score", "docid_desc", "double")


def in_order(columns: Columns) -> tuple[Ints, Ints]:
    """(rows by topic as they appear and then by rank, the rank of each of these), in trec_eval's order."""
    topic, topics = columns.topic.encode()
    score = np.ascontiguousarray(columns.value, dtype=np.float64)
    buffer = core.ranks(topic, columns.doc.data, columns.doc.offsets, score, None, *TREC_EVAL)
    rank = np.frombuffer(buffer, dtype=np.int64)
    ends = np.cumsum(np.bincount(topic, minlength=len(topics)))
    order = np.empty_like(rank)
    order[np.append(0, ends)[topic] + rank - 1] = np.arange(len(rank))
    return order, rank[order]


def ranked(columns: Columns) -> tuple[Columns, Ints]:
    """(rows, ranks): unchanged if every rank is known, otherwise sorted in trec_eval's order."""
    if columns.rank is not None and columns.ranks_known():
        return columns, columns.rank
    order, rank = in_order(columns)
    return columns.take(order), rank
