"""Samples of topics, each from a generator of its own: neither threads nor blocks can show in them."""

from __future__ import annotations

import numpy as np

from rankgauge.curve import Floats, Ints

CELLS = 1 << 22  # values that are picked at once


def generator(seed: int, *unit: int) -> np.random.Generator:
    """The generator of one unit of work."""
    return np.random.Generator(np.random.PCG64([seed, *unit]))


def with_replacement(topics: int, size: int, samples: int, seed: int) -> Ints:
    """(samples, size): topics, any of them as often as chance has it."""
    return np.stack([generator(seed, sample).integers(topics, size=size) for sample in range(samples)])


def without_replacement(topics: int, size: int, samples: int, seed: int) -> Ints:
    """(samples, size): topics, each at most once.

    Samples of other sizes from the same seed are nested: the smaller is the beginning of the larger.
    """
    drawn = [generator(seed, sample).permutation(topics)[:size] for sample in range(samples)]
    return np.stack(drawn)


def means(values: Floats, samples: Ints) -> Floats:
    """(..., samples): the mean over each sample of topics, of values (..., topics)."""
    found = np.empty((*values.shape[:-1], len(samples)))
    several = max(1, CELLS // max(1, values[..., 0].size * samples.shape[1]))
    for begin in range(0, len(samples), several):
        some = slice(begin, begin + several)
        # topic by topic, so that the mean of equal values is the same for whatever stands beside them
        total = np.zeros(found[..., some].shape)
        for column in samples[some].T:
            total += values[..., column]
        found[..., some] = total / samples.shape[1]
    return found
