"""Quartiles of scores."""

import math

import numpy as np
import pytest

from rankgauge.figures.quartiles import box_summary, quantile


def test_a_value_far_away_is_a_point_and_no_values_are_undefined():
    assert box_summary([0.0, 1.0, 1.0, 1.0, 2.0, 9.0])[1] == [9.0]
    box, beyond = box_summary([])
    assert all(map(math.isnan, box))
    assert beyond == []


@pytest.mark.parametrize("share", [0, 0.25, 0.5, 0.75, 0.9, 1])
def test_a_quantile_is_numpys(share):
    for size in (1, 2, 3, 7, 10):
        values = sorted(np.random.default_rng(size).random(size).tolist())
        assert quantile(values, share) == pytest.approx(np.quantile(values, share))
