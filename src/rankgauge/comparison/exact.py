"""Sums that are the same in any order: values as whole numbers that a float adds without rounding.

A matrix product is free to add in any order, and threads or another processor change it. Sums of whole
numbers below 2**53 are exact, so that order cannot show.
"""

from __future__ import annotations

import numpy as np

from rankgauge.comparison.differences import Floats, Ints


def room(count: int) -> int:
    """Bits that each of so many whole numbers may have, for their sum to be exact."""
    return 52 - int(count).bit_length()


def whole(values: Floats, bits: int) -> tuple[Floats, Ints]:
    """(whole numbers of so many bits, exponents): row by row, values are nearly whole * 2**exponent."""
    exponents = np.frexp(np.abs(values).max(axis=1, initial=0.0))[1].astype(np.int64) - bits
    return np.rint(np.ldexp(values, -exponents[:, None])), exponents


def squares(numbers: Floats, bits: int) -> tuple[Floats, Floats]:
    """(high, low) with high * 2**bits + low = numbers**2, each of which may again be summed exactly."""
    square = numbers * numbers
    high = np.floor(np.ldexp(square, -bits))
    return high, square - np.ldexp(high, bits)
