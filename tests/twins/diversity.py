"""Novelty and diversity, from Clarke et al. 2008, and from the definitions of other papers.

`subtopics` is {subtopic: {document: grade}}. A document has the subtopics for which it has a
relevant grade. Subtopics are equally likely.
"""

import math
from fractions import Fraction

from twins.cumulated import divisor, gain_of, normalised_discounted_cumulated_gain
from twins.graded import q_measure
from twins.ranked import average_precision, precision


def nuggets_of(doc, subtopics, rel):
    return [name for name, judged in subtopics.items() if doc in judged and judged[doc] >= rel]


def with_nuggets(subtopics, rel):
    """All documents that have a subtopic, by id."""
    docs = {doc for judged in subtopics.values() for doc in judged}
    return sorted((doc for doc in docs if nuggets_of(doc, subtopics, rel)), key=str.encode)


def useful(subtopics, rel):
    """The subtopics that a document is relevant to."""
    return [name for name, judged in subtopics.items() if any(grade >= rel for grade in judged.values())]


def gain(doc, before, subtopics, rel, alpha, gamma):
    """G[k] of a document, after others (equation 7; with gamma, equation 6)."""
    left = sorted(
        (1 - alpha) ** sum(name in nuggets_of(other, subtopics, rel) for other in before)
        for name in nuggets_of(doc, subtopics, rel)
    )
    if gamma is None:
        return sum(left)
    return 1 - math.prod(sorted(1 - gamma * alpha * each for each in left))


def gains_of(ranking, subtopics, rel, alpha, gamma=None):
    return [gain(doc, ranking[:k], subtopics, rel, alpha, gamma) for k, doc in enumerate(ranking)]


def greedy(subtopics, rel, alpha, gamma=None, last=False):
    """The documents that have a subtopic: each time the one that adds the most, the first or last by id."""
    left, taken = with_nuggets(subtopics, rel), []
    if last:
        left.reverse()
    while left:
        worth = [gain(doc, taken, subtopics, rel, alpha, gamma) for doc in left]
        taken.append(left.pop(worth.index(max(worth))))
    return taken


def discounted(gains, cutoff, discount, base):
    return sum(each / divisor(rank, discount, base) for rank, each in enumerate(gains[:cutoff], 1))


def best_of_all(subtopics, rel, alpha, gamma, cutoff, discount, base):
    """The largest sum of all rankings down to a rank, from what the best order of each set has."""
    docs = with_nuggets(subtopics, rel)
    depth = len(docs) if cutoff is None else min(cutoff, len(docs))
    best = {frozenset(): 0.0}
    for rank in range(1, depth + 1):
        longer = {}
        for taken, total in best.items():
            for doc in docs:
                if doc not in taken:
                    added = gain(doc, list(taken), subtopics, rel, alpha, gamma) / divisor(
                        rank, discount, base
                    )
                    more = taken | {doc}
                    longer[more] = max(longer.get(more, 0.0), total + added)
        best = longer
    return max(best.values())


def alpha_cumulated_gain(ranking, judgments, subtopics, cutoff=None, alpha=0.5, gamma=None, rel=1):
    return discounted(gains_of(ranking, subtopics, rel, alpha, gamma), cutoff, "none", None)


def alpha_discounted_cumulated_gain(
    ranking, judgments, subtopics, cutoff=None, alpha=0.5, gamma=None, discount="log2", base=None, rel=1
):
    return discounted(gains_of(ranking, subtopics, rel, alpha, gamma), cutoff, discount, base)


def alpha_normalised(
    ranking,
    judgments,
    subtopics,
    cutoff=None,
    alpha=0.5,
    gamma=None,
    discount="log2",
    base=None,
    ideal="greedy",
    rel=1,
):
    own = discounted(gains_of(ranking, subtopics, rel, alpha, gamma), cutoff, discount, base)
    if ideal == "exact":
        best = best_of_all(subtopics, rel, alpha, gamma, cutoff, discount, base)
    else:
        order = greedy(subtopics, rel, alpha, gamma, last=ideal == "ndeval")
        best = discounted(gains_of(order, subtopics, rel, alpha, gamma), cutoff, discount, base)
    if best == 0:
        return None
    return own / best if ideal in ("unclipped", "ndeval") else min(1.0, own / best)


def cascade(ranking, subtopics, cutoff, alpha, rel):
    """Σ 1/j Σ_i 1/m (1 - alpha)^r."""
    intents = len(useful(subtopics, rel))
    gains = gains_of(ranking, subtopics, rel, alpha)
    return sum(each / intents / rank for rank, each in enumerate(gains[:cutoff], 1))


def err_ia(ranking, judgments, subtopics, cutoff=None, alpha=0.5, rel=1):
    depth = len(ranking) if cutoff is None else cutoff
    if not useful(subtopics, rel):
        return None
    if depth == 0:
        return 0.0
    most = sum((1 - alpha) ** (rank - 1) / rank for rank in range(1, depth + 1))
    return cascade(ranking, subtopics, cutoff, alpha, rel) / most


def nerr_ia(ranking, judgments, subtopics, cutoff=None, alpha=0.5, rel=1):
    if not useful(subtopics, rel):
        return None
    best = greedy(subtopics, rel, alpha, last=True)
    return cascade(ranking, subtopics, cutoff, alpha, rel) / cascade(best, subtopics, cutoff, alpha, rel)


def rank_biased(ranking, subtopics, cutoff, alpha, beta, rel):
    gains = gains_of(ranking, subtopics, rel, alpha)[:cutoff]
    return sum(each / len(useful(subtopics, rel)) * beta**k for k, each in enumerate(gains))


def nrbp(ranking, judgments, subtopics, cutoff=None, alpha=0.5, beta=0.5, rel=1):
    if not useful(subtopics, rel):
        return None
    return (1 - (1 - alpha) * beta) * rank_biased(ranking, subtopics, cutoff, alpha, beta, rel)


def nnrbp(ranking, judgments, subtopics, cutoff=None, alpha=0.5, beta=0.5, rel=1):
    if not useful(subtopics, rel):
        return None
    best = rank_biased(greedy(subtopics, rel, alpha, last=True), subtopics, cutoff, alpha, beta, rel)
    return rank_biased(ranking, subtopics, cutoff, alpha, beta, rel) / best


def mean_over_intents(subtopics, rel, value):
    """The mean of a value over the subtopics that a document is relevant to."""
    intents = useful(subtopics, rel)
    values = [value(subtopics[name]) for name in intents]
    return None if not values or None in values else sum(values) / len(values)


def ap_ia(ranking, judgments, subtopics, cutoff=None, rel=1):
    return mean_over_intents(
        subtopics, rel, lambda judged: average_precision(ranking, judged, cutoff=cutoff, rel=rel)
    )


def p_ia(ranking, judgments, subtopics, cutoff=None, rel=1):
    return mean_over_intents(
        subtopics, rel, lambda judged: precision(ranking, judged, cutoff=cutoff, rel=rel)
    )


def covered(ranking, subtopics, rel):
    return {name for doc in ranking for name in nuggets_of(doc, subtopics, rel)}


def subtopic_recall(ranking, judgments, subtopics, cutoff=None, rel=1):
    intents = useful(subtopics, rel)
    return len(covered(ranking[:cutoff], subtopics, rel)) / len(intents) if intents else None


def subtopic_precision(ranking, judgments, subtopics, cutoff=None, recall=1.0, rel=1):
    intents = useful(subtopics, rel)
    if not intents:
        return None

    def ranks(docs):
        for rank in range(len(docs) + 1):
            if len(covered(docs[:rank], subtopics, rel)) >= Fraction(str(recall)) * len(intents):
                return rank
        return math.inf

    return ranks(greedy(subtopics, rel, 1.0)) / ranks(ranking)


def worth_something(subtopics, gains):
    """{subtopic: {document: gain}} of the documents that have one."""
    worth = {
        name: {doc: gain_of(grade, gains) for doc, grade in judged.items() if gain_of(grade, gains) > 0}
        for name, judged in subtopics.items()
    }
    return {name: judged for name, judged in worth.items() if judged}


def global_gains(subtopics, gains):
    """{document: its gain for all intents together}."""
    worth, found = worth_something(subtopics, gains), {}
    for judged in worth.values():
        for doc, each in judged.items():
            found[doc] = found.get(doc, 0.0) + each / len(worth)
    return found


def d_ndcg(ranking, judgments, subtopics, cutoff=None, gains="linear", discount="log2", base=None):
    found = global_gains(subtopics, gains)
    return normalised_discounted_cumulated_gain(ranking, found, cutoff, "linear", discount, base)


def d_q(ranking, judgments, subtopics, cutoff=None, beta=1, gains="linear", norm="full"):
    found = global_gains(subtopics, gains)
    return q_measure(ranking, found, cutoff=cutoff, beta=beta, norm=norm, rel=5e-324)


def intent_recall(ranking, subtopics, cutoff, gains):
    worth = worth_something(subtopics, gains)
    return sum(any(doc in judged for doc in ranking[:cutoff]) for judged in worth.values()) / len(worth)


def d_sharp_ndcg(
    ranking, judgments, subtopics, cutoff=None, weight=0.5, gains="linear", discount="log2", base=None
):
    other = d_ndcg(ranking, judgments, subtopics, cutoff, gains, discount, base)
    if other is None:
        return None
    return weight * intent_recall(ranking, subtopics, cutoff, gains) + (1 - weight) * other


def d_sharp_q(ranking, judgments, subtopics, cutoff=None, weight=0.5, beta=1, gains="linear", norm="full"):
    other = d_q(ranking, judgments, subtopics, cutoff, beta, gains, norm)
    if other is None:
        return None
    return weight * intent_recall(ranking, subtopics, cutoff, gains) + (1 - weight) * other


def intent_aware(ranking, judgments, subtopics, inside, cutoff=None):
    """The mean over intents of a measure, given as (smallest relevant grade, function of judgments)."""
    rel, value = inside
    return mean_over_intents(subtopics, rel, value)
