"""Discriminative power: tests of all pairs of runs by one measure, under several conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.numerics.differences import all_pairs, differences
from rankgauge.comparison.tests.permutation import randomised_tukey
from rankgauge.comparison.tests.resampling import bootstrap
from rankgauge.errors import InputError
from rankgauge.measures import parse
from rankgauge.measures.settings import build
from rankgauge.model.scores import Scores
from rankgauge.rankings.arrays.curves import Floats, Ints
from rankgauge.rankings.gains import GAINS, Gains
from rankgauge.studies.numerics.matrices import matrix


@dataclass(frozen=True)
class Significance:
    """The tests of all pairs of runs by one measure."""

    difference: Floats  # (pairs,) of means
    asl: Floats  # (pairs,) 1 where two runs have the same values
    significant: Ints  # (alphas,) pairs with ASL < alpha
    delta: Floats  # (alphas,) the largest difference that a pair needs; NaN if unknown

    def curve(self) -> list[float]:
        """The ASLs in decreasing order."""
        falling: list[float] = np.sort(self.asl)[::-1].tolist()
        return falling

    def pairs(self, runs: Sequence[str]) -> Iterator[tuple[str, str, float, float]]:
        """(run, other, difference, ASL) of each pair."""
        for first, second, difference, asl in zip(
            *all_pairs(len(runs)), self.difference.tolist(), self.asl.tolist(), strict=True
        ):
            yield runs[first], runs[second], difference, asl


def significance(
    scores: Scores, measure: str, method: str, alphas: Sequence[float], samples: int, seed: int, threads: int
) -> Significance:
    """The tests of all pairs of runs by a measure, with the same samples of topics."""
    values = matrix(scores, measure)
    if values.shape[1] < 2:
        raise InputError(f"only 1 topic has a value of {measure} for all runs; a test needs at least 2")
    z = differences(values)
    if method == "tukey":
        asl = randomised_tukey(values, permutations=samples, seed=seed, threads=threads).p
        delta = np.full(len(alphas), np.nan)
    else:
        result = bootstrap(z, samples=samples, seed=seed, alphas=alphas, threads=threads)
        asl = result.asl
        known = np.where(np.isnan(result.delta), -np.inf, result.delta).max(axis=1)
        delta = np.where(np.isfinite(known), known, np.nan)
    significant = np.array([np.count_nonzero(asl < alpha) for alpha in alphas])
    return Significance(z.mean(axis=1), asl, significant, delta)


def conditions(texts: Sequence[str], gains: Sequence[Gains] | None) -> Iterator[tuple[str, str, str]]:
    """(gains, measure, the measure with these gains): all combinations.

    A measure without gains, or with its own, is the same under all.
    """
    if not gains:
        yield from (("as named", text, text) for text in texts)
        return
    for worth in gains:
        for measure in map(parse, texts):
            free = measure.spec.has("gains") and "gains" not in measure.settings
            settings = {**measure.settings, "gains": worth} if free else measure.settings
            yield GAINS.write(worth), str(measure), str(build(measure.spec, settings, measure.cutoff))
