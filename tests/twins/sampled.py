"""Sampled pools: Yilmaz, Kanoulas & Aslam 2008 as NIST's sample_eval.pl has it, and Aslam & Pavlu 2007.

`subtopics` is {stratum: {document: grade}}; a document graded below 0 was not drawn.
"""

from math import floor, log2

from twins.cumulated import gain_of


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


def inferred_ndcg(ranking, judgments, subtopics, cutoff=None, gains="linear"):
    first, total, counts = ranking[:cutoff], 0.0, {}
    for each in subtopics.values():
        pooled = [doc for doc in first if doc in each]
        judged = [doc for doc in pooled if doc in drawn(each)]
        gain = sum(gain_of(each[doc], gains) / log2(first.index(doc) + 2) for doc in judged)
        total += len(pooled) * gain / len(judged) if judged else 0
        for doc in drawn(each):
            worth = gain_of(each[doc], gains)
            if worth > 0:
                counts.setdefault(worth, {}).setdefault(id(each), []).append(doc)
    ideal, rank = 0.0, 0
    for worth in sorted(counts, reverse=True):
        found = sum(
            len(docs) * len(each) / len(drawn(each))
            for each in subtopics.values()
            for docs in [counts[worth].get(id(each), [])]
            if docs
        )
        for _ in range(floor(found + 0.5)):
            rank += 1
            if rank <= (1000 if cutoff is None else cutoff):
                ideal += worth / log2(rank + 1)
    return total / ideal if ideal else None
