"""Ranks by ordering: lists are sorted where they are, and judged documents come back in the order of ranks.

For lists that are short, or of which many documents are judged. Ties are rare in most scores, so lists are
first sorted without regard to them. Those in which a judged document is tied are sorted once more, with
documents in the order of the tie rule.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rankgauge.engines.tensors.documents import Documents
from rankgauge.engines.tensors.hits import Hits
from rankgauge.engines.tensors.host_arrays import HOST, Array, Arrays
from rankgauge.measures.rankings.array_types import Ints

FEW_SCORES = 1 << 14  # so many are sorted on the host before another device has begun


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
    hits, tied, _ = _hits(arrays, scores, keys, lowest, lengths, stable=False, with_scores=with_scores)
    if tied.any():
        some = np.flatnonzero(np.bincount(hits.row[tied], minlength=len(rows)))
        if len(some) < len(rows):
            scores, keys = arrays.rows(scores, some), arrays.rows(keys, some)
        width = int(scores.shape[1])
        if len(some) * width <= FEW_SCORES:
            (scores, keys), arrays = arrays.hosts(scores, keys), HOST
        if ties != "input":
            by_id = documents.ordered(rows[some], width, ascending=ties == "docid_asc")
            scores, keys = _columns(arrays, by_id, scores, keys)
        again, _, values = _hits(
            arrays, scores, keys, lowest, lengths[some], stable=True, with_scores=with_scores
        )
        first, last = _ends(arrays.host(_are_next_equal(arrays, values)), again.row, again.rank)
        again = again._replace(row=some[again.row], first=first, last=last)
        hits = hits.with_rows(again)
    return hits._replace(row=rows[hits.row])


def _hits(
    arrays: Arrays,
    scores: Array,
    keys: Array,
    lowest: float,
    lengths: Ints,
    *,
    stable: bool,
    with_scores: bool,
) -> tuple[Hits, Any, Array]:
    """(hits as if there were no ties, which of them are in one, the scores in their order)."""
    width = int(scores.shape[1])
    values, order = arrays.sort(scores, stable=stable)
    keys = arrays.along(keys, order)
    are_hits = keys >= lowest
    if lengths.min(initial=width) < width:
        are_hits = are_hits & arrays.put(np.arange(width) < lengths[:, None])
    place, key, tied, *score = arrays.chosen(
        are_hits, keys, arrays.tied(values), *([values] if with_scores else [])
    )
    row, column = np.divmod(place.astype(np.int64), max(1, width))
    rank = column + 1
    of_hits = score[0].astype(np.float64) if with_scores else np.full(len(rank), math.nan)
    return Hits(row, rank, key, rank, rank, of_hits), tied, values


def _columns(arrays: Arrays, columns: Ints, *each: Array) -> list[Array]:
    """Arrays with their columns in another order, the same for all rows or one for each."""
    if columns.ndim == 1:
        return [arrays.columns(array, columns) for array in each]
    columns = arrays.put(columns)
    return [arrays.along(array, columns) for array in each]


def _ends(same: Any, row: Ints, rank: Ints) -> tuple[Ints, Ints]:
    """(first, last rank) of the ties of hits; `same` is whether a place of a row ties with the next."""
    begins = np.ones((len(same), same.shape[1] + 1), dtype=np.bool_)
    np.logical_not(same, out=begins[:, 1:])
    ends = np.append(np.flatnonzero(begins), begins.size)
    before = row * begins.shape[1]
    tie = np.searchsorted(ends, before + rank)  # which is that of the place, counted from 1
    return ends[tie - 1] - before + 1, ends[tie] - before


def _are_next_equal(arrays: Arrays, values: Array) -> Array:
    width = int(values.shape[1])
    return arrays.part(values, 0, width - 1) == arrays.part(values, 1, width)
