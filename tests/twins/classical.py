"""The older measures that Järvelin & Kekäläinen 2002 compare theirs with, by counting."""

import math
import statistics

from twins.cumulated import gain_vector
from twins.graded import gains_of
from twins.ranked import is_relevant, recall_base
from twins.usermodels import shares


def average_search_length(ranking, judgments, cutoff=None, rel=1):
    ranks = [r for r, doc in enumerate(ranking[:cutoff], 1) if is_relevant(doc, judgments, rel)]
    return sum(ranks) / len(ranks) if ranks else None


def median_rank(ranking, judgments, cutoff=None, rel=1):
    ranks = [rank for rank, doc in enumerate(ranking, 1) if is_relevant(doc, judgments, rel)]
    return statistics.median(ranks) if ranks else None


def normalised_recall(ranking, judgments, cutoff=None, docs=None, missing="bottom", rel=1):
    """From the ranks that all relevant documents have, or are taken to have."""
    seen, relevant = ranking[:cutoff], recall_base(judgments, rel)
    collection = len(set(seen) | set(judgments)) if docs is None else docs
    ranks = [r for r, doc in enumerate(seen, 1) if is_relevant(doc, judgments, rel)]
    lost = range(relevant - len(ranks))
    ranks += [collection - n if missing == "bottom" else (len(seen) + 1 + collection) / 2 for n in lost]
    if relevant == 0:
        return None
    if relevant == collection:
        return 1.0
    return 1 - (sum(ranks) - sum(range(1, relevant + 1))) / (relevant * (collection - relevant))


def ratio_to_best_order(gain, cutoff):
    best = sum(sorted(gain, reverse=True)[:cutoff])
    return sum(gain[:cutoff]) / best if best else None


def sliding_ratio(ranking, judgments, cutoff=None, gains="linear"):
    return ratio_to_best_order(gain_vector(ranking, judgments, gains), cutoff)


def satisfaction(ranking, judgments, cutoff=None, gains="linear", rel=1):
    return ratio_to_best_order(gains_of(ranking, judgments, gains, rel), cutoff)


def frustration(ranking, judgments, cutoff=None, rel=1):
    useless = [not is_relevant(doc, judgments, rel) for doc in ranking]
    worst = sum(sorted(useless, reverse=True)[:cutoff])
    return sum(useless[:cutoff]) / worst if worst else 0.0


def satisfaction_frustration_total(ranking, judgments, cutoff=None, weight=0.5, gains="linear", rel=1):
    satisfied = satisfaction(ranking, judgments, cutoff, gains, rel)
    if satisfied is None:
        return None
    return weight * satisfied + (1 - weight) * (1 - frustration(ranking, judgments, cutoff, rel))


def ranked_half_life(ranking, judgments, cutoff=None, gains="linear", method="interpolated"):
    gain = gain_vector(ranking, judgments, gains)
    half = sum(gain) / 2
    so_far = 0.0
    for rank, one in enumerate(gain, 1):
        if half > 0 and so_far + one >= half:
            return rank if method == "discrete" else rank - 1 + (half - so_far) / one
        so_far += one
    return None


def expected_search_length(ranking, judgments, scores, cutoff=None, q=1, count="documents", rel=1):
    """Level by level of equal scores, as Cooper has it."""
    useless = found = 0
    for score in sorted({scores[doc] for doc in ranking}, reverse=True):
        level = [doc for doc in ranking if scores[doc] == score]
        relevant = sum(is_relevant(doc, judgments, rel) for doc in level)
        others = len(level) - relevant
        if found + relevant >= q:
            length = useless + others * (q - found) / (relevant + 1)
            return length if count == "nonrelevant" else length + q
        found, useless = found + relevant, useless + others
    return None


def relative_relevance(ranking, judgments, scores, cutoff=None, gains="linear"):
    gain, score = gain_vector(ranking, judgments, gains), [float(scores[doc]) for doc in ranking]
    product = sum(s * g for s, g in zip(score, gain, strict=True) if g)
    lengths = [math.sqrt(sum(x * x for x in vector)) for vector in (score, gain)]
    if 0 in lengths or math.isinf(lengths[0]):
        return None
    return product / (lengths[0] * lengths[1])


def average_distance(
    ranking,
    judgments,
    scores,
    cutoff=None,
    estimate="score",
    gains="linear",
    max_rel=None,
    highest=None,
):
    """Judged document by judged document: what the system made of it, and what it is worth."""
    wanted = shares(gain_vector([*judgments], judgments, gains), gains, highest, max_rel)
    distances = []
    for doc, worth in zip(judgments, wanted, strict=True):
        estimated = 0.0
        if doc in ranking and estimate == "score":
            estimated = min(max(float(scores[doc]), 0.0), 1.0)
        elif doc in ranking:
            estimated = 1 - ranking.index(doc) / len(ranking)
        distances.append(abs(estimated - worth))
    return 1 - sum(distances) / len(distances) if distances else None
