"""Products of rows, and scores near a limit: both cores against each other, and against slow loops."""

import numpy as np
import pytest

from core.twins_of import CORES

TYPES = [np.float32, np.float64]


def lanes(a, b):
    """The product of two vectors by the definition: 64 sums side by side, then halves added to halves."""
    sums = [0.0] * 64
    for place, (x, y) in enumerate(zip(a, b, strict=True)):
        sums[place % 64] += float(x) * float(y)
    while len(sums) > 1:
        half = len(sums) // 2
        sums = [x + y for x, y in zip(sums[:half], sums[half:], strict=True)]
    return sums[0]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("dim", [1, 3, 63, 64, 65, 200])
def test_products_are_added_up_in_one_order(core, dtype, dim):
    rng = np.random.default_rng(dim)
    a, b = (rng.normal(size=(9, dim)).astype(dtype) * 10.0 ** rng.integers(-5, 6) for _ in range(2))
    a, b = a.astype(dtype), b.astype(dtype)
    rows = rng.integers(0, 9, (2, 50))
    found = np.frombuffer(core.dots(a, rows[0], b, rows[1], dim))
    assert found.tolist() == [lanes(a[i], b[j]) for i, j in rows.T]


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("columns", [1, 63, 64, 65, 300])
def test_scores_near_a_limit_are_listed_and_higher_ones_counted(core, dtype, columns):
    rng = np.random.default_rng(columns)
    scores = np.round(rng.normal(size=(5, columns)), 1).astype(dtype)
    scores.flat[rng.integers(0, scores.size, 3)] = [np.inf, -np.inf, np.nan]
    rows = np.sort(rng.integers(0, 5, 20))
    low = np.round(rng.normal(size=20), 1).astype(dtype)
    high = (low + np.round(rng.random(20), 1)).astype(dtype)
    low[:2], high[1:3] = -np.inf, np.inf
    found = core.near(scores, columns, rows, low, high)
    above, pairs, places = (np.frombuffer(each, np.int64).tolist() for each in found)
    of_pairs = scores[rows]
    assert above == (of_pairs > high[:, None]).sum(axis=1).tolist()
    expected = np.argwhere((of_pairs >= low[:, None]) & (of_pairs <= high[:, None]))
    assert [pairs, places] == expected.T.tolist()


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("columns", [1, 15, 16, 17, 300])
def test_distances_near_a_limit_are_listed_and_larger_ones_counted(core, columns):
    rng = np.random.default_rng(columns)
    values = np.round(rng.normal(size=(5, columns)), 1)
    values.flat[rng.integers(0, values.size, 3)] = [np.inf, -np.inf, np.nan]
    first, second = rng.integers(0, 5, (2, 40))
    low = np.round(rng.normal(size=40) + 2, 1)
    high = low + np.round(rng.random(40), 1)
    low[:2], high[1:3] = -np.inf, np.inf
    found = core.near_differences(values, columns, first, second, low, high)
    above, pairs, places = (np.frombuffer(each, np.int64).tolist() for each in found)
    with np.errstate(invalid="ignore"):
        distances = np.abs(values[first] - values[second])
    assert above == (distances > high[:, None]).sum(axis=1).tolist()
    expected = np.argwhere((distances >= low[:, None]) & (distances <= high[:, None]))
    assert [pairs, places] == expected.T.tolist()


ROWS, LIMITS = np.array([0, 1]), np.zeros(2)
WRONG = {
    "a row that is not there": ("dots", (np.ones((2, 3)), np.array([0, 2]), np.ones((2, 3)), ROWS, 3)),
    "a negative row": ("dots", (np.ones((2, 3)), np.array([0, -1]), np.ones((2, 3)), ROWS, 3)),
    "other sizes": ("dots", (np.ones((2, 3)), np.array([0]), np.ones((2, 3)), ROWS, 3)),
    "other precision": ("dots", (np.ones((2, 3)), ROWS, np.ones((2, 3), dtype=np.float32), ROWS, 3)),
    "no dimension": ("dots", (np.ones((2, 3)), ROWS, np.ones((2, 3)), ROWS, 0)),
    "a row of scores that is not there": ("near", (np.ones((2, 3)), 3, np.array([0, 2]), LIMITS, LIMITS)),
    "few limits": ("near", (np.ones((2, 3)), 3, ROWS, LIMITS[:1], LIMITS)),
    "a row of values that is not there": (
        "near_differences",
        (np.ones((2, 3)), 3, ROWS, np.array([0, 2]), LIMITS, LIMITS),
    ),
    "few limits of distances": ("near_differences", (np.ones((2, 3)), 3, ROWS, ROWS, LIMITS, LIMITS[:1])),
    "few second rows": ("near_differences", (np.ones((2, 3)), 3, ROWS, ROWS[:1], LIMITS, LIMITS)),
    "no columns of values": ("near_differences", (np.ones((2, 3)), 0, ROWS, ROWS, LIMITS, LIMITS)),
    "no columns": ("near", (np.ones((2, 3)), 0, ROWS, LIMITS, LIMITS)),
}


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("case", WRONG)
def test_wrong_arguments_are_refused(core, case):
    function, arguments = WRONG[case]
    with pytest.raises(ValueError):
        getattr(core, function)(*arguments)
