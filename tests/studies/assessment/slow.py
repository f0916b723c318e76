"""Pools, samples and agreement by their definitions, in plain loops."""

import math
from fractions import Fraction

from twins.order import in_order


def first_documents(results, depth, ties="docid_desc"):
    """The documents of a topic down to a depth in order."""
    return in_order(results, ties)[:depth]


def pool(runs, depth):
    """{topic: {document: [runs that have it among the first]}}."""
    found = {}
    for name, run in runs.items():
        for topic, results in run.items():
            for doc in first_documents(results, depth):
                found.setdefault(topic, {}).setdefault(doc, []).append(name)
    return found


def overlap(runs, one, other, depth):
    """The mean of |A∩B| / |A∪B| over the topics that both runs have."""
    values = []
    for topic in runs[one]:
        a = set(first_documents(runs[one][topic], depth))
        b = set(first_documents(runs[other].get(topic, {}), depth))
        if a and b:
            values.append(len(a & b) / len(a | b))
    return sum(values) / len(values) if values else math.nan


def sample_size(percent, documents, relevant):
    """How many documents a sample takes of so many."""
    wanted = math.floor(Fraction(str(percent)) * documents / 100)
    return min(documents, max(wanted, 1 if relevant else 10))


def strata(judged):
    """{grade: documents} of one topic; all that is not relevant is one."""
    found = {}
    for doc, grade in judged.items():
        found.setdefault(max(grade, 0), set()).add(doc)
    return found


def kappa(pairs, distance=lambda a, b: a != b):
    """Cohen's kappa of pairs of grades: how much less they disagree than grades paired at random."""
    if not pairs:
        return math.nan
    observed = sum(distance(a, b) for a, b in pairs) / len(pairs)
    chance = sum(distance(a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    return 1 - observed / chance if chance else math.nan


def in_both(first, second):
    """{topic: [(grade, other grade)]} of the documents that both judged, in topics that both have."""
    return {
        topic: [(first[topic][doc], second[topic][doc]) for doc in first[topic] if doc in second[topic]]
        for topic in first
        if topic in second
    }
