"""Tests that make their own distribution: resampled topics, changed signs, values dealt out anew.

Whatever is random depends on the seed, the number of topics and the number of samples alone: not on blocks,
threads or the other pairs. Sums are exact (see `exact`), so that equal statistics count as equal.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankgauge.comparison.differences import Floats, all_pairs, cleared
from rankgauge.comparison.exact import room, squares, whole
from rankgauge.engines.threads import available, in_threads

SEED = 2006  # where nothing else is asked for
CELLS = 1 << 16  # of a block of (pairs, samples): what fits a cache
DRAWN = 1 << 22  # topics that are drawn at once
UNIT = 500  # random ways to deal out values that one generator makes
EQUAL = 1 - 1e-10  # of two statistics: what is nearer than that is equal


@dataclass(frozen=True)
class Bootstrap:
    """Paired bootstrap tests of many pairs with the same samples of topics (Sakai 2006)."""

    t: Floats  # (pairs,) the studentised mean of the differences; NaN where all are 0
    asl: Floats  # (pairs,) achieved significance level; NaN likewise
    samples: int
    seed: int | None  # None where the samples were given
    alphas: tuple[float, ...]
    critical: Floats  # (alphas, pairs) the floor(samples * alpha)-th largest |t*|; NaN where that is none
    delta: Floats  # (alphas, pairs) |mean of the sample| there; the largest, where several tie


@dataclass(frozen=True)
class RandomisedTukey:
    """Randomised Tukey HSD tests of all pairs of some runs (Carterette 2012)."""

    p: Floats  # (pairs,) corrected for all pairs by what it is
    exact: bool  # every way to deal out the values was looked at
    permutations: int  # how many ways were
    seed: int


def bootstrap(
    z: Floats,  # (pairs, topics)
    *,
    samples: int = 1000,
    seed: int = SEED,
    alphas: Sequence[float] = (),
    drawn: Sequence[Sequence[int]] | None = None,
) -> Bootstrap:
    """Sakai's paired bootstrap hypothesis tests of differences, from `differences.differences`.

    Differences are shifted to mean 0 and topics drawn from them; the ASL is the share of samples whose
    studentised mean t* is at least as far from 0 as t. `drawn` gives the samples, as places of topics.

    By squares: t² = (n - 1) r / (1 - r) with r = (Σw)² / (n Σw²), which grows with r and needs no variance.
    """
    pairs, topics = z.shape
    bits = room(topics)
    if drawn is not None:
        samples = len(drawn)
    centred, t = _studentised(z, bits)
    with np.errstate(invalid="ignore"):
        r = np.where(np.isinf(t), 1.0, t * t / (t * t + topics - 1))
    w = whole(centred, bits)
    beyond, critical, delta = np.empty(pairs), *(np.full((len(alphas), pairs), np.nan) for _ in range(2))
    several = max(1, min(CELLS // samples, DRAWN // topics))
    counts = list(_counts(topics, samples, seed, drawn)) if samples * topics <= DRAWN else None
    for begin in range(0, pairs, several):
        some = slice(begin, begin + several)
        sums = _sums(w[0][some], bits, samples, counts or _counts(topics, samples, seed, drawn))
        with np.errstate(invalid="ignore"):
            beyond[some] = (sums[0] * sums[0] > sums[1] * (topics * r[some] * EQUAL)[:, None]).mean(axis=1)
        if alphas:
            sizes = np.ldexp(np.abs(sums[0]), w[1][some, None]) / topics
            critical[:, some], delta[:, some] = _largest(_ratio(*sums, topics), sizes, alphas)
    beyond[t == 0.0] = 1.0
    beyond[np.isnan(t)] = np.nan
    with np.errstate(divide="ignore"):
        critical = np.sqrt((topics - 1) * critical / (1 - critical))
    return Bootstrap(t, beyond, samples, seed if drawn is None else None, tuple(alphas), critical, delta)


def _studentised(z: Floats, bits: int) -> tuple[Floats, Floats]:
    """(rows shifted to mean 0, their t): mean / (deviation / √n), infinite where all are the same."""
    topics = z.shape[1]
    numbers, exponents = whole(z, bits)
    mean = np.ldexp(numbers.sum(axis=1), exponents) / topics
    centred = z - mean[:, None]
    centred[(z == z[:, :1]).all(axis=1)] = 0.0
    numbers, exponents = whole(centred, bits)
    high, low = (part.sum(axis=1) for part in squares(numbers, bits))
    spread = np.ldexp(np.sqrt(np.ldexp(high, bits) + low), exponents)
    with np.errstate(divide="ignore", invalid="ignore"):
        return centred, mean / (spread / np.sqrt(topics * (topics - 1)))


def _counts(
    topics: int, samples: int, seed: int, drawn: Sequence[Sequence[int]] | None = None
) -> Iterator[tuple[slice, Floats]]:
    """(samples, (topics, samples) how often each topic is in them), block by block."""
    source = np.random.Generator(np.random.PCG64(seed))
    several = max(1, DRAWN // topics)
    for begin in range(0, samples, several):
        rows = min(several, samples - begin)
        if drawn is None:
            places = source.integers(topics, size=(rows, topics))
        else:
            places = np.asarray(drawn[begin : begin + rows], dtype=np.int64)
        places += np.arange(rows)[:, None] * topics
        found = np.bincount(places.ravel(), minlength=rows * topics).reshape(rows, topics)
        yield slice(begin, begin + rows), found.T.astype(np.float64)


def _sums(
    w: Floats, bits: int, samples: int, counts: Iterator[tuple[slice, Floats]] | list[tuple[slice, Floats]]
) -> tuple[Floats, Floats]:
    """(pairs, samples) of Σw and Σw² over each sample, in units of w and w²."""
    sums, of_squares = np.empty((len(w), samples)), np.empty((len(w), samples))
    high, low = squares(w, bits)
    for some, count in counts:
        np.matmul(w, count, out=sums[:, some])
        np.matmul(high, count, out=of_squares[:, some])
        of_squares[:, some] *= 2.0**bits
        of_squares[:, some] += low @ count
    return sums, of_squares


def _ratio(sums: Floats, of_squares: Floats, topics: int) -> Floats:
    """The r of each sample; 0 where there is no difference in it."""
    ratio = np.zeros_like(sums)
    np.divide(sums * sums, topics * of_squares, out=ratio, where=of_squares > 0)
    return np.minimum(ratio, 1.0)


def _largest(r: Floats, sizes: Floats, alphas: Sequence[float]) -> tuple[Floats, Floats]:
    """(the floor(samples * alpha)-th largest r, the largest size among samples that have it), each alpha."""
    samples = r.shape[1]
    places = [int(samples * alpha + 1e-9) for alpha in alphas]
    found = np.full((2, len(alphas), len(r)), np.nan)
    for row, place in enumerate(places):
        if place:
            found[0, row] = np.partition(r, samples - place, axis=1)[:, samples - place]
            found[1, row] = np.where(r == found[0, row][:, None], sizes, 0.0).max(axis=1)
    return found[0], found[1]


def randomised_tukey(
    values: Floats,  # (runs, topics)
    *,
    permutations: int = 10_000,
    seed: int = SEED,
    threads: int | None = None,
) -> RandomisedTukey:
    """Randomised Tukey HSD: each topic's values are dealt out to the runs anew, over and over.

    A pair's p is how often the largest difference between two means then reaches the pair's. If there are no
    more than `permutations` ways to deal them out, all are looked at; else the arrangement at hand counts as
    one more, so that p is never 0 (Phipson & Smyth 2010).
    """
    runs, topics = values.shape
    numbers = whole(cleared(values.reshape(1, -1)), room(topics))[0].reshape(runs, topics)
    first, second = all_pairs(runs)
    sums = numbers.sum(axis=1)
    sizes = np.abs(sums[first] - sums[second])
    ways = _ways(runs, topics, permutations)
    if ways:
        ranges = _all_ranges(numbers)
    else:
        units = [(unit, min(UNIT, permutations - unit)) for unit in range(0, permutations, UNIT)]
        deal = partial(_ranges, numbers, seed)
        ranges = np.concatenate(in_threads(deal, units, available(threads)))
    ranges.sort()
    beyond = len(ranges) - np.searchsorted(ranges, sizes * EQUAL)
    p = beyond / ways if ways else (beyond + 1) / (permutations + 1)
    return RandomisedTukey(p, bool(ways), ways or permutations, seed)


def _ways(runs: int, topics: int, most: int) -> int:
    """How many ways to deal out the values differ in more than the runs' names; 0 if above `most`."""
    ways = 1
    for _ in range(topics - 1):
        ways *= math.factorial(min(runs, 20))
        if ways > most:
            return 0
    return ways


def _all_ranges(numbers: Floats) -> Floats:
    """The range of the sums over every way to deal out the values, the first topic's staying in place."""
    orders = np.array(list(itertools.permutations(range(len(numbers)))))
    sums = numbers[None, :, 0]
    for column in numbers.T[1:]:
        sums = (sums[:, None] + column[orders]).reshape(-1, len(numbers))
    found: Floats = np.ptp(sums, axis=1)
    return found


def _ranges(numbers: Floats, seed: int, unit: tuple[int, int]) -> Floats:
    """The ranges of sums over some random ways to deal out the values; each unit has its own generator."""
    begin, count = unit
    source = np.random.Generator(np.random.PCG64([seed, begin]))
    sums, dealt = np.zeros((count, len(numbers))), np.empty((count, len(numbers)))
    for column in numbers.T:
        dealt[:] = column
        sums += source.permuted(dealt, axis=1, out=dealt)
    found: Floats = np.ptp(sums, axis=1)
    return found
