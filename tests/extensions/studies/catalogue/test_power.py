"""Discriminative power by the definition: Sakai 2006, in plain loops."""

import copy
import itertools
import math
import statistics

import numpy as np
import pytest
from rankgauge.studies import Campaign, power

from extensions.studies import small
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.studies.catalogue.power import seed_of
from rankgauge.model.output import documents, tables
from rankgauge.numbers.bootstrap import drawn

SAMPLES, ALPHAS, SEED = 60, (0.05, 0.2), 5


def studentised(values):
    """mean / (standard deviation / √n)."""
    spread = statistics.stdev(values) / math.sqrt(len(values))
    return statistics.fmean(values) / spread if spread > 1e-12 else 0.0


def slow_power(matrix, samples):
    """({alpha: (significant pairs, Δ)}, ASLs) of (runs, topics), by Figures 1 and 2 of the paper."""
    levels, needed = [], {alpha: [] for alpha in ALPHAS}
    for x, y in itertools.combinations(matrix, 2):
        z = [a - b for a, b in zip(x, y, strict=True)]
        mean = statistics.fmean(z)
        shifted = [d - mean for d in z]
        drawn = [[shifted[topic] for topic in sample] for sample in samples]
        found = sorted(((abs(studentised(w)), abs(statistics.fmean(w))) for w in drawn), reverse=True)
        levels.append(sum(t >= abs(studentised(z)) for t, _ in found) / len(samples))
        for alpha in ALPHAS:
            needed[alpha].append(found[math.floor(len(samples) * alpha) - 1][1])
    counts = {alpha: (sum(level < alpha for level in levels), max(needed[alpha])) for alpha in ALPHAS}
    return counts, levels


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RBP", "Q"])
def test_power_is_that_of_the_definition(measure):
    campaign = small.campaign()
    findings = power(campaign, measures=measure, alphas=ALPHAS, samples=SAMPLES, repeats=1, seed=SEED)
    topics = len(campaign.topics)
    samples = np.random.Generator(np.random.PCG64(SEED)).integers(topics, size=(SAMPLES, topics)).tolist()
    matrix = campaign.scores(measure).values[:, 0].tolist()
    expected, levels = slow_power(matrix, samples)
    rows = findings.records("power")
    assert {row["alpha"]: (row["significant"], pytest.approx(row["delta"])) for row in rows} == expected
    assert all(math.isnan(row["delta sd"]) and math.isnan(row["percent sd"]) for row in rows)
    assert [row[-1] for row in findings.tables["pairs"].rows] == levels
    falling = sorted(levels, reverse=True)
    assert [list(row[2:]) for row in findings.tables["curve"].rows] == [[level] * 3 for level in falling]


@pytest.mark.parametrize("method", ["bootstrap", "tukey"])
def test_repeats_are_tests_with_other_seeds(method):
    campaign, options = small.campaign(), {"measures": "AP", "method": method, "samples": 80, "alphas": 0.1}
    alone = [power(campaign, **options, repeats=1, seed=seed_of(SEED, repeat)) for repeat in range(4)]
    together = power(campaign, **options, repeats=4, seed=SEED)
    levels = np.array([[row["asl"] for row in each.records("pairs")] for each in alone])
    (row,), ones = together.records("power"), [each.records("power")[0] for each in alone]
    assert [pair["asl"] for pair in together.records("pairs")] == pytest.approx(levels.mean(axis=0).tolist())
    assert row["significant"] == np.count_nonzero(levels.mean(axis=0) < 0.1)
    assert row["delta"] == pytest.approx(statistics.fmean(one["delta"] for one in ones))
    assert row["delta sd"] == pytest.approx(statistics.stdev(one["delta"] for one in ones))
    assert row["percent sd"] == pytest.approx(statistics.stdev(one["percent"] for one in ones))
    assert row["delta sd"] > 0
    bands = [row[-3:] for row in together.tables["curve"].rows]
    expected = np.array([levels.mean(axis=0), levels.min(axis=0), levels.max(axis=0)]).T.tolist()
    assert sorted(bands) == [pytest.approx(each) for each in sorted(expected)]


def slow_tukey(matrix):
    """The largest difference between two means in every arrangement of the values within topics."""
    topics = [list(itertools.permutations(column)) for column in zip(*matrix, strict=True)]
    largest = []
    for arrangement in itertools.product(*topics):
        means = [statistics.fmean(row) for row in zip(*arrangement, strict=True)]
        largest.append(max(means) - min(means))
    return sorted(largest, reverse=True)


def test_the_difference_that_tukeys_test_needs_is_a_quantile_of_the_largest_difference():
    matrix = np.random.default_rng(4).uniform(0, 1, (3, 4)) + np.array([[0.0], [0.2], [0.8]])
    largest = slow_tukey(matrix)
    alphas = (0.05, 0.1, 0.3)
    findings = power(scores_of(matrix), method="tukey", alphas=alphas, samples=10_000)
    means = matrix.mean(axis=1)
    for row in findings.records("power"):
        # exceeded by less than a share alpha of the arrangements, and reached by at least that share
        beyond = sum(each > row["delta"] + 1e-12 for each in largest) / len(largest)
        reached = sum(each >= row["delta"] - 1e-12 for each in largest) / len(largest)
        assert beyond < row["alpha"] <= reached
        apart = [abs(a - b) > row["delta"] + 1e-12 for a, b in itertools.combinations(means, 2)]
        assert row["significant"] == sum(apart)
        assert math.isnan(row["delta sd"])  # all arrangements were tried: no seed, no spread
    assert "repeat" not in findings.sentences[0]


def test_with_too_few_arrangements_no_difference_is_enough():
    findings = power(scores_of(np.array([[0.1, 0.2, 0.3], [0.5, 0.8, 0.9]])), method="tukey")
    assert all(math.isnan(row["delta"]) and not row["significant"] for row in findings.records("power"))


def test_subsets_of_topics_are_tested_as_if_there_were_no_others():
    campaign = small.campaign()
    options = {"measures": "AP", "samples": 50, "alphas": 0.1, "seed": SEED}
    found = power(campaign, **options, sizes=(5, 12), subsets=3).records("topics")
    assert [row["topics"] for row in found] == [5, 12]
    matrix = campaign.scores("AP").values[:, 0]
    (block,) = drawn(matrix.shape[1], 5, 3, SEED, replacement=False)
    ones = [
        power(
            scores_of(matrix[:, sorted(subset)]), **options | {"seed": seed_of(SEED, place)}, repeats=1
        ).records("power")[0]
        for place, subset in enumerate(block.tolist())
    ]
    for column in ("percent", "delta"):
        assert found[0][column] == pytest.approx(statistics.fmean(one[column] for one in ones))
        assert found[0][f"{column} sd"] == pytest.approx(statistics.stdev(one[column] for one in ones))
    (whole,) = power(campaign, **options, repeats=3).records("power")
    assert found[1]["delta"] == pytest.approx(whole["delta"])  # subsets of all topics: only seeds


def test_sizes_above_the_number_of_topics_are_refused():
    with pytest.raises(OptionError, match="sizes must be at most 12 with 12 topics, not 13"):
        power(small.campaign(), measures="AP", samples=20, sizes=(5, 13))


def test_people_see_no_more_digits_than_vary_and_programs_see_all():
    findings = power(small.campaign(), measures="AP", samples=200, alphas=0.05)
    (row,) = findings.records("power")
    assert (row["alpha"].text, row["percent"].text) == ("0.05", f"{100 * row['significant'] / 10:.0f}")
    text = "\n".join(documents.document_lines(findings.document()))
    assert f" {row['delta'].text}  " in text
    assert len(row["delta"].text) < len(repr(float(row["delta"])))
    csv = tables.render(findings.tables["power"], "csv")
    assert repr(float(row["delta"])) in csv
    assert findings.as_dict()["tables"]["power"][0]["delta"] == float(row["delta"])


def scores_of(matrix, measure="AP"):
    """A campaign of scores (runs, topics)."""
    return Campaign.of_scores(
        {
            f"run{i}": {measure: {f"t{j:03}": value for j, value in enumerate(row)}}
            for i, row in enumerate(matrix.tolist())
        }
    )


def test_what_surpasses_the_reference_in_every_condition_is_marked():
    findings = power(small.campaign(), measures="AP RR nDCG Q(beta=1|10)", samples=200, alphas=(0.05, 0.3))
    rows = findings.tables["power"].rows
    bar = {row[0]: row[2] for row in rows if row[1] == "AP"}
    above = {
        text
        for text in findings.settings["measures"]
        if all(row[2] > bar[row[0]] for row in rows if row[1] == text)
    }
    assert {rows[row][1] for row, _ in findings.tables["power"].best} == above
    for alpha in (0.05, 0.3):
        counts = [row[2] for row in rows if row[0] == alpha]
        assert counts == sorted(counts, reverse=True)


def test_gains_are_conditions_of_their_own():
    findings = power(
        small.campaign(),
        measures="AP Q nDCG(gains=exp2)",
        gains=[{1: 1, 2: 2, 3: 3}, {1: 1, 2: 5, 3: 10}],
        samples=100,
        alphas=0.1,
    )
    headers, rows = findings.tables["power"].headers, findings.tables["power"].rows
    assert headers[:3] == ["gains", "alpha", "measure"]
    alone = power(small.campaign(), measures="Q(gains={1:1,2:5,3:10})", samples=100, alphas=0.1)
    (expected,) = alone.tables["power"].rows
    assert [row[3:] for row in rows if row[0] == "{1:1,2:5,3:10}" and row[2] == "Q"] == [expected[2:]]
    for same in ("AP", "nDCG(gains=exp2)"):  # no gains, or gains of its own: listed once
        assert [row[0] for row in rows if row[2] == same] == [None]


def test_a_measure_without_gains_is_compared_under_all_of_them():
    options = {"measures": "AP Q P@5", "samples": 100, "alphas": (0.1, 0.3), "gains": ["linear", "exp2"]}
    for reference in ("AP", "Q"):
        findings = power(small.campaign(), **options, reference=reference)
        rows = findings.records("power")
        above = {
            text
            for text in ("AP", "Q", "P@5")
            if all(
                row["significant"] > bar["significant"]
                for row in rows
                for bar in rows
                if row["measure"] == text
                and bar["measure"] == reference
                and row["alpha"] == bar["alpha"]
                and (None in (row["gains"], bar["gains"]) or row["gains"] == bar["gains"])
            )
        }
        assert {rows[row]["measure"] for row, _ in findings.tables["power"].best} == above


def test_the_samples_are_the_same_for_all_measures_and_pairs():
    both = power(small.campaign(), measures="AP RR", samples=100).tables["pairs"].rows
    alone = power(small.campaign(), measures="RR", samples=100).tables["pairs"].rows
    assert [row for row in both if row[0] == "RR"] == alone
    fewer = (
        power(small.campaign().only(list(small.RUNS)[1:]), measures="RR", samples=100).tables["pairs"].rows
    )
    assert [row for row in alone if row[1] != next(iter(small.RUNS))] == fewer


def test_one_topic_has_no_significance():
    with pytest.raises(InputError, match="only 1 topic has a value of AP for all runs"):
        power(scores_of(np.array([[0.5], [0.25]])))


@pytest.mark.parametrize("method", ["bootstrap", "tukey"])
def test_runs_that_are_the_same_have_level_1_and_need_no_known_difference(method):
    found = power(scores_of(np.array([[0.5, 0.25, 0.75]] * 2)), method=method)
    assert [row[2:4] for row in found.tables["power"].rows] == [[0, 1], [0, 1]]
    assert all(math.isnan(row["delta"]) for row in found.records("power"))
    assert [row[-1] for row in found.tables["pairs"].rows] == [1.0]


def test_topics_with_an_infinite_value_are_left_out():
    values = np.array([[3.0, np.inf, 5.0, 4.0], [1.0, 2.0, 2.0, 1.5]])
    finite = scores_of(values[:, [0, 2, 3]], "BalancePoint")
    found, expected = (power(each, samples=100) for each in (scores_of(values, "BalancePoint"), finite))
    assert found.as_dict()["tables"] == expected.as_dict()["tables"]
    assert "BalancePoint: infinite values are left out (1)." in found.sentences
    assert not any("infinite" in sentence for sentence in expected.sentences)


def test_progress_counts_every_test():
    campaign, calls = copy.copy(small.campaign()), []
    campaign.progress = lambda *call: calls.append(call)
    power(campaign, measures="AP RR", samples=20, repeats=3, sizes=(4, 8), subsets=2)
    assert calls == [(step, 14) for step in range(1, 15)]
