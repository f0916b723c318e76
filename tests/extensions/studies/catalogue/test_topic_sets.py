"""Stability and swaps by the algorithms of their papers, in plain loops; and what is known of them."""

import itertools
import math
import statistics

import numpy as np
import pytest
from rankgauge.studies import Campaign, stability, swap

from extensions.studies import small
from rankgauge.errors import OptionError
from rankgauge.extensions.studies.catalogue.topic_sets import fit

TRIALS, SEED = 40, 4


def drawn(topics, size, trials=TRIALS):
    """Sets of topics without replacement."""
    source = np.random.Generator(np.random.PCG64([SEED, 0]))
    return source.permuted(np.tile(np.arange(topics), (trials, 1)), axis=1)[:, :size].tolist()


def mean(row, topics):
    return statistics.fmean(row[topic] for topic in topics)


def noisy(gap, runs=8, topics=60, seed=8):
    """Runs of equal distance, with noise from topic to topic."""
    matrix = np.random.default_rng(seed).normal(0.5, 0.15, (runs, topics)) + gap * np.arange(runs)[:, None]
    return Campaign.of_scores(
        {
            f"r{i}": {"AP": dict(zip(map(str, range(topics)), row, strict=True))}
            for i, row in enumerate(matrix.tolist())
        }
    )


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


def test_samples_are_no_larger_than_all_topics():
    with pytest.raises(OptionError, match="sizes must be at most 12"):
        stability(small.campaign(), measures="AP", sizes=13)


def test_equal_runs_tie():
    run = small.RUNS["bm25"]
    campaign = Campaign(small.QRELS, {"a": run, "b": run})
    assert [row[3:] for row in stability(campaign, measures="AP", fuzziness=0).tables["stability"].rows] == [
        [0.0, 1.0]
    ] * len(stability(campaign, measures="AP").tables["stability"].rows)


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
def test_swaps_are_those_of_the_definition(measure):
    matrix = small.campaign().scores(measure).values[:, 0].tolist()
    findings = swap(small.campaign(), measures=measure, sizes=5, width=0.02, bins=8, trials=TRIALS, seed=SEED)
    rows = findings.tables["swaps"].rows
    assert {place: list(row[3:5]) for place, row in enumerate(rows)} == slow_swaps(matrix, 5, 0.02, 8)
    assert [row[2] for row in rows] == pytest.approx([place * 0.02 for place in range(8)])


def test_the_difference_needed_is_where_swaps_stay_rare():
    findings = swap(small.campaign(), measures="AP RR", trials=200, rate=0.1)
    rows = findings.tables["swaps"].rows
    for measure, size, difference, share, how in findings.tables["sensitivity"].rows:
        if how == "extrapolated":
            continue
        own = [row for row in rows if row[:2] == [measure, size]]
        kept = [row for row in own if row[2] >= difference - 1e-12]
        assert all(not row[3] or row[5] <= 0.1 for row in kept)
        before = [row for row in own if row[2] < difference - 1e-12]
        assert not before or before[-1][5] > 0.1
        assert share == pytest.approx(sum(row[3] for row in kept) / sum(row[3] for row in own))


def test_sets_that_are_drawn_with_replacement_may_be_as_large_as_all_topics():
    campaign = small.campaign()
    findings = swap(campaign, measures="AP", drawn="replacement", trials=50)
    assert findings.tables["sensitivity"].rows[-1][1] == len(campaign.topics)
    assert "fits" not in findings.tables
    assert {row[-1] for row in findings.tables["sensitivity"].rows} == {"counted"}
    with pytest.raises(OptionError, match="sizes must be at most 6 with 12 topics, not 7"):
        swap(campaign, measures="AP", sizes=7)


def test_equal_runs_are_never_swapped():
    run = small.RUNS["bm25"]
    campaign = Campaign(small.QRELS, {"a": run, "b": run})
    findings = swap(campaign, measures="AP")
    assert sum(row[4] for row in findings.tables["swaps"].rows) == 0
    assert {row[3] for row in findings.tables["fits"].rows if row[1] == 0} == {0.0}


def slow_fit(sizes, rates, weights):
    """(start, decay) of the best start · exp(-decay · size), by trying every decay of a fine grid."""
    found = []
    for decay in np.linspace(0, 1, 2001):
        curve = [math.exp(-decay * size) for size in sizes]
        over = sum(w * c * c for w, c in zip(weights, curve, strict=True))
        start = sum(w * r * c for w, r, c in zip(weights, rates, curve, strict=True)) / over
        left = sum(w * (r - start * c) ** 2 for w, r, c in zip(weights, rates, curve, strict=True))
        found.append((left, start, decay))
    return min(found)


def test_curves_are_the_best_of_their_form_and_read_at_all_topics():
    campaign = noisy(0.03)
    findings = swap(campaign, trials=100, width=0.03, bins=7, rate=0.08)
    rows, fits = findings.tables["swaps"].rows, findings.tables["fits"].rows
    assert len(fits) == 7
    for _, difference, topics, rate, start, decay, error, explained in fits:
        own = [row for row in rows if row[2] == difference]
        sizes, weights, rates = ([row[column] for row in own] for column in (1, 3, 5))
        left, slow_start, slow_decay = slow_fit(sizes, rates, weights)
        assert (start, decay) == (pytest.approx(slow_start, rel=0.02), pytest.approx(slow_decay, abs=6e-4))
        assert topics == 60
        assert rate == pytest.approx(start * math.exp(-decay * 60))
        total = sum(weights)
        assert error**2 * total <= left * (1 + 1e-9)
        mean = sum(w * r for w, r in zip(weights, rates, strict=True)) / total
        spread = sum(w * (r - mean) ** 2 for w, r in zip(weights, rates, strict=True))
        assert explained == pytest.approx(1 - error**2 * total / spread)
    *_, (_, topics, needed, share, how) = findings.tables["sensitivity"].rows
    within = [row for row in fits if row[1] >= needed]
    assert (topics, how) == (60, "extrapolated")
    assert all(row[3] <= 0.08 for row in within)
    assert fits[len(fits) - len(within) - 1][3] > 0.08
    means = campaign.scores().values[:, 0].mean(axis=1).tolist()
    apart = [abs(a - b) >= needed for a, b in itertools.combinations(means, 2)]
    assert share == pytest.approx(sum(apart) / len(apart))
    assert "Rates for 60 topics are extrapolated by 7 fitted curves" in findings.sentences[1]


def test_too_few_sizes_are_not_extrapolated():
    campaign = small.campaign()
    assert "fits" not in swap(campaign, measures="AP", sizes=(3, 5), trials=20).tables
    assert "fits" not in swap(campaign, measures="AP", trials=20, extrapolate=0).tables
    with pytest.raises(OptionError, match="takes at least 3 sizes of topic sets, not 2; add some"):
        swap(campaign, measures="AP", sizes=(3, 5), trials=20, extrapolate=12)
    with pytest.raises(
        OptionError, match="extrapolate must be above the largest size, 6, or 0 for none, not 6"
    ):
        swap(campaign, measures="AP", trials=20, extrapolate=6)
    further = swap(campaign, measures="AP", trials=20, extrapolate=100).tables["sensitivity"].rows[-1]
    assert further[1] == 100
    assert math.isnan(further[3])  # nobody knows how many pairs will differ as much


def test_a_size_that_is_named_twice_counts_once():
    twice, once = (swap(small.campaign(), measures="AP", sizes=s, trials=20) for s in ((3, 3, 5), (3, 5)))
    assert twice.table("swaps").rows == once.table("swaps").rows
    assert "fits" not in twice.tables  # two sizes are too few


def test_close_sizes_of_many_topics_can_be_fitted():
    found = fit([500, 501, 502], np.array([0.3, 0.0, 0.0]), np.ones(3))
    assert 0 < found.start < np.inf
    assert found.rate(500) == pytest.approx(0.3, abs=0.05)
