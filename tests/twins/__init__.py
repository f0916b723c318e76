"""Slow twins: every measure once more, in plain loops, from the definitions of the papers alone.

A twin takes the documents in rank order, the topic's judgments {document: grade} and the measure's
settings, and returns its value, or None where it is undefined. Nothing of the package is used here.
"""

from twins import cumulated, ranked
from twins.order import condensed, in_order

TWINS = {
    "P": ranked.precision,
    "R": ranked.recall,
    "AP": ranked.average_precision,
    "RR": ranked.reciprocal_rank,
    "CG": cumulated.cumulated_gain,
    "nCG": cumulated.normalised_cumulated_gain,
    "DCG": cumulated.discounted_cumulated_gain,
    "nDCG": cumulated.normalised_discounted_cumulated_gain,
}


def value_of(name, results, judgments, settings, cutoff=None):
    """The value of a measure for one topic, from {document: score} and {document: grade}."""
    own = dict(settings)
    ranking = in_order(results)
    if own.pop("judged_only", False):
        ranking = condensed(ranking, judgments, own.pop("negatives", "unjudged"))
    return TWINS[name](ranking, judgments, cutoff=cutoff, **own)
