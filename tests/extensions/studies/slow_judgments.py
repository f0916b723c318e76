"""The order of runs with fewer judgments, by the definitions, over evaluate() and plain loops."""

import math

import rankgauge


def means(qrels, runs, measure):
    """{run: mean}, higher is better."""
    scores = rankgauge.evaluate(qrels, runs, measure)
    sign = scores.provenance.measures[measure].direction
    return {run: sign * mean[measure] for run, mean in scores.mean().items()}


def tau_b(one, other):
    """Kendall's τ-b of two {run: mean}."""
    both = ties_one = ties_other = pairs = 0
    runs = list(one)
    for place, run in enumerate(runs):
        for later in runs[place + 1 :]:
            a, b = one[run] - one[later], other[run] - other[later]
            both += (a * b > 0) - (a * b < 0)
            ties_one += a == 0
            ties_other += b == 0
            pairs += 1
    over = math.sqrt((pairs - ties_one) * (pairs - ties_other))
    return both / over if over else math.nan


def in_pool(qrels, rankings, depth):
    """The judgments of documents that some ranking {topic: [documents]} has among its first."""
    tops = {t: {doc for ranking in rankings for doc in ranking.get(t, [])[:depth]} for t in qrels}
    return {t: {doc: g for doc, g in judged.items() if doc in tops[t]} for t, judged in qrels.items()}


def without_own(qrels, rankings, team, depth):
    """The judgments without documents that only rankings of a team have, given as (team, {topic: docs})."""
    left = {}
    for topic, judged in qrels.items():
        finders = {
            doc: {t for t, ranking in rankings if doc in ranking.get(topic, [])[:depth]} for doc in judged
        }
        left[topic] = {doc: grade for doc, grade in judged.items() if finders[doc] != {team}}
    return left
