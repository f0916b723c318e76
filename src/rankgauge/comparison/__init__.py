"""Comparing runs: is the difference real, how large is it, and what would a paper say?"""

from rankgauge.comparison.comparing import compare
from rankgauge.comparison.record import Compared, Comparison, Pair

__all__ = ["Compared", "Comparison", "Pair", "compare"]
