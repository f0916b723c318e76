"""The measures that trec_eval calls experimental, from the words it explains them with."""

import math

from twins.cumulated import gain_of, gain_vector, ideal_vector, normalised_discounted_cumulated_gain
from twins.ranked import is_relevant, precision, recall_base


def ideal_gains(judgments, gains):
    return [gain for gain in ideal_vector(judgments, gains) if gain > 0]


def ndcg_at_relevant(ranking, judgments, cutoff=None, gains="linear"):
    """nDCG averaged over all documents with a gain; for one that is not retrieved, nDCG at the end."""
    documents = [doc for doc, grade in judgments.items() if gain_of(grade, gains) > 0]
    if not documents:
        return None
    first = ranking[:cutoff]
    total = 0.0
    for doc in documents:
        rank = first.index(doc) + 1 if doc in first else cutoff
        total += normalised_discounted_cumulated_gain(ranking, judgments, rank, gains)
    return total / len(documents)


def ndcg_at_levels(ranking, judgments, cutoff=None, gains="linear"):
    """nDCG at the ranks where the gain of the ideal ranking changes, and at the end of a longer ranking."""
    ideal = ideal_gains(judgments, gains)
    if not ideal:
        return None
    ranks = [
        rank for rank in range(1, len(ideal) + 1) if rank == len(ideal) or ideal[rank - 1] != ideal[rank]
    ]
    if len(ranking) > len(ideal) + 1:
        ranks.append(len(ranking))
    values = [normalised_discounted_cumulated_gain(ranking, judgments, rank, gains) for rank in ranks]
    return math.fsum(values) / len(values)


def normalised_gain(ranking, judgments, cutoff=None, gains="linear"):
    """Each gain over the logarithm of 2 and of how far the gains so far are behind what was possible."""
    ideal = ideal_gains(judgments, gains)
    if not ideal:
        return None
    total, found, possible = 0.0, 0.0, 0.0
    for place, gain in enumerate(gain_vector(ranking, judgments, gains)[:cutoff]):
        found += gain
        possible += max(1.0, ideal[place]) if place < len(ideal) else 1.0
        if gain:
            total += gain / math.log(2 + possible - found, 2)
    return total / math.fsum(ideal)


def binary_gain(ranking, judgments, cutoff=None, rel=1):
    """For each relevant document, 1 over the logarithm of 2 and of the others before it."""
    relevant = recall_base(judgments, rel)
    if relevant == 0:
        return None
    total, others = 0.0, 0
    for doc in ranking[:cutoff]:
        if is_relevant(doc, judgments, rel):
            total += 1 / math.log(2 + others, 2)
        else:
            others += 1
    return total / relevant


def yet_another_average_precision(ranking, judgments, cutoff=None, rel=1):
    """The log odds of average precision, with one document more on either side."""
    total = 0.0
    for rank, doc in enumerate(ranking[:cutoff], 1):
        if is_relevant(doc, judgments, rel):
            total += precision(ranking, judgments, rank, rel)
    return math.log(1 + total) - math.log(1 + recall_base(judgments, rel) - total)
