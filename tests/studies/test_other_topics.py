"""Stability and swaps by the papers' algorithms, in plain loops; and what is known of them."""

import itertools
import statistics

import numpy as np
import pytest

from rankgauge.errors import OptionError
from rankgauge.studies import Campaign, stability, swap
from studies import small

TRIALS, SEED = 40, 4


def drawn(topics, size, trials=TRIALS):
    """Sets of topics without replacement."""
    source = np.random.Generator(np.random.PCG64([SEED, 0]))
    return source.permuted(np.tile(np.arange(topics), (trials, 1)), axis=1)[:, :size].tolist()


def mean(row, topics):
    return statistics.fmean(row[topic] for topic in topics)


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


def slow_swaps(matrix, size, width, bins):
    """Voorhees and Buckley: {bin: [comparisons, swaps]}."""
    found = {place: [0, 0] for place in range(bins)}
    for x, y in itertools.combinations(matrix, 2):
        for topics in drawn(len(x), 2 * size):
            one = mean(x, topics[:size]) - mean(y, topics[:size])
            other = mean(x, topics[size:]) - mean(y, topics[size:])
            place = min(int(abs(one) / width + 1e-9), bins - 1)
            found[place][0] += 1
            found[place][1] += one * other < 0 and min(abs(one), abs(other)) > 1e-9
    return found


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


@pytest.mark.parametrize("measure", ["AP", "P@10"])
def test_swaps_are_those_of_the_definition(measure):
    matrix = small.campaign().scores(measure).values[:, 0].tolist()
    findings = swap(small.campaign(), measures=measure, sizes=5, width=0.02, bins=8, trials=TRIALS, seed=SEED)
    rows = findings.tables["swaps"].rows
    assert {place: list(row[3:5]) for place, row in enumerate(rows)} == slow_swaps(matrix, 5, 0.02, 8)
    assert [row[2] for row in rows] == pytest.approx([place * 0.02 for place in range(8)])


def test_the_difference_needed_is_where_swaps_stay_rare():
    findings = swap(small.campaign(), measures="AP RR", trials=200, rate=0.1)
    rows = findings.tables["swaps"].rows
    for measure, size, difference, share in findings.tables["sensitivity"].rows:
        own = [row for row in rows if row[:2] == [measure, size]]
        kept = [row for row in own if row[2] >= difference - 1e-12]
        assert all(not row[3] or row[5] <= 0.1 for row in kept)
        before = [row for row in own if row[2] < difference - 1e-12]
        assert not before or before[-1][5] > 0.1
        assert share == pytest.approx(sum(row[3] for row in kept) / sum(row[3] for row in own))


def noisy(gap, runs=8, topics=60, seed=8):
    """Runs of equal distance, with noise from topic to topic."""
    matrix = np.random.default_rng(seed).normal(0.5, 0.15, (runs, topics)) + gap * np.arange(runs)[:, None]
    return Campaign.of_scores(
        {
            f"r{i}": {"AP": dict(zip(map(str, range(topics)), row, strict=True))}
            for i, row in enumerate(matrix.tolist())
        }
    )


def test_more_topics_and_larger_differences_make_fewer_errors():
    campaign = noisy(0.03)
    rates = [
        row[3] for row in stability(campaign, sizes=(5, 15, 30, 60), fuzziness=0).tables["stability"].rows
    ]
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0  # all topics say the same every time
    rows = swap(campaign, sizes=(5, 30), trials=400).tables["swaps"].rows
    few, many = ({row[2]: row[5] for row in rows if row[1] == size} for size in (5, 30))
    assert few[0.0] > few[0.1]
    assert few[0.05] > many[0.05]
    fuzzy = stability(campaign, sizes=10, fuzziness=(0.0, 0.05, 0.2)).tables["stability"].rows
    assert [row[3] for row in fuzzy] == sorted((row[3] for row in fuzzy), reverse=True)
    assert [row[4] for row in fuzzy] == sorted(row[4] for row in fuzzy)


def test_comparisons_of_noise_are_swapped_half_the_time():
    rows = swap(noisy(0.0), sizes=30, trials=300).tables["swaps"].rows
    assert sum(row[4] for row in rows) / sum(row[3] for row in rows) == pytest.approx(0.5, abs=0.06)


def test_sets_that_are_drawn_with_replacement_may_be_as_large_as_all_topics():
    campaign = small.campaign()
    findings = swap(campaign, measures="AP", drawn="replacement", trials=50)
    assert findings.tables["sensitivity"].rows[-1][1] == len(campaign.topics)
    with pytest.raises(OptionError, match="sizes must be at most 6 with 12 topics, not 7"):
        swap(campaign, measures="AP", sizes=7)
    with pytest.raises(OptionError, match="sizes must be at most 12"):
        stability(campaign, measures="AP", sizes=13)


def test_equal_runs_tie_and_are_never_swapped():
    run = small.RUNS["bm25"]
    campaign = Campaign(small.QRELS, {"a": run, "b": run})
    assert [row[3:] for row in stability(campaign, measures="AP", fuzziness=0).tables["stability"].rows] == [
        [0.0, 1.0]
    ] * len(stability(campaign, measures="AP").tables["stability"].rows)
    assert sum(row[4] for row in swap(campaign, measures="AP").tables["swaps"].rows) == 0
