"""Runs compared within segments of topics, and whether differences depend on the segment."""

import math
from itertools import permutations

import numpy as np
import pytest

from rankgauge import Scores, compare
from rankgauge.comparison.corrections import correct
from rankgauge.comparison.procedures.interaction import interaction_p

TOPICS = [f"{number:02}" for number in range(30)]
INTENT = {
    topic: ("navigational", "informational", "other")[number % 3] for number, topic in enumerate(TOPICS)
}
LENGTH = {topic: number % 2 for number, topic in enumerate(TOPICS)}
BY = {topic: {"intent": INTENT[topic], "length": LENGTH[topic]} for topic in TOPICS}


@pytest.fixture(scope="module")
def scores():
    """Two runs, of which the new one loses on navigational topics, by two measures."""
    random = np.random.default_rng(3)
    old = random.uniform(0.3, 0.7, 30)
    loss = np.array([-0.2 if INTENT[topic] == "navigational" else 0.0 for topic in TOPICS])
    new = old + loss + random.normal(0, 0.05, 30)
    return Scores.from_table(
        {
            name: {
                "AP": dict(zip(TOPICS, values, strict=True)),
                "RR": dict(zip(TOPICS, values**2, strict=True)),
            }
            for name, values in (("old", old), ("new", new))
        }
    )


@pytest.mark.parametrize("family", ["measure", "all"])
def test_p_is_corrected_for_all_segments(scores, family):
    comparison = compare(scores, by=BY, family=family)
    parts = scores.by_segment(BY)
    assert [*comparison.segments] == [*parts]
    alone = {name: compare(part) for name, part in parts.items()}
    p = np.array([[alone[name][m].pairs[0].p for name in parts] for m in scores.measures])
    expected = correct(p, "holm") if family == "all" else np.array([correct(row, "holm") for row in p])
    for row, measure in enumerate(scores.measures):
        for column, (name, part) in enumerate(comparison.segments.items()):
            (pair,), (same,) = part[measure].pairs, alone[name][measure].pairs
            assert (pair.difference, pair.low, pair.p) == (same.difference, same.low, same.p)
            assert pair.corrected == expected[row, column]
            assert part[measure].means == alone[name][measure].means
    assert comparison["AP"] == compare(scores, family=family)["AP"]  # segments change nothing else


def test_what_readers_see(scores):
    comparison = compare(scores, "AP", by=BY)
    text = str(comparison)
    assert (
        "Within segments, new is significantly worse than old in intent=navigational (two-sided paired "
        "t-test with Holm's correction for 5 tests in 5 segments, α = 0.05). The difference depends on "
        "intent (corrected p = 0.0002) and shows no dependence on length (corrected p = 0.9877), by Brown "
        "and Forsythe's test and 10,000 permutations of the segments. Few topics in "
        "intent=informational (10), intent=navigational (10) and intent=other (10); use 25 or more."
    ) in " ".join(text.split())
    assert "intent=navigational" in str(comparison.document())
    assert "new A is significantly worse" in str(compare(scores, "AP", by=BY).labelled({"new": "new A"}))
    assert comparison.to_csv().splitlines()[2].startswith("intent=informational,AP,new,old,10,")
    assert comparison.table().note == (
        "p: by a two-sided paired t-test. Within segments: by a two-sided paired t-test with Holm's "
        "correction for 5 tests in 5 segments."
    )
    found = comparison.as_dict()
    assert found["segments"]["length=1"][0]["pairs"][0]["topics"] == 15
    assert [each["attribute"] for each in found["interactions"]] == ["intent", "length"]
    assert "segments" not in compare(scores, "AP").as_dict()
    nothing = compare(scores, "AP", by=LENGTH, alpha=1e-9)
    assert "Within segments, no difference is significant (" in str(nothing)
    one = compare(scores, "AP", by=dict.fromkeys(TOPICS, "same"))
    assert "depends on segment cannot be tested without two segments of 3 topics." in str(one)
    assert "Forsythe" not in str(one)


def test_topics_without_a_value_and_many_pairs(scores):
    three = Scores.from_table(
        {name: scores.to_dict()[run] for name, run in (("a", "old"), ("b", "new"), ("c", "new"))}
    )
    comparison = compare(three, "AP", by=dict.fromkeys(TOPICS[:9], "x"), test="tukey")
    assert comparison.remarks == ("segment=(no value) has 21 topics without a value of segment",)
    whole = compare(three.of_topics(TOPICS[:9]), "AP", test="tukey")["AP"].pairs
    pairs = comparison.segments["segment=x"]["AP"].pairs
    assert [pair.corrected for pair in pairs] == [min(1.0, 2 * pair.p) for pair in whole]
    assert "shows no dependence on segment, by Brown and Forsythe's test" in str(comparison)
    assert "accounts for all pairs, with Bonferroni's correction for 2 segments, α = 0.05)" in str(comparison)
    assert "(Tukey), not corrected across segments." in str(comparison.segments["segment=x"].document())
    protected = str(compare(three, by=LENGTH, test="friedman", correction="none"))
    assert (
        "for 3 pairs, significant only if the overall test is, with Holm's correction for 2 segments"
        in protected
    )
    every = str(compare(three, by=LENGTH, family="all", correction="bonferroni"))
    assert "with Bonferroni's correction for 12 tests in 2 segments by 2 measures" in every


def interaction(z, labels, seed=1):
    """The p of one pair whose differences are z."""
    z = np.asarray(z, dtype=float)
    values = np.array([z + 0.5, np.full(len(z), 0.5)])
    return interaction_p(values, np.array(labels), np.array([0]), np.array([1]), seed)[0]


def spread(z, labels):
    """Brown and Forsythe's statistic."""
    parts = [z[np.array(labels) == each] for each in {*labels}]
    within = sum((1 - len(part) / len(z)) * part.var(ddof=1) for part in parts)
    return sum(len(part) * (part.mean() - np.mean(z)) ** 2 for part in parts) / within


def test_interaction_is_the_larger_of_f_and_of_all_permutations():
    oneway = pytest.importorskip("statsmodels.stats.oneway")
    z, labels = np.array([0.3, 0.25, 0.4, 0.0, 0.1, -0.2, 0.05]), np.array([0, 0, 0, 1, 1, 1, 1])
    every = [spread(z, arranged) for arranged in set(permutations(labels.tolist()))]
    exact = np.mean([each >= spread(z, labels) * (1 - 1e-9) for each in every])
    assert oneway.anova_oneway(z, labels, use_var="bf").pvalue < exact  # of Mehrotra
    assert abs(interaction(z, labels) - exact) < 4 * math.sqrt(exact * (1 - exact) / 10_000)
    larger = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        labels = np.repeat([0, 1, 2, 3], random.integers(3, 12, 4))
        z = random.normal(0.2 * labels, 1 + labels)
        p, of_f = interaction(z, labels), oneway.anova_oneway(z, labels, use_var="bf").pvalue
        assert p > of_f or p == pytest.approx(of_f, rel=1e-9)
        larger += p == pytest.approx(of_f, rel=1e-9)
    assert 0 < larger < 20  # each of the two is the larger one somewhere


def test_interaction_takes_tiny_segments_together_and_leaves_out_what_is_still_tiny():
    z = np.random.default_rng(4).normal(0, 1, 16)
    labels = [0] * 6 + [1] * 5 + [2, 2, 3, 4, 5]
    assert interaction(z, labels) == interaction(z, [0] * 6 + [1] * 5 + [2] * 5)
    assert interaction(z[:13], labels[:13]) == interaction(z[:11], labels[:11])
    values = np.array([[*z, math.nan], np.zeros(17)])  # a topic that does not count
    (same,) = interaction_p(values, np.array([*labels, 2]), np.array([0]), np.array([1]), seed=1)
    assert same == pytest.approx(interaction(z, labels), rel=1e-9)


def test_interaction_at_the_edges():
    assert interaction([-0.3] * 6, [0, 0, 0, 1, 1, 1]) == 1
    assert math.isnan(interaction([-0.3] * 6, [0] * 6))
    assert math.isnan(interaction([-0.3] * 6, [0, 0, 0, 0, 1, 1]))
    moved = [0.0] * 10 + [0.8] * 10  # one segment differs, and always alike
    assert interaction(moved, np.repeat([0, 1], 10)) < 0.001


@pytest.mark.parametrize("sizes", [(*[5] * 8, 60), (*[3] * 5, 35), (*[1] * 4, 50), (3,) * 40])
def test_small_segments_that_vary_more_do_not_seem_to_differ(sizes, monkeypatch):
    monkeypatch.setattr("rankgauge.comparison.procedures.interaction.PERMUTATIONS", 499)
    labels, trials = np.repeat(np.arange(len(sizes)), sizes), 300
    z = np.random.default_rng(5).normal(0, 1, (trials, len(labels))) * np.where(labels < len(sizes) - 1, 3, 1)
    values = np.vstack((z, np.zeros(len(labels))))
    p = interaction_p(values, labels, np.arange(trials), np.full(trials, trials), seed=1)
    assert (p < 0.05).mean() < 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)


def test_a_caution_stands_beside_a_claim_of_dependence():
    topics = [f"{number:02}" for number in range(46)]
    by = {topic: "large" if number > 5 else f"small {number % 2}" for number, topic in enumerate(topics)}
    random = np.random.default_rng(2)
    new = {topic: 0.5 + random.normal(0, 0.05) + 0.2 * (by[topic] != "large") for topic in topics}
    values = {"old": {"AP": dict.fromkeys(topics, 0.5)}, "new": {"AP": new}}
    text = " ".join(str(compare(Scores.from_table(values), by=by)).split())
    assert "permutations of the segments. Few topics in segment=small 0 (3) and segment=small 1 (3);" in text
    by["00"] = "tiny"
    text = " ".join(str(compare(Scores.from_table(values), by=by)).split())
    assert "of the segments, of which those of fewer than 3 topics count as one. Few topics in" in text


def test_differences_have_a_direction_and_of_many_those_with_an_outcome_are_shown(scores):
    assert "Differences: new minus old." in str(compare(scores, "AP", by=LENGTH))
    values = {run: dict(measures["AP"]) for run, measures in scores.to_dict().items()}
    by = {topic: topic if number < 24 else "rest" for number, topic in enumerate(TOPICS)}
    for number, topic in enumerate(TOPICS):  # a large difference on each topic but those of the rest
        values["new"][topic] = values["old"][topic] + (0.3 if number < 24 else 0.01 + number / 1e5)
    del values["new"]["00"]  # whose segment has no difference
    text = str(compare(Scores.from_table(values, "AP"), by=by))
    assert "segment=rest" in text
    assert "segment=00" not in text.partition("  segment ")[2]
    assert "5 more differences not shown." in text


def test_estimates_are_shrunken_toward_the_mean_of_segments(scores):
    comparison = compare(scores, "AP", by=BY)
    (intent, length) = comparison.interactions
    assert [*intent.estimates] == [name for name in comparison.segments if name.startswith("intent")]
    assert not length.estimates  # of two segments
    own = [comparison.segments[name]["AP"].pairs[0].difference for name in intent.estimates]
    assert np.ptp([value for value, _, _ in intent.estimates.values()]) < np.ptp(own)
    assert np.sign(np.diff([value for value, _, _ in intent.estimates.values()])).tolist() == [-1.0, 1.0]
    rows = comparison.table().rows
    assert rows[1][-3:] == [*intent.estimates["intent=informational"]]
    assert all(math.isnan(cell) for cell in (*rows[0][-3:], *rows[-1][-3:]))
    text = " ".join(str(comparison.document()).split())
    assert "Intervals: t interval of the mean difference, not corrected. Shrunken: toward the mean" in text
    assert "Intervals: t interval of the mean difference, not corrected." in str(comparison)
    assert "shrunken" not in compare(scores, "AP", by=LENGTH).table().headers
    assert ("AP", "intent=other", "N", "old") in comparison.labelled({"new": "N"}).estimates
    assert comparison.as_dict()["interactions"][0]["estimates"].keys() == intent.estimates.keys()
