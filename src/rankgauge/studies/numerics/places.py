"""Places of runs in an order by their means, and how sure they are: the bootstrap over topics."""

from __future__ import annotations

import numpy as np

from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.scores import Scores
from rankgauge.studies.numerics.matrices import Resampling
from rankgauge.studies.numerics.samples import CELLS, drawn

SAMPLES = 2000
LEVEL = 0.95
SEED = 0


def places(oriented: Floats) -> Ints:
    """(..., runs): 1 + the number of runs with a higher value, so that equal runs share the better place."""
    order = np.argsort(-oriented, axis=-1, kind="stable")
    ascending = np.take_along_axis(-oriented, order, axis=-1)
    is_new = np.ones(ascending.shape, dtype=bool)
    is_new[..., 1:] = ascending[..., 1:] > ascending[..., :-1]
    first = np.maximum.accumulate(np.where(is_new, np.arange(1, order.shape[-1] + 1), 0), axis=-1)
    result: Ints = np.empty_like(order)
    np.put_along_axis(result, order, first, axis=-1)
    return result


def place_intervals(
    scores: Scores, *, samples: int = SAMPLES, level: float = LEVEL, seed: int = SEED
) -> tuple[Ints, Ints, Ints]:
    """(place, low, high), each (measures, runs): the places by means, and their bootstrap intervals.

    Topics that have a value for all runs are drawn with replacement, as many as there are, and the runs are
    ordered by their means over each sample. The interval is that of the percentiles, rounded to places that
    occurred: it holds at least `level` of the samples.
    """
    resampling = Resampling(scores)
    own = places(resampling.oriented(np.arange(resampling.topics)[None])[0])
    several = max(1, CELLS // (len(scores.runs) * len(scores.measures)))
    found = [
        places(resampling.oriented(block[begin : begin + several]))
        for block in drawn(resampling.topics, resampling.topics, samples, seed, replacement=True)
        for begin in range(0, len(block), several)
    ]
    ordered = np.sort(np.concatenate(found), axis=0)  # (samples, measures, runs)
    tail = int(np.floor((1 - level) / 2 * samples))
    return own, ordered[tail], ordered[samples - 1 - tail]
