"""Judged rankings: all that a measure needs to know of a run, for a block of topics at once.

Only judged documents matter. After ordering, every measure is a function of the ranks of the
judged documents a run retrieved (its hits), their grades, how many documents were retrieved, and
the grades of all judged documents (the pool). Views of judged rankings are again judged rankings: the ideal
ranking, the ranking condensed to its judged documents, the ranking at another level of relevance.

Facts about hits are arrays (hits,), topic after topic; facts about topics are arrays (topics, 1).
"""

from rankgauge.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.rankings.arrays.pools import BLOCK, Pool, pools
from rankgauge.rankings.arrays.subtopics import Subtopics
from rankgauge.rankings.arrays.ties import TieGroups, Ties
from rankgauge.rankings.curve import ENDLESS

__all__ = ["BLOCK", "ENDLESS", "JudgedRankings", "Pool", "Subtopics", "TieGroups", "Ties", "pools"]
