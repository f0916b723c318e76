"""Cumulated gain, from sections 2.1 to 2.3 of Järvelin & Kekäläinen 2002.

`gains` is the name of a scheme or {grade: gain}; `base` is the base of the 2002 discount.
"""

import math


def gain_of(grade, gains):
    """What a grade is worth; grades up to 0 nothing, unless a map says otherwise."""
    if isinstance(gains, dict):
        return gains.get(grade, 0.0)
    if grade <= 0:
        return 0.0
    return {"linear": grade, "binary": 1.0, "exp2": 2.0**grade - 1}[gains]


def divisor(rank, discount, base):
    """What the gain at a rank is divided by."""
    if base is not None or discount == "jk":
        b = 2 if base is None else base
        return 1.0 if rank < b else math.log(rank) / math.log(b)
    return {"log2": math.log(1 + rank) / math.log(2), "none": 1.0, "rank": float(rank)}[discount]


def gain_vector(ranking, judgments, gains):
    """G: the gain of each document retrieved."""
    return [gain_of(judgments[doc], gains) if doc in judgments else 0.0 for doc in ranking]


def ideal_vector(judgments, gains):
    """I: the gains of all judged documents, the largest first."""
    return sorted((gain_of(grade, gains) for grade in judgments.values()), reverse=True)


def cumulate(vector, cutoff, discount, base):
    """The sum of the gains down to the cutoff, each divided by the discount of its rank."""
    total = 0.0
    for rank, gain in enumerate(vector[:cutoff], 1):
        total += gain / divisor(rank, discount, base)
    return total


def cumulated_gain(ranking, judgments, cutoff=None, gains="linear"):
    return cumulate(gain_vector(ranking, judgments, gains), cutoff, "none", None)


def discounted_cumulated_gain(ranking, judgments, cutoff=None, gains="linear", discount="log2", base=None):
    return cumulate(gain_vector(ranking, judgments, gains), cutoff, discount, base)


def normalised_cumulated_gain(ranking, judgments, cutoff=None, gains="linear"):
    return normalised_discounted_cumulated_gain(ranking, judgments, cutoff, gains, "none")


def normalised_discounted_cumulated_gain(
    ranking, judgments, cutoff=None, gains="linear", discount="log2", base=None
):
    """The run's vector over the ideal one at the same rank; without a cutoff, both to their ends."""
    best = cumulate(ideal_vector(judgments, gains), cutoff, discount, base)
    if best == 0:
        return None
    return cumulate(gain_vector(ranking, judgments, gains), cutoff, discount, base) / best


def ideal_discounted_cumulated_gain(
    ranking, judgments, cutoff=None, gains="linear", discount="log2", base=None
):
    return cumulate(ideal_vector(judgments, gains), cutoff, discount, base)


def average_cumulated_gain(ranking, judgments, cutoff=None, gains="linear"):
    return average_discounted_cumulated_gain(ranking, judgments, cutoff, gains, "none")


def average_discounted_cumulated_gain(
    ranking, judgments, cutoff=None, gains="linear", discount="log2", base=None
):
    """The mean of the vector, equation 6; without a cutoff, to the end of the ranking."""
    depth = len(ranking) if cutoff is None else cutoff
    vector = [
        discounted_cumulated_gain(ranking, judgments, rank, gains, discount, base)
        for rank in range(1, depth + 1)
    ]
    return sum(vector) / depth if depth else None


def average_normalised_cumulated_gain(ranking, judgments, cutoff=None, gains="linear"):
    return average_normalised_discounted_cumulated_gain(ranking, judgments, cutoff, gains, "none")


def average_normalised_discounted_cumulated_gain(
    ranking, judgments, cutoff=None, gains="linear", discount="log2", base=None
):
    """The mean of the normalised vector; without a cutoff, to the end of the ranking."""
    depth = len(ranking) if cutoff is None else cutoff
    vector = [
        normalised_discounted_cumulated_gain(ranking, judgments, rank, gains, discount, base)
        for rank in range(1, depth + 1)
    ]
    return None if None in vector or depth == 0 else sum(vector) / depth
