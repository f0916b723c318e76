"""Comparisons of runs whose means by LLM judgments human judgments correct."""

import math

import numpy as np
import pytest

from rankgauge import Scores, compare
from rankgauge.comparison.gate import check, parse_condition
from rankgauge.errors import OptionError
from rankgauge.extensions.judging.corrected_scores import CorrectedScores


def corrected(runs=4, human=12, topics=40, seed=0, **options):
    """Scores by LLM judgments of all topics, corrected by human judgments of some."""
    source = np.random.default_rng(seed)
    values = source.beta(2, 3, (1, topics)) * np.linspace(0.5, 1.0, runs)[:, None]
    llm = values + source.normal(0.1, 0.1, values.shape)
    drawn = sorted(source.permutation(topics)[:human].tolist())
    by_llm, by_human = (
        {f"r{n}": {f"{t:02}": float(row[t]) for t in some} for n, row in enumerate(each)}
        for each, some in ((llm, range(topics)), (values, drawn))
    )
    return CorrectedScores.of(*(Scores.from_table(each, "AP") for each in (by_llm, by_human)), **options)


@pytest.mark.parametrize("estimator", ["difference", "power-tuned"])
def test_corrected_differences_are_tested_as_corrected_means_of_differences(estimator):
    scores = corrected(estimator=estimator)
    comparison = compare(scores)
    for pair in comparison["AP"].pairs:
        run, against = (scores.runs.index(name) for name in (pair.run, pair.against))
        llm, human = (each[[run]] - each[[against]] for each in scores.values_by(0)[:2])
        found = scores.corrected(llm, human, scores.factor_of("AP"))
        ((low, high),) = zip(
            *(found.estimate + sign * found.half(1 - 0.05 / 6) for sign in (-1, 1)), strict=True
        )
        assert pair.difference == pytest.approx(found.estimate[0])
        means = scores.mean("AP")
        assert pair.difference == pytest.approx(means[pair.run] - means[pair.against])
        assert (pair.low, pair.high) == (pytest.approx(low), pytest.approx(high))
        assert (pair.p < 0.05 / 6) == (not low <= 0 <= high)
    assert comparison["AP"].means == scores.mean("AP")
    assert comparison.test == "corrected-t"
    assert "t-test of corrected differences with Holm's correction" in comparison.sentences[0]
    assert "with Bonferroni's correction" in comparison.interval_phrase
    assert comparison.sentences[0].endswith(f"{scores.correction}.")
    assert comparison.conclusion().endswith(f"{scores.correction}.")
    assert comparison.as_dict()["judgments"] == scores.correction


def test_other_tests_are_refused_where_human_judgments_correct_means():
    with pytest.raises(OptionError, match="sign test needs values of all topics by the same judgments"):
        compare(corrected(), test="sign")


def test_few_human_topics_have_differences_without_p():
    scores = corrected(runs=2, human=7)
    (pair,) = compare(scores)["AP"].pairs
    assert math.isnan(pair.p)
    assert math.isnan(pair.low)
    llm = scores.llm.mean("AP")
    assert pair.difference == pytest.approx(llm["r1"] - llm["r0"])
    assert pair.method == "undefined, fewer than 8 topics with human judgments"


def test_runs_with_the_same_values_do_not_differ():
    scores = corrected(runs=2)
    same = scores._replace(
        values=scores.values[[0, 0]], human=scores.human._replace(values=scores.human.values[[0, 0]])
    )
    (pair,) = compare(same)["AP"].pairs
    assert (pair.p, pair.difference, pair.method) == (1.0, 0.0, "1 by convention, no topic differs")
    assert [math.isnan(each) for each in (pair.low, pair.high)] == [True, True]


@pytest.mark.parametrize("target", ["these", "like-these"])
def test_a_difference_that_is_the_same_on_every_topic_is_not_tested(target):
    scores = corrected(runs=2, target=target)
    values, human = scores.values[[0, 0]], scores.human.values[[0, 0]]
    values[1], human[1] = values[0] + 0.1, human[0] + 0.1  # not exactly, because of rounding
    (pair,) = compare(scores._replace(values=values, human=scores.human._replace(values=human)))["AP"].pairs
    assert pair.difference == pytest.approx(0.1)
    assert [math.isnan(each) for each in (pair.p, pair.low, pair.high)] == [True] * 3
    assert pair.method == "undefined, the difference is the same on every topic"


def test_a_judge_that_errs_by_the_same_on_every_human_topic_has_no_p_for_these_topics():
    scores = corrected(runs=2, target="these", estimator="difference")
    values = scores.values.copy()
    chosen = np.isin(scores.topics, scores.human.topics)
    values[:, :, chosen] = scores.human.values
    (pair,) = compare(scores._replace(values=values))["AP"].pairs
    assert math.isnan(pair.p)
    assert pair.method == "undefined, people and the LLM agree on all topics that people judged"


def tied(target, by_human=(), by_llm=()):
    """Two runs by reciprocal rank: 10 topics with human judgments, and 44 on which the LLM sees one ahead."""
    source = np.random.default_rng(3)
    ahead = source.choice([0.0, 0.0, -0.02], 44).tolist()
    differences = {
        "llm": [*by_llm, *[0.0] * (10 - len(by_llm)), *ahead],
        "human": [*by_human, *[0.0] * (10 - len(by_human))],
    }
    llm, human = (
        Scores.from_table(
            {
                "a": {f"{n:02}": 0.5 for n in range(len(row))},
                "b": {f"{n:02}": 0.5 + each for n, each in enumerate(row)},
            },
            "RR",
        )
        for row in differences.values()
    )
    return CorrectedScores.of(llm, human, target=target)


@pytest.mark.parametrize(
    ("by_human", "by_llm", "reason"),
    [
        ((), (), "people saw no difference on the topics they judged"),
        ((), (0.5, 0.5), "people saw no difference on the topics they judged"),
        ((0.002,), (), "people and the LLM disagree on only 1 of the topics that people judged"),
        ((0.5, 1.0), (0.5, 1.0), "people and the LLM agree on all topics that people judged"),
    ],
)
def test_differences_that_people_did_not_see_have_no_p_for_these_topics(by_human, by_llm, reason):
    scores = tied("these", by_human, by_llm)
    comparison = compare(scores)
    (pair,) = comparison["RR"].pairs
    assert [math.isnan(each) for each in (pair.p, pair.low, pair.high)] == [True] * 3
    assert pair.method == f"undefined, {reason}"
    assert f"is undefined: {reason}" in comparison.conclusion()
    (failures,) = check([parse_condition("RR drops significantly")], scores, comparison).values()
    assert all(reason in why for why in failures)


def test_a_difference_that_people_did_not_see_is_as_uncertain_as_by_llm_judgments():
    (pair,) = compare(tied("like-these", (0.002,)))["RR"].pairs
    (by_llm,) = compare(tied("like-these").llm)["RR"].pairs
    assert pair.high - pair.low > 0.99 * (by_llm.high - by_llm.low)
    assert pair.p > 0.9 * by_llm.p


def test_pairs_without_p_are_counted_by_their_reason():
    scores = tied("these")
    ahead = scores.values[1, 0]
    llm, human = (
        Scores.from_table({run: dict(zip(each.topics, row, strict=False)) for run, row in values}, "RR")
        for values in [[("a", np.full(54, 0.5)), ("b", ahead), ("c", ahead)]]
        for each in (scores.llm, scores.human)
    )
    three = CorrectedScores.of(llm, human, target="these")
    reason = "RR: p is undefined for 2 of 3 pairs: people saw no difference on the topics they judged"
    assert reason in compare(three).notes


def test_a_run_with_few_human_topics_has_no_corrected_mean_where_others_have():
    complete = corrected(runs=5, human=12)
    lacking = complete._replace(human=complete.human._replace(values=complete.human.values.copy()))
    lacking.human.values[4, 0, 5:] = np.nan  # leaves five topics
    lacking = lacking._replace(rules=lacking.rules._replace(undefined="skip"))
    estimates = lacking.estimates()
    of_run = estimates["r4"]["AP"]
    assert all(map(math.isnan, (of_run.estimate, of_run.low, of_run.bias, of_run.shrunken)))
    assert of_run.human_topics == 5
    assert of_run.llm == complete.estimates()["r4"]["AP"].llm
    assert all(0 < estimates[run]["AP"].shrunken < 1 for run in lacking.runs[:4])
    comparison = compare(lacking, baseline="r0", margin=0.5)
    assert math.isnan(comparison["AP"].pairs[-1].difference)
    conditions = [parse_condition(text) for text in ("AP drops", "AP may worsen by 0.5", "AP below 0.001")]
    for failures in check(conditions, lacking, comparison).values():
        assert any("r4" in why for why in failures)


def test_a_gate_with_few_human_topics_cannot_be_decided():
    scores = corrected(runs=2, human=3)
    comparison = compare(scores, baseline="r1", margin=0.5)
    for text in ("AP drops by 2%", "AP drops significantly", "AP below 0.001", "AP may worsen by 0.5"):
        (failures,) = check([parse_condition(text)], scores, comparison).values()
        assert failures == [
            "cannot be decided, since means are not corrected: 3 topics with human judgments, and it takes 8"
        ]


def test_conditions_look_at_corrected_means():
    scores = corrected(runs=2)
    mean = scores.mean("AP")["r1"]
    conditions = [parse_condition(f"AP {verb} {mean + 0.001:.4f}") for verb in ("below", "above")]
    assert [bool(why) for why in check(conditions, scores.only(runs=["r1"])).values()] == [True, False]
    with pytest.raises(OptionError, match="looks at single topics, and human judgments correct means"):
        check([parse_condition("AP below 0.1 on any topic")], scores)


def test_corrected_differences_have_their_own_p_and_no_number_of_topics():
    source = np.random.default_rng(2)
    llm = {f"q{n}": {f"d{k}": int(source.integers(2)) for k in range(8)} for n in range(30)}
    human = {topic: {**llm[topic], "d0": int(source.integers(2))} for topic in [*llm][:18]}
    runs = {name: {topic: [f"d{k}" for k in source.permutation(8)] for topic in llm} for name in "AB"}

    def pair(**options):
        return compare(llm, runs, "AP", human_qrels=human, **options)["AP"].pairs[0]

    wide = pair(alpha=0.1)
    for share, shown in ((0.99, False), (1.01, True)):
        found = pair(margin=share * max(-wide.low, wide.high))
        assert (found.p_equivalence < 0.05) is shown
        assert math.isnan(found.topics_needed)
