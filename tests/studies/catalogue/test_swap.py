"""Swaps by the paper's algorithm, in plain loops; and what is known of them."""

import itertools

import pytest

from rankgauge.errors import OptionError
from rankgauge.studies import Campaign, swap
from studies import small
from studies.catalogue.topic_samples import SEED, TRIALS, drawn, mean, noisy


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
    for measure, size, difference, share in findings.tables["sensitivity"].rows:
        own = [row for row in rows if row[:2] == [measure, size]]
        kept = [row for row in own if row[2] >= difference - 1e-12]
        assert all(not row[3] or row[5] <= 0.1 for row in kept)
        before = [row for row in own if row[2] < difference - 1e-12]
        assert not before or before[-1][5] > 0.1
        assert share == pytest.approx(sum(row[3] for row in kept) / sum(row[3] for row in own))


def test_more_topics_and_larger_differences_make_fewer_swaps():
    campaign = noisy(0.03)
    rows = swap(campaign, sizes=(5, 30), trials=400).tables["swaps"].rows
    few, many = ({row[2]: row[5] for row in rows if row[1] == size} for size in (5, 30))
    assert few[0.0] > few[0.1]
    assert few[0.05] > many[0.05]


def test_comparisons_of_noise_are_swapped_half_the_time():
    rows = swap(noisy(0.0), sizes=30, trials=300).tables["swaps"].rows
    assert sum(row[4] for row in rows) / sum(row[3] for row in rows) == pytest.approx(0.5, abs=0.06)


def test_sets_that_are_drawn_with_replacement_may_be_as_large_as_all_topics():
    campaign = small.campaign()
    findings = swap(campaign, measures="AP", drawn="replacement", trials=50)
    assert findings.tables["sensitivity"].rows[-1][1] == len(campaign.topics)
    with pytest.raises(OptionError, match="sizes must be at most 6 with 12 topics, not 7"):
        swap(campaign, measures="AP", sizes=7)


def test_equal_runs_are_never_swapped():
    run = small.RUNS["bm25"]
    campaign = Campaign(small.QRELS, {"a": run, "b": run})
    assert sum(row[4] for row in swap(campaign, measures="AP").tables["swaps"].rows) == 0
