"""Slow twins: every measure once more, in plain loops, from the definitions of the papers alone.

A twin takes the documents in rank order, the topic's judgments {document: grade} and the measure's
settings, and returns its value, or None where it is undefined. Nothing of the package is used here.
"""

import inspect

from cases import by_subtopic
from twins import (
    classical,
    cumulated,
    cwl,
    diversity,
    effort,
    experimental,
    graded,
    incomplete,
    interpolated,
    ranked,
    sampled,
    sets,
    usermodels,
)
from twins.order import condensed, in_order

TWINS = {
    "P": ranked.precision,
    "R": ranked.recall,
    "AP": ranked.average_precision,
    "RR": ranked.reciprocal_rank,
    "F": ranked.f_measure,
    "Jaccard": ranked.jaccard,
    "AP_at_R": ranked.average_precision_at_r,
    "RelP": ranked.relative_precision,
    "Rprec": ranked.r_precision,
    "Success": ranked.success,
    "Accuracy": ranked.accuracy,
    "FirstRank": ranked.first_rank,
    "NumQ": sets.number_of_topics,
    "NumRet": sets.retrieved,
    "NumRel": sets.relevant,
    "NumRelRet": sets.relevant_retrieved,
    "CorrectlyEmpty": sets.correctly_empty,
    "WronglyAnswered": sets.wrongly_answered,
    "WronglyEmpty": sets.wrongly_empty,
    "SetAP": sets.set_average_precision,
    "Fallout": sets.fallout,
    "Utility": sets.utility,
    "NumNonrelRet": incomplete.nonrelevant_retrieved,
    "Judged": incomplete.judged,
    "Unjudged": incomplete.unjudged,
    "Bpref": incomplete.bpref,
    "AUC": incomplete.area_under_the_curve,
    "infAP": incomplete.inferred_average_precision,
    "xinfAP": sampled.extended_inferred_average_precision,
    "statAP": sampled.statistical_average_precision,
    "infNDCG": sampled.inferred_ndcg,
    "infP": sampled.inferred_precision,
    "infNumRelRet": sampled.inferred_relevant_retrieved,
    "infNumRel": sampled.inferred_relevant,
    "HT": sampled.horvitz_thompson,
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
    "ACG": cumulated.average_cumulated_gain,
    "ADCG": cumulated.average_discounted_cumulated_gain,
    "AnCG": cumulated.average_normalised_cumulated_gain,
    "AnDCG": cumulated.average_normalised_discounted_cumulated_gain,
    "IDCG": cumulated.ideal_discounted_cumulated_gain,
    "BR": graded.blended_ratio,
    "Q": graded.q_measure,
    "GAP": graded.graded_average_precision,
    "R_measure": graded.r_measure,
    "AWP": graded.average_weighted_precision,
    "genAP": graded.generalised_average_precision,
    "gP": graded.generalised_precision,
    "gR": graded.generalised_recall,
    "O_measure": graded.o_measure,
    "WRR": usermodels.weighted_reciprocal_rank,
    "P_measure": graded.p_measure,
    "P_plus": graded.p_plus,
    "NCU": graded.normalised_cumulative_utility,
    "RBP": usermodels.rank_biased_precision,
    "RBP_residual": usermodels.rank_biased_residual,
    "ERR": usermodels.expected_reciprocal_rank,
    "nERR": usermodels.normalised_expected_reciprocal_rank,
    "EBR": usermodels.expected_blended_ratio,
    "iRBU": usermodels.intentwise_rank_biased_utility,
    "Compat": usermodels.compatibility,
    "INSQ": cwl.insq,
    "INST": cwl.inst,
    "BPM": cwl.bpm,
    "SDCG": cwl.sdcg,
    "NERR8": cwl.nerr8,
    "NERR9": cwl.nerr9,
    "NERR10": cwl.nerr10,
    "NERR11": cwl.nerr11,
    "NPV": cwl.npv,
    "IFT": cwl.ift,
    "TBG": cwl.time_biased_gain,
    "U_measure": cwl.u_measure,
    "ASL": classical.average_search_length,
    "MedianRank": classical.median_rank,
    "NormRecall": classical.normalised_recall,
    "SlidingRatio": classical.sliding_ratio,
    "Satisfaction": classical.satisfaction,
    "Frustration": classical.frustration,
    "SFT": classical.satisfaction_frustration_total,
    "RHL": classical.ranked_half_life,
    "ESL": classical.expected_search_length,
    "RelativeRelevance": classical.relative_relevance,
    "ADM": classical.average_distance,
    "RP": effort.relative_position,
    "CRP": effort.cumulated_relative_position,
    "ForwardSpace": effort.forward_space,
    "BackwardSpace": effort.backward_space,
    "ForwardSpaceRatio": effort.forward_space_ratio,
    "BackwardSpaceRatio": effort.backward_space_ratio,
    "SpaceRatio": effort.space_ratio,
    "BalancePoint": effort.balance_point,
    "RecoveryRatio": effort.recovery_ratio,
    "Twist": effort.twist,
    "alpha_CG": diversity.alpha_cumulated_gain,
    "alpha_DCG": diversity.alpha_discounted_cumulated_gain,
    "alpha_nDCG": diversity.alpha_normalised,
    "ERR_IA": diversity.err_ia,
    "nERR_IA": diversity.nerr_ia,
    "NRBP": diversity.nrbp,
    "nNRBP": diversity.nnrbp,
    "AP_IA": diversity.ap_ia,
    "P_IA": diversity.p_ia,
    "StRecall": diversity.subtopic_recall,
    "StPrecision": diversity.subtopic_precision,
    "D_nDCG": diversity.d_ndcg,
    "D_Q": diversity.d_q,
    "Dsharp_nDCG": diversity.d_sharp_ndcg,
    "Dsharp_Q": diversity.d_sharp_q,
    "IA": diversity.intent_aware,
}
# What may stand inside of IA(...): (measure, settings, cutoff, the smallest grade of a relevant document).
INSIDE = {
    "nDCG@5": ("nDCG", {}, 5, 5e-324),
    "P": ("P", {}, None, 1),
    "AP(rel=2)@3": ("AP", {"rel": 2}, 3, 2),
    "nDCG(gains=exp2,judged_only=true)": ("nDCG", {"gains": "exp2", "judged_only": True}, None, 5e-324),
    "ERR@10": ("ERR", {}, 10, 5e-324),
    "R@2": ("R", {}, 2, 1),
    "Q(beta=2)": ("Q", {"beta": 2}, None, 1),
    "P@4": ("P", {}, 4, 1),
    "DCG(gains=exp2)": ("DCG", {"gains": "exp2"}, None, 5e-324),
    "RBP(rel=2)@6": ("RBP", {"rel": 2}, 6, 2),
}


def own_negatives(name):
    """The default of `negatives`, if it is a parameter of the measure itself; otherwise None."""
    asked = inspect.signature(TWINS[name]).parameters.get("negatives")
    return asked and asked.default


def only(judgments, grade):
    """The judgments, with no relevant document but those of one grade."""
    return {doc: 1 if found == grade else min(found, 0) for doc, found in judgments.items()}


def from_grade(rel, judgments, gains):
    """The judgments with grades below `rel` replaced by one that has no gain, whatever the gains."""
    none = -1e9 if isinstance(gains, dict) else 0  # a map may have a gain for 0
    return {doc: grade if grade >= rel else min(grade, none) for doc, grade in judgments.items()}


def longest_of(qrels, run):
    """How many documents the longest list of a run has, of those of judged topics."""
    return max(len(run.get(topic, ())) for topic in qrels)


def by_order(levels, max_rel=None):
    """gains=levels as a map: positive grades of the judgments, and of the scale, are worth 1, 2, 3, ..."""
    known = sorted({level for level in (*levels, max_rel or 0) if level > 0})
    return {level: place for place, level in enumerate(known, 1)} or {1: 0}


def value_of(name, results, judgments, settings, cutoff=None, highest=None, longest=None, levels=()):
    """The value of a measure for one topic, from {document: score} and {document: grade}.

    `highest` is the highest grade of all topics, `longest` the length of the longest list of all, for the
    measures that ask for it; `levels` are the grades of all topics, for gains=levels.
    """
    own = dict(settings)
    if own.get("gains") == "levels":
        own["gains"] = by_order(levels, own.pop("max_rel", None))
    own.pop("average", None)
    ranking = in_order(results)
    if own.pop("judged_only", False):
        ranking = condensed(ranking, judgments, own.get("negatives", own_negatives(name) or "unjudged"))
    if not own_negatives(name):
        own.pop("negatives", None)
    if own.get("grade") is not None:
        judgments, own["rel"] = only(judgments, own["grade"]), 1
    own.pop("grade", None)
    if "rel" in own and "rel" not in inspect.signature(TWINS[name]).parameters:
        judgments = from_grade(own.pop("rel"), judgments, own.get("gains"))
    if "highest" in inspect.signature(TWINS[name]).parameters:
        own["highest"] = highest
    if "longest" in inspect.signature(TWINS[name]).parameters:
        own["longest"] = longest
    if "scores" in inspect.signature(TWINS[name]).parameters:
        own["scores"] = results
    if "subtopics" in inspect.signature(TWINS[name]).parameters:
        own["subtopics"] = by_subtopic({"": judgments})[""]
    if "measure" in own:
        inner, settings, within, rel = INSIDE[own.pop("measure")]
        again = {doc: -rank for rank, doc in enumerate(ranking)}

        def value(judged):
            return value_of(inner, again, judged, settings, within, highest)

        own |= {"inner": (inner, settings, within, value)} if name == "HT" else {"inside": (rel, value)}
    return TWINS[name](ranking, judgments, cutoff=cutoff, **own)
