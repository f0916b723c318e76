"""Values that are permuted within rows and added up: NumPy's own permutations."""

from __future__ import annotations

from typing import Any


def permuted_sums(bit_generator: Any, matrix: Any, width: int, samples: int) -> bytes:
    """(samples, width): sums over the rows, each of which is permuted anew for every sample."""
    import numpy as np

    values = np.frombuffer(matrix)
    if width < 1 or samples < 0 or len(values) % width:
        raise ValueError("rows of this width, and a number of samples are expected")
    source = np.random.Generator(bit_generator)
    sums, permuted = np.zeros((samples, width)), np.empty((samples, width))
    for row in values.reshape(-1, width):
        permuted[:] = row
        sums += source.permuted(permuted, axis=1, out=permuted)
    return sums.tobytes()
