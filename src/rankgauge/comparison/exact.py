"""Sums that are the same in any order: values as whole numbers that a float adds without rounding.

A matrix product is free to add in any order, and threads or another processor change it. Sums of whole
numbers below 2**53 are exact, so that order cannot show.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.differences import Floats, Ints

EQUAL = 1 - 1e-10  # of two statistics: what is nearer than that is equal
PRODUCT = 1 << 19  # multiplications of a product of matrices that its library does in one thread
DRAWN = 1 << 16  # topics that are drawn at once


def room(count: int) -> int:
    """Bits that each of so many whole numbers may have, for their sum to be exact."""
    return 52 - int(count).bit_length()


def blocks(topics: int, samples: int) -> tuple[int, int]:
    """(pairs, samples) that are worked on together.

    Threads of products that take so little time mostly wait for each other, on a busy machine for seconds.
    """
    together = max(1, min(samples, DRAWN // topics))
    return max(1, PRODUCT // (together * topics)), together


def whole(values: Floats, bits: int) -> tuple[Floats, Ints]:
    """(whole numbers of so many bits, exponents): row by row, values are nearly whole * 2**exponent."""
    exponents = np.frexp(np.abs(values).max(axis=1, initial=0.0))[1].astype(np.int64) - bits
    return np.rint(np.ldexp(values, -exponents[:, None])), exponents


def squares(numbers: Floats, bits: int) -> tuple[Floats, Floats]:
    """(high, low) with high * 2**bits + low = numbers**2, each of which may again be summed exactly."""
    square = numbers * numbers
    high = np.floor(np.ldexp(square, -bits))
    return high, square - np.ldexp(high, bits)


@dataclass(frozen=True)
class Moments:
    """Mean and spread of rows of differences."""

    mean: Floats  # (pairs,)
    centred: Floats  # (pairs, topics) shifted to mean 0
    deviation: Floats  # (pairs,) standard deviation, by n - 1; NaN for a single topic
    t: Floats  # (pairs,) mean / (deviation / √n); infinite where all are the same, NaN where all are 0


def moments(z: Floats) -> Moments:
    """The moments of (pairs, topics), the same in any order of topics."""
    topics = z.shape[1]
    bits = room(topics)
    numbers, exponents = whole(z, bits)
    mean = np.ldexp(numbers.sum(axis=1), exponents) / topics
    centred = z - mean[:, None]
    centred[(z == z[:, :1]).all(axis=1)] = 0.0
    numbers, exponents = whole(centred, bits)
    high, low = (part.sum(axis=1) for part in squares(numbers, bits))
    with np.errstate(divide="ignore", invalid="ignore"):
        deviation = np.ldexp(np.sqrt((np.ldexp(high, bits) + low) / (topics - 1)), exponents)
        t = mean / (deviation / np.sqrt(topics))
    return Moments(mean, centred, deviation, t)
