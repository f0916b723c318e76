"""Findings are confirmed, not confirmed or undecided, by intervals over samples of topics."""

import math

import numpy as np
import pytest
from scipy import stats

from rankgauge import simulate
from rankgauge.reports.papers import EXPERIMENTS
from rankgauge.reports.papers.catalogue.twist_measures import Robustness
from rankgauge.reports.papers.claims import MIN_RUNS, MIN_TOPICS, Bootstrap, Outcome, at, claim, decided
from rankgauge.reports.papers.folder import claims_table, document
from rankgauge.reports.papers.registry import Inputs
from rankgauge.studies import STUDIES, Campaign
from rankgauge.studies.matrices import drawn
from rankgauge.studies.tau_test import tau_p

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


@pytest.mark.parametrize(
    ("experiment", "parts"),
    [
        ("twist", ["table-2", "figure-7", "tables-3-4", "figure-13", "figure-14"]),
        ("cumulated-gain", ["table-2", "orders"]),
        ("q-measure", ["figures-1-4", "figures-5-12", "figures-13-14"]),
    ],
)
def test_two_runs_leave_every_finding_undecided(experiment, parts):
    campaign = campaign_of(systems=2)
    for part in parts:
        found = outcomes(experiment, part, campaign, samples=10)
        assert {*found.values()} == {Outcome(None, "2 runs")}, found


def test_outcomes_are_words_in_the_table_and_counted_above_it():
    decide = {"A": Outcome(True, "2 ±1"), "B": Outcome(False), "C": Outcome(None)}
    claims = [
        claim("higher", decide, lambda each: each),
        claim("other", {"A": Outcome(True)}, lambda each: each),
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
    assert "2 confirmed, 1 not confirmed, 1 undecided. Confirmed: the 95 % interval" in findings.sentences[0]


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


def test_significant_pairs_of_samples_are_counted_by_t_tests():
    campaign, samples, seed = campaign_of(topics=9), 20, 5
    found = Bootstrap.of_power(campaign, ["AP", "P@5"], [[0, 0]], [0.05], samples, seed)
    (sets,) = drawn(9, 9, samples, seed, replacement=True)
    for place, values in enumerate(np.moveaxis(campaign.values("AP P@5"), 1, 0)):
        for number, topics in enumerate(sets):
            with np.errstate(all="ignore"):
                p = [
                    stats.ttest_rel(values[i, topics], values[j, topics]).pvalue
                    for i in range(6)
                    for j in range(i)
                ]
            assert found.sampled[number, 0, place] == np.count_nonzero(np.array(p) < 0.05)


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
        ({"AP": 0.3, "bpref": 0.9, "nDCG": 0.7}, Outcome(True, "0.90 against 0.30 ±0.14")),
        ({"AP": 0.9, "bpref": 0.9, "nDCG": 0.7}, Outcome(None, "0.90 against 0.90 ±0.14")),
        ({"AP": 0.9, "bpref": 0.5, "nDCG": 0.6}, Outcome(False, "0.60 against 0.90 ±0.14")),
        ({"AP": 0.3, "bpref": NAN, "nDCG": NAN}, Outcome(None)),
    ],
)
def test_robustness_is_decided_over_shuffles(tenth, outcome):
    spread = {
        (name, 10): {"mean": tau, "sd": 0.05} for name, tau in {"Twist": 0.2, "RBP": 0.1, **tenth}.items()
    }
    assert Robustness(spread, 9).most() == outcome
    assert Robustness(spread, 4).most() == Outcome(None, "4 runs")
