"""Between which limits fast arithmetic cannot tell whether a document scores better than another."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rankgauge.engines.vectors.similarities import Similarity
from rankgauge.measures.rankings.arrays.curves import Floats, Ints

DOUBLE = 2.0**-53  # the largest relative error of an operation, by precision
SINGLE = 2.0**-24
SMALLEST = 2.0**-124  # sizes of products below it may be lost in single precision


class Limits(NamedTuple):
    """Products above `high` are better, those below `low` are not; in between they may be either.

    Products are first scaled and shifted, if there are numbers for that, one per document.
    """

    low: Floats  # (pairs,)
    high: Floats  # (pairs,)
    scale: Any  # (documents,) or None
    shift: Any

    def of_rows(self, rows: slice) -> Limits:
        """The limits for some of the documents."""
        scale, shift = (each if each is None else each[rows] for each in (self.scale, self.shift))
        return self._replace(scale=scale, shift=shift)

    def rounded(self, dtype: Any) -> tuple[Any, Any]:
        """The limits in another precision, no nearer to each other."""
        with np.errstate(over="ignore"):
            low, high = self.low.astype(dtype), self.high.astype(dtype)
        return np.nextafter(low, dtype(-np.inf)), np.nextafter(high, dtype(np.inf))


class Scored(NamedTuple):
    """Pairs of a query, by its row, and a judged document, by its exact score; queries ascend."""

    query: Ints  # (pairs,)
    score: Floats  # (pairs,)
    length: Floats  # (pairs,) the squared length of the query
    dim: int
    similarity: Similarity
    single: bool  # whether scores are compared in single precision

    def limits(self, roundoff: float, squares: Any, terms: int | None = None) -> Limits:
        """The limits for products with documents of these squared lengths.

        `terms` are added up in this precision, and their sums in a higher one; all unless it is given.
        The error of a sum of n products is at most about n roundings of the sum of their sizes, in any order,
        and that is at most the product of the lengths (Higham 2002, section 3.1). The scale and the shift of
        a document have such errors, too.
        """
        similarity = self.similarity
        scale = similarity.scale and similarity.scale(squares)
        shift = similarity.shift and similarity.shift(squares)
        longest = float((squares if scale is None else squares * scale * scale).max()) ** 0.5
        farthest = 0.0 if shift is None else float(abs(shift).max())
        around = np.abs(self.score) * (4 * SINGLE if self.single else 8 * DOUBLE)
        low, high = (similarity.inverse(s, self.length) for s in (self.score - around, self.score + around))
        roundings = (1 if similarity.score is None else 2) * (terms or self.dim) + 32
        error = roundings * roundoff * (np.sqrt(self.length) * longest + farthest)
        error += 4 * roundoff * np.maximum(np.abs(low), np.abs(high)) + self.dim * SMALLEST
        return Limits(low - error, high + error, scale, shift)
