"""Which grades a measure distinguishes."""

from __future__ import annotations

import math
from typing import Any

from rankgauge.schema.frozen import Frozen


class Distinction(Frozen):
    """Which grades a measure distinguishes from each other, and from unjudged.

    Called with a grade, it returns the same for grades that the measure does not distinguish, and None for
    those that count as unjudged.
    """

    lowest: float  # lower grades count as unjudged; if it is finite, so do all that are not relevant
    relevant: float = math.inf  # the lowest grade that counts; infinite if all grades differ
    only: float | None = None  # the one that counts instead, if there is one
    graded: bool = False  # whether grades that count differ from each other
    gains: tuple[tuple[float, float], ...] = ()  # their gains, if two of them may have the same
    by_subtopic: bool = False  # documents of the same grade may differ

    def __call__(self, grade: float) -> Any:
        """The kind of documents of a grade."""
        if grade < self.lowest:
            return None
        if self.relevant == math.inf:
            return grade
        if grade < self.relevant if self.only is None else grade != self.only:
            if self.lowest > -math.inf:
                return None
            return "below 0" if grade < 0 else "not relevant"  # which differ where there is `negatives`
        if self.gains:
            return dict(self.gains).get(grade, "relevant")
        return grade if self.graded else "relevant"
