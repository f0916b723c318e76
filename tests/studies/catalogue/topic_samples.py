"""Samples of topics and campaigns for the studies of stability and swaps."""

import statistics

import numpy as np

from rankgauge.studies import Campaign

TRIALS, SEED = 40, 4


def drawn(topics, size, trials=TRIALS):
    """Sets of topics without replacement."""
    source = np.random.Generator(np.random.PCG64([SEED, 0]))
    return source.permuted(np.tile(np.arange(topics), (trials, 1)), axis=1)[:, :size].tolist()


def mean(row, topics):
    return statistics.fmean(row[topic] for topic in topics)


def noisy(gap, runs=8, topics=60, seed=8):
    """Runs of equal distance, with noise from topic to topic."""
    matrix = np.random.default_rng(seed).normal(0.5, 0.15, (runs, topics)) + gap * np.arange(runs)[:, None]
    return Campaign.of_scores(
        {
            f"r{i}": {"AP": dict(zip(map(str, range(topics)), row, strict=True))}
            for i, row in enumerate(matrix.tolist())
        }
    )
