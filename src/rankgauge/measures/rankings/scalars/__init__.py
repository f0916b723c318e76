"""Judged rankings in plain Python: the back end for small inputs, without NumPy.

Formulas have the same values as with `arrays`, bit for bit; a test checks every measure. Not every quantity
and view is here: a measure that uses another one raises `Unsupported`, and is evaluated with `arrays`.
"""

from rankgauge.measures.rankings.scalars.judged_rankings import JudgedRankings, Pool
from rankgauge.measures.rankings.vector import Unsupported, Vector

__all__ = ["JudgedRankings", "Pool", "Unsupported", "Vector"]
