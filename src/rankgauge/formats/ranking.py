"""Ranks for formats that need them, in the order that evaluation uses by default."""

from __future__ import annotations

import numpy as np

from rankgauge.formats.columns import Columns, Ints


def in_order(columns: Columns) -> tuple[Ints, Ints]:
    """(rows by topic, in order of appearance, and then by rank; the rank of each of these).

    trec_eval's order: descending score, and equal scores by descending document id (as bytes). Ids are
    compared only if scores are equal.
    """
    topic, _ = columns.topic.encode()
    order = np.lexsort((-columns.value, topic))
    topic, score = topic[order], columns.value[order]
    new_topic = np.ones(len(order), dtype=bool)
    new_topic[1:] = topic[1:] != topic[:-1]
    new_score = new_topic.copy()
    new_score[1:] |= score[1:] != score[:-1]
    begins = np.flatnonzero(new_score)
    ends = np.append(begins[1:], len(order))
    for begin, end in zip(begins[ends - begins > 1].tolist(), ends[ends - begins > 1].tolist(), strict=True):
        group = order[begin:end].tolist()
        order[begin:end] = sorted(group, key=columns.doc.__getitem__, reverse=True)
    starts = np.flatnonzero(new_topic)
    sizes = np.diff(np.append(starts, len(order)))
    return order, np.arange(1, len(order) + 1) - np.repeat(starts, sizes)


def ranked(columns: Columns) -> tuple[Columns, Ints]:
    """(rows, ranks): unchanged if every rank is known, otherwise sorted in trec_eval's order."""
    if columns.rank is not None and columns.ranks_known():
        return columns, columns.rank
    order, rank = in_order(columns)
    return columns.take(order), rank
