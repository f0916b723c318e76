"""Samples of topics, and averages over them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankgauge.measures.rankings.arrays.curves import Floats, Ints

CELLS = 1 << 22  # topics drawn, or values picked, at once


def drawn(topics: int, size: int, samples: int, seed: int, *, replacement: bool) -> Iterator[Ints]:
    """Blocks of (samples, size) numbers of topics; each block has its own generator.

    Without replacement, samples of different sizes are nested: the smaller is the beginning of the larger.
    """
    several = max(1, CELLS // topics)
    for begin in range(0, samples, several):
        source = np.random.Generator(np.random.PCG64([seed, begin]))
        rows = min(several, samples - begin)
        if replacement:
            yield source.integers(topics, size=(rows, size))
        else:
            yield source.permuted(np.tile(np.arange(topics), (rows, 1)), axis=1)[:, :size]


def means(values: Floats, samples: Ints) -> Floats:
    """(..., samples): the mean over each sample of topics, from values (..., topics)."""
    rows = values.reshape(-1, values.shape[-1])
    averages = np.empty((len(rows), len(samples)))
    several = max(1, CELLS // samples.shape[1])
    for row, average in zip(rows, averages, strict=True):
        for begin in range(0, len(samples), several):
            some = slice(begin, begin + several)
            average[some] = row[samples[some]].sum(axis=1) / samples.shape[1]
    return averages.reshape(*values.shape[:-1], len(samples))
