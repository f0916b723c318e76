"""The bootstrap over topics (Efron 1979): samples, intervals, and the paired test (Sakai 2006).

A sample depends on the seed and on the numbers of topics and samples alone, not on blocks, threads or runs.
The three users of samples (`TopicBootstrap`, `matrices.Resampling` and `paired_bootstrap`) each average them
in their own way, which rounds differently; sharing one would change published values in the last digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.model.rules import MIN_TOPICS
from rankgauge.numbers.differences import Floats, Ints
from rankgauge.numbers.exact import EQUAL, PRODUCT, blocks, moments, over_pairs, room, whole
from rankgauge.numbers.intervals import LEVEL, NORMAL, deviation, interval_ends, t_quantile

CELLS = 1 << 22  # topics drawn, or values picked, at once
TOGETHER = 64  # pairs of a product in single precision
KEPT = 1 << 22  # drawn topics up to which samples are kept in memory rather than drawn again

Singles = npt.NDArray[np.float32]
Statistic = Callable[[Floats], Floats]  # of each of many arrays


def sampled(topics: int, size: int, samples: int, seed: int | Sequence[int], several: int) -> Iterator[Ints]:
    """Blocks of `several` samples of `size` topics, drawn with replacement, all from one generator."""
    source = np.random.Generator(np.random.PCG64(seed))
    for begin in range(0, samples, several):
        yield source.integers(topics, size=(min(several, samples - begin), size))


def drawn(topics: int, size: int, samples: int, seed: int, *, replacement: bool) -> Iterator[Ints]:
    """Blocks of (samples, size) numbers of topics; each block has its own generator.

    Without replacement, samples of different sizes are nested: the smaller is the beginning of the larger.
    """
    several = max(1, CELLS // topics)
    for begin in range(0, samples, several):
        rows = min(several, samples - begin)
        if replacement:
            yield from sampled(topics, size, rows, [seed, begin], rows)
        else:
            source = np.random.Generator(np.random.PCG64([seed, begin]))
            yield source.permuted(np.tile(np.arange(topics), (rows, 1)), axis=1)[:, :size]


class TopicBootstrap(NamedTuple):
    """Bootstrap samples of topics, and intervals of level LEVEL."""

    samples: int
    seed: int

    def sets(self, topics: int) -> Iterator[Ints]:
        """Blocks of (samples, topics) numbers of topics."""
        return drawn(topics, topics, self.samples, self.seed, replacement=True)

    def interval(self, statistic: Statistic, by_topic: Floats, most: float = 1) -> tuple[float, float, float]:
        """(value, low, high) of a statistic of sums over topics, from (topics, ...); within ±`most`."""
        topics, flat = len(by_topic), by_topic.reshape(len(by_topic), -1)
        numbers = np.concatenate([*self.sets(topics)]) + topics * np.arange(self.samples)[:, None]
        counts = np.bincount(numbers.ravel(), minlength=self.samples * topics)
        sums = counts.reshape(self.samples, topics).astype(np.float64) @ flat
        value = statistic(by_topic.sum(axis=0))
        low, high = self.ends(value, statistic(sums.reshape(-1, *by_topic.shape[1:])), topics, most)
        return float(value), float(low), float(high)

    def ends(self, value: Floats, sampled: Floats, topics: int, most: float = 1) -> tuple[Floats, Floats]:
        """(low, high) around values, by their deviation over samples of so many topics and Student's t.

        The normal distribution, and a deviation that is not corrected for the size of the sample, would be
        too narrow for few topics (Hesterberg 2015): with ten, they cover κ in 90 % of simulations.
        """
        few = t_quantile(1 - LEVEL, topics - 1) / NORMAL * math.sqrt(topics / (topics - 1 or 1))
        times = few if topics >= MIN_TOPICS else math.nan
        return interval_ends(value, times * deviation(sampled), LEVEL, most)


@dataclass(frozen=True)
class PairedBootstrap:
    """Paired bootstrap tests of many pairs, with the same samples of topics."""

    t: Floats  # (pairs,) the studentised mean of the differences; NaN where all are 0, or for a single topic
    asl: Floats  # (pairs,) achieved significance level; 1 where all are 0, NaN for a single topic
    critical: Floats  # (alphas, pairs) the floor(samples * alpha)-th largest |t*|; NaN where there is none
    delta: Floats  # (alphas, pairs) |mean of the sample| there; the largest, where several tie


def paired_bootstrap(
    z: Floats,  # (pairs, topics)
    *,
    samples: int = 1000,
    seed: int = 0,
    alphas: Sequence[float] = (),
    drawn: Sequence[Sequence[int]] | None = None,
    threads: int | None = None,
    rounding: Floats | float = 0.0,
) -> PairedBootstrap:
    """Sakai's paired bootstrap hypothesis tests of differences, as `numbers.differences` makes them.

    Differences are shifted to mean 0 and topics drawn with replacement; the ASL is the share of samples whose
    studentised mean t* is at least as far from 0 as t. `drawn` gives the samples, as numbers of topics;
    `rounding` is how much rounding may change the differences of each pair.

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
            ratio = _ratio(sums, of_squares, bits, topics)
            critical[:, some], largest = _largest(ratio, sums, alphas)
            delta[:, some] = np.ldexp(largest, exponents[some]) / topics
        beyond[some] = _reached(sums, of_squares, least[some]) / samples

    over_pairs(work, pairs, TOGETHER, threads)
    beyond[np.isnan(t)] = np.nan
    beyond[(t == 0.0) | (z == 0.0).all(axis=1)] = 1.0
    critical[:, np.isnan(t)] = delta[:, np.isnan(t)] = np.nan
    with np.errstate(divide="ignore"):
        critical = np.sqrt((topics - 1) * critical / (1 - critical))
    return PairedBootstrap(t, beyond, critical, delta)


def _counts(
    topics: int, samples: int, seed: int | Sequence[int], drawn: Sequence[Sequence[int]] | None = None
) -> Iterator[tuple[slice, Floats]]:
    """(samples, (topics, samples): how often each topic occurs in them), block by block."""
    _, several = blocks(topics, samples)
    sets = sampled(topics, topics, samples, seed, several)
    for begin in range(0, samples, several):
        end = min(begin + several, samples)
        places = next(sets) if drawn is None else np.array(drawn[begin:end], dtype=np.int64)
        places += np.arange(end - begin)[:, None] * topics
        counts = np.bincount(places.ravel(), minlength=(end - begin) * topics).reshape(-1, topics)
        yield slice(begin, end), np.ascontiguousarray(counts.T, dtype=np.float64)


def _sums(
    w: Floats, bits: int, samples: int, counts: Iterator[tuple[slice, Floats]] | list[tuple[slice, Floats]]
) -> tuple[Floats, Floats]:
    """(pairs, samples) of Σw and, in units of 2**bits, Σw² over each sample."""
    sums, of_squares = np.empty((len(w), samples)), np.empty((len(w), samples))
    square = _squares(w, bits)
    width = max(1, PRODUCT // max(1, w.size))
    for some, count in counts:
        for begin in range(0, count.shape[1], width):
            columns = slice(some.start + begin, min(some.start + begin + width, some.stop))
            block = count[:, begin : begin + width]
            _product(w, block, sums[:, columns])
            _product(square, block, of_squares[:, columns])
    return sums, of_squares


def _product(rows: Any, counts: Any, out: Any = None) -> Any:
    """Their product; NumPy's library would share a single long column among threads, five times as slowly."""
    if counts.shape[1] > 1:
        return np.matmul(rows, counts, out=out)
    return np.einsum("ij,jk->ik", rows, counts, out=out)


def _squares(w: Floats, bits: int) -> Floats:
    """w² in units of 2**bits."""
    return np.rint(w * w * 2.0**-bits)


def _least_ratio(t: Floats, topics: int, bits: int) -> Floats:
    """The least (Σw)² / Σw², in the units of `_sums`, for which |t*| reaches |t|."""
    with np.errstate(invalid="ignore"):
        r = np.where(np.isinf(t), 1.0, np.nan_to_num(t * t / (t * t + topics - 1)))
    return 2.0**bits * topics * r * EQUAL


def _reached(sums: Floats, of_squares: Floats, least: Floats) -> Ints:
    """(pairs,) how many samples have a (Σw)² / Σw² above the least; both arrays are overwritten."""
    sums *= sums
    of_squares *= least[:, None]
    counts: Ints = np.count_nonzero(sums > of_squares, axis=1)
    return counts


def _ratio(sums: Floats, of_squares: Floats, bits: int, topics: int) -> Floats:
    """The r of each sample; 0 if all its differences are 0, 1 if all are the same."""
    ratio = sums * sums
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio /= of_squares * (2.0**bits * topics)
    ratio[of_squares == 0] = 0.0
    ratio[ratio > EQUAL] = 1.0
    return ratio


def _largest(r: Floats, sums: Floats, alphas: Sequence[float]) -> tuple[Floats, Floats]:
    """For each alpha: (the floor(samples * alpha)-th largest r, the largest |Σw| of samples with that r)."""
    samples = r.shape[1]
    places = [int(samples * alpha + 1e-9) for alpha in alphas]
    critical, largest = np.full((2, len(alphas), len(r)), np.nan)
    most = max(places)
    tail = np.sort(np.partition(r, samples - most, axis=1)[:, samples - most :], axis=1) if most else r
    for row, place in enumerate(places):
        if place:
            critical[row] = tail[:, most - place]
            largest[row] = 0.0
            pairs, found = np.nonzero(r == critical[row][:, None])
            np.maximum.at(largest[row], pairs, np.abs(sums[pairs, found]))
    return critical, largest


def count_reached(
    z: Floats, t: Floats, begin: int, end: int, seed: int, report: Callable[[int], None]
) -> Floats:
    """(pairs,) how many of the samples from number `begin` to `end` have a |t*| that reaches |t|.

    `report` is called with the number of samples drawn so far.
    """
    pairs, topics = z.shape
    bits = room(topics)
    w = whole(moments(z).centred, bits)[0]
    rough = _RoughSums.of(w, _least_ratio(t, topics, bits))
    reached = np.zeros(pairs)
    for some_samples, counts in _counts(topics, end - begin, [seed, begin]):
        single = counts.astype(np.float32)
        # In one thread: several wait for each other between many small products, and take twice as long.
        for some in (slice(pair, pair + TOGETHER) for pair in range(0, pairs, TOGETHER)):
            reached[some] += rough.reached(some, counts, single)
        report(begin + some_samples.stop)
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
        topics = w.shape[1]
        bits = room(topics)
        square = _squares(w, bits)
        error = 4 * (topics + 8) * 2.0**-24 * np.sqrt(2.0**bits * topics * least)
        lower = np.maximum(least - error, 0.0)[:, None]
        positive = np.maximum(square - topics, 0.0) * lower
        return cls(w, square, least, *(each.astype(np.float32) for each in (w, positive)))

    def reached(self, some: slice, counts: Floats, single: Singles) -> Ints:
        w, square = self.single_w[some], self.single_square[some]
        total = np.zeros(len(w), dtype=np.int64)
        width = max(1, PRODUCT // (TOGETHER * len(counts)))
        for begin in range(0, counts.shape[1], width):
            columns = slice(begin, begin + width)
            sums, of_squares = _product(w, single[:, columns]), _product(square, single[:, columns])
            sums *= sums
            near = sums >= of_squares
            if near.any():
                found = np.flatnonzero(near.any(axis=1))
                rows, block = found + some.start, counts[:, columns]
                exact = _product(self.w[rows], block), _product(self.square[rows], block)
                total[found] += _reached(*exact, self.least[rows])
        return total
