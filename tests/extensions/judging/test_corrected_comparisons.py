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
        of_pair = [scores.runs.index(name) for name in (pair.run, pair.against)]
        tables = [
            {"d": {t: row[t] for t in each.topics}}
            for each in (scores.llm, scores.human)
            for a, b in [each.values[of_pair, 0]]
            for row in [dict(zip(each.topics, a - b, strict=True))]
        ]
        alone = CorrectedScores.of(*(Scores.from_table(each, "d") for each in tables), estimator=estimator)
        found = alone.estimates(1 - 0.05 / 6)["d"]["d"]
        assert pair.difference == pytest.approx(found.estimate)
        assert (pair.low, pair.high) == (pytest.approx(found.low), pytest.approx(found.high))
        assert (pair.p < 0.05 / 6) == (not found.low <= 0 <= found.high)
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
    (pair,) = compare(corrected(runs=2, human=7))["AP"].pairs
    assert math.isnan(pair.p)
    assert math.isnan(pair.low)
    assert not math.isnan(pair.difference)
    assert pair.method == "undefined, fewer than 8 topics with human judgments"


def test_runs_with_the_same_values_do_not_differ():
    scores = corrected(runs=2)
    same = scores._replace(
        values=scores.values[[0, 0]], human=scores.human._replace(values=scores.human.values[[0, 0]])
    )
    (pair,) = compare(same)["AP"].pairs
    assert (pair.p, pair.difference, pair.low, pair.high) == (1.0, 0.0, 0.0, 0.0)


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
    assert pair.method == "undefined, the standard error is 0 or unknown"


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
