"""Binary measures, as in Manning, Raghavan & Schütze, chapter 8, and Voorhees 1999."""


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
