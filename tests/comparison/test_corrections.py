"""What holds for every correction, whoever adds one."""

import numpy as np
import pytest

from rankgauge.comparison.corrections import correct, factor
from rankgauge.comparison.registry import CORRECTIONS


def same(one, other):
    return np.array_equal(one, other, equal_nan=True)


@pytest.mark.parametrize("name", CORRECTIONS)
def test_a_correction_keeps_order_and_range_and_leaves_the_undefined_out(name):
    p = np.array([0.04, np.nan, 0.001, 0.5, 0.04, 0.9, 0.0])
    found = correct(p, name)
    defined = ~np.isnan(p)
    assert same(np.isnan(found), np.isnan(p))
    assert same(found[defined], correct(p[defined], name))
    assert np.all(found[defined] >= p[defined])
    assert np.all(found[defined] <= 1)
    order = np.argsort(p[defined], kind="stable")
    assert np.all(np.diff(found[defined][order]) >= 0)
    assert found[0] == found[4]


@pytest.mark.parametrize("name", CORRECTIONS)
@pytest.mark.parametrize("p", [[], [np.nan], [0.03]])
def test_a_correction_of_one_p_or_none_changes_nothing(name, p):
    assert same(correct(np.array(p, dtype=float), name), np.array(p, dtype=float))


@pytest.mark.parametrize("name", CORRECTIONS)
def test_what_a_correction_multiplies_p_with(name):
    expected = {"none": 1, "by": 10 * sum(1 / n for n in range(1, 11))}.get(name, 10)
    assert factor(name, 10) == pytest.approx(expected)
