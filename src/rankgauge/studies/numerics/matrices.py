"""Scores as matrices of runs and topics."""

from __future__ import annotations

import numpy as np

from rankgauge.comparison.differences import cleared, topic_values
from rankgauge.errors import InputError, OptionError
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.model.scores import Scores
from rankgauge.model.topic_rules import LEAST_OF_GEOMETRIC
from rankgauge.studies.numerics.samples import means


def required_direction(scores: Scores, measure: str) -> int:
    """1 if higher values are better, -1 if lower are; an error for a measure that has no better."""
    sign = scores.direction(measure)
    if not sign:
        raise OptionError(f"{measure} is a count without better or worse; it cannot order runs")
    return sign


def matrix(scores: Scores, measure: str) -> Floats:
    """(runs, topics): all values, with undefined and infinite ones treated as in a comparison.

    A topic without a value for some run is left out for all, so that all runs have the same topics.
    """
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

    They are cleared of rounding errors, which must not break a tie of two runs. A mean that is undefined is
    an error, unless means may be `incomplete`.
    """
    signed = np.array([list(by_measure.values()) for by_measure in scores.mean().values()]).T
    for measure, row in zip(scores.measures, signed, strict=True):
        row *= required_direction(scores, measure)
        if np.isnan(row).any() and not incomplete:
            raise InputError(f"the mean of {measure} is undefined for some run, so it cannot order runs")
    return cleared(signed)


class Resampling:
    """Scores by several measures, ready to be averaged over samples of the topics that all measures have."""

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
