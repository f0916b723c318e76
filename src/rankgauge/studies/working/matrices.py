"""Scores as the matrices that studies compute with."""

from __future__ import annotations

import numpy as np

from rankgauge.curve import Floats
from rankgauge.errors import OptionError
from rankgauge.model.scores import Scores


def direction(scores: Scores, measure: str) -> int:
    """Whether higher (1) or lower (-1) values are better; an error for a measure that has no better."""
    found: int = scores.how.measures.get(measure, {}).get("direction", 1)
    if not found:
        raise OptionError(f"{measure} is a count without better or worse; no order of runs follows from it")
    return found


def matrix(scores: Scores, measure: str) -> Floats:
    """(runs, topics): all values, by the rules for what is undefined.

    Under undefined=zero (and higher is better) undefined values are 0; otherwise, and where a topic does not
    count for some run, it is left out for all: what is compared is compared on the same topics.
    """
    values: Floats = scores.values[:, scores.measures.index(measure)].copy()
    if scores.rules.undefined == "zero" and direction(scores, measure) > 0:
        values[np.isnan(values)] = 0.0
    values[~scores.counted] = np.nan
    complete: Floats = values[:, ~np.isnan(values).any(axis=0)]
    return complete


def oriented_means(scores: Scores) -> Floats:
    """(measures, runs): the means as they are reported, turned so that higher is better."""
    means = [list(by_measure.values()) for by_measure in scores.mean().values()]
    turned = np.array([direction(scores, measure) for measure in scores.measures])
    oriented: Floats = (np.array(means) * turned).T
    return oriented
