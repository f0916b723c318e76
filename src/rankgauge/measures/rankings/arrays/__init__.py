"""Judged rankings with NumPy, for a block of topics at once.

Only judged documents matter: once documents are ordered, every measure is a function of the ranks and grades
of the judged documents that the run retrieved (its hits), the number of documents retrieved, and the grades
of all judged documents (the pool).
"""

from rankgauge.measures.rankings.arrays.curves import Curve, Floats, Ints, Steps, TieGroups, Ties
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.measures.rankings.arrays.pools import BLOCK, Pool, Subtopics, pools
from rankgauge.measures.rankings.vocabulary import ENDLESS

__all__ = [
    "BLOCK",
    "ENDLESS",
    "Curve",
    "Floats",
    "Ints",
    "JudgedRankings",
    "Pool",
    "Steps",
    "Subtopics",
    "TieGroups",
    "Ties",
    "pools",
]
