"""Novelty and diversity beyond measures: the model of Clarke et al. 2008, and judging by answer patterns.

relevance, judged_relevance, likely_relevance     equations 2, 4 and 5: the probability of relevance
novel_relevance, gain_vector                      equations 6 and 7: the same after the documents before it
read_patterns, judge, check, combined             judgments from patterns, and their quality
"""

from rankgauge.studies.diversity.model import (
    contains,
    gain_vector,
    judged_relevance,
    likely_relevance,
    novel_relevance,
    relevance,
)
from rankgauge.studies.diversity.patterns import Quality, check, combined, judge, read_patterns

__all__ = [
    "Quality",
    "check",
    "combined",
    "contains",
    "gain_vector",
    "judge",
    "judged_relevance",
    "likely_relevance",
    "novel_relevance",
    "read_patterns",
    "relevance",
]
