"""Values over all orders of tied documents, against every measure's slow twin in each of these orders."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from cases import GRADES, cutoffs, evaluate, for_each_measure, levels_of, seeds, settings_of, written
from rankgauge.measures import MEASURES
from rankgauge.model.rules import OVER_ORDERS
from twins import longest_of, value_of
from twins.order import all_orders

SLACK = 1e-12
UNTOUCHED = [name for name in MEASURES if not MEASURES[name].needs.ties_or_scores]
DOCS = "abcdefgh"


def campaign_of(seed):
    """(judgments, run) of two topics with documents of few scores, so that there are ties, not too large."""
    rng = random.Random(seed)
    qrels, run = {}, {}
    for topic in "12":
        judged = {doc: rng.choice(GRADES) for doc in rng.sample([*DOCS, "x", "y"], rng.randint(1, 8))}
        groups = rng.choice([[3, 2, 1], [4, 1], [1, 3], [2, 2, 2], [1, 4, 1], [5]])
        docs = iter(rng.sample(DOCS, sum(groups)))
        qrels[topic] = judged
        run[topic] = {next(docs): float(-score) for score, size in enumerate(groups) for _ in range(size)}
    return qrels, run


def values_in_all_orders(name, results, judged, chosen, cutoff, **of_all):
    """The twin's values, those of orders in which it is undefined left out."""
    values = [
        value_of(name, {doc: -rank for rank, doc in enumerate(docs)}, judged, chosen, cutoff, **of_all)
        for docs in all_orders(results)
    ]
    return [value for value in values if value is not None]


def near(found, expected):
    return found == pytest.approx(expected, rel=SLACK, abs=SLACK)


@pytest.mark.parametrize("name", UNTOUCHED)
@for_each_measure
@given(seed=seeds(), cutoff=cutoffs())
def test_values_over_all_orders_are_the_mean_and_the_ends_of_the_twins(name, seed, cutoff):
    qrels, run = campaign_of(seed)
    spec = MEASURES[name]
    chosen = settings_of(spec, seed, levels_of(qrels))
    cutoff = cutoff and cutoff % 8 + 1 if spec.curve else None
    text = written(name, chosen, cutoff)
    found = {rule: evaluate(qrels, run, text, ties=rule).values[0, 0] for rule in OVER_ORDERS}
    ends = (min, max) if spec.direction < 0 else (max, min)
    levels = levels_of(qrels)
    of_all = {"highest": max(levels), "longest": longest_of(qrels, run), "levels": levels}
    for column, topic in enumerate(sorted(qrels)):
        values = values_in_all_orders(name, run[topic], qrels[topic], chosen, cutoff, **of_all)
        at = {rule: float(found[rule][column]) for rule in found}
        if not values:
            assert all(map(math.isnan, at.values())), (text, at)
            continue
        expected = math.fsum(values) / len(values), ends[0](values), ends[1](values)
        assert all(near(at[rule], value) for rule, value in zip(at, expected, strict=True)), (
            text,
            at,
            expected,
        )
        way = -1 if spec.direction < 0 else 1
        assert way * at["best"] >= way * at["average"] - SLACK >= way * at["worst"] - 2 * SLACK, (text, at)


@given(seed=seeds(), wanted=st.integers(1, 4))
def test_the_expected_search_length_is_the_mean_rank_of_that_document_over_all_orders(seed, wanted):
    qrels, run = campaign_of(seed)
    scores = rankgauge.evaluate(qrels, run, f"ESL(q={wanted})")
    for topic, found in zip(scores.topics, scores.values[0, 0].tolist(), strict=True):
        lengths = []
        for docs in all_orders(run[topic]):
            ranks = [rank for rank, doc in enumerate(docs, 1) if qrels[topic].get(doc, 0) >= 1]
            lengths += ranks[wanted - 1 : wanted]
        assert math.isnan(found) if not lengths else near(found, math.fsum(lengths) / len(lengths))
