"""Errors of comparisons on samples of topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.differences import all_pairs
from rankgauge.errors import OptionError
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.studies.numerics.samples import drawn, means

SLACK = 1e-9  # a difference this close to a boundary lies on it


def sizes_of(topics: int, sizes: tuple[int, ...] | None, most: int) -> tuple[int, ...]:
    """Sizes of topic sets: these, each once, or by default about five up to the largest possible."""
    if sizes is None:
        if most < 1:
            raise OptionError(f"samples of topics need at least 2 topics, not {topics}; add more")
        return tuple(sorted({max(1, most * fifth // 5) for fifth in range(1, 6)}))
    for size in sizes:
        if size > most:
            raise OptionError(f"sizes must be at most {most} with {topics} topics, not {size}")
    return tuple(dict.fromkeys(sizes))


def error_rates(
    values: Floats, size: int, trials: int, fuzziness: tuple[float, ...], seed: int
) -> Iterator[tuple[float, float, float]]:
    """(fuzziness, error rate, share of ties) over all pairs of runs and samples of topics.

    In a sample two runs tie if they differ by less than this share of the better one's mean. The error rate
    counts, for each pair, the samples with the rarer of the two outcomes (Buckley and Voorhees 2000).
    """
    runs, topics = values.shape
    better, worse = np.zeros((2, len(fuzziness), runs, runs), dtype=np.int64)
    for sets in drawn(topics, size, trials, seed, replacement=False):
        averages = means(values, sets)
        for run in range(runs - 1):
            one, others = averages[run], averages[run + 1 :]
            difference, larger = one - others, np.maximum(np.abs(one), np.abs(others))
            for place, fuzz in enumerate(fuzziness):
                apart = np.abs(difference) >= np.maximum(fuzz * larger - SLACK, SLACK)
                better[place, run, run + 1 :] += np.count_nonzero(apart & (difference > 0), axis=1)
                worse[place, run, run + 1 :] += np.count_nonzero(apart & (difference < 0), axis=1)
    comparisons = runs * (runs - 1) // 2 * trials
    for fuzz, for_one, for_other in zip(fuzziness, better, worse, strict=True):
        ties = comparisons - int(for_one.sum() + for_other.sum())
        yield fuzz, int(np.minimum(for_one, for_other).sum()) / comparisons, ties / comparisons


@dataclass(frozen=True)
class Swaps:
    """Comparisons of two runs on two sets of topics, by the size of the difference on the first."""

    width: float  # of a bin
    comparisons: Ints  # (bins,) the last bin includes all larger differences
    swaps: Ints  # (bins,) comparisons that the other set of topics reversed

    @property
    def rates(self) -> Floats:
        """(bins,) the share of swaps; NaN for an empty bin."""
        over = np.where(self.comparisons > 0, self.comparisons, 1)
        return np.where(self.comparisons > 0, self.swaps / over, np.nan)

    def needed(self, rate: float) -> tuple[float, float]:
        """(smallest difference from which swaps stay within the rate, share of comparisons that reach it).

        NaN and 0 if there is no such difference.
        """
        first = first_within(self.rates, rate)
        seen = np.flatnonzero(self.comparisons[first:]) + first
        if not len(seen):
            return np.nan, 0.0
        share = self.comparisons[first:].sum() / self.comparisons.sum()
        return first * self.width, float(share)


def first_within(rates: Floats, rate: float) -> int:
    """The first of the last bins whose rates, unless they are NaN, are all within a rate."""
    above = np.flatnonzero(np.nan_to_num(rates, nan=0.0) > rate)
    return int(above[-1]) + 1 if len(above) else 0


def count_swaps(
    values: Floats, size: int, trials: int, seed: int, *, replacement: bool, width: float, bins: int
) -> Swaps:
    """How often another set of topics reverses a comparison (Voorhees and Buckley 2002).

    The two sets of a trial have no topic in common; with replacement (Sakai 2006) they are independent.
    """
    comparisons, reversals = np.zeros((2, bins), dtype=np.int64)
    for sets in drawn(values.shape[1], 2 * size, trials, seed, replacement=replacement):
        first, second = means(values, sets[:, :size]), means(values, sets[:, size:])
        for run in range(len(values) - 1):
            one, other = first[run] - first[run + 1 :], second[run] - second[run + 1 :]
            place = np.minimum(np.floor(np.abs(one) / width + SLACK), bins - 1).astype(np.int64)
            comparisons += np.bincount(place.ravel(), minlength=bins)
            swapped = (np.sign(one) != np.sign(other)) & (np.minimum(np.abs(one), np.abs(other)) > SLACK)
            reversals += np.bincount(place[swapped], minlength=bins)
    return Swaps(width, comparisons, reversals)


def share_reaching(values: Floats, difference: float) -> float:
    """The share of pairs of runs, (runs, topics), whose means over all topics differ as much; 0 for NaN."""
    means = values.mean(axis=1)
    first, second = all_pairs(len(means))
    return float((np.abs(means[first] - means[second]) >= difference - SLACK).mean())
