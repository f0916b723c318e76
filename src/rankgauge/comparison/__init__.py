"""Comparing runs: is the difference real, how large is it, and what would a paper say?"""

from rankgauge.comparison.compare_runs import compare
from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.result import Compared, Pair

__all__ = ["Compared", "Comparison", "Pair", "compare"]
