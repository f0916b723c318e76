"""Judged rankings with NumPy: everything a measure needs to know about a run, for a block of topics at once.

Only judged documents matter. Once documents are ordered, every measure is a function of the ranks of the
judged documents that the run retrieved (its hits), their grades, the number of documents retrieved, and the
grades of all judged documents (the pool). Views of judged rankings are judged rankings again: the ideal
ranking, the ranking condensed to its judged documents, the ranking at another level of relevance.

Quantities per hit are arrays (hits,), topic by topic; quantities per topic are arrays (topics, 1).
"""

from rankgauge.measures.rankings.arrays.curves import TieGroups, Ties
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.measures.rankings.arrays.pools import BLOCK, Pool, Subtopics, pools
from rankgauge.measures.rankings.vocabulary import ENDLESS

__all__ = ["BLOCK", "ENDLESS", "JudgedRankings", "Pool", "Subtopics", "TieGroups", "Ties", "pools"]
