"""The rankings of subtopics that measures of diversity are computed from."""

from typing import TYPE_CHECKING

from rankgauge.measures.rankings.novelty import Novelty

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Floats
    from rankgauge.measures.rankings.arrays.subtopic_rankings import SubtopicRankings


def relevant_by_subtopic(j: "JudgedRankings") -> "SubtopicRankings":
    """The rankings once for each subtopic, with the documents relevant to it alone."""
    from rankgauge.measures.rankings.arrays import subtopic_rankings

    return subtopic_rankings.relevant_by_subtopic(j)


def defined(j: "JudgedRankings") -> "Floats":
    """(topics, 1): 1, or undefined for topics without a document that is relevant to a subtopic."""
    return relevant_by_subtopic(j).defined


def novel_gains(j: "JudgedRankings", novelty: Novelty) -> "Floats":
    """(hits,): the gain of each document given the subtopics seen before, by their weights."""
    from rankgauge.measures.rankings.arrays import subtopic_rankings

    rankings = relevant_by_subtopic(j)
    return subtopic_rankings.novel_gains(rankings, novelty, rankings.weights)


def novel_shares(j: "JudgedRankings", alpha: float) -> "Floats":
    """(hits,): the gain of each document given the subtopics seen before, by their probabilities."""
    from rankgauge.measures.rankings.arrays import subtopic_rankings

    rankings = relevant_by_subtopic(j)
    return subtopic_rankings.novel_gains(rankings, Novelty(alpha), rankings.shares)
