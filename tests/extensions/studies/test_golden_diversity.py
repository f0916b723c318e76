"""Gain vectors of novelty, as functions of nuggets: the worked cases and printed numbers of the papers."""

import pytest

from golden import test_golden, test_statements
from rankgauge.extensions.studies import diversity


@pytest.mark.parametrize("case", test_golden.cases("nuggets"))
def test_gains_and_probabilities_are_those_of_the_papers(case):
    held = [case["nuggets"][doc] for doc in case["ranking"]]
    for alpha, expected in case["expected"].items():
        gains = diversity.gain_vector(held, float(alpha))
        assert test_golden.same_vector(gains, expected["gain"][: len(gains)])
        for gamma, probabilities in expected.get("p_relevant_eq6", {}).items():
            found = diversity.novel_relevance(held, float(alpha), float(gamma))
            assert test_golden.same_vector(found[: len(probabilities)], probabilities)


@pytest.mark.parametrize("case", test_statements.cases("gains"))
def test_the_gain_vectors_are_those_that_the_paper_prints(case):
    held = [case["nuggets"][document] for document in case["ranking"]]
    printed = [test_statements.number(text) for text in case["gain"]]
    assert diversity.gain_vector(held, test_statements.number(case["alpha"])) == printed
