"""Conditions for continuous integration: their language, and when they hold."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from rankgauge import Scores, compare
from rankgauge.comparison import gate
from rankgauge.comparison.gate import Condition
from rankgauge.errors import OptionError

OLD = [0.50, 0.60, 0.40, 0.55, 0.45, 0.50, 0.65, 0.35]


def failures(text, runs):
    condition = gate.parse_condition(text)
    scores = Scores.from_table(runs, condition.measure)
    margin = gate.margins([condition], scores.measures)
    (found,) = gate.check([condition], scores, compare(scores, baseline="old", margin=margin)).values()
    return found


def holds(text, new):
    return failures(text, {"old": OLD, "new": new})


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("nDCG@10 drops by 2% significantly", Condition("nDCG@10", "drops", 2.0, True, True)),
        ("nDCG@10 drops by 2 % significantly", Condition("nDCG@10", "drops", 2.0, True, True)),
        ("AP drops", Condition("AP", "drops", 0.0, False, False)),
        ("AP drops significantly", Condition("AP", "drops", 0.0, False, True)),
        ("FirstRank rises by .5", Condition("FirstRank", "rises", 0.5, False, False)),
        ("nDCG@10 below 0.7", Condition("nDCG@10", "below", 0.7)),
        ("FirstRank above 0", Condition("FirstRank", "above", 0.0)),
        ("AP below -1. on any topic", Condition("AP", "below", -1.0, any_topic=True)),
        ("AP drops on any topic", Condition("AP", "drops", 0.0, any_topic=True)),
        ("AP drops by 0.3 on any topic", Condition("AP", "drops", 0.3, any_topic=True)),
        ("AP drops significantly in a=b c", Condition("AP", "drops", 0.0, False, True, segment="a=b c")),
        ("AP may worsen by 0.1 in a=b", Condition("AP", "may", 0.1, segment="a=b")),
        ("AP not worse than baseline by 0.03", Condition("AP", "may", 0.03)),
        (
            "nDCG(gains={1:1, 2:3})@10 drops by 10%",
            Condition("nDCG(gains={1:1, 2:3})@10", "drops", 10.0, True, False),
        ),
    ],
)
def test_a_condition_is_read_and_written_back(text, condition):
    assert gate.parse_condition(text) == condition
    assert gate.parse_condition(str(condition)) == condition


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("", "expected a measure and then drops, rises, below, above or may worsen", 0),
        ("AP", "expected a measure and then drops, rises, below, above or may worsen", 2),
        ("AP falls by 2%", "expected a measure and then drops, rises, below, above or may worsen", 3),
        ("drops by 2%", "expected a measure before drops", 0),
        ("AP drops by", "expected a number such as 2% or 0.01", 11),
        ("AP drops by -2%", "expected a number such as 2% or 0.01", 12),
        ("AP drops by nan", "expected a number such as 2% or 0.01", 12),
        ("AP drops 2%", "expected `by`, `significantly` or `on any topic`", 9),
        ("AP drops by 0.3 on a topic", "expected `by`, `significantly` or `on any topic`", 16),
        (
            "AP drops by 30% on any topic",
            "expected a difference, not a percentage, before `on any topic`",
            16,
        ),
        ("AP below", "expected a number such as 0.7", 8),
        ("AP drops in b", "expected a segment such as intent=navigational after `in`", 11),
        ("AP below 70%", "expected a number such as 0.7", 9),
        ("AP below 0.7 significantly", "expected `on any topic`", 13),
        ("AP above 0.7 on any topic now", "expected nothing more", 26),
        ("AP drops by 2% significantly or so", "expected nothing more", 29),
        ("AP may drop by 0.1", "expected `may worsen by`", 7),
        ("AP may worsen", "expected `may worsen by`", 13),
        ("AP may worsen by 2%", "expected a number such as 0.01", 17),
        ("AP may worsen by 0", "expected a number such as 0.01", 17),
        ("AP may worsen by", "expected a number such as 0.01", 16),
        ("AP may worsen by 0.1 significantly", "expected nothing more", 21),
    ],
)
def test_a_text_that_is_no_condition_is_refused_with_its_place(text, message, at):
    with pytest.raises(OptionError) as error:
        gate.parse_condition(text)
    first, shown, caret = str(error.value).splitlines()
    assert message in first
    assert shown == f"  {text}"
    assert caret == f"  {' ' * at}^ here"


def test_a_drop_is_measured_against_the_baseline():
    lower = [value * 0.98 for value in OLD]
    assert holds("AP drops", lower)
    assert holds("AP drops by 2%", lower)  # exactly
    assert holds("AP drops by 0.01", lower)
    assert not holds("AP drops by 2.01%", lower)
    assert not holds("AP drops by 0.0101", lower)
    assert not holds("AP rises", lower)
    assert not holds("AP drops", OLD)
    assert holds("AP rises by 1%", [value + 0.01 for value in OLD])


def test_a_drop_may_have_to_be_significant():
    up_and_down = [value + (0.2 if n % 2 else -0.25) for n, value in enumerate(OLD)]
    assert holds("AP drops by 2%", up_and_down)
    assert not holds("AP drops by 2% significantly", up_and_down)
    (failure,) = holds("AP drops by 2% significantly", [value * 0.9 for value in OLD])
    assert failure == "new against old: 0.5000 to 0.4500, -10.0 %, p < 0.0001"


def test_an_undefined_change_fails():
    (failure,) = failures("AP drops significantly", {"old": {"1": 0.5}, "new": {"1": 0.25}})
    assert failure == "new against old: 0.5000 to 0.2500: p is undefined (1 topic; undefined, a single topic)"
    apart = {"old": {"1": 0.5}, "new": {"2": 0.5}}
    (failure,) = failures("AP drops", apart)
    assert failure.endswith("the change is undefined")
    assert failures("AP drops on any topic", apart) == ["new against old: no topic has values of both runs"]
    assert not failures("AP drops by 2%", {"old": [0.0, 0.0], "new": [0.0, 0.0]})
    upwards = {"old": [0.0, 0.0], "new": [0.5, 0.25]}
    assert not failures("AP drops by 2%", upwards)
    (failure,) = failures("AP rises by 2%", upwards)
    assert failure.endswith("mean of old is near 0; name a difference, as in 'AP rises by 0.01'")
    (failure,) = failures("AP rises by 2%", {"old": [0.0, 1e-14], "new": [0.0, 0.5]})
    assert "the change in per cent is undefined" in failure
    (failure,) = failures("AP rises", upwards)  # by no per cent that is defined
    assert failure == "new against old: 0.0000 to 0.3750, p = 0.2048"


def test_a_limit_is_checked_for_the_run_and_not_for_its_baseline():
    lower = [value - 0.1 for value in OLD]  # means of 0.5 and 0.4
    assert holds("AP below 0.45", lower) == ["new: 0.4000"]
    assert not holds("AP below 0.4", lower)  # exactly
    assert not holds("AP above 0.4", lower)
    assert holds("AP above 0.39", lower) == ["new: 0.4000"]
    assert holds("AP below 0.3 on any topic", lower) == ["new: 1 topic, 8 (0.2500)"]
    assert not holds("AP below 0.25 on any topic", lower)
    assert failures("AP below 0.5", {"old": [0.5, 0.5], "new": [math.nan, math.nan]}) == [
        "new: the mean is undefined"
    ]


def test_a_change_on_any_topic_counts_whatever_the_mean_does():
    mixed = [value + 0.2 for value in OLD]
    mixed[1], mixed[6] = 0.3, 0.25
    assert not holds("AP drops", mixed)
    assert holds("AP drops by 0.3 on any topic", mixed) == [
        "new against old: 2 topics, 7 (0.6500 to 0.2500), 2 (0.6000 to 0.3000)"
    ]
    assert not holds("AP drops by 0.41 on any topic", mixed)
    assert not holds("AP drops on any topic", OLD)
    (failure,) = holds("AP rises on any topic", mixed)
    assert failure.startswith("new against old: 6 topics, ")
    assert failure.endswith(" and 1 more")
    (failure,) = holds("AP rises on any topic", [*mixed[:7], OLD[7]])  # all five that it names
    assert failure.startswith("new against old: 5 topics, ")
    assert "more" not in failure


def test_infinite_values_of_topics_are_beyond_every_limit():
    runs = {"old": [1.0, 2.0, math.inf], "new": [1.0, math.inf, math.inf]}
    scores = Scores.from_table(runs, "BalancePoint")
    compared = compare(scores, baseline="old")
    for text, failures in (
        ("BalancePoint above 9 on any topic", ["new: 2 topics, 2 (inf), 3 (inf)"]),
        ("BalancePoint rises by 9 on any topic", ["new against old: 1 topic, 2 (2.0000 to inf)"]),
        ("BalancePoint drops on any topic", []),
    ):
        assert gate.check([gate.parse_condition(text)], scores, compared) == {text: failures}


def test_without_a_comparison_all_runs_are_checked_against_limits():
    scores = Scores.from_table({"a": [0.5, 0.7], "b": [0.2, 0.4]}, "AP")
    assert gate.check([gate.parse_condition("map below 0.5")], scores) == {"AP below 0.5": ["b: 0.3000"]}
    with pytest.raises(OptionError, match="AP drops needs a baseline; use `rankgauge compare`"):
        gate.check([gate.parse_condition("AP drops")], scores)


HAIR, NOISE = 2e-9, 2e-10  # a difference that counts, and one that is a rounding error


@pytest.mark.parametrize(
    ("condition", "way", "amount"),
    [
        ("AP below 0.5", -1, 0.0),
        ("AP above 0.5", 1, 0.0),
        ("AP below 0.35 on any topic", -1, 0.0),
        ("AP above 0.65 on any topic", 1, 0.0),
        ("AP drops", -1, 0.0),
        ("AP rises", 1, 0.0),
        ("AP drops on any topic", -1, 0.0),
        ("AP rises on any topic", 1, 0.0),
        ("AP drops by 0.01", -1, 0.01),
        ("AP rises by 0.01", 1, 0.01),
        ("AP drops by 2%", -1, 0.01),
        ("AP rises by 2%", 1, 0.01),
        ("AP drops by 0.01 on any topic", -1, 0.01),
        ("AP rises by 0.01 on any topic", 1, 0.01),
    ],
)
def test_a_limit_is_exact_but_for_rounding_errors(condition, way, amount):
    def moved(by):
        return [value + way * by for value in OLD]

    if amount:  # which has to be reached
        assert holds(condition, moved(amount))
        assert not holds(condition, moved(amount - HAIR))
    else:  # has to be passed
        assert holds(condition, moved(HAIR))
        assert not holds(condition, moved(NOISE))


@pytest.mark.parametrize(
    ("condition", "field", "below"),
    [
        ("AP rises significantly", "corrected", True),
        ("AP may worsen by 0.1", "corrected_not_worse", False),
    ],
)
def test_p_has_to_be_below_alpha(condition, field, below):
    scores = Scores.from_table({"old": OLD, "new": [value + n / 99 for n, value in enumerate(OLD)]}, "AP")
    found = compare(scores, baseline="old", margin=0.1)
    p = getattr(found["AP"].pairs[0], field)
    for alpha, significant in ((p, False), (math.nextafter(p, 1), True)):
        compared = replace(found, compared=tuple(replace(each, alpha=alpha) for each in found.compared))
        (failed,) = gate.check([gate.parse_condition(condition)], scores, compared).values()
        assert bool(failed) == (significant == below)


SOURCE = np.random.default_rng(5)
BASE = SOURCE.uniform(0.3, 0.6, 40)
SWINGS = SOURCE.uniform(-0.25, 0.25, 40)
SWINGS -= SWINGS.mean()


@pytest.mark.parametrize(
    ("text", "base", "change", "fails"),
    [
        ("AP may worsen by 0.03", BASE, 0 * SWINGS, ""),
        ("AP may worsen by 0.03", BASE, 0.1 * SWINGS, ""),
        ("AP not worse than baseline by 0.03", BASE, 0.1 + 0.1 * SWINGS, ""),
        ("AP may worsen by 0.03", BASE, SWINGS, r"new against old: .*, one-sided p = 0\."),
        ("AP not worse than baseline by 0.03", BASE, 0.1 * SWINGS - 0.1, "one-sided p = 1.0000"),
        ("AP may worsen by 0.03", BASE, 0.1, ", one-sided p undefined"),
        ("FirstRank may worsen by 1", 1 + 20 * BASE, 0.1 + 5 * SWINGS, ""),
        ("FirstRank may worsen by 1", 1 + 20 * BASE, 5 * SWINGS - 3.0, ""),
        ("FirstRank may worsen by 1", 1 + 20 * BASE, 5 * SWINGS + 3.0, "one-sided p"),
    ],
)
def test_a_gate_fails_unless_a_run_is_shown_not_to_be_worse(text, base, change, fails):
    found = "".join(failures(text, {"old": base.tolist(), "new": (base + change).tolist()}))
    assert re.search(fails, found) if fails else not found


def test_a_limit_just_above_the_mean_ends_a_build(working_folder, invoke):
    working_folder({"qrels": "1 0 a 1\n", "run": "1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n"})
    failed = invoke("evaluate", "qrels", "run", "-m", "RR", "--fail-if", "RR below 0.5004", code=1)
    assert "RR below 0.5004; run: 0.5000" in failed.err
    invoke("evaluate", "qrels", "run", "-m", "RR", "--fail-if", "RR below 0.5", code=0)
