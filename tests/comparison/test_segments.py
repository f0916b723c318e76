"""Runs compared within segments of topics, and whether differences depend on the segment."""

import math
from itertools import permutations

import numpy as np
import pytest

from rankgauge import Scores, compare
from rankgauge.comparison.corrections import correct
from rankgauge.comparison.procedures.permutation import interaction_p

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
        "t-test with Holm's correction for 5 tests in 5 segments, α = 0.05). Few topics in "
        "intent=navigational (10); use 25 or more. The difference depends on intent (corrected p = 0.0002) "
        "and is not shown to depend on length (corrected p = "
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
    assert "Whether the difference depends on segment cannot be tested in a single segment." in str(one)
    assert "permutation" not in str(one)


def test_topics_without_a_value_and_many_pairs(scores):
    three = Scores.from_table(
        {name: scores.to_dict()[run] for name, run in (("a", "old"), ("b", "new"), ("c", "new"))}
    )
    comparison = compare(three, "AP", by=dict.fromkeys(TOPICS[:9], "x"), test="tukey")
    assert comparison.remarks == ("segment=(no value) has 21 topics without a value of segment",)
    whole = compare(three.of_topics(TOPICS[:9]), "AP", test="tukey")["AP"].pairs
    pairs = comparison.segments["segment=x"]["AP"].pairs
    assert [pair.corrected for pair in pairs] == [min(1.0, 2 * pair.p) for pair in whole]
    assert "is not shown to depend on segment, by permutation tests" in str(comparison)
    assert "accounts for all pairs, with Bonferroni's correction for 2 segments, α = 0.05)" in str(comparison)
    assert "(Tukey), not corrected across segments." in str(comparison.segments["segment=x"].document())
    protected = str(compare(three, by=LENGTH, test="friedman", correction="none"))
    assert (
        "for 3 pairs, significant only if the overall test is, with Holm's correction for 2 segments"
        in protected
    )
    every = str(compare(three, by=LENGTH, family="all", correction="bonferroni"))
    assert "with Bonferroni's correction for 12 tests in 2 segments by 2 measures" in every


def spread(z, labels):
    """Welch's statistic, with the variance of all topics as one more observation of each segment."""
    means, weights = [], []
    for label in sorted(set(labels)):
        inside = np.array([value for value, other in zip(z, labels, strict=True) if other == label])
        within = sum((value - inside.mean()) ** 2 for value in inside)
        means.append(inside.mean())
        weights.append(len(inside) / ((within + np.var(z, ddof=1)) / len(inside)))
    centre = np.average(means, weights=weights)
    return sum(w * (m - centre) ** 2 for m, w in zip(means, weights, strict=True))


def test_interaction_against_all_permutations():
    z = np.array([0.3, 0.25, 0.31, 0.0, 0.1, -0.2, 0.0])
    labels = [0, 0, 0, 1, 1, 1, 2]
    every = [spread(z, arranged) for arranged in set(permutations(labels))]
    exact = np.mean([each >= spread(z, labels) * (1 - 1e-9) for each in every])
    values = np.array([z + 0.5, np.full(7, 0.5)])
    (p,) = interaction_p(values, np.array(labels), np.array([0]), np.array([1]), seed=1)
    assert abs(p - exact) < 4 * math.sqrt(exact * (1 - exact) / 10_000)
    with_hole = np.append(values, [[math.nan], [0.5]], axis=1)
    (same,) = interaction_p(with_hole, np.array([*labels, 2]), np.array([0]), np.array([1]), seed=1)
    assert same == p


def test_interaction_at_the_edges():
    pair = np.array([0]), np.array([1])
    equal = np.array([np.full(6, 0.1), np.full(6, 0.4)])
    assert interaction_p(equal, np.array([0, 0, 0, 1, 1, 1]), *pair, seed=1) == 1
    assert np.isnan(interaction_p(equal, np.zeros(6, dtype=int), *pair, seed=1)).all()
    moved = np.array([[0.1] * 10 + [0.9] * 10, [0.1] * 20])  # one segment differs, and always alike
    assert interaction_p(moved, np.repeat([0, 1], 10), *pair, seed=1) < 0.001


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
