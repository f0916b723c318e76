"""p from random samples: as many as its size asks for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rankgauge.comparison.numerics.differences import Floats, Ints

ENOUGH = 20  # samples that reach the observed statistic: p is then known to about a fifth of itself
GROWTH = 4  # how many times as many samples the next stage has

Count = Callable[[Ints, int, int], Floats]


def sampled_p(count: Count, pairs: int, samples: int, most: int) -> tuple[Floats, Ints]:
    """(p, samples drawn) of each pair.

    `count(rows, begin, end)` is how many of the samples from number `begin` to `end` reach the statistic of
    each of these pairs. Every pair gets `samples`. Those that fewer than ENOUGH of them reach get more, stage
    by stage, up to `most`: with many pairs, a correction would otherwise leave none of them significant.

    The observed statistic counts as one more sample (Phipson & Smyth 2010), so that p is never 0. Stopping
    does not make p too small: a p below those that a stage stops at comes from later stages alone, and each
    stage has a valid p of its own (compare Besag & Clifford 1991).
    """
    reached = count(np.arange(pairs), 0, samples)
    drawn, done = np.full(pairs, samples), samples
    while done < most:
        rows = np.flatnonzero((reached < ENOUGH) & (drawn == done))
        if not len(rows):
            break
        more = min(GROWTH * done, most)
        reached[rows] += count(rows, done, more)
        drawn[rows] = done = more
    return (reached + 1) / (drawn + 1), drawn
