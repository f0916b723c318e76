"""Slow twins: every measure once more, in plain loops, from the definitions of the papers alone.

A twin takes the documents in rank order, the topic's judgments {document: grade} and the measure's
settings, and returns its value, or None where it is undefined. Nothing of the package is used here.
"""

import inspect

from twins import cumulated, experimental, incomplete, interpolated, ranked, sets
from twins.order import condensed, in_order

TWINS = {
    "P": ranked.precision,
    "R": ranked.recall,
    "AP": ranked.average_precision,
    "RR": ranked.reciprocal_rank,
    "F": ranked.f_measure,
    "RelP": ranked.relative_precision,
    "Rprec": ranked.r_precision,
    "Success": ranked.success,
    "Accuracy": ranked.accuracy,
    "FirstRank": ranked.first_rank,
    "NumQ": sets.number_of_topics,
    "NumRet": sets.retrieved,
    "NumRel": sets.relevant,
    "NumRelRet": sets.relevant_retrieved,
    "SetAP": sets.set_average_precision,
    "Fallout": sets.fallout,
    "Utility": sets.utility,
    "NumNonrelRet": incomplete.nonrelevant_retrieved,
    "Judged": incomplete.judged,
    "Unjudged": incomplete.unjudged,
    "Bpref": incomplete.bpref,
    "infAP": incomplete.inferred_average_precision,
    "IPrec": interpolated.interpolated_precision,
    "AP11": interpolated.eleven_point_average,
    "InterpolatedP": interpolated.interpolated_precision_at_rank,
    "nDCG_rel": experimental.ndcg_at_relevant,
    "RnDCG": experimental.ndcg_at_levels,
    "G": experimental.normalised_gain,
    "binG": experimental.binary_gain,
    "YAAP": experimental.yet_another_average_precision,
    "CG": cumulated.cumulated_gain,
    "nCG": cumulated.normalised_cumulated_gain,
    "DCG": cumulated.discounted_cumulated_gain,
    "nDCG": cumulated.normalised_discounted_cumulated_gain,
}


def takes_negatives(name):
    """Whether a measure itself asks what grades below 0 are."""
    return "negatives" in inspect.signature(TWINS[name]).parameters


def only(judgments, grade):
    """The judgments, with no relevant document but those of one grade."""
    return {doc: 1 if found == grade else min(found, 0) for doc, found in judgments.items()}


def value_of(name, results, judgments, settings, cutoff=None):
    """The value of a measure for one topic, from {document: score} and {document: grade}."""
    own = dict(settings)
    own.pop("average", None)
    ranking = in_order(results)
    if own.pop("judged_only", False):
        ranking = condensed(ranking, judgments, own.get("negatives", "unjudged"))
    if not takes_negatives(name):
        own.pop("negatives", None)
    if own.get("grade") is not None:
        judgments, own["rel"] = only(judgments, own["grade"]), 1
    own.pop("grade", None)
    return TWINS[name](ranking, judgments, cutoff=cutoff, **own)
