"""Q-measure and its relatives, from Sakai 2006 and the README of NTCIREVAL, rank by rank.

`gains` is the name of a scheme or {grade: gain}, for relevant documents; others have none.
"""

from twins.cumulated import gain_of, gain_vector, ideal_vector
from twins.ranked import is_relevant, recall_base


def relevant_gain(grade, gains, rel):
    """What a grade is worth if it is relevant."""
    if grade < rel:
        return 0.0
    return 1.0 if gains == "binary" else gain_of(grade, gains)


def gains_of(ranking, judgments, gains, rel):
    """g(r) of each document retrieved."""
    return [relevant_gain(judgments[doc], gains, rel) if doc in judgments else 0.0 for doc in ranking]


def ideal_of(judgments, gains, rel):
    """g(r) of the ideal: all relevant documents, the largest gain first, also those without gain."""
    relevant = [grade for grade in judgments.values() if grade >= rel]
    return sorted((relevant_gain(grade, gains, rel) for grade in relevant), reverse=True)


def blended_ratios(ranking, judgments, beta, gains, rel, depth):
    """[BR(r) for r = 1 ... depth]."""
    own, ideal = gains_of(ranking, judgments, gains, rel), ideal_of(judgments, gains, rel)
    ratios = []
    cg = cg_ideal = 0.0
    count = 0
    for r in range(1, depth + 1):
        if r <= len(ranking):
            cg += own[r - 1]
            count += is_relevant(ranking[r - 1], judgments, rel)
        if r <= len(ideal):
            cg_ideal += ideal[r - 1]
        ratios.append((beta * cg + count) / (beta * cg_ideal + r))
    return ratios


def relevant_ranks(ranking, judgments, rel, cutoff):
    return [r for r, doc in enumerate(ranking[:cutoff], 1) if is_relevant(doc, judgments, rel)]


def blended_ratio(ranking, judgments, cutoff=None, beta=1, gains="linear", rel=1):
    depth = len(ranking) if cutoff is None else cutoff
    return blended_ratios(ranking, judgments, beta, gains, rel, depth)[-1] if depth else None


def q_measure(ranking, judgments, cutoff=None, beta=1, gains="linear", norm="full", rel=1):
    divisor = recall_base(judgments, rel)
    if norm == "cut" and cutoff is not None:
        divisor = min(cutoff, divisor)
    if divisor == 0:
        return None
    ratios = blended_ratios(ranking, judgments, beta, gains, rel, len(ranking))
    return sum(ratios[r - 1] for r in relevant_ranks(ranking, judgments, rel, cutoff)) / divisor


def r_measure(ranking, judgments, cutoff=None, beta=1, gains="linear", rel=1):
    base = recall_base(judgments, rel)
    return blended_ratios(ranking, judgments, beta, gains, rel, base)[-1] if base else None


def average_weighted_precision(ranking, judgments, cutoff=None, gains="linear", norm="full", rel=1):
    own, ideal = gains_of(ranking, judgments, gains, rel), ideal_of(judgments, gains, rel)
    if sum(ideal) == 0:
        return None
    divisor = min(cutoff, len(ideal)) if norm == "cut" and cutoff is not None else len(ideal)
    ranks = relevant_ranks(ranking, judgments, rel, cutoff)
    return sum(sum(own[:r]) / sum(ideal[:r]) for r in ranks) / divisor


def generalised_average_precision(ranking, judgments, cutoff=None, gains="linear", norm="ideal", rel=1):
    own, ideal = gains_of(ranking, judgments, gains, rel), ideal_of(judgments, gains, rel)
    best = sum(sum(ideal[:r]) / r for r in range(1, recall_base(judgments, rel) + 1))
    if norm == "R":
        best = recall_base(judgments, rel)
    if best == 0:
        return None
    return sum(sum(own[:r]) / r for r in relevant_ranks(ranking, judgments, rel, cutoff)) / best


def generalised_precision(ranking, judgments, cutoff=None, gains="linear"):
    depth = len(ranking) if cutoff is None else cutoff
    return sum(gain_vector(ranking, judgments, gains)[:cutoff]) / depth if depth else None


def generalised_recall(ranking, judgments, cutoff=None, gains="linear"):
    total = sum(ideal_vector(judgments, gains))
    return sum(gain_vector(ranking, judgments, gains)[:cutoff]) / total if total else None


def o_measure(ranking, judgments, cutoff=None, beta=1, gains="linear", rel=1):
    ranks = relevant_ranks(ranking, judgments, rel, cutoff)
    if not ranks:
        return nothing_found(judgments, rel)
    return blended_ratios(ranking, judgments, beta, gains, rel, len(ranking))[ranks[0] - 1]


def nothing_found(judgments, rel):
    """The value where no relevant document is found: undefined if there is none to find."""
    return 0.0 if recall_base(judgments, rel) else None


def preferred_rank(ranking, judgments, ranks):
    """The first of the relevant documents of the best grade."""
    return min(ranks, key=lambda r: (-judgments[ranking[r - 1]], r))


def p_measure(ranking, judgments, cutoff=None, beta=1, gains="linear", rel=1):
    ranks = relevant_ranks(ranking, judgments, rel, cutoff)
    if not ranks:
        return nothing_found(judgments, rel)
    ratios = blended_ratios(ranking, judgments, beta, gains, rel, len(ranking))
    return ratios[preferred_rank(ranking, judgments, ranks) - 1]


def p_plus(ranking, judgments, cutoff=None, beta=1, gains="linear", rel=1):
    ranks = relevant_ranks(ranking, judgments, rel, cutoff)
    if not ranks:
        return nothing_found(judgments, rel)
    ratios = blended_ratios(ranking, judgments, beta, gains, rel, len(ranking))
    preferred = preferred_rank(ranking, judgments, ranks)
    looked_at = [ratios[r - 1] for r in ranks if r <= preferred]
    return sum(looked_at) / len(looked_at)


def normalised_cumulative_utility(
    ranking, judgments, cutoff=None, stop="gu", utility="BR", gamma=0.95, beta=1, gains="linear", rel=1
):
    ratios = blended_ratios(ranking, judgments, 0 if utility == "P" else beta, gains, rel, len(ranking))
    own, ideal = gains_of(ranking, judgments, gains, rel), ideal_of(judgments, gains, rel)
    stops = sum(ideal) if stop == "gu" else sum(gamma**n for n in range(len(ideal)))
    if stops == 0:
        return None
    total = 0.0
    for n, r in enumerate(relevant_ranks(ranking, judgments, rel, cutoff)):
        total += ratios[r - 1] * (own[r - 1] if stop == "gu" else gamma**n)
    return total / stops


def graded_average_precision(ranking, judgments, cutoff=None, gains="linear"):
    """The mean over all thresholds of the sum of precisions, by the number of users who have each."""
    own = [max(0.0, gain_of(judgments[doc], gains)) if doc in judgments else 0.0 for doc in ranking]
    most = sum(max(0.0, gain_of(grade, gains)) for grade in judgments.values())
    depth = len(own) if cutoff is None else min(cutoff, len(own))
    pairs = sum(min(own[n], own[m]) / (n + 1) for n in range(depth) for m in range(n + 1))
    return pairs / most if most else None
