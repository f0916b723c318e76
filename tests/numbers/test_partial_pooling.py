"""Estimates of segments, shrunken toward their mean: against a slow twin, and by simulation."""

import math

import numpy as np
import pytest

from rankgauge.numbers.intervals import t_quantile
from rankgauge.numbers.partial_pooling import LEAST, PRIOR, SPREADS, estimates, shrunken


def by_formulas(z, labels, alpha):
    """Gelman et al. 2013, equations 5.17, 5.20 and 5.21, number by number."""
    parts = [[v for v, label in zip(z, labels, strict=True) if label == each] for each in sorted({*labels})]
    means, counts = [math.fsum(part) / len(part) for part in parts], [*map(len, parts)]
    squares = [math.fsum((v - m) ** 2 for v in part) for part, m in zip(parts, means, strict=True)]
    typical = math.fsum(s / (n - 1) for s, n in zip(squares, counts, strict=True)) / len(parts)
    variances = [(PRIOR * typical + s) / (PRIOR + n - 1) / n for s, n in zip(squares, counts, strict=True)]
    spreads = [(max(means) - min(means)) * each for each in SPREADS]
    steps, posterior, of_spread = np.gradient(SPREADS), [], []
    for step, tau in zip(steps, spreads, strict=True):
        precision = [1 / (v + tau**2) for v in variances]
        centre = math.fsum(w * m for w, m in zip(precision, means, strict=True)) / math.fsum(precision)
        density = math.sqrt(1 / math.fsum(precision))
        for w, m in zip(precision, means, strict=True):
            density *= math.sqrt(w) * math.exp(-w * (m - centre) ** 2 / 2)
        posterior.append(density * step)
        of_spread.append(
            [
                (m + v * w * (centre - m), (1 - v * w) * v + (v * w) ** 2 / math.fsum(precision))
                for v, w, m in zip(variances, precision, means, strict=True)
            ]
        )
    for segment in range(len(parts)):
        value = np.average([each[segment][0] for each in of_spread], weights=posterior)
        second = np.average([e[segment][1] + e[segment][0] ** 2 for e in of_spread], weights=posterior)
        half = t_quantile(alpha, len(z) - len(parts)) * math.sqrt(second - value**2)
        yield value, value - half, value + half


@pytest.mark.parametrize("sizes", [(3, 3, 3), (2, 5, 9, 20), (2,) * 8])
def test_the_formulas_of_the_book(sizes):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    z = np.random.default_rng(len(sizes)).normal(0, 1, (4, len(labels))) + labels / 4
    found = shrunken(z, labels, 0.05)
    for pair, values in enumerate(z):
        expected = [*by_formulas(values.tolist(), labels.tolist(), 0.05)]
        np.testing.assert_allclose(found[:, pair].T, expected, rtol=1e-8)


def test_forty_segments_of_three_topics_are_nearer_to_the_truth():
    random, labels = np.random.default_rng(2), np.repeat(np.arange(40), 3)
    true = random.normal(0.05, 0.1, (200, 40))
    z = true[:, labels] + random.normal(0, 0.3, (200, 120))
    value, low, high = shrunken(z, labels, 0.05)
    own = z.reshape(200, 40, 3).mean(axis=2)
    assert ((value - true) ** 2).mean() < 0.5 * ((own - true) ** 2).mean()
    assert 0.9 < ((low <= true) & (true <= high)).mean() < 0.99
    assert (np.ptp(value, axis=1) < np.ptp(own, axis=1)).all()


def test_what_cannot_be_known_is_undefined():
    labels, pair = np.array([0, 0, 1, 1, 2, 2, 3]), (np.array([0]), np.array([1]))
    z = np.array([0.1, 0.2, 0.3, 0.5, 0.0, 0.4, 0.9])
    found = estimates(np.array([z, 0 * z]), labels, *pair, alpha=0.05)
    assert np.isnan(found[:, 0]).tolist() == [[False, False, False, True]] * 3  # a topic alone
    np.testing.assert_array_equal(found[:, 0, :3], shrunken(z[None, :6], labels[:6], 0.05)[:, 0])
    z[5] = math.nan  # then two segments are left, of which LEAST are needed
    assert LEAST == 3
    assert np.isnan(estimates(np.array([z, 0 * z]), labels, *pair, alpha=0.05)).all()
    assert np.isnan(shrunken(np.zeros((1, 6)), labels[:6], 0.05)).all()
