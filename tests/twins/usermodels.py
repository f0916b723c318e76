"""Rank-biased precision, expected reciprocal rank and their relatives, and compatibility, rank by rank.

`highest` is the highest grade of all judgments, which holds unless `max_rel` gives that of the scale.
"""

from twins.cumulated import gain_of, gain_vector, ideal_vector
from twins.graded import (
    blended_ratios,
    gains_of,
    ideal_of,
    nothing_found,
    relevant_gain,
    relevant_ranks,
)
from twins.ranked import recall_base


def top_gain(gains, highest, max_rel):
    """The largest gain of the scale."""
    if isinstance(gains, dict):
        return max(gains.values())
    return 1.0 if gains == "binary" else gain_of(highest if max_rel is None else max_rel, gains)


def shares(vector, gains, highest, max_rel):
    """Gains as shares of the largest."""
    top = top_gain(gains, highest, max_rel)
    return [gain / top if top else 0.0 for gain in vector]


def rank_biased_precision(
    ranking, judgments, cutoff=None, p=0.8, gains="binary", max_rel=None, rel=1, highest=None
):
    total = 0.0
    gain = shares(gains_of(ranking, judgments, gains, rel), gains, highest, max_rel)
    for rank, share in enumerate(gain[:cutoff], 1):
        total += share * p ** (rank - 1)
    return (1 - p) * total


def rank_biased_residual(ranking, judgments, cutoff=None, p=0.8, negatives="nonrelevant"):
    residual = 0.0
    for rank, doc in enumerate(ranking[:cutoff], 1):
        if doc not in judgments or (judgments[doc] < 0 and negatives == "unjudged"):
            residual += (1 - p) * p ** (rank - 1)
    return residual + p ** len(ranking[:cutoff])


def stopping(vector, gains, highest, max_rel):
    """How likely the user is satisfied at each rank, and not before."""
    top = top_gain(gains, highest, max_rel)
    probabilities = []
    still_looking = 1.0
    for gain in vector:
        enough = gain / (top + 1)
        probabilities.append(still_looking * enough)
        still_looking *= 1 - enough
    return probabilities


def expected_reciprocal_rank(
    ranking, judgments, cutoff=None, gains="exp2", max_rel=None, highest=None, vector=None
):
    gain = gain_vector(ranking, judgments, gains) if vector is None else vector
    stops = stopping(gain, gains, highest, max_rel)
    return sum(stop / rank for rank, stop in enumerate(stops[:cutoff], 1))


def normalised_expected_reciprocal_rank(
    ranking, judgments, cutoff=None, gains="exp2", max_rel=None, highest=None
):
    ideal = ideal_vector(judgments, gains)
    best = expected_reciprocal_rank([], judgments, cutoff, gains, max_rel, highest, vector=ideal)
    own = expected_reciprocal_rank(ranking, judgments, cutoff, gains, max_rel, highest)
    return own / best if best else None


def expected_blended_ratio(
    ranking, judgments, cutoff=None, beta=1, gains="linear", max_rel=None, rel=1, highest=None
):
    if not recall_base(judgments, rel):
        return None
    ratios = blended_ratios(ranking, judgments, beta, gains, rel, len(ranking))
    stops = stopping(gains_of(ranking, judgments, gains, rel), gains, highest, max_rel)
    return sum(ratio * stop for ratio, stop in zip(ratios[:cutoff], stops[:cutoff], strict=True))


def intentwise_rank_biased_utility(
    ranking, judgments, cutoff=None, p=0.99, gains="linear", max_rel=None, highest=None
):
    stops = stopping(gain_vector(ranking, judgments, gains), gains, highest, max_rel)
    return sum(p**rank * stop for rank, stop in enumerate(stops[:cutoff], 1))


def rank_biased_overlap(one, two, p, depth):
    """Webber, Moffat & Zobel's overlap down to a depth, without what would come after it."""
    total = weights = 0.0
    for i in range(1, depth + 1):
        total += p ** (i - 1) * len(set(one[:i]) & set(two[:i])) / i
        weights += p ** (i - 1)
    return total, weights


def compatibility(ranking, judgments, cutoff=None, p=0.95, normalize=True, end="depth"):
    ideal = [doc for doc, grade in judgments.items() if grade > 0]
    place = {doc: rank for rank, doc in enumerate(ranking)}
    ideal.sort(key=lambda doc: (-judgments[doc], place.get(doc, len(ranking))))
    depth = 1000 if end == "depth" else max(len(ranking), len(ideal))
    depth = depth if cutoff is None else min(depth, cutoff)
    total, weights = rank_biased_overlap(ranking, ideal, p, depth)
    most = rank_biased_overlap(ideal, ideal, p, depth)[0] if normalize else weights
    return total / most if most else None


def weighted_reciprocal_rank(
    ranking, judgments, cutoff=None, beta=2, gains="linear", max_rel=None, norm="no", rel=1, highest=None
):
    """1 / (r - 1/β) of the first relevant document, as a share of that of the best document at rank 1."""
    best = top_gain(gains, highest, max_rel)
    values = [
        1 / (r - 1 / (beta + best - relevant_gain(judgments[ranking[r - 1]], gains, rel)))
        for r in relevant_ranks(ranking, judgments, rel, cutoff)[:1]
    ]
    if not values:
        return nothing_found(judgments, rel)
    if norm == "no":
        return values[0]
    return values[0] * (1 - 1 / (beta + best - max(ideal_of(judgments, gains, rel))))
