"""Comparing runs: whether a difference is real, how large it is, and how to report it."""

from rankgauge.comparison.compare_runs import compare
from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.result import MeasureComparison, Pair

__all__ = ["MeasureComparison", "Comparison", "Pair", "compare"]
