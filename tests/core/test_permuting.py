"""Sums of permuted rows: both cores against a slow loop over the numbers of NumPy's generator."""

import numpy as np
import pytest

from core.twins_of import CORES


def slow_sums(matrix, samples, seed):
    """Fisher and Yates's shuffle; a random number that is too large for its place is drawn again."""
    raw = np.random.PCG64(seed).random_raw(100 + 2 * matrix.size * samples)
    words = iter(raw.astype("<u8").view("<u4").tolist())  # the lower half of a number comes first
    sums = np.zeros((samples, matrix.shape[1]))
    for row in matrix:
        for sample in range(samples):
            values = row.tolist()
            for last in range(len(values) - 1, 0, -1):
                mask = (1 << last.bit_length()) - 1
                while (other := next(words) & mask) > last:
                    pass
                values[last], values[other] = values[other], values[last]
            sums[sample] += values
    return sums


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 31, 32, 33, 100])
@pytest.mark.parametrize("height", [1, 7])
def test_rows_are_permuted_as_numpy_permutes_them(core, width, height):
    matrix = np.random.default_rng(width).integers(0, 1000, (height, width)).astype(float)
    found = np.frombuffer(core.permuted_sums(np.random.PCG64([7, width]), matrix, width, 20))
    assert found.reshape(20, width).tolist() == slow_sums(matrix, 20, [7, width]).tolist()


@pytest.mark.parametrize("core", CORES)
def test_without_rows_or_samples_there_is_little_to_add_up(core):
    assert core.permuted_sums(np.random.PCG64(1), np.ones((3, 4)), 4, 0) == b""
    assert np.frombuffer(core.permuted_sums(np.random.PCG64(1), np.ones((0, 4)), 4, 2)).tolist() == [0.0] * 8


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize(("width", "samples"), [(0, 1), (-1, 1), (4, 1), (3, -1)])
def test_wrong_sizes_are_refused(core, width, samples):
    with pytest.raises(ValueError, match="rows of this width"):
        core.permuted_sums(np.random.PCG64(1), np.ones((2, 3)), width, samples)


@pytest.mark.parametrize("core", CORES)
def test_what_is_no_bit_generator_is_refused(core):
    with pytest.raises(AttributeError, match="capsule"):
        core.permuted_sums(object(), np.ones((2, 3)), 3, 1)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("samples", [1 << 60, 1 << 61, (1 << 63) - 1])  # more bytes than are counted
def test_more_samples_than_memory_can_hold_are_refused(core, samples):
    with pytest.raises((MemoryError, ValueError)):
        core.permuted_sums(np.random.PCG64(1), np.ones((2, 8)), 8, samples)
