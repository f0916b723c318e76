"""Binary measures, as in Manning, Raghavan & Schütze, chapter 8, and Voorhees 1999."""

import math


def is_relevant(doc, judgments, rel):
    return doc in judgments and judgments[doc] >= rel


def recall_base(judgments, rel):
    """R, the number of relevant documents."""
    count = 0
    for grade in judgments.values():
        if grade >= rel:
            count += 1
    return count


def precision(ranking, judgments, cutoff=None, rel=1):
    """Relevant documents among the first k, over k; over all documents retrieved when there is no k."""
    depth = len(ranking) if cutoff is None else cutoff
    if depth == 0:
        return None
    found = 0
    for doc in ranking[:depth]:
        if is_relevant(doc, judgments, rel):
            found += 1
    return found / depth


def recall(ranking, judgments, cutoff=None, rel=1):
    """Relevant documents among the first k, over R."""
    relevant = recall_base(judgments, rel)
    if relevant == 0:
        return None
    found = 0
    for doc in ranking[:cutoff]:
        if is_relevant(doc, judgments, rel):
            found += 1
    return found / relevant


def average_precision(ranking, judgments, cutoff=None, rel=1, norm="full"):
    """The sum of the precisions at the relevant documents found, over R (norm=cut: over min(k, R))."""
    divisor = recall_base(judgments, rel)
    if norm == "cut" and cutoff is not None:
        divisor = min(cutoff, divisor)
    if divisor == 0:
        return None
    total = 0.0
    for rank, doc in enumerate(ranking[:cutoff], 1):
        if is_relevant(doc, judgments, rel):
            total += precision(ranking, judgments, rank, rel)
    return total / divisor


def reciprocal_rank(ranking, judgments, cutoff=None, rel=1):
    """One over the rank of the first relevant document; 0 when there is none."""
    for rank, doc in enumerate(ranking[:cutoff], 1):
        if is_relevant(doc, judgments, rel):
            return 1 / rank
    return 0.0


def f_measure(ranking, judgments, cutoff=None, rel=1, beta=1, alpha=None):
    """The weighted harmonic mean of precision and recall, 0 where one of them is."""
    weight = 1 / (1 + beta * beta) if alpha is None else alpha
    both = precision(ranking, judgments, cutoff, rel), recall(ranking, judgments, cutoff, rel)
    if None in both:
        return None
    return 1 / (weight / both[0] + (1 - weight) / both[1]) if all(both) else 0.0


def relative_precision(ranking, judgments, cutoff=None, rel=1):
    """Precision over the precision of the ranking that has all relevant documents first."""
    found, relevant = precision(ranking, judgments, cutoff, rel), recall_base(judgments, rel)
    depth = len(ranking) if cutoff is None else cutoff
    if found is None or relevant == 0:
        return None
    return found / (min(depth, relevant) / depth)


def r_precision(ranking, judgments, cutoff=None, rel=1, times=1):
    """Precision at rank R, or at a multiple of it."""
    depth = math.floor(times * recall_base(judgments, rel) + 0.9)
    return precision(ranking, judgments, depth, rel) if depth else None


def success(ranking, judgments, cutoff=None, rel=1):
    return float(any(is_relevant(doc, judgments, rel) for doc in ranking[:cutoff]))


def accuracy(ranking, judgments, cutoff=None, rel=1):
    """The share of pairs of a relevant document and another that have the relevant one first."""
    right = pairs = 0
    first = ranking[:cutoff]
    for i, doc in enumerate(first):
        for later in first[i + 1 :]:
            before, after = is_relevant(doc, judgments, rel), is_relevant(later, judgments, rel)
            pairs += before != after
            right += before and not after
    return right / pairs if pairs else None


def first_rank(ranking, judgments, cutoff=None, rel=1):
    for rank, doc in enumerate(ranking[:cutoff], 1):
        if is_relevant(doc, judgments, rel):
            return rank
    return None


def jaccard(ranking, judgments, cutoff=None, rel=1):
    """The first k documents and the relevant ones: what both have, over what either has."""
    relevant = {doc for doc, grade in judgments.items() if grade >= rel}
    if not relevant:
        return None
    seen = set(ranking[:cutoff])
    missing = 0 if cutoff is None else max(0, cutoff - len(ranking))
    return len(seen & relevant) / (len(seen | relevant) + missing)


def average_precision_at_r(ranking, judgments, cutoff=None, rel=1):
    relevant = recall_base(judgments, rel)
    if relevant == 0:
        return None
    precisions = [
        precision(ranking, judgments, rank, rel)
        for rank, doc in enumerate(ranking[:relevant], 1)
        if is_relevant(doc, judgments, rel)
    ]
    return sum(precisions) / relevant
