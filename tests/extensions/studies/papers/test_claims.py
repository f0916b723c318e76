"""Findings are confirmed, not confirmed or undecided, by intervals over samples of topics."""

import math
from collections import Counter

import numpy as np
import pytest
from rankgauge.studies import STUDIES, Campaign
from scipy import stats

from extensions.studies import small
from rankgauge import simulate
from rankgauge.extensions.studies.papers import EXPERIMENTS
from rankgauge.extensions.studies.papers.catalogue.twist import NAMES, most_robust
from rankgauge.extensions.studies.papers.claims import (
    MIN_RUNS,
    MIN_TOPICS,
    Bootstrap,
    Outcome,
    at,
    claim,
    corrected,
    decided,
    orders_differ,
)
from rankgauge.extensions.studies.papers.folder import claims_table, document
from rankgauge.extensions.studies.papers.registry import Inputs
from rankgauge.numbers.bootstrap import drawn
from rankgauge.numbers.tau_test import tau_p

NAN = math.nan


def campaign_of(topics=12, systems=6, seed=1, highest=3):
    made = simulate(topics=topics, depth=15, systems=systems, seed=seed)
    qrels = {
        topic: {doc: min(grade, highest) for doc, grade in docs.items()}
        for topic, docs in made.qrels_dict().items()
    }
    return Campaign(qrels, {name: made.run_dict(name) for name in made.systems})


def outcomes(experiment, part, campaign, samples=100):
    """{finding: its outcome on a collection}."""
    contents = EXPERIMENTS[experiment].parts[part].function(Inputs({"x": campaign}, samples=samples))
    return {each["claim"]: Outcome(**each["outcomes"]["x"]) for each in contents.claims}


@pytest.mark.parametrize(
    ("difference", "deviation", "held"),
    [
        (0.2, 0.1, True),
        (-0.2, 0.1, False),
        (0.19, 0.1, None),
        (-0.19, 0.1, None),
        (0.0, 0.0, None),
        (0.1, 0.0, True),
        (NAN, 0.1, None),
        (0.1, NAN, None),
    ],
)
def test_a_finding_is_decided_where_the_interval_excludes_0(difference, deviation, held):
    assert decided(difference, deviation, [1, 2]).held is held


def test_too_few_runs_or_topics_decide_nothing():
    assert decided(1, 0, [1], runs=MIN_RUNS, topics=MIN_TOPICS).held
    assert decided(1, 0, [1], runs=MIN_RUNS - 1) == Outcome(None, "4 runs")
    assert decided(1, 0, [1], topics=MIN_TOPICS - 1) == Outcome(None, "5 topics")
    same, fewer = range(MIN_RUNS), range(MIN_RUNS - 1)
    assert tau_p(same, same) < 0.05 < tau_p(fewer, fewer)
    assert stats.binomtest(0, MIN_TOPICS).pvalue < 0.05 < stats.binomtest(0, MIN_TOPICS - 1).pvalue


@pytest.mark.parametrize("spread", [0.05, 0.1, 0.11, 0.3])
def test_p_is_below_5_percent_exactly_where_the_interval_excludes_0(spread):
    found = decided(0.2, spread, [1])
    assert found.p == pytest.approx(2 * stats.norm.sf(0.2 / spread))
    assert (found.held is not None) == (found.p < 0.05)
    assert decided(0.0, spread, [1]).p == 1.0


def test_a_page_decides_what_holm_leaves():
    outcomes = {"A": Outcome(True, p=0.012), "B": Outcome(False, p=0.02), "C": Outcome(True, p=0.04)}
    one = claim("one", outcomes, lambda each: each)
    other = claim("other", {"A": Outcome(None, p=0.3), "B": Outcome(None, "4 runs")}, lambda each: each)
    found = [[each["held"] for each in made["outcomes"].values()] for made in corrected([one, other])]
    assert found == [[True, None, None], [None, None]]  # of 4 tests: 0.012 * 4 < 0.05 < 0.02 * 3
    assert [each["held"] for each in corrected([one])[0]["outcomes"].values()] == [True, False, True]


def test_a_page_without_true_findings_hardly_ever_confirms_one():
    pages, source = 400, np.random.default_rng(3)
    wrong = 0
    for differences in source.normal(size=(pages, 30)):
        found = corrected([claim("x", dict(enumerate(differences)), lambda each: decided(each, 1.0, [each]))])
        wrong += any(each["held"] is not None for each in found[0]["outcomes"].values())
    assert wrong / pages <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / pages)


@pytest.mark.parametrize(
    ("experiment", "parts"),
    [
        ("twist", ["table-2", "figure-7", "tables-3-4", "figure-13", "figure-14"]),
        ("cumulated-gain", ["table-2", "orders", "spread"]),
        ("q-measure", ["figures-1-4", "figures-5-12", "figures-13-14"]),
    ],
)
def test_two_runs_leave_every_finding_undecided(experiment, parts):
    campaign = campaign_of(systems=2)
    for part in parts:
        found = outcomes(experiment, part, campaign, samples=10)
        assert {*found.values()} == {Outcome(None, "2 runs")}, found


def test_outcomes_are_words_in_the_table_and_counted_above_it():
    decide = {"A": Outcome(True, "2 ±1", 0.01), "B": Outcome(False, p=0.001), "C": Outcome(None)}
    claims = [
        claim("higher", decide, lambda each: each),
        claim("other", {"A": Outcome(True, p=0.02)}, lambda each: each),
    ]
    table = claims_table(claims)
    assert table.headers == ("The document finds", "A", "B", "C")
    assert table.rows == [
        ["higher", "confirmed: 2 ±1", "not confirmed", "undecided"],
        ["other", "confirmed", "–", "–"],
    ]
    record = {"claims": claims, "tables": {}, "figures": {}, "reported": []}
    record |= {"title": "x", "places": 3, "sentences": []}
    findings = document(EXPERIMENTS["twist"], [record], [], []).sections[0]
    assert "2 confirmed, 1 not confirmed, 1 undecided. Confirmed: over samples" in findings.sentences[0]


def test_intervals_of_tau_are_those_of_the_study():
    campaign, measures = campaign_of(), "AP nDCG RR"
    taus = Bootstrap.of_orders(campaign, measures, samples=50, seed=3)
    for row in STUDIES["correlation"].call(campaign, measures=measures, samples=50, seed=3).records("pairs"):
        places = [measures.split().index(row[key]) for key in ("measure", "other")]
        value, low, high = taus.interval(at(*places))
        assert value == row["tau_b"]
        assert (max(low, -1), min(high, 1)) == pytest.approx((row["low"], row["high"]))


def test_a_measure_agrees_as_much_as_itself():
    taus = Bootstrap.of_orders(campaign_of(), "AP nDCG RR", samples=50, seed=1)
    assert taus.higher(at(0, 1), at(1, 0)).held is None
    assert taus.higher(at(0, 0), at(0, 1)).held is not False
    assert taus.higher(at(0, 2), 1.5).held is False


def test_significant_pairs_are_counted_by_the_same_test_on_all_topics_and_on_samples():
    campaign, samples, seed = campaign_of(topics=9), 20, 5
    found = Bootstrap.of_power(campaign, ["AP", "P@5"], [0.05], samples, seed)
    (sets,) = drawn(9, 9, samples, seed, replacement=True)
    for place, values in enumerate(np.moveaxis(campaign.values("AP P@5"), 1, 0)):
        for topics, count in zip([range(9), *sets], [found.observed, *found.sampled], strict=True):
            with np.errstate(all="ignore"):
                p = [
                    stats.ttest_rel(values[i, topics], values[j, topics]).pvalue
                    for i in range(6)
                    for j in range(i)
                ]
            assert count[0, place] == np.count_nonzero(np.array(p) < 0.05)


def test_friedman_is_resampled_as_its_coefficient_of_concordance(monkeypatch):
    seen = []
    monkeypatch.setattr(Bootstrap, "higher", lambda *given: seen.append(given) or Outcome(None))
    campaign = campaign_of(topics=9, systems=5)
    outcomes("cumulated-gain", "table-2", campaign, samples=10)
    ((ranks, *both),) = seen
    texts = "AnCG(gains={grade})@200 AnDCG(base=2,gains={grade})@200"
    for statistic, grades in zip(both, ("{1:1,2:10,3:100}", "{1:1,2:1,3:1}"), strict=True):
        values = np.moveaxis(campaign.values(texts.replace("{grade}", grades)), 1, 0)
        t1 = [stats.friedmanchisquare(*each).statistic for each in values]
        assert statistic(ranks.observed) == pytest.approx(np.mean(t1) / (9 * 4))
        assert statistic(ranks.sampled).shape == (10,)


def test_the_main_finding_of_cumulated_gain_is_on_the_order_of_runs():
    text = "Weighting, by nDCG, changes the order of runs: tau below 0.9"
    graded = {f"t{t}": {"low": 1, "high": 3, "other": 1, "more": 1} for t in range(8)}
    opposed = {f"r{n}": {t: ["low", "other", "more"][: n + 1] for t in graded} for n in range(3)}
    opposed |= {f"s{n}": {t: [f"x{m}" for m in range(n)] + ["high"] for t in graded} for n in (1, 2, 3)}
    assert outcomes("cumulated-gain", "orders", Campaign(graded, opposed))[text].held is True
    alike = {f"r{n}": {t: [f"x{m}" for m in range(n)] + ["high", "low"] for t in graded} for n in range(6)}
    assert outcomes("cumulated-gain", "orders", Campaign(graded, alike))[text].held is False
    one_grade = campaign_of(highest=1)
    assert outcomes("cumulated-gain", "orders", one_grade)[text] == Outcome(None, "one grade of relevance")


@pytest.mark.parametrize("part", ["figure-1", "figure-3"])
def test_what_holds_by_definition_is_no_finding(part):
    assert not outcomes("cumulated-gain", part, campaign_of(topics=6, systems=5))


@pytest.mark.parametrize(
    ("tenth", "outcome"),
    [
        ({"AP": 0.3, "bpref": 0.9, "nDCG": 0.7}, Outcome(True, "0.90 against 0.30 ±0.10")),
        ({"AP": 0.9, "bpref": 0.9, "nDCG": 0.7}, Outcome(None, "0.90 against 0.90 ±0.10")),
        ({"AP": 0.9, "bpref": 0.5, "nDCG": 0.6}, Outcome(False, "0.60 against 0.90 ±0.10")),
        ({"AP": 0.3, "bpref": NAN, "nDCG": NAN}, Outcome(None)),
    ],
)
def test_robustness_is_decided_by_differences_within_shuffles(tenth, outcome):
    means = {"Twist": 0.2, "RBP": 0.1, **tenth}
    taus = np.array([[means[name] for name in NAMES]] * 2)
    shift = np.array([-0.05, 0.05]) / math.sqrt(2)  # of bpref and nDCG: a standard deviation of 0.05
    shuffles = taus + shift[:, None, None] * np.array([name in ("bpref", "nDCG") for name in NAMES])
    shuffles += np.array([0.3, -0.3])[:, None, None]  # of all measures alike, which leaves differences alone
    assert most_robust(Bootstrap(taus, shuffles, topics=9, runs=9))[:2] == outcome[:2]
    assert most_robust(Bootstrap(taus, shuffles, topics=9, runs=4)) == Outcome(None, "4 runs")


def test_few_topics_leave_robustness_undecided():
    found = outcomes("twist", "figure-13", campaign_of(topics=MIN_TOPICS - 1), samples=10)
    assert {*found.values()} == {Outcome(None, "5 topics")}


def test_that_anova_finds_nothing_proves_nothing():
    text = "ANOVA proves no difference significant (two-way, then t-tests with its error)"
    same = {f"r{n}": {f"t{t}": [f"d{(n + t) % 5}", "d"] for t in range(10)} for n in range(5)}
    qrels = {f"t{t}": {f"d{n}": n % 3 + 1 for n in range(5)} for t in range(10)}
    found = outcomes("cumulated-gain", "table-2", Campaign(qrels, same))[text]
    assert found.held is None
    assert found.evidence == "0 of 60 differences"
    below = {f"t{t}": [f"x{m}" for m in range(4 * (t % 2))] for t in range(10)}
    apart = {
        f"r{n}": {t: [*map(str, range(4 * n)), *some, "d2"] for t, some in below.items()} for n in range(5)
    }
    assert outcomes("cumulated-gain", "table-2", Campaign(qrels, apart))[text].held is False


def spread_of(ranks, grades=(3, 3, 1, 1), topics=8):
    """The findings on discounts and high relevance: run r has the relevant documents at ranks[r]."""
    qrels = {f"t{t}": {f"d{n}": grade for n, grade in enumerate(grades)} for t in range(topics)}
    runs = {}
    for number, places in enumerate(ranks):
        ranking = [f"x{n}" for n in range(30)]
        for doc, rank in enumerate(places):
            ranking[rank - 1] = f"d{doc}"
        runs[f"r{number}"] = dict.fromkeys(qrels, ranking)
    found = outcomes("cumulated-gain", "spread", Campaign(qrels, runs))
    return [outcome.held for outcome in found.values()], found


def test_discounting_narrows_differences_at_high_ranks_alone():
    late = [(1, 2, 3, 20 + n) for n in range(6)]  # what comes late differs, and discounts make it small
    early = [(1 + n, 20, 21, 22) for n in range(6)]
    assert spread_of(late, grades=(1, 1, 1, 1))[0][0] is True
    assert spread_of(early, grades=(1, 1, 1, 1))[0][0] is False


def test_curves_of_graded_gain_start_lower_where_the_best_documents_come_late():
    assert spread_of([(20, 21, 1 + n, 2 + n) for n in range(6)])[0][2] is True
    assert spread_of([(1 + n, 2 + n, 20, 21) for n in range(6)])[0][2] is False
    text = "Highly relevant documents are harder to retrieve: graded nCG is lower to rank 10"
    one_grade = spread_of([(1 + n, 2 + n, 20, 21) for n in range(6)], grades=(1, 1, 1, 1))[1]
    assert one_grade[text] == Outcome(None, "one grade of relevance")


def test_the_range_of_runs_and_the_start_of_curves_are_those_of_curves():
    campaign = campaign_of(systems=5)
    table = EXPERIMENTS["cumulated-gain"].parts["spread"].function(Inputs({"x": campaign}, samples=10))
    for row, gains in zip(table.tables["spread"].rows, ("{1:1,2:1,3:1}", "{1:1,2:10,3:100}"), strict=True):
        for value, text in zip(row[2:4], ("CG(gains=G)", "DCG(base=2,gains=G)"), strict=True):
            means = campaign.curves(text.replace("G)", f"{gains})"), depth=100).mean()
            levels = [np.mean(*of_run.values()) for of_run in means.values()]
            assert value == pytest.approx(100 * (max(levels) - min(levels)) / np.mean(levels))
        shares = campaign.curves(f"CG(gains={gains})", depth=10).mean("averages")
        assert row[4] == pytest.approx(np.mean([next(iter(of_run.values())) for of_run in shares.values()]))


def gains_by_alpha(rises):
    """A baseline and a run that is better by new subtopics (rises) or by repeated ones."""
    qrels = {f"t{t}": {f"s{n}": {f"d{n}": 1, f"e{n}": 1} for n in range(12)} for t in range(8)}
    better = [f"d{n}" for n in range(8)] if rises else ["d0", "e0", "d1", "e1", "d2", "e2", "d3", "e3"]
    worse = ["d0", "e0", "d1", "e1"] if rises else ["d0", "d1", "d2", "d3"]
    runs = {
        name: {t: [*(f"x{n}" for n in range(int(t[1]) % 2)), *ranking] for t in qrels}
        for name, ranking in (("a", worse), ("b", better))
    }
    return Campaign(qrels, runs, by_subtopic=True)


def test_a_gain_falls_with_alpha_only_if_it_does_at_every_depth_that_has_one():
    text = "A gain over the baseline falls as alpha goes from 0 to 1, at every depth that has one"

    def found(rises):
        campaign = gains_by_alpha(rises)
        contents = EXPERIMENTS["alpha-ndcg"].parts["figure-3"].function(Inputs({"x": campaign}, samples=50))
        (outcome,) = next(each for each in contents.claims if each["claim"] == text)["outcomes"].values()
        return Outcome(**outcome)

    falls, rise = found(rises=False), found(rises=True)
    assert (falls.held, rise.held) == (True, False)
    assert falls.evidence.endswith("of 10, 20, 30, 50, 100")
    assert 0 <= rise.p < 0.05


def test_random_runs_hardly_ever_confirm_that_orders_differ():
    campaigns = 10
    confirmed = Counter()
    for seed in range(campaigns):
        campaign = small.campaign_by_grade(seed, 0.0, runs=12, topics=20, documents=30)
        found = outcomes("cumulated-gain", "orders", campaign, samples=50)
        found |= outcomes("twist", "tables-3-4", campaign, samples=50)
        confirmed += Counter(text for text, outcome in found.items() if "below 0.9" in text and outcome.held)
    limit = campaigns * (0.05 + 3 * math.sqrt(0.05 * 0.95 / campaigns))
    assert all(count <= limit for count in confirmed.values()), confirmed


def test_orders_that_differ_are_confirmed():
    for seed in range(2):
        found = outcomes("cumulated-gain", "orders", small.campaign_by_grade(seed, 2.0, 12), samples=50)
        assert all(outcome.held for text, outcome in found.items() if text.startswith("Weighting"))


def test_orders_differ_only_if_measures_agree_less_on_halves_of_the_topics():
    halves = Bootstrap.of_halves(campaign_of(topics=11), "AP nDCG", samples=20, seed=1)
    orders = Bootstrap(np.array([[1, 0.5], [0.5, 1]]), np.full((9, 2, 2), 0.5), halves.topics, halves.runs)
    same = Bootstrap(np.full((2, 2), 0.5), np.tile(halves.sampled[:, :1, :1], (2, 2)), 11, halves.runs)
    assert halves.sampled.shape == (20, 2, 2)
    assert halves.observed == pytest.approx(halves.sampled.mean(axis=0))
    lower = orders_differ(orders, same, 0, [1])
    assert lower.held is None
    assert lower.evidence == "0.50 ±0.00, on halves of the topics lower by 0.00 ±0.00"
    reliable = Bootstrap(np.array([[0.9, 0.5], [0.6, 0.8]]), same.sampled, 11, halves.runs)
    assert orders_differ(orders, reliable, 0, [1]) == Outcome(True, "0.50 ±0.00", 0.0)
