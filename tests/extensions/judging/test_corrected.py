"""Means by LLM judgments, corrected by human judgments of some topics: numbers, laws, and what is refused."""

import math
from statistics import fmean, variance

import numpy as np
import pytest
from scipy.stats import t as student

from rankgauge import Scores, evaluate
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.extensions.judging.corrected_means import MIN_FITTED, MIN_HUMAN
from rankgauge.extensions.judging.corrected_scores import CorrectedScores
from rankgauge.model.rules import ESTIMATOR, TARGET

OPTIONS = [(estimator, target) for estimator in ESTIMATOR.rules for target in TARGET.rules]


def table(values, topics=None, measure="x"):
    """Scores of {run: values}, by a measure without bounds."""
    return Scores.from_table(
        {
            run: dict(zip(topics or map(str, range(len(row))), row, strict=False))
            for run, row in values.items()
        },
        measure,
    )


def sampled(n, count, seed=0, runs=1, slope=0.7):
    """(by LLM judgments of `count` topics, by human judgments of n of them)."""
    source = np.random.default_rng(seed)
    human = source.normal(0.5, 0.2, (runs, count))
    llm = slope * human + source.normal(0.2, 0.1, (runs, count))
    topics = [str(topic) for topic in source.permutation(count)[:n]]
    by_human = {f"r{run}": [row[int(topic)] for topic in topics] for run, row in enumerate(human)}
    return table({f"r{run}": row.tolist() for run, row in enumerate(llm)}), table(by_human, topics)


def regression(rows, weights):
    """(the intercept of each stratum, the slope) of (stratum, h, l), by weighted least squares."""
    strata = sorted(weights)
    design = np.array([[*(float(stratum == each) for each in strata), x] for stratum, _, x in rows])
    root = np.sqrt([weights[stratum] for stratum, _, _ in rows])
    *levels, slope = np.linalg.lstsq(design * root[:, None], root * [h for _, h, _ in rows], rcond=None)[0]
    return dict(zip(strata, levels, strict=True)), slope


def twin(llm, human, estimator, target, strata=None):
    """The corrected mean, its standard error and degrees of freedom, from the definitions.

    {topic: value} in. For the jackknife, each topic is left out, and k is fitted to the others.
    """
    strata = strata or dict.fromkeys(llm, "all")
    rows = [(strata[topic], human[topic], llm[topic]) for topic in human]
    n = {each: sum(row[0] == each for row in rows) for each in {*strata.values()}}
    size = {each: sum(strata[topic] == each for topic in llm) for each in n}
    share = {each: size[each] / len(llm) for each in n}
    thin = {each: 1 / n[each] - 1 / size[each] for each in n}
    weights = {each: share[each] ** 2 * thin[each] / (n[each] - 1) for each in n}
    fits = estimator == "power-tuned" and any(thin.values()) and len(rows) >= MIN_FITTED
    k = regression(rows, weights)[1] if fits else 1.0
    mean = spread = both = alone = 0.0
    df = len(rows) - len(n) - fits
    for each in n:
        of_all = [llm[topic] for topic in llm if strata[topic] == each]
        mean += share[each] * (k * fmean(of_all) + fmean(h - k * x for s, h, x in rows if s == each))
    for place, (stratum, h, x) in enumerate(rows):
        others = rows[:place] + rows[place + 1 :]
        if fits:
            levels, slope = regression(others, weights)
            apart = h - levels[stratum] - slope * x
        else:
            apart = h - x - fmean(b - c for s, b, c in others if s == stratum)
        apart *= 1 - 1 / n[stratum]
        spread += weights[stratum] * apart**2
        far = h - fmean(b for s, b, _ in rows if s == stratum)
        both, alone = both + weights[stratum] * far * apart, alone + weights[stratum] * far**2
    if target == "like-these":
        means = {each: fmean(h for s, h, _ in rows if s == each) for each in n}
        centre = sum(share[each] * means[each] for each in n)
        within = {each: variance(h for s, h, _ in rows if s == each) for each in n}
        more = sum(share[each] * (within[each] + (means[each] - centre) ** 2) for each in n) / len(llm)
        alike = min(both**2 / (spread * alone), 1.0) if spread else 1.0
        least = k**2 * variance(llm.values()) / len(llm)
        parts = spread**2 + more**2 + 2 * spread * more * alike
        if least > more:  # the LLM's values of all topics vary more than those people saw
            more, parts = least, spread**2 + least**2 * df / (len(llm) - 1)
        df *= (spread + more) ** 2 / parts
        spread += more
    return mean, math.sqrt(spread), df


def only(scores, run="r0"):
    return scores.to_dict()[run]["x"]


@pytest.mark.parametrize(("estimator", "target"), OPTIONS)
@pytest.mark.parametrize(("n", "count"), [(8, 30), (14, 30), (15, 53), (40, 41)])
def test_the_twin_has_the_same_estimate_and_interval(estimator, target, n, count):
    llm, human = sampled(n, count)
    found = CorrectedScores.of(llm, human, estimator=estimator, target=target).estimates(0.9)["r0"]["x"]
    mean, error, df = twin(only(llm), only(human), estimator, target)
    half = student.ppf(0.95, df) * error
    assert found.estimate == pytest.approx(mean)
    assert (found.low, found.high) == (pytest.approx(mean - half), pytest.approx(mean + half))
    assert found.human == pytest.approx(fmean(only(human).values()))
    assert found.llm == pytest.approx(fmean(only(llm).values()))
    assert found.bias == pytest.approx(found.llm - mean)
    assert (found.topics, found.human_topics) == (count, n)


@pytest.mark.parametrize(("estimator", "target"), OPTIONS)
def test_strata_are_weighted_by_their_sizes(estimator, target):
    llm, _ = sampled(8, 60)
    strata = {topic: "ab"[int(topic) >= 20] for topic in map(str, range(60))}
    drawn = [*map(str, range(5)), *map(str, range(20, 35))]
    source = np.random.default_rng(3)
    human = table({"r0": [only(llm)[topic] + source.normal(0, 0.1) for topic in drawn]}, drawn)
    scores = CorrectedScores.of(llm, human, human_topics=strata, estimator=estimator, target=target)
    mean, error, df = twin(only(llm), only(human), estimator, target, strata)
    found = scores.estimates()["r0"]["x"]
    assert found.estimate == pytest.approx(mean)
    assert found.high - found.estimate == pytest.approx(student.ppf(0.975, df) * error)
    assert "in 2 strata" in scores.correction


@pytest.mark.parametrize(("estimator", "target"), OPTIONS)
def test_with_human_judgments_of_all_topics_they_decide_alone(estimator, target):
    llm, human = sampled(25, 25)
    found = CorrectedScores.of(llm, human, estimator=estimator, target=target).estimates()["r0"]["x"]
    assert found.estimate == pytest.approx(found.human, abs=1e-15)
    assert found.gained == pytest.approx(0)
    assert math.isnan(found.low) == (target == "these")  # the mean of these is known, and has no interval
    if target == "like-these":
        assert (found.low, found.high) == pytest.approx(human.interval()["r0"]["x"], abs=0.01)


@pytest.mark.parametrize("estimator", ESTIMATOR.rules)
def test_a_judge_that_agrees_on_all_human_topics_shows_no_variance_for_these_topics(estimator):
    llm, _ = sampled(8, 40)
    topics = [*only(llm)][:10]
    human = table({"r0": [only(llm)[topic] for topic in topics]}, topics)
    found = CorrectedScores.of(llm, human, estimator=estimator, target="these").estimates()["r0"]["x"]
    assert found.estimate == pytest.approx(found.llm)
    assert math.isnan(found.low)
    assert math.isnan(found.bias_high)
    assert not math.isnan(found.human_low)
    assert found.gained == pytest.approx(30)


@pytest.mark.parametrize(("estimator", "target"), OPTIONS)
def test_values_that_are_all_the_same_have_no_interval(estimator, target):
    llm, human = table({"r0": [0.3] * 40}), table({"r0": [0.2] * 10})
    found = CorrectedScores.of(llm, human, estimator=estimator, target=target).estimates()["r0"]["x"]
    assert found.estimate == pytest.approx(0.2)
    ends = (found.low, found.high, found.human_low, found.human_high, found.bias_low, found.bias_high)
    assert all(map(math.isnan, ends))


def test_the_interval_of_a_bias_is_that_of_the_mean_difference():
    llm, human = sampled(9, 40)
    found = CorrectedScores.of(llm, human, estimator="difference").estimates()["r0"]["x"]
    errors = table({"r0": [only(llm)[topic] - value for topic, value in only(human).items()]})
    assert (found.bias_low, found.bias_high) == pytest.approx(errors.interval()["r0"]["x"])


@pytest.mark.parametrize(("estimator", "target"), OPTIONS)
def test_a_constant_added_by_the_judge_changes_nothing_but_the_bias(estimator, target):
    llm, human = sampled(MIN_FITTED, 50)
    lenient = llm._replace(values=llm.values + 0.25)
    one, other = (
        CorrectedScores.of(each, human, estimator=estimator, target=target).estimates()["r0"]["x"]
        for each in (llm, lenient)
    )
    same = ("estimate", "low", "high", "human", "factor", "gained")
    assert [getattr(one, name) for name in same] == pytest.approx([getattr(other, name) for name in same])
    assert other.bias == pytest.approx(one.bias + 0.25)
    assert other.bias_high - other.bias_low == pytest.approx(one.bias_high - one.bias_low)


def test_the_power_tuned_estimator_ignores_a_judge_that_predicts_nothing():
    source = np.random.default_rng(5)
    llm = table({"r0": source.normal(0, 5, 200).tolist()})
    human = table({"r0": source.normal(0, 1, 60).tolist()})
    tuned, plain = (
        CorrectedScores.of(llm, human, estimator=estimator).estimates()["r0"]["x"]
        for estimator in ESTIMATOR.rules
    )
    assert abs(tuned.factor) < 0.1
    assert tuned.high - tuned.low < 1.1 * (tuned.human_high - tuned.human_low)
    assert plain.high - plain.low > 3 * (plain.human_high - plain.human_low)
    assert plain.gained < 0


@pytest.mark.parametrize(
    ("estimator", "mean", "low", "high", "digits"),
    [  # as ppi-python 0.2.3 prints them, with lam = 1 - n/N for the difference, and its own for the other
        ("difference", 0.4048085211117828, 0.39934495185980895, 0.4102720903637566, 1e-15),
        ("power-tuned", 0.4043947942372084, 0.39923593535198165, 0.4095536531224352, 5e-5),
    ],
)
def test_over_many_topics_it_is_prediction_powered_inference(estimator, mean, low, high, digits):
    source, size, labelled = np.random.default_rng(11), 20_000, 4_000
    human = source.beta(2, 3, size)
    llm = np.clip(0.3 + 0.6 * human + source.normal(0, 0.15, size), 0, 1)
    names = [f"{topic:05}" for topic in range(size)]
    scores = (table({"r0": each.tolist()}, names) for each in (llm, human[:labelled]))
    found = CorrectedScores.of(*scores, estimator=estimator).estimates()["r0"]["x"]
    assert found.estimate == pytest.approx(mean, abs=digits)
    assert (found.low, found.high) == (pytest.approx(low, abs=7e-5), pytest.approx(high, abs=7e-5))


def test_a_topic_that_would_decide_the_factor_alone_leaves_it_at_one():
    llm = table({"r0": [0.5] * 14 + [0.9, 0.5, 0.6, 0.4]}, [*"abcdefghijklmnopqr"])
    human = table({"r0": [0.3, 0.4, 0.5, 0.2, 0.4, 0.3, 0.6] * 2 + [0.9]}, [*"abcdefghijklmno"])
    tuned, plain = (
        CorrectedScores.of(llm, human, estimator=estimator).estimates()["r0"]["x"]
        for estimator in ESTIMATOR.rules
    )
    assert tuned == plain
    assert tuned.factor == 1


def test_strata_without_human_judgments_are_refused():
    llm, human = sampled(8, 10)
    strata = {topic: "rest" if topic in human.topics else "other" for topic in llm.topics}
    with pytest.raises(InputError, match="no topic of stratum 'other' has human judgments; judge some"):
        CorrectedScores.of(llm, human, human_topics=strata)


@pytest.mark.parametrize("count", [1, 3, MIN_HUMAN - 1])
def test_fewer_than_eight_human_topics_leave_the_means_by_llm_judgments_as_they_are(count):
    llm, human = sampled(count, 50)
    scores = CorrectedScores.of(llm, human)
    found = scores.estimates()["r0"]["x"]
    assert found.estimate == found.llm == pytest.approx(fmean(only(llm).values()))
    assert found.bias == pytest.approx(fmean(only(llm)[topic] - by for topic, by in only(human).items()))
    assert all(map(math.isnan, (found.low, found.human_high, found.bias_low, found.gained)))
    words = f"not corrected: {count} topic{'s' * (count > 1)} with human judgments, and it takes 8"
    assert f"Means by LLM judgments of 50 topics, {words}." in str(scores.estimates_table())
    assert f"means are {words} or more" in scores.notes
    assert "–" in str(scores.estimates_table())


def sparse(count, differences, seed=1):
    """(LLM's, human) scores of a run that is 0 on most topics; `differences` on the first ten by people."""
    llm = np.zeros(count)
    llm[10:] = np.random.default_rng(seed).choice([0.0, 0.0, 0.0, -0.5, 0.25], count - 10)
    return table({"r0": llm.tolist()}), table({"r0": [*differences, *[0.0] * (10 - len(differences))]})


@pytest.mark.parametrize("differences", [(), (0.002,), (0.002, -0.002)])
def test_topics_that_people_saw_no_difference_on_vouch_for_no_others(differences):
    llm, human = sparse(54, differences)
    alone = llm.interval()["r0"]["x"]
    found = CorrectedScores.of(llm, human).estimates()["r0"]["x"]
    assert found.high - found.low >= 0.99 * (alone[1] - alone[0])  # no narrower than the LLM's own
    found = CorrectedScores.of(llm, human, target="these").estimates()["r0"]["x"]
    assert all(map(math.isnan, (found.low, found.high, found.bias_low)))


def test_three_topics_that_people_and_the_llm_disagree_on_have_an_interval_for_these_topics():
    llm, human = sparse(54, (0.5, 0.25, -0.5))
    found = CorrectedScores.of(llm, human, target="these").estimates()["r0"]["x"]
    assert found.low < found.estimate < found.high


@pytest.mark.parametrize(("n", "fitted"), [(MIN_FITTED - 1, False), (MIN_FITTED, True)])
def test_the_factor_is_fitted_to_fifteen_topics_or_more(n, fitted):
    scores = CorrectedScores.of(*sampled(n, 50))
    assert (scores.estimates()["r0"]["x"].factor != 1) == fitted
    assert ("equal to the difference estimator below 15 topics" in scores.correction) != fitted


def pooled(llm, human):
    """k of (runs, topics) values: the slope of deviations from the topics' means, and of these means."""
    rows = []
    for each in (human, llm):
        means = np.mean(each, axis=0)
        values = np.array([*(np.array(each) - means), means])
        rows.append((values - values.mean(axis=1, keepdims=True)).ravel())
    return (rows[0] @ rows[1]) / (rows[1] @ rows[1])


def test_runs_share_the_k_of_their_differences_and_of_their_mean():
    llm, human = sampled(9, 30, runs=4)
    scores = CorrectedScores.of(llm, human)
    by_human = human.values[:, 0]
    by_llm = llm.values[:, 0][:, [llm.topics.index(topic) for topic in human.topics]]
    k = pooled(by_llm, by_human)
    assert [e["x"].factor for e in scores.estimates().values()] == pytest.approx([k] * 4)
    for place, topic in enumerate(human.topics):
        others = np.arange(9) != place
        without = scores.factor_of("x").without[scores.topics.index(topic)]
        assert without == pytest.approx(pooled(by_llm[:, others], by_human[:, others]))


def test_some_of_the_runs_keep_the_k_of_all():
    scores = CorrectedScores.of(*sampled(9, 30, runs=4))
    some = scores.under({"y": "x"}).only(runs=["r2", "r0"]).under({"z": "y"}).only(measures=["z"])
    assert some.estimates()["r2"]["z"] == scores.estimates()["r2"]["x"]


def test_shrunken_means_keep_what_human_topics_show_of_differences_between_biases():
    llm, human = sampled(12, 40, runs=6)
    scores = CorrectedScores.of(llm, human, estimator="difference")
    found = scores.estimates()
    errors = llm.values[:, 0][:, [llm.topics.index(topic) for topic in human.topics]] - human.values[:, 0]
    apart = errors - errors.mean(axis=0)
    bias, error = apart.mean(axis=1), np.mean(apart.var(axis=1, ddof=1)) * (1 / 12 - 1 / 40)
    kept = max(0, 1 - error / bias.var(ddof=1))
    for run, of_run in enumerate(bias):
        e = found[f"r{run}"]["x"]
        assert e.shrunken == pytest.approx(e.estimate + (1 - kept) * of_run)
    assert scores["r2"].estimates()["r2"]["x"].shrunken == found["r2"]["x"].shrunken
    assert "Shrunken: with biases drawn toward their mean" in str(scores.estimates_table())
    few = CorrectedScores.of(*sampled(12, 40, runs=3))
    assert all(e["x"].shrunken == e["x"].estimate for e in few.estimates().values())
    assert "hrunken" not in str(few.estimates_table())


def test_a_judge_that_predicts_nothing_costs_runs_that_share_k_little_on_eight_topics():
    _, human = sampled(8, 40, runs=8)
    judge = human._replace(
        topics=tuple(map(str, range(40))),
        values=np.random.default_rng(2).normal(0.5, 0.5, (8, 1, 40)),
        counted=np.ones((8, 40), dtype=bool),
    )
    tuned, plain = (
        CorrectedScores.of(judge, human, estimator=estimator).estimates().values()
        for estimator in ESTIMATOR.rules
    )
    wide, far = (np.mean([e["x"].high - e["x"].low for e in each]) for each in (tuned, plain))
    alone = np.mean([e["x"].human_high - e["x"].human_low for e in tuned])
    assert wide < 1.2 * alone
    assert far > 1.8 * alone


def test_a_stratum_with_one_human_topic_has_no_interval_and_a_note():
    llm, human = sampled(20, 50)
    other = next(topic for topic in llm.topics if topic not in human.topics)
    strata = {topic: "rare" if topic in (human.topics[0], other) else "usual" for topic in llm.topics}
    scores = CorrectedScores.of(llm, human, human_topics=strata)
    assert math.isnan(scores.estimates()["r0"]["x"].low)
    assert any("stratum 'rare' has only 1 topic with human judgments" in note for note in scores.notes)


def test_intervals_stay_within_the_bounds_of_a_measure():
    llm = table({"r0": [0.99, 0.9, 1.0] * 10}, measure="AP")
    human = table({"r0": [0.97, 0.9, 1.0, 1.0, 1.0, 0.99, 1.0, 1.0, 1.0]}, measure="AP")
    found = CorrectedScores.of(llm, human).estimates(0.999)["r0"]["AP"]
    assert 0 < found.low < found.estimate < found.high <= 1


def test_means_order_and_intervals_are_the_corrected_ones():
    llm, human = sampled(15, 40, runs=4)
    scores = CorrectedScores.of(llm, human)
    found = {run: of["x"] for run, of in scores.estimates().items()}
    assert scores.mean("x") == {run: each.estimate for run, each in found.items()}
    assert scores.sorted().runs == tuple(sorted(found, key=lambda run: -found[run].estimate))
    some = scores.only(runs=["r2"]).under({"y": "x"})
    assert some.mean() == {"r2": {"y": found["r2"].estimate}}
    assert some.interval() == {"r2": {"y": (found["r2"].low, found["r2"].high)}}
    assert scores.llm.mean("x") == llm.mean("x")
    assert float(scores["r1"]["x"]) == found["r1"].estimate


def test_undefined_values_of_either_judgments_are_left_out():
    llm, human = sampled(12, 40)
    values = llm.values.copy()
    values[0, 0, llm.topics.index(human.topics[0])] = math.nan
    found = CorrectedScores.of(llm._replace(values=values), human).estimates()["r0"]["x"]
    assert (found.topics, found.human_topics) == (39, 11)


def test_topics_that_are_no_random_sample_are_noted():
    source = np.random.default_rng(1)
    easy, hard = source.normal(0.8, 0.1, 12).tolist(), source.normal(0.3, 0.1, 30).tolist()
    llm = table({"r0": easy + hard})
    notes = CorrectedScores.of(llm, table({"r0": easy})).notes
    assert any("differ from the others by the LLM's own values" in note for note in notes)
    mixed = {str(topic): value for topic, value in enumerate(easy + hard) if topic % 4 == 0}
    notes = CorrectedScores.of(llm, table({"r0": [*mixed.values()]}, [*mixed])).notes
    assert not any("differ from the others" in note for note in notes)


@pytest.mark.parametrize(
    ("human", "error", "problem"),
    [
        (table({"r0": [0.5]}, ["x"]), InputError, "no topic in common: x against 0, 1, 2, ...; are they"),
        (
            table({"r0": [0.5, 0.5]}, ["0", "x"]),
            InputError,
            "1 topic with human judgments and without LLM judgments: x; judge",
        ),
        (table({"other": [0.5]}), InputError, "must have the same runs"),
        (table({"r0": [0.5]}, measure="y"), InputError, "must have the same measures"),
    ],
)
def test_scores_that_do_not_belong_together_are_refused(human, error, problem):
    with pytest.raises(error, match=problem):
        CorrectedScores.of(sampled(8, 10)[0], human)


QRELS = {f"q{n:02}": {"a": n % 3, "b": 1, "c": 0} for n in range(20)}
HUMAN = {topic: {"a": grades["a"], "b": 0} for topic, grades in [*QRELS.items()][::2]}
RUNS = {name: {topic: [first, "b"] for topic in QRELS} for name, first in (("one", "a"), ("two", "c"))}


def test_evaluate_takes_human_judgments():
    scores = evaluate(QRELS, RUNS, "nDCG@10 AP", human_qrels=HUMAN, estimator="difference")
    llm, human = evaluate(QRELS, RUNS, "nDCG@10 AP"), evaluate(HUMAN, RUNS, "nDCG@10 AP")
    expected = CorrectedScores.of(llm, human, estimator="difference")
    assert scores.estimates() == expected.estimates()
    assert "corrected by human judgments of 10 (difference estimator), for topics like these" in repr(scores)
    assert "only these judgments count there" in repr(scores)


@pytest.mark.parametrize(
    ("human", "measure", "options", "error", "problem"),
    [
        (
            {"q00": {"a": 3}},
            "AP",
            {},
            InputError,
            "grades up to 3, and the LLM's up to 2; bring both onto",
        ),
        ({"q00": {"a": 1}}, "AP", {}, InputError, "grades up to 1, and the LLM's up to 2"),
        ({"q77": {"a": 2}}, "AP", {}, InputError, "no topic in common"),
        (HUMAN, "AP(average=geometric)", {}, MeasureError, "judgments correct means, not average=geometric"),
        (HUMAN, "AP", {"estimator": "magic"}, OptionError, "estimator must be one of"),
    ],
)
def test_what_human_judgments_cannot_correct_is_refused(human, measure, options, error, problem):
    with pytest.raises(error, match=problem):
        evaluate(QRELS, RUNS, measure, human_qrels=human, **options)


def test_corrected_scores_are_no_file_of_scores(tmp_path):
    with pytest.raises(OptionError, match=r"save scores.llm and scores.human"):
        evaluate(QRELS, RUNS, "AP", human_qrels=HUMAN).save(tmp_path / "scores.json")


def test_undefined_values_by_human_judgments_are_noted():
    llm = {str(topic): {"d": 1} for topic in range(20)}
    human = {str(topic): {"d": int(topic > 2)} for topic in range(10)}
    scores = evaluate(llm, {"r": {topic: ["d"] for topic in llm}}, "nDCG", human_qrels=human)
    (note,) = (note for note in scores.data_notes if "undefined" in note)
    assert note.startswith("by human judgments, r: nDCG undefined for 3 topics and counted as 0")


def test_corrected_means_have_no_segments():
    values = {"a": dict.fromkeys("123", 0.5)}
    scores = CorrectedScores.of(Scores.from_table(values, "AP"), Scores.from_table(values, "AP"))
    with pytest.raises(OptionError, match="human judgments correct means over all topics, not over segments"):
        scores.by_segment({"1": {"kind": "x"}, "2": {"kind": "x"}, "3": {"kind": "y"}})
