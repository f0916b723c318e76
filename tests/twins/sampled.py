"""Sampled pools: Yilmaz, Kanoulas & Aslam 2008 as NIST's sample_eval.pl has it, and Aslam & Pavlu 2007.

`subtopics` is {stratum: {document: grade}}; a document graded below 0 was not drawn.
"""

from math import floor, log2

from twins.cumulated import discounted_cumulated_gain, gain_of
from twins.graded import relevant_gain


def drawn(stratum, rel=1):
    """The documents of a stratum that were drawn, and are judged."""
    return [doc for doc, grade in stratum.items() if grade >= min(0, rel)]


def stands_for(stratum, rel=1):
    """How many documents of the stratum one that was drawn stands for."""
    return len(stratum) / len(drawn(stratum, rel)) if drawn(stratum, rel) else 0


def relevant_in(stratum, docs, rel):
    return [doc for doc in docs if doc in stratum and stratum[doc] >= rel]


def estimated_relevant(strata, rel):
    return sum(len(relevant_in(each, each, rel)) * stands_for(each, rel) for each in strata.values())


def inferred_relevant(ranking, judgments, subtopics, cutoff=None, rel=1):
    return estimated_relevant(subtopics, rel)


def expected_relevant(docs, strata, rel):
    """The expected number of relevant documents among these."""
    total = 0.0
    for each in strata.values():
        pooled = [doc for doc in docs if doc in each]
        judged = [doc for doc in pooled if doc in drawn(each, rel)]
        relevant = relevant_in(each, docs, rel)
        total += len(pooled) * (len(relevant) + 0.00001) / (len(judged) + 0.00003)
    return total


def inferred_relevant_retrieved(ranking, judgments, subtopics, cutoff=None, rel=1):
    return expected_relevant(ranking[:cutoff], subtopics, rel)


def inferred_precision(ranking, judgments, subtopics, cutoff=None, rel=1):
    depth = len(ranking) if cutoff is None else cutoff
    return expected_relevant(ranking[:depth], subtopics, rel) / depth if depth else None


def over_relevant(ranking, strata, cutoff, rel, precision):
    """The mean over relevant documents of the precision there, each by the number that it stands for."""
    relevant = estimated_relevant(strata, rel)
    if not relevant:
        return None
    total = 0.0
    for rank, doc in enumerate(ranking[:cutoff], 1):
        for each in strata.values():
            if relevant_in(each, [doc], rel):
                total += stands_for(each, rel) * precision(ranking[: rank - 1]) / rank
    return total / relevant


def extended_inferred_average_precision(ranking, judgments, subtopics, cutoff=None, rel=1):
    return over_relevant(
        ranking, subtopics, cutoff, rel, lambda before: 1 + expected_relevant(before, subtopics, rel)
    )


def statistical_average_precision(ranking, judgments, subtopics, cutoff=None, rel=1):
    def precision(before):
        return 1 + sum(
            stands_for(each, rel) * len(relevant_in(each, before, rel)) for each in subtopics.values()
        )

    return over_relevant(ranking, subtopics, cutoff, rel, precision)


def ideal_gains(strata, gains, rel=None):
    """The gains of as many documents as are estimated to exist, the largest first."""

    def worth(grade):
        return gain_of(grade, gains) if rel is None else relevant_gain(grade, gains, rel)

    level = 1 if rel is None else rel
    counts = {}
    for each in strata.values():
        kinds = [worth(each[doc]) for doc in drawn(each, level)]
        for kind in {*kinds} - {0}:
            counts[kind] = counts.get(kind, 0) + kinds.count(kind) * len(each) / len(kinds)
    return [kind for kind in sorted(counts, reverse=True) for _ in range(floor(counts[kind] + 0.5))]


def inferred_ndcg(ranking, judgments, subtopics, cutoff=None, gains="linear"):
    first, total = ranking[:cutoff], 0.0
    for each in subtopics.values():
        pooled = [doc for doc in first if doc in each]
        sample = [doc for doc in pooled if doc in drawn(each)]
        gain = sum(gain_of(each[doc], gains) / log2(first.index(doc) + 2) for doc in sample)
        total += len(pooled) * gain / len(sample) if sample else 0
    depth = 1000 if cutoff is None else cutoff
    ideal = sum(gain / log2(rank + 1) for rank, gain in enumerate(ideal_gains(subtopics, gains)[:depth], 1))
    return total / ideal if ideal else None


def horvitz_thompson(ranking, judgments, subtopics, inner, cutoff=None):
    """`inner` is the measure as (name, settings, cutoff, its value as a function of judgments)."""
    name, settings, within, value = inner
    if name in ("AP", "Q"):
        rel, beta = settings.get("rel", 1), settings.get("beta", 1) if name == "Q" else 0
        return estimated_q(ranking[:within], judgments, subtopics, rel, beta)
    if name == "nDCG":
        return corrected_ndcg(ranking, subtopics, within, settings)
    parts = [(stands_for(each), value(judged(each))) for each in subtopics.values()]
    return None if any(part is None for _, part in parts) else sum(weight * part for weight, part in parts)


def corrected_ndcg(ranking, strata, cutoff, settings):
    """The ratio of estimates, less what leaving out each document drawn in turn says of its bias."""
    samples = {name: judged(each) for name, each in strata.items()}
    whole = ratio_of_estimates(ranking, strata, samples, cutoff, settings)
    if whole is None:
        return None
    bias = 0.0
    for name, sample in samples.items():
        if len(sample) > 1:
            again = []
            for doc in sample:
                others = {**samples, name: {each: sample[each] for each in sample if each != doc}}
                without = ratio_of_estimates(ranking, strata, others, cutoff, settings)
                again.append(whole if without is None else without)
            left = 1 - len(sample) / len(strata[name])
            bias += left * (len(sample) - 1) * (sum(again) / len(again) - whole)
    return whole - bias


def ratio_of_estimates(ranking, strata, samples, cutoff, settings):
    """DCG by inverse probabilities over that of the ideal, of which a document may be there in part."""
    dcg, counts = 0.0, {}
    for name, sample in samples.items():
        weight = len(strata[name]) / len(sample) if sample else 0
        dcg += weight * discounted_cumulated_gain(ranking, sample, cutoff=cutoff, **settings)
        for grade in sample.values():
            gain = gain_of(grade, settings.get("gains", "linear"))
            counts[gain] = counts.get(gain, 0) + weight
    ideal, rank, room = 0.0, 1, 1.0  # of which rank, how much is free
    for gain in sorted((gain for gain in counts if gain > 0), reverse=True):
        left = counts[gain]
        while left > 1e-12 and (cutoff is None or rank <= cutoff):
            part = min(left, room)
            ideal += part * gain / log2(rank + 1)
            left, room = left - part, room - part
            if room < 1e-12:
                rank, room = rank + 1, 1.0
    return dcg / ideal if ideal else None


def judged(stratum):
    return {doc: stratum[doc] for doc in drawn(stratum)}


def estimated_q(ranking, judgments, strata, rel, beta):
    """Relevant documents and those before them, pair by pair, by the chance that both were drawn."""
    relevant = estimated_relevant(strata, rel)
    if not relevant:
        return None
    best = ideal_gains(strata, "linear", rel)
    total = 0.0
    for rank, doc in enumerate(ranking, 1):
        ratio = rank + beta * sum(best[:rank])
        for name, grade in grades_in(doc, strata, rel):
            chance = 1 / stands_for(strata[name], rel)
            total += (1 + beta * relevant_gain(grade, "linear", rel)) / chance / ratio
            for other in ranking[: rank - 1]:
                for name_too, grade_too in grades_in(other, strata, rel):
                    both = chance / stands_for(strata[name_too], rel)
                    if name == name_too:
                        both = chance * (len(drawn(strata[name], rel)) - 1) / (len(strata[name]) - 1)
                    total += (1 + beta * relevant_gain(grade_too, "linear", rel)) / both / ratio
    return total / relevant


def grades_in(doc, strata, rel):
    """(stratum, grade) of a document where it is relevant."""
    return [(name, each[doc]) for name, each in strata.items() if relevant_in(each, [doc], rel)]
