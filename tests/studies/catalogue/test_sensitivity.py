"""What the choices behind a measure do, counted by hand."""

import itertools

import pytest
import scipy.stats

import rankgauge
from rankgauge.studies import Campaign, sensitivity
from studies import small

GRID = "nDCG(gains=binary|{1:1,2:10,3:100},base=2|10)@3|20"
TEXTS = [
    f"nDCG(gains={gains},base={base})@{last}"
    for gains, base, last in itertools.product(["binary", "{1:1,2:10,3:100}"], [2, 10], [3, 20])
]


@pytest.fixture(scope="module")
def found():
    return sensitivity(small.campaign(), measures=GRID)


@pytest.fixture(scope="module")
def means():
    scores = rankgauge.evaluate(small.QRELS, small.RUNS, TEXTS).mean()
    return {text: [by[text] for by in scores.values()] for text in next(iter(scores.values()))}


def test_every_setting_is_compared_with_the_first(found, means):
    first, rows = next(iter(means.values())), found.tables["settings"].rows
    assert [row[0] for row in rows] == list(means)
    for name, tau, swapped, move, mover, best in rows:
        other = means[name]
        assert tau == pytest.approx(scipy.stats.kendalltau(first, other).statistic)
        pairs = itertools.combinations(range(len(first)), 2)
        assert swapped == sum((first[i] - first[j]) * (other[i] - other[j]) < 0 for i, j in pairs)
        ranks = [[sum(x > y for x in order) + 1 for y in order] for order in (first, other)]
        moves = dict(zip(small.RUNS, (abs(a - b) for a, b in zip(*ranks, strict=True)), strict=True))
        assert move == max(moves.values())
        assert not mover or moves[mover] == move
        assert best == " = ".join(run for run, x in zip(small.RUNS, other, strict=True) if x == max(other))
    assert rows[0][1:5] == (1.0, 0, 0, "")


def test_choices_are_looked_at_one_by_one(found, means):
    rows = {row[0]: row[1:] for row in found.tables["choices"].rows}
    assert rows.keys() == {"gains", "base", "last rank"}
    assert [row[0] for row in rows.values()] == [4, 4, 4]  # 2 × 2 × 2 settings, half of them apart in each
    orders = list(means.values())
    taus = [scipy.stats.kendalltau(orders[i], orders[i + 4]).statistic for i in range(4)]  # of the gains
    assert rows["gains"][1:] == pytest.approx((sum(taus) / 4, min(taus)))


def test_the_orders_are_those_of_the_means(found, means):
    for name, run, mean, rank in found.tables["orders"].rows:
        order = means[name]
        assert mean == order[list(small.RUNS).index(run)]
        assert rank == sum(other > mean for other in order) + 1


def test_weights_matter_where_runs_differ_in_the_grades_they_find():
    qrels = {"t": {"a": 3, "b": 1, "c": 1}}
    runs = {"few": {"t": {"a": 1.0}}, "many": {"t": {"b": 2.0, "c": 1.0}}}
    findings = sensitivity(Campaign(qrels, runs), measures="DCG(gains={1:1,3:1}|{1:1,3:100})@10")
    assert [row[5] for row in findings.tables["settings"].rows] == ["many", "few"]
    assert findings.tables["settings"].rows[1][1] == -1.0
    assert "The choice that changes the order most: gains." in findings.sentences
