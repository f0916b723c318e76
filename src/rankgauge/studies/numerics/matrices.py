"""Scores as the matrices that studies compute with."""

from __future__ import annotations

import numpy as np

from rankgauge.comparison.numerics.differences import cleared
from rankgauge.comparison.topic_values import direction as direction_of
from rankgauge.comparison.topic_values import topic_values
from rankgauge.errors import InputError, OptionError
from rankgauge.model.scores import Scores
from rankgauge.model.topic_rules import LEAST_OF_GEOMETRIC
from rankgauge.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.studies.numerics.samples import means


def direction(scores: Scores, measure: str) -> int:
    """Whether higher (1) or lower (-1) values are better; an error for a measure that has no better."""
    found = direction_of(scores, measure)
    if not found:
        raise OptionError(f"{measure} is a count without better or worse; no order of runs follows from it")
    return found


def matrix(scores: Scores, measure: str) -> Floats:
    """(runs, topics): all values, by the rules for what is undefined.

    What is undefined or infinite is what it is in a comparison; a topic without a value for some run is left
    out for all: what is compared is compared on the same topics.
    """
    values = _values(scores, measure)
    complete: Floats = values[:, _complete(values)]
    if not complete.size:
        raise InputError(f"no topic has a value of {measure} for all runs; nothing can be compared")
    return complete


def remarks(scores: Scores) -> list[str]:
    """What became of undefined and infinite values, in sentences."""
    return [
        f"{said}."
        for place, measure in enumerate(scores.measures)
        for said in topic_values(scores, place, direction(scores, measure))[1]
    ]


def _values(scores: Scores, measure: str) -> Floats:
    """(runs, topics): NaN where a value is undefined, and not 0, or infinite, or a topic does not count."""
    return topic_values(scores, scores.measures.index(measure), direction(scores, measure))[0]


def _complete(values: Floats) -> Bools:
    return np.logical_not(np.isnan(values).any(axis=0))


def oriented_means(scores: Scores) -> Floats:
    """(measures, runs): the means as they are reported, turned so that higher is better.

    What differs only by the rounding of a sum is the same: a tie of two runs must not be broken by it.
    """
    found = np.array([list(by_measure.values()) for by_measure in scores.mean().values()]).T
    for measure, row in zip(scores.measures, found, strict=True):
        row *= direction(scores, measure)
        if np.isnan(row).any():
            raise InputError(f"the mean of {measure} is undefined for some run; no order follows from it")
    return cleared(found)


class Resampling:
    """Scores by several measures, ready to be averaged over samples of the topics that all of them have."""

    def __init__(self, scores: Scores) -> None:
        records = [scores.provenance.measures.get(measure, {}) for measure in scores.measures]
        self._average = [record.get("average", "mean") for record in records]
        found = [_values(scores, measure) for measure in scores.measures]
        for place, average in enumerate(self._average):
            if average == "median":  # which stands infinite values, and is reported with them
                raw = scores.values[:, place]
                found[place] = np.where(np.isinf(raw) & scores.counted, raw, found[place])
        kept = np.logical_and.reduce([_complete(values) for values in found])
        if not kept.any():
            raise InputError("no topic has a value of every measure for all runs; nothing can be compared")
        self.topics = int(np.count_nonzero(kept))
        self._values = [values[:, kept] for values in found]
        self._turn = [direction(scores, measure) for measure in scores.measures]
        self._weights = [
            scores.weights[measure][:, kept] if measure in scores.weights else None
            for measure in scores.measures
        ]

    def oriented(self, samples: Ints) -> Floats:
        """(samples, measures, runs): averages over each sample, in the order of those that are reported."""
        found = [
            turn * _averaged(values, average, weights, samples)
            for values, average, weights, turn in zip(
                self._values, self._average, self._weights, self._turn, strict=True
            )
        ]
        shape = (len(found), len(found[0]), len(samples))
        return np.moveaxis(cleared(np.reshape(found, (shape[0], -1))).reshape(shape), 2, 0)


def _averaged(values: Floats, average: str, weights: Floats | None, samples: Ints) -> Floats:
    """(runs, samples): what orders runs as their averages do."""
    if average == "median":
        return np.stack([np.median(values[:, sample], axis=1) for sample in samples], axis=1)
    if average == "geometric":
        return means(np.log(np.maximum(values, LEAST_OF_GEOMETRIC)), samples)
    if average == "micro" and weights is not None:
        over = means(weights, samples)
        return np.divide(means(values * weights, samples), over, out=np.zeros_like(over), where=over > 0)
    return means(values, samples)
