"""The paired bootstrap: topics are drawn anew, the same for all pairs.

Samples depend on the seed and on the numbers of topics and samples alone: not on blocks, threads or the other
pairs. Sums are exact (see `exact`), so that equal statistics count as equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.differences import Floats
from rankgauge.comparison.exact import EQUAL, blocks, moments, room, whole
from rankgauge.comparison.registry import SEED, Outcome, TestOptions, statistical_test
from rankgauge.engines.threads import available, in_threads
from rankgauge.schema.text import counted

KEPT = 1 << 22  # topics drawn that are kept in memory, rather than drawn again


@dataclass(frozen=True)
class Bootstrap:
    """Paired bootstrap tests of many pairs with the same samples of topics (Sakai 2006)."""

    t: Floats  # (pairs,) the studentised mean of the differences; NaN where all are 0, or for a single topic
    asl: Floats  # (pairs,) achieved significance level; 1 where all are 0, NaN for a single topic
    samples: int
    seed: int | None  # None where the samples were given
    alphas: tuple[float, ...]
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
    of_z = moments(z)
    t = of_z.t
    with np.errstate(invalid="ignore"):
        r = np.where(np.isinf(t), 1.0, np.nan_to_num(t * t / (t * t + topics - 1)))
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
        sums *= sums
        of_squares *= (2.0**bits * topics * r[some] * EQUAL)[:, None]
        beyond[some] = np.count_nonzero(sums > of_squares, axis=1) / samples

    several, _ = blocks(topics, samples)
    in_threads(work, [slice(b, b + several) for b in range(0, pairs, several)], available(threads))
    beyond[np.isnan(t)] = np.nan
    beyond[(t == 0.0) | (z == 0.0).all(axis=1)] = 1.0
    critical[:, np.isnan(t)] = delta[:, np.isnan(t)] = np.nan
    with np.errstate(divide="ignore"):
        critical = np.sqrt((topics - 1) * critical / (1 - critical))
    return Bootstrap(t, beyond, samples, seed if drawn is None else None, tuple(alphas), critical, delta)


def _counts(
    topics: int, samples: int, seed: int, drawn: Sequence[Sequence[int]] | None = None
) -> Iterator[tuple[slice, Floats]]:
    """(samples, (topics, samples) how often each topic is in them), block by block."""
    source = np.random.Generator(np.random.PCG64(seed))
    _, several = blocks(topics, samples)
    for begin in range(0, samples, several):
        rows = min(several, samples - begin)
        if drawn is None:
            places = source.integers(topics, size=(rows, topics))
        else:
            places = np.array(drawn[begin : begin + rows], dtype=np.int64)
        places += np.arange(rows)[:, None] * topics
        found = np.bincount(places.ravel(), minlength=rows * topics).reshape(rows, topics)
        yield slice(begin, begin + rows), np.ascontiguousarray(found.T, dtype=np.float64)


def _sums(
    w: Floats, bits: int, samples: int, counts: Iterator[tuple[slice, Floats]] | list[tuple[slice, Floats]]
) -> tuple[Floats, Floats]:
    """(pairs, samples) of Σw and, in units of 2**bits, Σw² over each sample."""
    sums, of_squares = np.empty((len(w), samples)), np.empty((len(w), samples))
    square = np.rint(np.ldexp(w * w, -bits))
    for some, count in counts:
        np.matmul(w, count, out=sums[:, some])
        np.matmul(square, count, out=of_squares[:, some])
    return sums, of_squares


def _ratio(sums: Floats, of_squares: Floats, bits: int, topics: int) -> Floats:
    """The r of each sample; 0 where there is no difference in it, 1 where all are the same."""
    ratio = np.zeros_like(sums)
    np.divide(sums * sums, 2.0**bits * topics * of_squares, out=ratio, where=of_squares > 0)
    ratio[ratio > EQUAL] = 1.0
    return ratio


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


@statistical_test(
    "bootstrap",
    title="paired bootstrap test",
    cite="Efron & Tibshirani 1993, section 16.4; Sakai 2006",
    statistic="t = mean of the differences / (their standard deviation / √n)",
    samples=1000,
    unit="bootstrap samples of topics",
    interval="symmetric bootstrap-t interval of the mean difference",
)
def paired_bootstrap(z: Floats, ask: TestOptions) -> Outcome:
    """Whether the mean of the differences is 0: does t come as far from 0 on random samples of topics?

    Differences are shifted to mean 0, topics drawn with replacement, the same for all pairs; p is the share
    of samples (Sakai's achieved significance level, ASL), and may be 0.
    """
    found = bootstrap(z, samples=ask.samples, seed=ask.seed, alphas=[ask.alpha], threads=ask.threads)
    topics = z.shape[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        half = found.critical[0] * np.abs(z.mean(axis=1) / found.t)
    half[np.isinf(found.t)] = 0.0
    return Outcome(
        found.t, found.asl, [f"{ask.samples} samples of {counted(topics, 'topic')}"] * len(z), half=half
    )
