"""Stability by the paper's algorithm, in plain loops; and what is known of it."""

import itertools

import pytest

from rankgauge.errors import OptionError
from rankgauge.studies import Campaign, stability
from studies import small
from studies.catalogue.topic_samples import SEED, TRIALS, drawn, mean, noisy


def slow_stability(matrix, size, fuzz):
    """Buckley and Voorhees: Σ min(better, worse) / Σ (better + worse + equal), and the equal ones."""
    errors = ties = total = 0
    for x, y in itertools.combinations(matrix, 2):
        better = worse = equal = 0
        for topics in drawn(len(x), size):
            a, b = mean(x, topics), mean(y, topics)
            if abs(a - b) < max(fuzz * max(a, b) - 1e-9, 1e-9):  # on the border is not below it
                equal += 1
            elif a > b:
                better += 1
            else:
                worse += 1
        errors, ties, total = errors + min(better, worse), ties + equal, total + better + worse + equal
    return errors / total, ties / total


@pytest.mark.parametrize("measure", ["AP", "P@10"])
def test_stability_is_that_of_the_definition(measure):
    matrix = small.campaign().scores(measure).values[:, 0].tolist()
    findings = stability(
        small.campaign(), measures=measure, sizes=(3, 6), fuzziness=(0, 0.1), trials=TRIALS, seed=SEED
    )
    found = {(row[1], row[2]): tuple(row[3:]) for row in findings.tables["stability"].rows}
    assert len(found) == 4
    for (size, fuzz), rates in found.items():
        assert rates == pytest.approx(slow_stability(matrix, size, fuzz))


def test_more_topics_and_more_fuzziness_make_fewer_errors():
    campaign = noisy(0.03)
    rates = [
        row[3] for row in stability(campaign, sizes=(5, 15, 30, 60), fuzziness=0).tables["stability"].rows
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0  # all topics say the same every time
    fuzzy = stability(campaign, sizes=10, fuzziness=(0.0, 0.05, 0.2)).tables["stability"].rows
    assert [row[3] for row in fuzzy] == sorted((row[3] for row in fuzzy), reverse=True)
    assert [row[4] for row in fuzzy] == sorted(row[4] for row in fuzzy)


def test_samples_are_no_larger_than_all_topics():
    with pytest.raises(OptionError, match="sizes must be at most 12"):
        stability(small.campaign(), measures="AP", sizes=13)


def test_equal_runs_tie():
    run = small.RUNS["bm25"]
    campaign = Campaign(small.QRELS, {"a": run, "b": run})
    assert [row[3:] for row in stability(campaign, measures="AP", fuzziness=0).tables["stability"].rows] == [
        [0.0, 1.0]
    ] * len(stability(campaign, measures="AP").tables["stability"].rows)
