"""Discriminative power: tests of all pairs of runs by one measure, under several conditions.

A test is random, and so is what follows from it. Δ above all: it is the largest, over all pairs, of the
difference that a single sample of topics happens to have, and more samples hardly make it steadier. Each test
is therefore repeated with other seeds. (To divide the samples of one test into groups would cost nothing, but
Δ is larger, and varies more, with fewer samples; docs/studies/spread.md has the numbers.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankgauge.comparison.differences import all_pairs, differences
from rankgauge.comparison.procedures.permutation import randomised_tukey
from rankgauge.comparison.procedures.resampling import bootstrap
from rankgauge.errors import InputError
from rankgauge.measures import parse
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.measures.rankings.gains import GAINS, Gains
from rankgauge.measures.settings import build
from rankgauge.model.scores import Scores
from rankgauge.studies.numerics.matrices import matrix
from rankgauge.studies.numerics.samples import drawn
from rankgauge.studies.numerics.topic_sets import sizes_of


@dataclass(frozen=True)
class Spread:
    """A mean and the standard deviation over repeats; NaN for a single one."""

    mean: float
    deviation: float

    @classmethod
    def of(cls, values: Floats) -> Spread:
        """The spread of values; those that are NaN are left out."""
        known = values[~np.isnan(values)]
        if not len(known):
            return cls(math.nan, math.nan)
        return cls(float(known.mean()), float(known.std(ddof=1)) if len(known) > 1 else math.nan)


@dataclass(frozen=True)
class Significance:
    """The tests of all pairs of runs by one measure, repeated with other seeds."""

    difference: Floats  # (pairs,) of means
    levels: Floats  # (repeats, pairs) ASL; 1 where two runs have the same values
    deltas: Floats  # (repeats, alphas) the largest difference that a pair needs; NaN if unknown
    alphas: tuple[float, ...]

    @property
    def asl(self) -> Floats:
        """(pairs,) the ASL by all samples of all repeats."""
        mean: Floats = self.levels.mean(axis=0)
        return mean

    @property
    def significant(self) -> Ints:
        """(alphas,) pairs with ASL < alpha."""
        return np.array([np.count_nonzero(self.asl < alpha) for alpha in self.alphas])

    @property
    def percent(self) -> list[Spread]:
        """(alphas,) the share of pairs with ASL < alpha in each repeat."""
        return [Spread.of(100 * (self.levels < alpha).mean(axis=1)) for alpha in self.alphas]

    @property
    def delta(self) -> list[Spread]:
        """(alphas,) the difference needed."""
        return [Spread.of(column) for column in self.deltas.T]

    def curve(self) -> Iterator[tuple[float, float, float]]:
        """(ASL, its lowest and its highest in a repeat) of each pair, in decreasing order of ASL."""
        low, high = self.levels.min(axis=0), self.levels.max(axis=0)
        for pair in np.argsort(-self.asl, kind="stable"):
            yield float(self.asl[pair]), float(low[pair]), float(high[pair])

    def pairs(self, runs: Sequence[str]) -> Iterator[tuple[str, str, float, float]]:
        """(run, other, difference, ASL) of each pair."""
        for first, second, difference, asl in zip(
            *all_pairs(len(runs)), self.difference.tolist(), self.asl.tolist(), strict=True
        ):
            yield runs[first], runs[second], difference, asl


@dataclass(frozen=True)
class PairTests:
    """How all pairs of runs are tested."""

    method: str  # bootstrap or tukey
    alphas: tuple[float, ...]
    samples: int
    repeats: int
    seed: int
    threads: int
    done: Callable[[], None] = lambda: None  # called after each test

    def significance(self, values: Floats) -> Significance:
        """The tests of all pairs of (runs, topics); the first repeat has the seed itself."""
        z = differences(values)
        once = self._tukey if self.method == "tukey" else self._bootstrap
        repeats = []
        for repeat in range(self.repeats):
            repeats.append(once(values, z, seed_of(self.seed, repeat)))
            self.done()
            if repeats[-1][2]:
                for _ in range(repeat + 1, self.repeats):  # which are not needed
                    self.done()
                break
        levels, deltas, _ = zip(*repeats, strict=True)
        return Significance(z.mean(axis=1), np.array(levels), np.array(deltas), self.alphas)

    def _bootstrap(self, values: Floats, z: Floats, seed: int) -> tuple[Floats, Floats, bool]:
        """(ASL, Δ, whether other seeds find the same)."""
        result = bootstrap(z, samples=self.samples, seed=seed, alphas=self.alphas, threads=self.threads)
        known = np.where(np.isnan(result.delta), -np.inf, result.delta).max(axis=1)
        return result.asl, np.where(np.isfinite(known), known, np.nan), False

    def _tukey(self, values: Floats, z: Floats, seed: int) -> tuple[Floats, Floats, bool]:
        """The same for the randomised Tukey HSD, whose Δ is the same for all pairs."""
        result = randomised_tukey(values, permutations=self.samples, seed=seed, threads=self.threads)
        delta = np.array([result.critical(alpha) for alpha in self.alphas])
        # Among all permutations is the one that was observed: none exceeds the largest.
        beyond = delta >= result.ranges[-1] if result.exact else delta <= 0.0
        return result.p, np.where(beyond, np.nan, delta), result.exact

    def by_size(
        self, values: Floats, sizes: tuple[int, ...], subsets: int
    ) -> Iterator[tuple[int, Significance]]:
        """(size, the tests on random subsets of that many topics, as repeats)."""
        topics = values.shape[1]
        for size in sizes_of(topics, sizes, topics):
            chosen = np.concatenate([*drawn(topics, size, subsets, self.seed, replacement=False)])
            parts = [
                replace(self, repeats=1, seed=seed_of(self.seed, place)).significance(values[:, subset])
                for place, subset in enumerate(np.sort(chosen, axis=1))
            ]
            levels = np.concatenate([part.levels for part in parts])
            deltas = np.concatenate([part.deltas for part in parts])
            yield size, Significance(differences(values).mean(axis=1), levels, deltas, self.alphas)


def seed_of(seed: int, repeat: int) -> int:
    """The seed of a repeat; the first has the seed itself."""
    return int(np.random.SeedSequence([seed, repeat]).generate_state(1)[0]) if repeat else seed


def tested_values(scores: Scores, measure: str) -> Floats:
    """(runs, topics): the values by a measure that are tested, of at least 2 topics."""
    values = matrix(scores, measure)
    if values.shape[1] < 2:
        raise InputError(f"only 1 topic has a value of {measure} for all runs; a test needs at least 2")
    return values


def conditions(texts: Sequence[str], gains: Sequence[Gains] | None) -> Iterator[tuple[str | None, str, str]]:
    """(gains, measure, the measure with these gains): all combinations.

    A measure without gains, or with its own, is the same under all: it comes once, with None.
    """
    measures = list(map(parse, texts)) if gains else []
    free = [each.spec.has("gains") and "gains" not in each.settings for each in measures]
    if not gains:
        yield from ((None, text, text) for text in texts)
    yield from ((None, str(each), str(each)) for each, open_ in zip(measures, free, strict=True) if not open_)
    for worth in gains or ():
        for measure, open_ in zip(measures, free, strict=True):
            if open_:
                settings = {**measure.settings, "gains": worth}
                yield GAINS.write(worth), str(measure), str(build(measure.spec, settings, measure.cutoff))
