"""Ranks for files that want them: written data is put in the order that evaluation would give it."""

from __future__ import annotations

import numpy as np

from rankgauge.formats.columns import Columns, Ints


def in_order(columns: Columns) -> tuple[Ints, Ints]:
    """(rows by topic as they appear and then by rank, the rank of each of these).

    trec_eval's order: score descending, equal scores by document id, descending as bytes. Ids are
    compared only where scores are equal.
    """
    topic, _ = columns.topic.encode()
    order = np.lexsort((-columns.value, topic))
    topic, score = topic[order], columns.value[order]
    fresh = np.ones(len(order), dtype=bool)  # where a topic begins
    fresh[1:] = topic[1:] != topic[:-1]
    apart = fresh.copy()  # where a group of equal scores begins
    apart[1:] |= score[1:] != score[:-1]
    begins = np.flatnonzero(apart)
    ends = np.append(begins[1:], len(order))
    for begin, end in zip(begins[ends - begins > 1].tolist(), ends[ends - begins > 1].tolist(), strict=True):
        group = order[begin:end].tolist()
        order[begin:end] = sorted(group, key=columns.doc.__getitem__, reverse=True)
    starts = np.flatnonzero(fresh)
    sizes = np.diff(np.append(starts, len(order)))
    return order, np.arange(1, len(order) + 1) - np.repeat(starts, sizes)


def ranked(columns: Columns) -> tuple[Columns, Ints]:
    """(the rows, their ranks): as they are when every rank is known, otherwise in trec_eval's order."""
    if columns.rank is not None and columns.ranks_known():
        return columns, columns.rank
    order, rank = in_order(columns)
    return columns.take(order), rank
