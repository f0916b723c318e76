"""Interpolated precision, as in Manning, Raghavan & Schütze, section 8.4."""

import math
from decimal import ROUND_CEILING, Decimal

from twins.ranked import is_relevant, precision, recall_base


def reached(level, relevant, levels):
    """How many relevant documents have to be found for a recall level."""
    if levels == "exact":
        return int((Decimal(repr(float(level))) * relevant).to_integral_value(ROUND_CEILING))
    if levels == "trec9":
        return math.floor(level * relevant + 0.9)
    nearest = math.floor(level * relevant)
    return nearest + 1 if level * relevant - nearest >= 0.5 else nearest


def interpolated_precision(ranking, judgments, recall, cutoff=None, rel=1, levels="exact"):
    """The best precision at any rank where so many relevant documents have been found."""
    relevant = recall_base(judgments, rel)
    if relevant == 0:
        return None
    needed, found, best = reached(recall, relevant, levels), 0, 0.0
    for rank, doc in enumerate(ranking, 1):
        found += is_relevant(doc, judgments, rel)
        if found >= needed:
            best = max(best, precision(ranking, judgments, rank, rel))
    return best


def eleven_point_average(ranking, judgments, cutoff=None, rel=1, points=None, levels="exact"):
    """The mean over the recall levels 0, 0.1, ..., 1."""
    points = [n / 10 for n in range(11)] if points is None else points
    values = [interpolated_precision(ranking, judgments, p, rel=rel, levels=levels) for p in points]
    return None if None in values else math.fsum(values) / len(values)


def interpolated_precision_at_rank(ranking, judgments, cutoff=None, rel=1):
    """The best precision from the rank on; past the end of a ranking there is nothing to find."""
    first = len(ranking) if cutoff is None else cutoff
    if first == 0:
        return None
    later = range(first, max(first, len(ranking)) + 1)
    return max(precision(ranking, judgments, rank, rel) for rank in later)
