"""The words of `judged` without NumPy: one topic at a time, numbers one by one.

The same formulas run on both and give the same values, bit for bit; a test holds all measures to it. Not
every word is here: whoever uses another one learns so by `Unsupported`, before anything is shown, and
takes the road with NumPy.
"""

from rankgauge.rankings.scalars.judged_rankings import JudgedRankings, Pool
from rankgauge.rankings.vector import Unsupported, Vector

__all__ = ["JudgedRankings", "Pool", "Unsupported", "Vector"]
