"""Tests by permutation: of the signs of differences, and of the values of each topic.

Random numbers depend only on the seed and on the numbers of topics and samples. Sums are exact, so equal
statistics count as equal, whatever the threads.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from rankgauge import core
from rankgauge.comparison.procedures.anova import SHARED, layout
from rankgauge.comparison.procedures.paired import differing
from rankgauge.comparison.registry import SEED, Outcome, Overall, TestOptions, statistical_test
from rankgauge.engines.threads import available, in_threads
from rankgauge.numbers.differences import (
    RELATIVE_ERROR,
    Floats,
    Ints,
    RunPairs,
    all_pairs,
    cleared,
    differences,
)
from rankgauge.numbers.exact import (
    DRAWN,
    EQUAL,
    PRODUCT,
    SHARES,
    error_of_sums,
    moments,
    room,
    sampled_p,
    whole,
)

MAX_EXACT = 24  # differing topics up to which all assignments of signs are enumerated
UNIT = 500  # random permutations that one generator makes
SUMS = 1 << 18  # of runs, that are compared at once
PIECE = 1 << 22  # signs and sums of pairs that a thread works on at least
ROUNDING = 1e-9  # of statistics that would be equal

Bytes = npt.NDArray[np.uint8]


@statistical_test(
    "randomisation",
    title="paired randomisation test",
    cite="Fisher 1935; for retrieval: Smucker, Allan & Carterette 2007",
    statistic="mean of the differences",
    samples=10_000,
    unit="random assignments of signs",
    sequential=True,
    efficiency=1.0,
)
def randomisation(z: Floats, options: TestOptions) -> Outcome:
    """Whether it matters which run a value came from: is the mean as far from 0 with random signs?

    With up to 24 differing topics all signs are enumerated; with more, the observed signs count as one more
    sample, so that p is never 0 (Phipson & Smyth 2010). Pairs whose p is small get more samples, as many as
    the correction for multiple comparisons asks for.
    """
    topics = z.shape[1]
    pairs = options.pairs or RunPairs.of(z)
    numbers, exponents = whole(z, room(topics))
    differ = (numbers != 0).sum(axis=1)
    # Two sums that would be equal may differ by the errors of both, which are large beside a sum near 0.
    errors = 2 * error_of_sums(z, exponents, pairs.rounding())
    sizes = np.maximum(0.0, np.abs(numbers.sum(axis=1)) * EQUAL - errors)
    p, least = np.empty(len(z)), 0.5 ** np.maximum(0.0, differ - 1.0)
    drawn = np.zeros(len(z), dtype=np.int64)
    for row in np.flatnonzero(differ <= MAX_EXACT):
        p[row] = _share_of_signs(numbers[row][numbers[row] != 0], sizes[row])
    many = np.flatnonzero(differ > MAX_EXACT)
    if len(many):
        count = partial(_reached, pairs[many], numbers[many], exponents[many], sizes[many], options)
        p[many], drawn[many] = sampled_p(count, len(many), options.samples, options.most_samples)
        least[many] = 0.0
    methods = [
        f"{samples} random assignments of signs" if samples else f"exact, {differing(count)}"
        for samples, count in zip(drawn.tolist(), differ.tolist(), strict=True)
    ]
    return Outcome(z.mean(axis=1), p, methods, least=least, drawn=drawn)


def _share_of_signs(numbers: Floats, size: float) -> float:
    """The share of all signs whose sum is at least `size` away from 0, by enumerating two halves."""
    halves = []
    for half in np.array_split(numbers, 2):
        sums = np.zeros(1)
        for number in half.tolist():
            sums = np.concatenate([sums - number, sums + number])
        halves.append(np.sort(sums))
    above = len(halves[1]) - np.searchsorted(halves[1], size - halves[0], "left")
    return min(1.0, float(2 * above.sum() / 2 ** len(numbers)))  # signs come in opposites


@dataclass(frozen=True)
class _SignedSums:
    """Sums of differences with random signs, of many pairs, and the sizes that they may reach.

    Signs are applied to the values of runs, which are far fewer than pairs; the sum of a pair is the
    difference of those of its runs, but for rounding. Where that leaves open whether a size is reached, the
    whole numbers of the pair decide.
    """

    runs: Floats  # (runs, topics) less the median of each topic, which keeps sums small beside an outlier
    first: Ints  # (pairs,)
    second: Ints
    low: Floats  # (pairs,) smaller differences of sums do not reach the size
    high: Floats  # larger ones do
    numbers: Floats  # (pairs, topics) whole
    sizes: Floats  # (pairs,) in the units of the numbers

    @classmethod
    def of(cls, pairs: RunPairs, numbers: Floats, exponents: Ints, sizes: Floats) -> _SignedSums:
        used, places = np.unique(np.concatenate([pairs.first, pairs.second]), return_inverse=True)
        first, second = places.reshape(2, -1)
        runs, topics = pairs.values[used], numbers.shape[1]
        exponent = int(np.frexp(np.abs(runs).max(initial=0.0))[1])  # scaled, so that nothing overflows
        runs = np.ldexp(runs, -exponent)
        runs = runs - np.median(runs, axis=0)
        exponents = exponents - exponent
        rounded = np.abs(np.ldexp(numbers, exponents[:, None]) - (runs[first] - runs[second])).sum(axis=1)
        largest = np.abs(runs).sum(axis=1)
        added = (topics + 8) * 2.0**-51 * np.maximum(largest[first], largest[second])
        limits, apart = np.ldexp(sizes, exponents), 2 * rounded + added
        return cls(runs, first, second, limits - apart, limits + apart, numbers, sizes)

    @property
    def together(self) -> int:
        """The samples whose sums fit into the caches."""
        runs, topics = self.runs.shape
        together: int = max(1, min(DRAWN // topics, max(64, SUMS // runs)))
        return together

    def reached(self, bits: Bytes) -> Ints:
        """(pairs,) how many samples, rows of bits, have a sum that reaches the size."""
        counts = np.zeros(len(self.sizes), dtype=np.int64)
        for begin in range(0, len(bits), self.together):
            counts += self._reached_together(bits[begin : begin + self.together])
        return counts

    def _reached_together(self, bits: Bytes) -> Ints:
        runs, topics = self.runs.shape
        samples = len(bits)
        signs = 1.0 - 2.0 * np.ascontiguousarray(np.unpackbits(bits, axis=1, count=topics).T)
        sums = np.empty((runs, samples))
        several = max(1, PRODUCT // (samples * topics))
        for run in range(0, runs, several):
            np.matmul(self.runs[run : run + several], signs, out=sums[run : run + several])
        found = core.near_differences(sums, samples, self.first, self.second, self.low, self.high)
        counts, pairs, columns = (np.frombuffer(each, dtype=np.int64) for each in found)
        several = max(1, PRODUCT // topics)
        for begin in range(0, len(pairs), several):
            some = slice(begin, begin + several)
            exact = np.einsum("ij,ij->i", self.numbers[pairs[some]], signs.T[columns[some]])
            reached = pairs[some][np.abs(exact) >= self.sizes[pairs[some]]]
            counts = counts + np.bincount(reached, minlength=len(counts))
        return counts


def _reached(
    pairs: RunPairs,
    numbers: Floats,
    exponents: Ints,
    sizes: Floats,
    options: TestOptions,
    rows: Ints,
    begin: int,
    end: int,
) -> Floats:
    """(rows,) how many random assignments of signs, the same for all pairs, reach each size."""
    source = np.random.Generator(np.random.PCG64([options.seed, begin] if begin else options.seed))
    sums = _SignedSums.of(pairs[rows], numbers[rows], exponents[rows], sizes[rows])
    width = 8 * -(-numbers.shape[1] // 64)  # bytes of a sample, in whole words of the generator
    piece = sums.together * max(1, PIECE // (sums.together * (len(rows) + numbers.shape[1])))
    pieces = SHARES * available(options.threads)
    counts = np.zeros(len(rows))
    for at in range(begin, end, pieces * piece):
        count = min(pieces * piece, end - at)
        bits = np.frombuffer(source.bytes(count * width), dtype=np.uint8).reshape(count, width)
        parts = [bits[first : first + piece] for first in range(0, count, piece)]
        for reached in in_threads(sums.reached, parts, available(options.threads)):
            counts += reached
        options.report(at + count)
    return counts


@dataclass(frozen=True)
class RandomisedTukey:
    """Randomised Tukey HSD tests of all pairs of some runs (Carterette 2012)."""

    p: Floats  # (pairs,) corrected for all pairs by construction
    exact: bool  # all permutations were enumerated
    permutations: int  # how many were
    ranges: Floats  # the largest difference between two means in each permutation, ascending

    def critical(self, alpha: float) -> float:
        """The difference that must be exceeded for a p below alpha; NaN with too few permutations."""
        return _critical(self.ranges, alpha, self.exact)


def _critical(largest: Floats, alpha: float, exact: bool) -> float:
    """The size that must be exceeded for a p below alpha, by the largest of each permutation, ascending.

    NaN if no p can be below alpha; where all permutations are enumerated, the observed one is among them.
    """
    place = math.ceil(alpha * (len(largest) + (not exact)) - (not exact) - 1e-9)
    return float(largest[-place]) if place > exact else math.nan


def randomised_tukey(
    values: Floats,  # (runs, topics)
    *,
    permutations: int = 10_000,
    seed: int = SEED,
    threads: int | None = None,
    report: Callable[[int], None] | None = None,
) -> RandomisedTukey:
    """Randomised Tukey HSD: the values of each topic are permuted among the runs.

    The p of a pair is the share of permutations whose largest difference between two means reaches the
    pair's. If there are at most `permutations` of them, all are enumerated; otherwise the observed
    arrangement counts as one more, so that p is never 0 (Phipson & Smyth 2010). `report` is called with the
    number of permutations so far.
    """
    runs, topics = values.shape
    equal = cleared(values.reshape(1, -1)).reshape(runs, topics)
    flat, (exponent,) = whole((equal - equal.min(axis=0)).reshape(1, -1), room(topics))
    numbers = flat.reshape(runs, topics)
    first, second = all_pairs(runs)
    sums = numbers.sum(axis=1)
    sizes = np.abs(sums[first] - sums[second])
    ways = _ways(runs, topics, permutations)
    if ways:
        ranges = _all_ranges(numbers)
    else:
        units = [(unit, min(UNIT, permutations - unit)) for unit in range(0, permutations, UNIT)]
        drawn = itertools.count(UNIT, UNIT)

        def ranges_of_unit(unit: tuple[int, int]) -> Floats:
            found = _ranges(numbers, seed, unit)
            if report:
                report(min(next(drawn), permutations))
            return found

        ranges = np.concatenate(in_threads(ranges_of_unit, units, available(threads)))
    ranges.sort()
    # A size has the errors of two sums, and two sizes are compared.
    errors = 2 * topics * (1 + np.ldexp(RELATIVE_ERROR * np.abs(values).max(initial=0.0), -exponent))
    beyond = len(ranges) - np.searchsorted(ranges, sizes * EQUAL - errors)
    p = beyond / ways if ways else (beyond + 1) / (permutations + 1)
    return RandomisedTukey(p, bool(ways), ways or permutations, np.ldexp(ranges, exponent) / topics)


def _ways(runs: int, topics: int, most: int) -> int:
    """The number of permutations that differ in more than the runs' names; 0 if above `most`."""
    ways = 1
    for _ in range(topics - 1):
        ways *= math.factorial(min(runs, 20))
        if ways > most:
            return 0
    return ways


def _all_ranges(numbers: Floats) -> Floats:
    """The range of the sums in every permutation; the first topic's values stay in place."""
    sums = numbers[None, :, 0]
    if numbers.shape[1] > 1:  # a single topic stays in place, however many orders the runs have
        orders = np.array(list(itertools.permutations(range(len(numbers)))))
        for column in numbers.T[1:]:
            sums = (sums[:, None] + column[orders]).reshape(-1, len(numbers))
    ranges: Floats = np.ptp(sums, axis=1)
    return ranges


def _ranges(numbers: Floats, seed: int, unit: tuple[int, int]) -> Floats:
    """The range of the sums in some random permutations; each unit has its own generator."""
    begin, count = unit
    runs = len(numbers)
    source = np.random.PCG64([seed, begin])
    sums = np.frombuffer(core.permuted_sums(source, np.ascontiguousarray(numbers.T), runs, count))
    ranges: Floats = np.ptp(sums.reshape(count, runs), axis=1)
    return ranges


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
def randomised_hsd(values: Floats, first: Ints, second: Ints, options: TestOptions) -> Outcome:
    """Whether two means differ by more than the largest difference when values are permuted within topics.

    Few permutations are all enumerated; otherwise the observed one counts as one more, so that p is never 0.
    Runs must vary alike: where two of eight varied three times as much, it erred in 15 % of 400 campaigns at
    level 0.05, and t-tests with Holm's correction in 4 %.
    """
    runs = len(values)
    result = randomised_tukey(
        values,
        permutations=options.samples,
        seed=options.seed,
        threads=options.threads,
        report=replace(options, resolution=1.0).report,  # a sequential test would take more samples
    )
    p = np.ones((runs, runs))
    p[all_pairs(runs)] = result.p
    p = np.minimum(p, p.T)
    analysis = layout(values, blocks=True)
    what = "permutations of the values within topics"
    reached = np.count_nonzero(result.ranges >= result.ranges[-1] * EQUAL)  # by the largest, whose p is least
    return Outcome(
        (analysis.means[first] - analysis.means[second]) * analysis.unit,
        p[first, second],
        [f"exact, all {what}" if result.exact else f"{result.permutations} random {what}"] * len(first),
        least=np.full(len(first), reached / result.permutations) if result.exact else None,
        error=math.sqrt(analysis.variance) * analysis.unit,
        half=np.full(len(first), result.critical(options.alpha)),
        overall=analysis.overall,
    )


@statistical_test(
    "max-t",
    title="step-down max-T test",
    cite="Westfall & Young 1993; Romano & Wolf 2005",
    statistic="sum of the differences / root of the sum of their squares, which grows with t",
    kind="all",
    samples=10_000,
    unit="random assignments of signs",
    familywise=True,
    interval="simultaneous interval of the mean difference (single-step max-T)",
)
def max_t(values: Floats, first: Ints, second: Ints, options: TestOptions) -> Outcome:
    """Whether a pair's t is larger than the largest of the pairs left, with random signs.

    Each topic has one sign for all pairs, so that pairs depend on each other as they do. From the pair with
    the largest t on, each is compared with the largest t among itself and those after it; p never decreases
    on the way. With few topics all signs are enumerated; otherwise the observed ones count as one more. It
    finds a little more than t-tests with Holm's correction, but errs more if runs are skewed differently.
    """
    z = differences(values, first, second)
    pairs, topics = z.shape
    with np.errstate(invalid="ignore"):  # where no topic differs
        units = z / np.abs(z).max(axis=1, keepdims=True)
        units /= np.sqrt((units * units).sum(axis=1, keepdims=True))
    statistic = units.sum(axis=1)
    family = np.flatnonzero(~np.isnan(statistic))
    order = family[np.argsort(np.abs(statistic[family]), kind="stable")]
    limits = np.abs(statistic[order]) - ROUNDING
    exact = topics - 1 <= math.log2(options.samples)
    reached, largest = np.zeros(len(order)), []
    for signs in _signs(topics, options, exact):
        below = np.zeros(signs.shape[1])  # the largest of the pairs so far, which have smaller t
        several = max(1, PRODUCT // signs.size)
        for begin in range(0, len(order), several):
            sums = np.abs(units[order[begin : begin + several]] @ signs)
            for place, row in enumerate(sums, begin):
                np.maximum(below, row, out=below)
                reached[place] += np.count_nonzero(below >= limits[place])
        largest.append(below)
    sizes = np.sort(np.concatenate(largest))
    p = np.full(pairs, np.nan)
    p[order] = (reached + (not exact)) / (len(sizes) + (not exact))
    p[order] = np.maximum.accumulate(p[order[::-1]])[::-1]
    square = (_critical(sizes, options.alpha, exact) + ROUNDING) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.sqrt(square * (topics - 1) / np.maximum(0.0, topics - square))
        half = moments(z).deviation * t / math.sqrt(topics)
    most = float(np.abs(statistic[family]).max(initial=0.0)) if len(family) else math.nan
    what = "assignments of signs"
    method = f"exact, all {what}" if exact else f"{len(sizes)} random {what}"
    return Outcome(
        statistic,
        p,
        [method] * pairs,
        least=np.full(pairs, 1 / len(sizes)) if exact else None,
        half=half,
        overall=Overall("largest", most, float(np.nanmin(p)) if len(family) else math.nan, method=method),
    )


def _signs(topics: int, options: TestOptions, exact: bool) -> Iterator[Floats]:
    """(topics, samples) of all signs apart from the opposite ones, or of random ones, part by part."""
    source = np.random.default_rng(options.seed)
    count = 2 ** (topics - 1) if exact else options.samples
    together = max(1, DRAWN // topics)
    for begin in range(0, count, together):
        end = min(begin + together, count)
        if exact:
            bits = np.arange(begin, end) >> np.arange(topics)[:, None] & 1
        else:
            bits = source.integers(0, 2, (topics, end - begin))
        yield 1.0 - 2.0 * bits.astype(np.float64)
        options.report(end)
