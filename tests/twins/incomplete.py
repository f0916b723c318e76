"""Incomplete judgments: Buckley & Voorhees 2004, Soboroff 2006, Yilmaz & Aslam 2006; what was judged."""

from twins.ranked import is_relevant, recall_base


def is_nonrelevant(doc, judgments, rel, negatives):
    """Whether it was judged, and found not to be relevant."""
    if doc not in judgments or judgments[doc] >= rel:
        return False
    return judgments[doc] >= 0 or negatives == "nonrelevant"


def is_judged(doc, judgments, negatives):
    return doc in judgments and (judgments[doc] >= 0 or negatives == "nonrelevant")


def nonrelevant_retrieved(ranking, judgments, cutoff=None, rel=1, negatives="unjudged"):
    return sum(is_nonrelevant(doc, judgments, rel, negatives) for doc in ranking[:cutoff])


def judged(ranking, judgments, cutoff=None, negatives="unjudged"):
    """The share of the documents among the first k that have a judgment."""
    first = ranking[:cutoff]
    if not first:
        return None
    return sum(is_judged(doc, judgments, negatives) for doc in first) / len(first)


def unjudged(ranking, judgments, cutoff=None, negatives="unjudged"):
    """Documents without a judgment among the first k, over k."""
    depth = len(ranking) if cutoff is None else cutoff
    if depth == 0:
        return None
    return sum(not is_judged(doc, judgments, negatives) for doc in ranking[:depth]) / depth


def bpref(ranking, judgments, cutoff=None, rel=1, negatives="unjudged", over="min"):
    """For each relevant document retrieved, the share of non-relevant ones that are not ranked before it."""
    relevant = recall_base(judgments, rel)
    nonrelevant = sum(is_nonrelevant(doc, judgments, rel, negatives) for doc in judgments)
    if relevant == 0:
        return None
    most = relevant + 10 if over == "R10" else relevant
    divisor = min(relevant, nonrelevant) if over == "min" else most
    total, before = 0.0, 0
    for doc in ranking[:cutoff]:
        if is_relevant(doc, judgments, rel):
            total += 1.0 if before == 0 else 1 - min(before, most) / divisor
        elif is_nonrelevant(doc, judgments, rel, negatives):
            before += 1
    return total / relevant


def inferred_average_precision(ranking, judgments, cutoff=None, rel=1):
    """The expected precision at each relevant document: itself, and the share of relevant ones above it.

    Above are documents of the pool, of which some were judged (0 or more) and some not (below 0), and
    documents out of the pool.
    """
    relevant = recall_base(judgments, rel)
    if relevant == 0:
        return None
    total = 0.0
    for rank, doc in enumerate(ranking[:cutoff], 1):
        if not is_relevant(doc, judgments, rel):
            continue
        above = ranking[: rank - 1]
        expected = 1 / rank
        if above:
            pooled = sum(d in judgments for d in above)
            found = sum(is_relevant(d, judgments, rel) for d in above)
            others = sum(is_nonrelevant(d, judgments, rel, "unjudged") for d in above)
            chance = (found + 0.00001) / (found + others + 2 * 0.00001)
            expected += (rank - 1) / rank * (pooled / (rank - 1)) * chance
        total += expected
    return total / relevant


def area_under_the_curve(ranking, judgments, scores, cutoff=None, rel=1, negatives="unjudged"):
    """Pair by pair; documents that are not retrieved have the lowest score."""
    good = [doc for doc in judgments if is_relevant(doc, judgments, rel)]
    bad = [doc for doc in judgments if is_nonrelevant(doc, judgments, rel, negatives)]
    if not good or not bad:
        return None

    def score(doc):
        return (1, scores[doc]) if doc in ranking else (0, 0)

    won = sum((score(g) > score(b)) + (score(g) == score(b)) / 2 for g in good for b in bad)
    return won / (len(good) * len(bad))
