"""Scores as matrices of runs and topics, averages over samples of topics, and the places of runs."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from rankgauge.errors import InputError, OptionError
from rankgauge.model.rules import LEAST_OF_GEOMETRIC
from rankgauge.model.score_values import topic_values
from rankgauge.model.scores import Scores
from rankgauge.numbers.bootstrap import CELLS, drawn
from rankgauge.numbers.differences import Bools, Floats, Ints, cleared
from rankgauge.numbers.intervals import LEVEL

SLACK = 1e-9  # a difference this close to a boundary lies on it
SAMPLES = 2000
SEED = 0


def required_direction(scores: Scores, measure: str) -> int:
    """1 if higher values are better, -1 if lower are; an error for a measure that has no better."""
    sign = scores.direction(measure)
    if not sign:
        raise OptionError(f"{measure} is a count without better or worse; it cannot order runs")
    return sign


def matrix(scores: Scores, measure: str) -> Floats:
    """(runs, topics): the values of the topics that have one for all runs, as in a comparison."""
    values = _values(scores, measure)
    complete: Floats = values[:, _complete(values)]
    if not complete.size:
        raise InputError(f"no topic has a value of {measure} for all runs, so they cannot be compared")
    return complete


def value_notes(scores: Scores) -> list[str]:
    """Notes on undefined and infinite values, as sentences."""
    return [
        f"{note}."
        for place, measure in enumerate(scores.measures)
        for note in topic_values(scores, place, required_direction(scores, measure))[1]
    ]


def _values(scores: Scores, measure: str) -> Floats:
    """(runs, topics): NaN where a value is undefined (unless it counts as 0), infinite, or does not count."""
    return topic_values(scores, scores.measures.index(measure), required_direction(scores, measure))[0]


def _complete(values: Floats) -> Bools:
    return np.logical_not(np.isnan(values).any(axis=0))


def oriented_means(scores: Scores, *, incomplete: bool = False) -> Floats:
    """(measures, runs): the means as they are reported, with a sign that makes higher values better.

    They are cleared of rounding errors, which must not break ties. An undefined mean is an error, unless
    means may be `incomplete`.
    """
    signed = reported_means(scores)
    for measure, row in zip(scores.measures, signed, strict=True):
        row *= required_direction(scores, measure)
        if np.isnan(row).any() and not incomplete:
            raise InputError(f"the mean of {measure} is undefined for some run, so it cannot order runs")
    return cleared(signed)


def reported_means(scores: Scores) -> Floats:
    """(measures, runs) the means as they are reported."""
    means: Floats = np.array([list(by_measure.values()) for by_measure in scores.mean().values()]).T
    return means


def defined_oriented_means(scores: Scores) -> Floats:
    """(measures, runs) as `oriented_means`; NaN for a measure whose mean is undefined for some run."""
    means = oriented_means(scores, incomplete=True)
    means[np.isnan(means).any(axis=1)] = np.nan
    return means


class Resampling:
    """Scores on several measures, to be averaged over samples of the topics that all measures have."""

    def __init__(self, scores: Scores) -> None:
        self._average = [scores.average(measure) for measure in scores.measures]
        matrices = [_values(scores, measure) for measure in scores.measures]
        for place, average in enumerate(self._average):
            if average == "median":  # which is defined, and reported, with infinite values, too
                raw = scores.values[:, place]
                matrices[place] = np.where(np.isinf(raw) & scores.counted, raw, matrices[place])
        kept = np.logical_and.reduce([_complete(values) for values in matrices])
        if not kept.any():
            raise InputError("no topic has a value of every measure for all runs, so they cannot be compared")
        self.topics = int(np.count_nonzero(kept))
        self._values = [values[:, kept] for values in matrices]
        self._sign = [required_direction(scores, measure) for measure in scores.measures]
        self._weights = [
            scores.weights[measure][:, kept] if measure in scores.weights else None
            for measure in scores.measures
        ]

    def oriented(self, samples: Ints) -> Floats:
        """(samples, measures, runs): averages over each sample that order runs as reported averages do."""
        averages = [
            sign * _average(values, average, weights, samples)
            for values, average, weights, sign in zip(
                self._values, self._average, self._weights, self._sign, strict=True
            )
        ]
        shape = (len(averages), len(averages[0]), len(samples))
        return np.moveaxis(cleared(np.reshape(averages, (shape[0], -1))).reshape(shape), 2, 0)

    def bootstrap(self, samples: int, seed: int) -> Iterator[Floats]:
        """Blocks of `oriented` averages over bootstrap samples."""
        return map(self.oriented, self._sets(samples, seed, replacement=True))

    def halves(self, samples: int, seed: int) -> Iterator[Floats]:
        """Blocks of (samples, 2 measures, runs): averages over half of the topics, then over the others."""
        half = max(1, self.topics // 2)
        for sets in self._sets(samples, seed, replacement=False):
            yield np.concatenate([self.oriented(sets[:, :half]), self.oriented(sets[:, -half:])], axis=1)

    def _sets(self, samples: int, seed: int, *, replacement: bool) -> Iterator[Ints]:
        several = max(1, CELLS // (len(self._values) * len(self._values[0]) ** 2))
        for sets in drawn(self.topics, self.topics, samples, seed, replacement=replacement):
            yield from (sets[begin : begin + several] for begin in range(0, len(sets), several))


def _average(values: Floats, average: str, weights: Floats | None, samples: Ints) -> Floats:
    """(runs, samples): numbers that order runs as their averages do."""
    if average == "median":
        return np.stack([np.median(values[:, sample], axis=1) for sample in samples], axis=1)
    if average == "geometric":
        return means(np.log(np.maximum(values, LEAST_OF_GEOMETRIC)), samples)
    if average == "micro" and weights is not None:
        over = means(weights, samples)
        return np.divide(means(values * weights, samples), over, out=np.zeros_like(over), where=over > 0)
    return means(values, samples)


def means(values: Floats, samples: Ints) -> Floats:
    """(..., samples): the mean over each sample of topics, from values (..., topics)."""
    rows = values.reshape(-1, values.shape[-1])
    averages = np.empty((len(rows), len(samples)))
    several = max(1, CELLS // samples.shape[1])
    for row, average in zip(rows, averages, strict=True):
        for begin in range(0, len(samples), several):
            some = slice(begin, begin + several)
            average[some] = row[samples[some]].sum(axis=1) / samples.shape[1]
    return averages.reshape(*values.shape[:-1], len(samples))


def places(oriented: Floats) -> Floats:
    """(..., runs): 1 + the number of runs with a higher value; NaN for a run whose value is undefined.

    Equal runs share the better place.
    """
    higher = [
        np.searchsorted(np.sort(row), row) for row in -oriented.reshape(math.prod(oriented.shape[:-1]), -1)
    ]
    return np.where(np.isnan(oriented), np.nan, np.reshape(higher, oriented.shape) + 1.0)


def shown_place(place: float) -> float:
    """A place as an int, if it is defined."""
    return place if math.isnan(place) else int(place)


def place_intervals(
    scores: Scores, *, samples: int = SAMPLES, level: float = LEVEL, seed: int = SEED
) -> tuple[Ints, Ints, Ints]:
    """(place, low, high), each (measures, runs): the places by means, and their bootstrap intervals.

    The interval is that of the percentiles (Efron & Tibshirani 1993, chapter 13), rounded to places that
    occurred: it holds at least `level` of the samples.
    """
    resampling = Resampling(scores)
    own = places(resampling.oriented(np.arange(resampling.topics)[None])[0]).astype(np.int64)
    found = np.concatenate([places(block) for block in resampling.bootstrap(samples, seed)])
    ordered = np.sort(found.astype(np.int64), axis=0)  # (samples, measures, runs)
    tail = int(np.floor((1 - level) / 2 * samples))
    return own, ordered[tail], ordered[samples - 1 - tail]


def sizes_of(topics: int, sizes: tuple[int, ...] | None, most: int) -> tuple[int, ...]:
    """Sizes of topic sets without repetition; by default about five, up to the largest possible."""
    if sizes is None:
        if most < 1:
            raise OptionError(f"samples of topics need at least 2 topics, not {topics}; add more")
        return tuple(sorted({max(1, most * fifth // 5) for fifth in range(1, 6)}))
    for size in sizes:
        if size > most:
            raise OptionError(f"sizes must be at most {most} with {topics} topics, not {size}")
    return tuple(dict.fromkeys(sizes))
