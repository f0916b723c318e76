"""Conditions for continuous integration: their language, and when they hold."""

import math

import pytest

from rankgauge import Scores, compare
from rankgauge.comparison import gate
from rankgauge.comparison.gate import Condition
from rankgauge.errors import OptionError

OLD = [0.50, 0.60, 0.40, 0.55, 0.45, 0.50, 0.65, 0.35]


def failures(text, compared):
    (found,) = gate.check([gate.parse_condition(text)], compared).values()
    return found


def holds(text, new):
    return failures(text, compare(Scores.from_table({"old": OLD, "new": new}, "AP"), baseline="old"))


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("nDCG@10 drops by 2% significantly", Condition("nDCG@10", "drops", 2.0, True, True)),
        ("nDCG@10 drops by 2 % significantly", Condition("nDCG@10", "drops", 2.0, True, True)),
        ("AP drops", Condition("AP", "drops", 0.0, False, False)),
        ("AP drops significantly", Condition("AP", "drops", 0.0, False, True)),
        ("FirstRank rises by .5", Condition("FirstRank", "rises", 0.5, False, False)),
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
        ("", "expected a measure and then drops or rises", 0),
        ("AP", "expected a measure and then drops or rises", 2),
        ("AP falls by 2%", "expected a measure and then drops or rises", 3),
        ("drops by 2%", "expected a measure before drops", 0),
        ("AP drops by", "expected a number such as 2% or 0.01", 11),
        ("AP drops by -2%", "expected a number such as 2% or 0.01", 12),
        ("AP drops by nan", "expected a number such as 2% or 0.01", 12),
        ("AP drops 2%", "expected `by` or `significantly`", 9),
        ("AP drops by 2% significantly or so", "expected nothing more", 29),
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
    old, new = {"1": 0.5}, {"1": 0.25}
    one_topic = compare(Scores.from_table({"old": old, "new": new}, "AP"))
    (failure,) = failures("AP drops significantly", one_topic)
    assert failure == "new against old: 0.5000 to 0.2500: p is undefined (1 topic; undefined, a single topic)"
    apart = compare(Scores.from_table({"old": {"1": 0.5}, "new": {"2": 0.5}}, "AP"))
    (failure,) = failures("AP drops", apart)
    assert failure.endswith("the change is undefined")
    nothing = compare(Scores.from_table({"old": [0.0, 0.0], "new": [0.0, 0.0]}, "AP"))
    assert math.isnan(nothing["AP"].pairs[0].percent)
    assert not failures("AP drops by 2%", nothing)
    upwards = compare(Scores.from_table({"old": [0.0, 0.0], "new": [0.5, 0.25]}, "AP"))
    assert not failures("AP drops by 2%", upwards)
    (failure,) = failures("AP rises by 2%", upwards)
    assert failure.endswith("mean of old is near 0; name a difference, as in 'AP rises by 0.01'")
    hardly = compare(Scores.from_table({"old": [0.0, 1e-14], "new": [0.0, 0.5]}, "AP"), baseline="old")
    (failure,) = failures("AP rises by 2%", hardly)
    assert "the change in per cent is undefined" in failure
    (failure,) = failures("AP rises", upwards)  # by no per cent that is defined
    assert failure == "new against old: 0.0000 to 0.3750, p = 0.2048"
