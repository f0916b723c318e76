"""Tests by permutation: signs of differences change at random, values are dealt out to the runs anew.

What is random depends on the seed and on the numbers of topics and samples alone. Sums are exact (see
`exact`), so that equal statistics count as equal and threads cannot show.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankgauge.comparison.differences import Floats, Ints, all_pairs, cleared
from rankgauge.comparison.exact import EQUAL, blocks, room, whole
from rankgauge.comparison.registry import SEED, Outcome, TestOptions, differing, statistical_test
from rankgauge.comparison.tests.anova import SHARED, layout
from rankgauge.engines.threads import available, in_threads

MOST_EXACT = 24  # topics that differ, up to which all signs are looked at
UNIT = 500  # random ways to deal out values that one generator makes


@statistical_test(
    "randomisation",
    title="paired randomisation test",
    cite="Fisher 1935; for retrieval: Smucker, Allan & Carterette 2007",
    statistic="mean of the differences",
    samples=10_000,
    unit="random assignments of signs",
)
def randomisation(z: Floats, ask: TestOptions) -> Outcome:
    """Whether it matters which run a value came from: does the mean come as far from 0 with random signs?

    Up to 24 topics that differ, all signs are looked at; else the signs at hand count as one more sample,
    so that p is never 0 (Phipson & Smyth 2010).
    """
    topics = z.shape[1]
    numbers = whole(z, room(topics))[0]
    sums = np.abs(numbers.sum(axis=1))
    differ = (numbers != 0).sum(axis=1)
    p, many = np.empty(len(z)), np.flatnonzero(differ > MOST_EXACT)
    for row in np.flatnonzero(differ <= MOST_EXACT):
        p[row] = _share_of_signs(numbers[row][numbers[row] != 0], sums[row] * EQUAL)
    if len(many):
        p[many] = (_beyond(numbers[many], sums[many] * EQUAL, ask) + 1) / (ask.samples + 1)
    methods = [
        f"exact, {differing(count)}" if count <= MOST_EXACT else f"{ask.samples} random assignments of signs"
        for count in differ.tolist()
    ]
    return Outcome(z.mean(axis=1), p, methods)


def _share_of_signs(numbers: Floats, size: float) -> float:
    """The share of all signs for which the sum is at least so far from 0: two halves, each put together."""
    halves = []
    for half in np.array_split(numbers, 2):
        sums = np.zeros(1)
        for number in half.tolist():
            sums = np.concatenate([sums - number, sums + number])
        halves.append(np.sort(sums))
    above = len(halves[1]) - np.searchsorted(halves[1], size - halves[0], "left")
    return min(1.0, float(2 * above.sum() / 2 ** len(numbers)))  # signs come in opposites


def _beyond(numbers: Floats, sizes: Floats, ask: TestOptions) -> Floats:
    """How many random signs, the same for all rows, bring each sum at least so far from 0."""
    source = np.random.Generator(np.random.PCG64(ask.seed))
    pairs, topics = numbers.shape
    several, together = blocks(topics, ask.samples)
    width = 8 * -(-topics // 64)  # bytes of a sample, in whole words of the generator
    found = np.zeros(pairs)
    for begin in range(0, ask.samples, together):
        count = min(together, ask.samples - begin)
        bits = np.frombuffer(source.bytes(count * width), dtype=np.uint8).reshape(count, width)
        signs = 1.0 - 2.0 * np.ascontiguousarray(np.unpackbits(bits, axis=1, count=topics).T)
        for row in range(0, pairs, several):
            some = slice(row, row + several)
            found[some] += (np.abs(numbers[some] @ signs) >= sizes[some, None]).sum(axis=1)
    return found


@dataclass(frozen=True)
class RandomisedTukey:
    """Randomised Tukey HSD tests of all pairs of some runs (Carterette 2012)."""

    p: Floats  # (pairs,) corrected for all pairs by what it is
    exact: bool  # every way to deal out the values was looked at
    permutations: int  # how many ways were
    seed: int
    ranges: Floats  # the largest difference between two means in each of them, ascending

    def critical(self, alpha: float) -> float:
        """The difference that has to be exceeded for a p below alpha; NaN if so few ways cannot tell."""
        place = math.ceil(alpha * (self.permutations + (not self.exact)) - (not self.exact) - 1e-9)
        return float(self.ranges[-place]) if place > 0 else math.nan


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
    flat, (exponent,) = whole(cleared(values.reshape(1, -1)), room(topics))
    numbers = flat.reshape(runs, topics)
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
    return RandomisedTukey(p, bool(ways), ways or permutations, seed, np.ldexp(ranges, exponent) / topics)


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


@statistical_test(
    "randomised-tukey",
    title="randomised Tukey HSD test",
    cite="Carterette 2012; Sakai 2018",
    statistic="difference of the means",
    kind="all",
    samples=10_000,
    unit="random permutations",
    familywise=True,
    effect=SHARED,
    interval="simultaneous interval of the mean difference (randomised Tukey)",
)
def randomised_hsd(values: Floats, first: Ints, second: Ints, ask: TestOptions) -> Outcome:
    """Whether two means differ, counting with the largest difference if runs swap values within topics.

    Few values are dealt out in every way; else the way at hand counts as one more, so that p is never 0.
    """
    runs = len(values)
    found = randomised_tukey(values, permutations=ask.samples, seed=ask.seed, threads=ask.threads)
    p = np.ones((runs, runs))
    p[all_pairs(runs)] = found.p
    p = np.minimum(p, p.T)
    analysis = layout(values, blocks=True)
    said = "permutations of the values within topics"
    return Outcome(
        (analysis.means[first] - analysis.means[second]) * analysis.unit,
        p[first, second],
        [f"exact, all {said}" if found.exact else f"{found.permutations} random {said}"] * len(first),
        error=math.sqrt(analysis.variance) * analysis.unit,
        half=np.full(len(first), found.critical(ask.alpha)),
        overall=analysis.overall,
    )
