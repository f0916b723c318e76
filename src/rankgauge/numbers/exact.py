"""Sums that are the same in any order, although threads and processors add in different ones.

Values become whole numbers; below 2**53, floats add these without rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankgauge.engines.threads import available, in_threads
from rankgauge.numbers.differences import Floats, Ints, in_cache

EQUAL = 1 - 1e-10  # statistics whose ratio is above this are equal
PRODUCT = 1 << 19  # multiplications of a matrix product that NumPy's library does in one thread
DRAWN = 1 << 16  # topics drawn at once
ENOUGH = 20  # samples that reach the observed statistic: p is then known to about a fifth of itself
GROWTH = 4  # how many times as many samples the next stage has
SHARES = 4  # of the pairs for each thread, so that a thread that is held up does not hold up the others


def room(count: int) -> int:
    """The bits that each of `count` whole numbers may have for their sum to be exact."""
    return 52 - int(count).bit_length()


def blocks(topics: int, samples: int) -> tuple[int, int]:
    """(pairs, samples) that are processed together.

    Small products stay in one thread: on a busy machine, several would wait for each other for seconds.
    """
    together = max(1, min(samples, DRAWN // topics))
    return max(1, PRODUCT // (together * topics)), together


def over_pairs(work: Callable[[slice], None], pairs: int, several: int, threads: int | None) -> None:
    """Do the work for `several` pairs at a time, in threads.

    Each thread takes many such blocks at once: handing over a single one would take longer than its work.
    """
    slices = [slice(pair, pair + several) for pair in range(0, pairs, several)]
    count = available(threads)
    share = max(1, len(slices) // (SHARES * count))

    def work_on(some: list[slice]) -> None:
        for each in some:
            work(each)

    in_threads(work_on, [slices[at : at + share] for at in range(0, len(slices), share)], count)


def whole(values: Floats, bits: int) -> tuple[Floats, Ints]:
    """(whole numbers of at most `bits` bits, exponents): each row is nearly numbers * 2**exponent."""
    largest = np.maximum(values.max(axis=1, initial=0.0), -values.min(axis=1, initial=0.0))
    exponents = np.frexp(largest)[1].astype(np.int64) - bits
    if np.abs(exponents).max(initial=0) < 1000:  # a product with a power of two is exact, and faster
        scaled = values * np.ldexp(1.0, -exponents)[:, None]
    else:
        scaled = np.ldexp(values, -exponents[:, None])
    return np.rint(scaled, out=scaled), exponents


def error_of_sums(z: Floats, exponents: Ints, rounding: Floats | float) -> Floats:
    """(rows,) the error of a sum of whole numbers, at most: they and the differences are rounded."""
    changed = (z != 0).sum(axis=1)
    errors: Floats = changed / 2 + np.ldexp(changed * rounding, -exponents)
    return errors


def squares(numbers: Floats, bits: int) -> tuple[Floats, Floats]:
    """(high, low) with high * 2**bits + low = numbers**2, both of which can be summed exactly."""
    square = numbers * numbers
    high = np.floor(square * 2.0**-bits)
    return high, square - high * 2.0**bits


@dataclass(frozen=True)
class Moments:
    """Mean and spread of rows of differences."""

    mean: Floats  # (pairs,)
    centred: Floats  # (pairs, topics) shifted to mean 0
    deviation: Floats  # (pairs,) standard deviation, by n - 1; NaN for a single topic
    t: Floats  # (pairs,) mean / (deviation / √n); infinite where all are the same, NaN where all are 0


def moments(z: Floats, rounding: Floats | float = 0.0) -> Moments:
    """The moments of (pairs, topics), the same in any order of topics.

    The mean is 0 where only rounding keeps it from 0; `rounding` is by how much it changes differences.
    """
    rows, topics = z.shape
    mean, deviation, t, centred = np.empty(rows), np.empty(rows), np.empty(rows), np.empty(z.shape)
    errors = np.broadcast_to(rounding, rows)
    for some in in_cache(rows, topics):
        mean[some], centred[some], deviation[some], t[some] = _moments(z[some], errors[some])
    return Moments(mean, centred, deviation, t)


def _moments(z: Floats, rounding: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    topics = z.shape[1]
    bits = room(topics)
    numbers, exponents = whole(z, bits)
    sums = numbers.sum(axis=1)
    sums[np.abs(sums) <= error_of_sums(z, exponents, rounding)] = 0.0
    mean = np.ldexp(sums, exponents) / topics
    centred = z - mean[:, None]
    centred[(z == z[:, :1]).all(axis=1)] = 0.0
    numbers, exponents = whole(centred, bits)
    high, low = (part.sum(axis=1) for part in squares(numbers, bits))
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.ldexp(np.sqrt((np.ldexp(high, bits) + low) / (topics - 1)), exponents)
        t = mean / (deviation / np.sqrt(topics))
    return mean, centred, deviation, t


Count = Callable[[Ints, int, int], Floats]


def sampled_p(count: Count, pairs: int, samples: int, most: int) -> tuple[Floats, Ints]:
    """(p, samples drawn) of each pair.

    `count(rows, begin, end)` is how many of the samples from number `begin` to `end` reach the statistic of
    each of these pairs. Pairs that fewer than ENOUGH of the first `samples` reach get more, stage by stage,
    up to `most`: with many pairs, a correction would otherwise leave none of them significant.

    The observed statistic counts as one more sample (Phipson & Smyth 2010), so p is never 0. Stopping does
    not make p too small: a p below those that a stage stops at comes from later stages alone, and each stage
    has a valid p of its own (compare Besag & Clifford 1991).
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
