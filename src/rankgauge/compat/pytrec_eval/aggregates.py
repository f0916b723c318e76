"""From the values of topics to one value."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The sum of counts (`num_...`), the geometric mean (`gm_...`) or the mean of the values of topics.

    The value of a topic for `gm_map` and `gm_bpref` is a logarithm.

    >>> compute_aggregated_measure("map", [0.5, 1.0]), compute_aggregated_measure("num_ret", [10.0, 20.0])
    (0.75, 30.0)
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return math.exp(np.sum(values) / len(values))
    return float(np.mean(values))
