"""Ranks by ordering: lists are sorted where they are, and judged documents come back in the order of ranks.

For lists that are short, or of which many documents are judged. Ties are rare in most scores, so lists are
first sorted without regard to them, and once more, in the order of the tie rule, where there are any.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankgauge.engines.tensors.documents import Documents
from rankgauge.engines.tensors.hits import Hits
from rankgauge.engines.tensors.host_arrays import Array, Arrays
from rankgauge.rankings.array_types import Ints


def order_block(
    arrays: Arrays,
    scores: Array,
    keys: Array,
    lowest: float,
    rows: Ints,
    lengths: Ints,
    documents: Documents,
    ties: str,
    *,
    with_scores: bool,
) -> Hits:
    """The hits of a block: candidates whose key is `lowest` or higher.

    What is no candidate has a score of -inf. `lengths` are the numbers of candidates in each row.
    """
    width = int(scores.shape[1])
    values, order = arrays.sort(scores, stable=False)
    same = _equal_neighbours(arrays, values) if width > 1 else None
    tied = same is not None and arrays.any(same)
    if tied:
        if ties == "input":
            values, order = arrays.sort(scores, stable=True)
        else:
            by_id = documents.ordered(rows, width, ascending=ties == "docid_asc")
            by_id = arrays.put(np.ascontiguousarray(np.broadcast_to(by_id, (len(rows), width))))
            values, order = arrays.sort(arrays.along(scores, by_id), stable=True)
            order = arrays.along(by_id, order)
    keys = arrays.along(keys, order)
    hit = keys >= lowest
    if lengths.min(initial=width) < width:
        hit = hit & arrays.put(np.arange(width) < lengths[:, None])
    row, place = arrays.places(hit)
    wanted = arrays.chosen(hit, keys, *([values] if with_scores else []))
    rank = place.astype(np.int64) + 1
    first = last = rank
    if tied:
        first, last = _ends(arrays.host(same), row, place)
    score = wanted[1].astype(np.float64) if with_scores else np.full(len(rank), math.nan)
    return Hits(rows[row], rank, wanted[0], first, last, score)


def _equal_neighbours(arrays: Arrays, values: Array) -> Array:
    width = int(values.shape[1])
    before, after = arrays.part(values, 0, width - 1), arrays.part(values, 1, width)
    return (before == after) & (after > -math.inf)


def _ends(same: Any, row: Ints, place: Ints) -> tuple[Ints, Ints]:
    """(first, last rank) of the ties of some places; `same` is whether a place ties with the next."""
    ranks = np.arange(1, same.shape[1] + 2)
    edge = np.zeros((len(same), 1), dtype=np.bool_)
    with_previous, with_next = np.hstack((edge, same)), np.hstack((same, edge))
    first = np.maximum.accumulate(np.where(with_previous, 0, ranks), axis=1)
    last = np.minimum.accumulate(np.where(with_next, len(ranks), ranks)[:, ::-1], axis=1)[:, ::-1]
    return first[row, place], last[row, place]
