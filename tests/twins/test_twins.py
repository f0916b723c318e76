"""Every measure against its slow twin, on random rankings under random settings."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from cases import (
    campaigns,
    curves,
    cutoffs,
    evaluate,
    for_each_measure,
    levels_of,
    seeds,
    settings_of,
    written,
)
from rankgauge.measures import MEASURES
from rankgauge.model.rules import OVER_ORDERS, TIES
from rankgauge.schema.extensions import is_installed
from twins import TWINS, longest_of, value_of
from twins.order import in_order

OWN = list(MEASURES)


def agree(name, found, expected):
    if expected is None:
        return math.isnan(found)
    # Sums of what is above and below 0 may come to nothing but rounding.
    least = 1e-12 if MEASURES[name].bounds[0] < 0 else 1e-300
    return found == pytest.approx(expected, rel=1e-12, abs=least)


def test_every_registered_measure_has_a_twin():
    assert {*MEASURES} <= {*TWINS}
    assert {*MEASURES} == {*TWINS} or not is_installed("judging")


@pytest.mark.parametrize("name", OWN)
@for_each_measure
@given(campaign=campaigns(), cutoff=cutoffs(), seed=seeds())
def test_a_measure_has_the_value_of_its_twin(name, campaign, cutoff, seed):
    qrels, run = campaign
    settings = settings_of(MEASURES[name], seed, levels_of(qrels))
    cutoff = cutoff if MEASURES[name].curve else None
    text = written(name, settings, cutoff)
    scores = evaluate(qrels, run, text)
    found = dict(zip(scores.topics, scores.values[0, 0].tolist(), strict=True))
    levels = levels_of(qrels)
    of_all = {"highest": max(levels), "longest": longest_of(qrels, run), "levels": levels}
    for topic, judged in qrels.items():
        expected = value_of(name, run.get(topic, {}), judged, settings, cutoff, **of_all)
        assert agree(name, found[topic], expected), (text, topic, found[topic], expected)


@pytest.mark.parametrize("name", [name for name in OWN if MEASURES[name].curve])
@for_each_measure
@given(campaign=campaigns(), depth=st.integers(1, 20), seed=seeds())
def test_a_vector_has_the_values_of_the_twin_at_every_rank(name, campaign, depth, seed):
    qrels, run = campaign
    settings = settings_of(MEASURES[name], seed, levels_of(qrels))
    text = written(name, settings)
    found_curves = curves(qrels, run, text, depth=depth)
    levels = levels_of(qrels)
    of_all = {"highest": max(levels), "longest": longest_of(qrels, run), "levels": levels}
    for topic, vector in zip(found_curves.topics, found_curves.values[0, 0].tolist(), strict=True):
        for rank, found in enumerate(vector, 1):
            expected = value_of(name, run.get(topic, {}), qrels[topic], settings, rank, **of_all)
            assert agree(name, found, expected), (text, topic, rank, found, expected)


@pytest.mark.parametrize("ties", [rule for rule in TIES.rules if rule not in (*OVER_ORDERS, "rank")])
@given(campaign=campaigns())
def test_documents_are_in_the_order_of_the_twin_under_every_rule_for_ties(ties, campaign):
    qrels, run = campaign
    scores = rankgauge.evaluate(qrels, run, "AP DCG(gains=exp2)", ties=ties)
    for column, topic in enumerate(scores.topics):
        ordered = in_order(run.get(topic, {}), ties)
        again = {doc: float(-rank) for rank, doc in enumerate(ordered)}  # without ties
        for row, (name, settings) in enumerate((("AP", {}), ("DCG", {"gains": "exp2"}))):
            expected = value_of(name, again, qrels[topic], settings)
            assert agree(name, scores.values[0, row, column], expected)
