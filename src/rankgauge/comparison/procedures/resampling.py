"""The paired bootstrap: topics are resampled, the same for all pairs.

Samples depend only on the seed and on the numbers of topics and samples: not on blocks, threads or the other
pairs. Sums are exact (see `comparison.exact`): equal statistics count as equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from rankgauge.comparison.procedures.margin import statistics
from rankgauge.comparison.registry import SEED, Outcome, TestOptions, statistical_test
from rankgauge.numbers.differences import Floats, Ints
from rankgauge.numbers.exact import EQUAL, PRODUCT, blocks, moments, over_pairs, room, sampled_p, whole
from rankgauge.schema.text import counted

TOGETHER = 64  # pairs of a product in single precision
KEPT = 1 << 22  # drawn topics up to which samples are kept in memory rather than drawn again

Singles = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Bootstrap:
    """Paired bootstrap tests of many pairs with the same samples of topics (Sakai 2006)."""

    t: Floats  # (pairs,) the studentised mean of the differences; NaN where all are 0, or for a single topic
    asl: Floats  # (pairs,) achieved significance level; 1 where all are 0, NaN for a single topic
    critical: Floats  # (alphas, pairs) the floor(samples * alpha)-th largest |t*|; NaN where there is none
    delta: Floats  # (alphas, pairs) |mean of the sample| there; the largest, where several tie


def bootstrap(
    z: Floats,  # (pairs, topics)
    *,
    samples: int = 1000,
    seed: int = SEED,
    alphas: Sequence[float] = (),
    drawn: Sequence[Sequence[int]] | None = None,
    threads: int | None = None,
    rounding: Floats | float = 0.0,
) -> Bootstrap:
    """Sakai's paired bootstrap hypothesis tests of differences, as `comparison.differences` makes them.

    Differences are shifted to mean 0 and topics drawn with replacement; the ASL is the share of samples
    whose studentised mean t* is at least as far from 0 as t. `drawn` sets the samples, as numbers of topics;
    `rounding` is by how much it changes the differences of each pair.

    Statistics are compared by r = (Σw)² / (n Σw²), which needs no variance: t² = (n - 1) r / (1 - r) grows
    with r.
    """
    pairs, topics = z.shape
    bits = room(topics)
    if drawn is not None:
        samples = len(drawn)
    of_z = moments(z, rounding)
    t = of_z.t
    least = _least_ratio(t, topics, bits)
    w, exponents = whole(of_z.centred, bits)
    beyond, critical, delta = np.empty(pairs), *(np.full((len(alphas), pairs), np.nan) for _ in range(2))
    counts = list(_counts(topics, samples, seed, drawn)) if samples * topics <= KEPT else None

    def work(some: slice) -> None:
        sums, of_squares = _sums(w[some], bits, samples, counts or _counts(topics, samples, seed, drawn))
        if alphas:
            sizes = np.ldexp(np.abs(sums), exponents[some, None]) / topics
            critical[:, some], delta[:, some] = _largest(
                _ratio(sums, of_squares, bits, topics), sizes, alphas
            )
        beyond[some] = _reached(sums, of_squares, least[some]) / samples

    several, _ = blocks(topics, samples)
    over_pairs(work, pairs, several, threads)
    beyond[np.isnan(t)] = np.nan
    beyond[(t == 0.0) | (z == 0.0).all(axis=1)] = 1.0
    critical[:, np.isnan(t)] = delta[:, np.isnan(t)] = np.nan
    with np.errstate(divide="ignore"):
        critical = np.sqrt((topics - 1) * critical / (1 - critical))
    return Bootstrap(t, beyond, critical, delta)


def _counts(
    topics: int, samples: int, seed: int | Sequence[int], drawn: Sequence[Sequence[int]] | None = None
) -> Iterator[tuple[slice, Floats]]:
    """(samples, (topics, samples): how often each topic occurs in them), block by block."""
    source = np.random.Generator(np.random.PCG64(seed))
    _, several = blocks(topics, samples)
    for begin in range(0, samples, several):
        rows = min(several, samples - begin)
        if drawn is None:
            places = source.integers(topics, size=(rows, topics))
        else:
            places = np.array(drawn[begin : begin + rows], dtype=np.int64)
        places += np.arange(rows)[:, None] * topics
        counts = np.bincount(places.ravel(), minlength=rows * topics).reshape(rows, topics)
        yield slice(begin, begin + rows), np.ascontiguousarray(counts.T, dtype=np.float64)


def _sums(
    w: Floats, bits: int, samples: int, counts: Iterator[tuple[slice, Floats]] | list[tuple[slice, Floats]]
) -> tuple[Floats, Floats]:
    """(pairs, samples) of Σw and, in units of 2**bits, Σw² over each sample."""
    sums, of_squares = np.empty((len(w), samples)), np.empty((len(w), samples))
    square = _squares(w, bits)
    for some, count in counts:
        np.matmul(w, count, out=sums[:, some])
        np.matmul(square, count, out=of_squares[:, some])
    return sums, of_squares


def _squares(w: Floats, bits: int) -> Floats:
    """w² in units of 2**bits."""
    return np.rint(np.ldexp(w * w, -bits))


def _least_ratio(t: Floats, topics: int, bits: int) -> Floats:
    """The least (Σw)² / Σw², in the units of `_sums`, for which |t*| reaches |t|."""
    with np.errstate(invalid="ignore"):
        r = np.where(np.isinf(t), 1.0, np.nan_to_num(t * t / (t * t + topics - 1)))
    return 2.0**bits * topics * r * EQUAL


def _reached(sums: Floats, of_squares: Floats, least: Floats) -> Ints:
    """(pairs,) in how many samples (Σw)² / Σw² exceeds the least; both arrays are overwritten."""
    sums *= sums
    of_squares *= least[:, None]
    counts: Ints = np.count_nonzero(sums > of_squares, axis=1)
    return counts


def _ratio(sums: Floats, of_squares: Floats, bits: int, topics: int) -> Floats:
    """The r of each sample; 0 if all its differences are 0, 1 if all are the same."""
    ratio = np.zeros_like(sums)
    np.divide(sums * sums, 2.0**bits * topics * of_squares, out=ratio, where=of_squares > 0)
    ratio[ratio > EQUAL] = 1.0
    return ratio


def _largest(r: Floats, sizes: Floats, alphas: Sequence[float]) -> tuple[Floats, Floats]:
    """For each alpha: (the floor(samples * alpha)-th largest r, the largest size of samples with that r)."""
    samples = r.shape[1]
    places = [int(samples * alpha + 1e-9) for alpha in alphas]
    critical, largest = np.full((2, len(alphas), len(r)), np.nan)
    for row, place in enumerate(places):
        if place:
            critical[row] = np.partition(r, samples - place, axis=1)[:, samples - place]
            largest[row] = np.where(r == critical[row][:, None], sizes, 0.0).max(axis=1)
    return critical, largest


@statistical_test(
    "bootstrap",
    title="paired bootstrap test",
    cite="Efron & Tibshirani 1993, section 16.4; Sakai 2006",
    statistic="t = mean of the differences / (their standard deviation / √n)",
    samples=1000,
    unit="bootstrap samples of topics",
    sequential=True,
    interval="symmetric bootstrap-t interval of the mean difference",
    one_sided="paired bootstrap tests",
)
def paired_bootstrap(z: Floats, options: TestOptions) -> Outcome:
    """Whether the mean of the differences is 0: is t as far from 0 on random samples of topics?

    Differences are shifted to mean 0 and topics drawn with replacement, the same for all pairs; p is the
    share of samples, with the observed one counted, so that it is never 0. Pairs whose p is small get more
    samples, as many as the correction for multiple comparisons asks for. (The achieved significance level of
    Sakai 2006, which may be 0, is in `rankgauge study power`.)
    """
    topics = z.shape[1]
    rounding = options.pairs.rounding() if options.pairs else 0.0
    # The interval leaves out 0 exactly if p < alpha by these samples; p itself may have more.
    place = math.ceil(options.alpha * (options.samples + 1) - 1 - 1e-9)
    result = bootstrap(
        z,
        samples=options.samples,
        seed=options.seed,
        alphas=[place / options.samples],
        threads=options.threads,
        rounding=rounding,
    )
    of_z = moments(z, rounding)

    def count(rows: Ints, begin: int, end: int) -> Floats:
        if not begin:
            options.report(options.samples)
            return np.rint(result.asl[rows] * options.samples)
        return _count_reached(z[rows], of_z.t[rows], begin, end, options)

    p, drawn = sampled_p(count, len(z), options.samples, options.most_samples)
    p[result.asl == 1.0] = 1.0
    p[np.isinf(result.t)] = np.nan  # samples of a constant difference do not vary
    with np.errstate(invalid="ignore"):
        half = result.critical[0] * of_z.deviation / np.sqrt(topics)
    half[(z == 0.0).all(axis=1)] = 0.0
    return Outcome(
        result.t,
        p,
        [f"{samples} samples of {counted(topics, 'topic')}" for samples in drawn.tolist()],
        half=half,
        beyond=None if options.margin is None else _one_sided(z, options.margin, options),
        drawn=drawn,
    )


def _one_sided(z: Floats, margin: float, options: TestOptions) -> Floats:
    """(2, pairs): p of a true difference of -margin or less, and of margin or more, by |t*|."""
    of_z, quiet = moments(z), replace(options, progress=None)
    both = statistics(of_z.mean, of_z.deviation / np.sqrt(z.shape[1]), margin)
    p = np.empty(both.shape)
    for row, t in enumerate(both):

        def count(rows: Ints, begin: int, end: int, t: Floats = t) -> Floats:
            return _count_reached(z[rows], t[rows], begin, end, quiet)

        tail = sampled_p(count, len(z), options.samples, options.most_samples)[0] / 2
        p[row] = np.where(np.isnan(t), np.nan, np.where(t > 0.0, tail, 1.0 - tail))
    return p


def _count_reached(z: Floats, t: Floats, begin: int, end: int, options: TestOptions) -> Floats:
    """(pairs,) how many of the samples from number `begin` to `end` have a |t*| that reaches |t|."""
    pairs, topics = z.shape
    samples = end - begin
    bits = room(topics)
    w = whole(moments(z).centred, bits)[0]
    rough = _RoughSums.of(w, _least_ratio(t, topics, bits))
    reached = np.zeros(pairs)
    for some_samples, counts in _counts(topics, samples, [options.seed, begin]):
        single = counts.astype(np.float32)
        # In one thread: several wait for each other between many small products, and take twice as long.
        for some in (slice(pair, pair + TOGETHER) for pair in range(0, pairs, TOGETHER)):
            reached[some] += rough.reached(some, counts, single)
        options.report(begin + some_samples.stop)
    return reached


@dataclass(frozen=True)
class _RoughSums:
    """Sums in single precision, which nearly always show that a sample does not reach the least ratio.

    Rounding changes Σw² by (n + 1) 2**-24 of itself at most, and Σw by (n + 1) 2**-24 Σ|w|, where Σ|w| is at
    most √(n Σw²). The least ratio is lowered by more than that; what reaches the lower one is summed exactly.
    """

    w: Floats  # (pairs, topics) whole
    square: Floats  # in units of 2**bits
    least: Floats  # (pairs,)
    single_w: Singles
    single_square: Singles  # less than squares that were rounded, times the lowered ratio

    @classmethod
    def of(cls, w: Floats, least: Floats) -> _RoughSums:
        """The sums of whole numbers and of their squares."""
        topics = w.shape[1]
        bits = room(topics)
        square = _squares(w, bits)
        error = 4 * (topics + 8) * 2.0**-24 * np.sqrt(2.0**bits * topics * least)
        lower = np.maximum(least - error, 0.0)[:, None]
        positive = np.maximum(square - topics, 0.0) * lower
        return cls(w, square, least, *(each.astype(np.float32) for each in (w, positive)))

    def reached(self, some: slice, counts: Floats, single: Singles) -> Ints:
        """(pairs,) in how many samples (Σw)² / Σw² exceeds the least."""
        w, square = self.single_w[some], self.single_square[some]
        total = np.zeros(len(w), dtype=np.int64)
        width = max(1, PRODUCT // (TOGETHER * len(counts)))
        for begin in range(0, counts.shape[1], width):
            columns = slice(begin, begin + width)
            sums, of_squares = w @ single[:, columns], square @ single[:, columns]
            sums *= sums
            near = sums >= of_squares
            if near.any():
                found = np.flatnonzero(near.any(axis=1))
                rows, block = found + some.start, counts[:, columns]
                total[found] += _reached(self.w[rows] @ block, self.square[rows] @ block, self.least[rows])
        return total
