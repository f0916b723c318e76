"""Between which limits fast arithmetic cannot tell whether a document scores better than another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankgauge.engines.vectors.similarities import Similarity
from rankgauge.rankings.arrays.curves import Floats

DOUBLE = 2.0**-53  # the largest relative error of an operation, by precision
SINGLE = 2.0**-24
SMALLEST = 2.0**-124  # numbers in single precision that may be lost below it


class Thresholds(NamedTuple):
    """The exact scores of judged documents, and what is known of their queries."""

    score: Floats  # (pairs,)
    query: Floats  # (pairs,) the squared length of the query
    dim: int
    similarity: Similarity
    single: bool  # whether scores are compared in single precision

    def limits(self, roundoff: float, longest: float, shift: float) -> tuple[Floats, Floats]:
        """(low, high): a product above `high` is better, one below `low` is not; in between it may be either.

        `longest` is the largest length of a document after scaling, `shift` the largest shift. The error of a
        sum of n products is at most about n roundings of the sum of their sizes, in any order, which is at
        most the product of the lengths (Higham 2002, section 3.1). Scale and shift have such errors, too.
        """
        around = np.abs(self.score) * (4 * SINGLE if self.single else 8 * DOUBLE)
        low, high = (
            self.similarity.inverse(s, self.query) for s in (self.score - around, self.score + around)
        )
        sizes = np.sqrt(self.query) * longest
        times = 1 if self.similarity.score is None else 2
        error = (times * self.dim + 32) * roundoff * (sizes + shift) + 4 * roundoff * np.abs(low)
        error += self.dim * SMALLEST
        return low - error, high + error


def outward(low: Floats, high: Floats, dtype: Any) -> tuple[Any, Any]:
    """The limits in another precision, no nearer to each other."""
    with np.errstate(over="ignore"):
        return np.nextafter(low.astype(dtype), dtype(-np.inf)), np.nextafter(
            high.astype(dtype), dtype(np.inf)
        )
