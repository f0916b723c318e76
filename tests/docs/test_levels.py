"""The page on how often tests are wrong shows what was simulated, and the simulation still does."""

import itertools

import numpy as np
import pytest

import pages
from rankgauge.model.rules import ESTIMATOR, TopicRules


@pytest.fixture
def script(monkeypatch):
    """The script that writes the page."""
    return pages.script("levels", monkeypatch)


@pytest.fixture
def means(monkeypatch):
    """The script that simulates intervals of means."""
    return pages.script("mean_intervals", monkeypatch)


@pytest.fixture
def corrected(monkeypatch):
    """The script that simulates means corrected by human judgments."""
    return pages.script("corrected_means", monkeypatch)


@pytest.fixture
def equivalent(monkeypatch):
    """The script that simulates claims of equivalence."""
    return pages.script("equivalence", monkeypatch)


@pytest.fixture
def decisions(monkeypatch):
    """The script that simulates decisions between two runs."""
    return pages.script("decisions", monkeypatch)


@pytest.fixture
def interaction(monkeypatch):
    """The script that simulates the test of interaction."""
    return pages.script("interaction", monkeypatch)


def test_the_page_shows_what_was_simulated_and_explains_what_is_away_from_its_level(script):
    assert "\n".join(script.lines(script.load())) == pages.read("docs/studies/levels.md")


def test_every_test_correction_and_size_was_simulated(script):
    expected = {
        (test, key, (runs, topics))
        for test in script.TESTS
        for key in (*script.CORRECTIONS, script.COVERAGE)
        for runs in (2, 10, 40, 80)
        for topics in (2, 10, 50, 200)
    }
    assert expected <= set(script.load())


def test_a_rate_without_a_reason_is_an_error(script):
    with pytest.raises(ValueError, match="nothing explains it"):
        script.reason("t", "holm", (2, 50), script.Rate(0.5, 0.01))
    assert script.reason("t", "holm", (2, 50), script.Rate(0.055, 0.01)) == ""


def test_a_small_simulation_agrees_with_the_page(script):
    cell, count = (10, 10), 40
    trials = [script.trial(cell, 100_000 + number) for number in range(count)]
    known = script.load()
    for name, key in trials[0]:
        rate = known[name, key, cell]
        found = sum(each[name, key] for each in trials) / count
        spread = max(rate.error, 1e-4) * (script.CAMPAIGNS[10] / count) ** 0.5
        assert abs(found - rate.share) < 5 * spread + 0.02, (name, key)


def test_the_interval_of_logits_that_was_simulated_is_that_of_scores(means):
    for number in range(len(means.MODELS)):
        values, _ = means.modelled(number, 5, trials=20)
        values = values[values.min(axis=1) < values.max(axis=1)]
        found = [TopicRules().interval(row, means.LEVEL, bounds=(0, 1)) for row in values.tolist()]
        np.testing.assert_allclose(found, np.transpose(means.intervals(values)["logit"]), rtol=1e-9)


def test_what_the_page_claims_of_intervals_of_means_is_what_was_simulated(means):
    rates = means.load()
    names = {name for name, _, _ in rates}
    assert {*rates} == {(n, t, m) for n in names for t in means.TOPICS for m in (*means.METHODS, "beyond")}
    for topics in means.TOPICS:
        share = {m: np.array([rates[name, topics, m][0] for name in names]) for m in means.METHODS}
        width = {m: np.mean([rates[name, topics, m][1] for name in names]) for m in means.METHODS}
        assert share["logit"].mean() >= means.LEVEL - 0.0005
        assert all(share["logit"].min() > share[m].min() for m in means.METHODS if m != "logit")
        assert max(share["percentile"].mean(), share["BCa"].mean()) < 0.94
        assert width["logit"] < {2: 1.08, 3: 1.15, 5: 1.12}.get(topics, 1.08) * width["Wilson"]
        assert topics > 2 or width["logit"] > 0.9


@pytest.mark.parametrize("topics", [3, 10])
def test_a_small_simulation_of_intervals_of_means_agrees_with_the_page(means, topics):
    known, count = means.load(), 200
    for number in range(len(means.MODELS)):
        found = means.trial(*means.modelled(number, topics, count, seed=11), seed=11)
        for method, (share, width) in found.items():
            expected, wide = known[f"model {number}", topics, method]
            spread = (max(expected * (1 - expected), 0.01) / (count / 2)) ** 0.5
            assert abs(share - expected) < 4.5 * spread, (number, method)
            assert width == pytest.approx(wide, rel=0.25)


def test_corrected_means_and_differences_err_no_more_often_than_they_may(corrected):
    rates = corrected.load()
    for judge, estimator, drawn, topics in itertools.product(
        corrected.JUDGES, ESTIMATOR.rules, (8, 10, 20, 40), (50, 200)
    ):
        for what, sign in (("pairs", 1), ("campaigns", 1), ("all intervals", -1), ("means", -1)):
            share, error = rates[judge, estimator, drawn, topics, what]
            level = corrected.ALPHA if sign > 0 else 1 - corrected.ALPHA
            assert sign * (share - level) <= corrected.LIMIT * error, (judge, estimator, drawn, topics, what)
        assert rates[judge, estimator, drawn, topics, "pairs"][0] > 0.02  # nor far more seldom
        assert rates[judge, estimator, drawn, topics, "means"][0] <= 0.98


def test_corrected_intervals_hold_and_are_narrower_than_those_by_human_judgments_alone(corrected):
    rates = corrected.load()
    for what, most in (("means", 0.8), ("differences", 0.7)):
        for estimator in ESTIMATOR.rules:
            shares = [rates["DL 2021", estimator, drawn, 53, what][0] for drawn in corrected.DRAWN]
            assert all(0.93 <= share <= 0.97 for share in shares), (what, estimator)
            width, human = (rates["DL 2021", m, 20, 53, what][1] for m in (estimator, "human only"))
            assert width <= most * human
    assert rates["DL 2021", "LLM only", 20, 53, "means"][0] < 0.1


@pytest.mark.parametrize("cell", [("lenient", "power-tuned", 20, 50), ("noisy", "difference", 20, 200)])
def test_a_small_simulation_of_corrected_means_agrees_with_the_page(corrected, cell):
    for what, (share, error) in corrected.trial(cell, 60, seed=5).items():
        known, at = corrected.load()[(*cell, what)]
        assert abs(share - known) <= 4 * (error**2 + at**2) ** 0.5 + 0.01, what


def test_verdicts_by_sparse_measures_are_wrong_no_more_often_than_the_page_says(corrected):
    rates = corrected.load()
    assert [*corrected.failing(rates)] == []
    for judge, measure, target in itertools.product(corrected.SPARSE, corrected.MEASURES, corrected.TARGETS):
        before, now = (
            max(rates[judge, measure, drawn, 50, f"{target}, {rule}"][0] for drawn in corrected.FEW)
            for rule in corrected.RULES
        )
        assert now <= max(before, 0.07), (judge, measure, target)
    for judge, drawn in itertools.product(corrected.REAL, corrected.FEW):
        for measure, target in itertools.product(corrected.REAL_MEASURES.split(), corrected.TARGETS):
            assert rates[judge, measure, drawn, 53, f"{target}, now"][0] <= 0.05


def test_a_small_simulation_of_sparse_measures_agrees_with_the_page(corrected):
    judge, drawn = "labels wrong on few topics", 10
    for (measure, target, rule), (share, held) in corrected.sparse_trial(judge, drawn, 60, seed=5).items():
        known, coverage = corrected.load()[judge, measure, drawn, 50, f"{target}, {rule}"]
        assert share == pytest.approx(known, abs=0.03 + 4 * (max(known, 0.01) * (1 - known) / 60) ** 0.5)
        assert held == pytest.approx(coverage, abs=0.06)


def test_a_few_draws_of_sparse_measures_of_dl21_agree_with_the_page(corrected, data, monkeypatch):
    monkeypatch.setattr(corrected, "DATA", data)
    if not (data / "llm_labels").is_dir():
        pytest.skip("no labels by language models")
    known = corrected.load()
    for (measure, drawn, target, rule), share in corrected.real_trial(
        corrected.REAL["gpt-4o"], 40, (10,), seed=3
    ).items():
        assert share == pytest.approx(known["gpt-4o", measure, drawn, 53, f"{target}, {rule}"][0], abs=0.2)


def test_shrunken_means_order_runs_better_than_corrected_ones(corrected, data, monkeypatch):
    rates = corrected.load()
    for judge, measure, drawn in itertools.product(
        corrected.REAL, corrected.ORDERED_MEASURES.split(), corrected.ORDERED
    ):
        taus = {by: rates[judge, measure, drawn, 53, f"order, {by}"][0] for by in corrected.ORDERS}
        assert taus["shrunken"] > taus["corrected"]
    monkeypatch.setattr(corrected, "DATA", data)
    if not (data / "llm_labels").is_dir():
        pytest.skip("no labels by language models")
    for (measure, drawn, by), (tau, error) in corrected.order_trial(
        corrected.REAL["gpt-4o"], 20, (8,), seed=3
    ).items():
        assert tau == pytest.approx(
            rates["gpt-4o", measure, drawn, 53, f"order, {by}"][0], abs=5 * error + 0.02
        )


def test_a_few_draws_of_dl21_agree_with_the_page(corrected, data, monkeypatch):
    monkeypatch.setattr(corrected, "DATA", data)
    if not (data / "llm_labels").is_dir():
        pytest.skip("no labels by language models")
    known = corrected.load()
    for (what, method), (share, width) in corrected.draws(*corrected.dl21(), 20, count=15, seed=3).items():
        expected = known["DL 2021", method, 20, 53, what]
        assert share == pytest.approx(expected[0], abs=0.12)
        assert width == pytest.approx(expected[1], rel=0.12)


def test_claims_of_equivalence_are_wrong_no_more_often_than_they_may_be(equivalent):
    known = equivalent.load()
    trials_of = {**equivalent.TRIALS, equivalent.OF_FAMILIES: equivalent.FAMILIES}
    for test, trials in trials_of.items():
        for topics, margin in itertools.product(equivalent.TOPICS, equivalent.MARGINS):
            error = (equivalent.ALPHA * (1 - equivalent.ALPHA) / trials) ** 0.5
            for claim in equivalent.CLAIMS:
                assert known[test, topics, margin, claim] <= equivalent.ALPHA + 3 * error
    for claim, share in equivalent.rates("t", 10, 0.2, 500, seed=5, runs=equivalent.FAMILY).items():
        assert share == pytest.approx(known[equivalent.OF_FAMILIES, 10, 0.2, claim], abs=0.04)
    for claim, share in equivalent.rates("t", 25, 0.1, 2000, seed=5).items():
        assert share == pytest.approx(known["t", 25, 0.1, claim], abs=0.02)


def test_equal_differences_seem_to_depend_on_segments_no_more_often_than_they_may(interaction):
    known = interaction.load()
    cells = itertools.product(
        map(interaction.name, interaction.SEGMENTS), interaction.SHAPES, interaction.WIDER
    )
    shrunken = {cell: known.pop(cell) for cell in [*known] if cell[1].startswith("±")}
    assert {*known} == {*cells}
    assert len(shrunken) == len(interaction.SHRUNKEN) * len(interaction.SPREADS) * len(interaction.WIDER)
    assert all(share > 0.9 and error < 1.05 for share, error in shrunken.values())
    again = interaction.held(interaction.SHRUNKEN[0], 0.2, 3, 100, seed=5)
    assert again == pytest.approx(shrunken["40 × 3", "±0.2", 3], abs=0.04)
    error = (interaction.ALPHA * (1 - interaction.ALPHA) / interaction.TRIALS) ** 0.5
    for (sizes, shape, wider), share in known.items():
        if wider == 1 or shape == "of scores":
            assert share <= interaction.ALPHA + 3 * error, (sizes, shape, wider)
    for sizes, shape in (((5, 5, 40), "of scores"), ((5, 45), "skewed")):
        share = interaction.rate(sizes, shape, 3, 200, seed=5)
        assert share == pytest.approx(known[interaction.name(sizes), shape, 3], abs=0.08)


def test_decisions_err_no_more_often_than_they_may(decisions):
    known = decisions.load()
    assert {*known} == {*itertools.product(decisions.LABELS, decisions.BUDGETS)}
    error = (decisions.ALPHA * (1 - decisions.ALPHA) / decisions.PAIRS / decisions.DRAWS) ** 0.5
    for rates in known.values():
        assert rates["wrong"] <= rates["outside"] <= decisions.ALPHA + 3 * error
        assert rates["error"] < rates["topics"]


def test_a_small_simulation_of_decisions_agrees_with_the_page(decisions):
    if not (decisions.DATA / "llm_labels").is_dir():
        pytest.skip(f"no real data in {decisions.DATA}")
    found = decisions.trial("GPT-4o", 100, pairs=12, draws=4)
    known = decisions.load()["GPT-4o", 100]
    assert found["outside"] <= 0.15
    assert found["error"] == pytest.approx(known["error"], rel=0.5)
    assert found["decided"] == pytest.approx(known["decided"], abs=0.4)
