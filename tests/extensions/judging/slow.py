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


def panel(judgments):
    """{(topic, document): the grades it has, by the set that has them}, of documents in two sets or more."""
    units = {}
    for place, qrels in enumerate(judgments):
        for topic, docs in qrels.items():
            for doc, grade in docs.items():
                units.setdefault((topic, doc), {})[place] = grade
    return {unit: grades for unit, grades in units.items() if len(grades) > 1}


def alpha(units, scale):
    """Krippendorff's alpha of [grades of a unit], two or more of each, by his coincidences."""
    coincidences = {}
    for grades in units:
        for i, one in enumerate(grades):
            for j, other in enumerate(grades):
                if i != j:
                    pair = one, other
                    coincidences[pair] = coincidences.get(pair, 0) + Fraction(1, len(grades) - 1)
    values = sorted({one for one, _ in coincidences})
    sizes = {value: sum(coincidences.get((value, other), 0) for other in values) for value in values}

    def apart(one, other):
        if scale == "nominal":
            return int(one != other)
        if scale == "interval":
            return (Fraction(one) - Fraction(other)) ** 2
        low, high = sorted((one, other))
        between = sum(sizes[value] for value in values if low <= value <= high)
        return (between - (sizes[low] + sizes[high]) / 2) ** 2 if one != other else 0

    n = sum(sizes.values())
    chance = sum(sizes[c] * sizes[k] * apart(c, k) for c in values for k in values)
    if not chance:
        return math.nan
    return float(1 - (n - 1) * sum(o * apart(c, k) for (c, k), o in coincidences.items()) / chance)


def fleiss(units):
    """Fleiss' kappa of [grades of a unit], equally many of each."""
    values = sorted({value for grades in units for value in grades})
    if len(values) < 2:
        return math.nan
    raters = len(units[0])
    agreeing = [
        Fraction(
            sum(grades.count(value) * (grades.count(value) - 1) for value in values), raters * (raters - 1)
        )
        for grades in units
    ]
    shares = [Fraction(sum(grades.count(value) for grades in units), len(units) * raters) for value in values]
    observed, chance = sum(agreeing) / len(units), sum(share**2 for share in shares)
    return float((observed - chance) / (1 - chance))
