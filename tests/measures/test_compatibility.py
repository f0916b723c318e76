"""Where the overlap of Compat ends: at rank 1000, as in its authors' program, or with the lists."""

import pytest

import rankgauge
from twins.usermodels import compatibility


def value(text, ranking, judgments):
    run = {"q": {doc: float(-rank) for rank, doc in enumerate(ranking)}}
    return rankgauge.evaluate({"q": judgments}, run, text).values[0, 0, 0]


def test_what_short_lists_share_counts_down_to_rank_1000():
    """The value is that of claclark/Compatibility's compatibility.py; ir_measures has the other one."""
    assert value("Compat", ["b", "a"], {"a": 1}) == pytest.approx(0.6829, abs=5e-5)
    assert value("Compat(end=lists)", ["b", "a"], {"a": 1}) == pytest.approx(0.3220, abs=5e-5)


@pytest.mark.parametrize("text", ["Compat(p=0.99)", "Compat(p=0.99)@1000", "Compat(p=0.99)@2000"])
def test_nothing_below_rank_1000_counts(text):
    ranking, judgments = [f"u{rank}" for rank in range(999)], {"a": 1, "b": 1, "c": 2}
    found = value(text, [*ranking, "a", "b"], judgments)
    assert found == value(text, [*ranking, "a"], judgments) > 0
    assert value(text, [*ranking, "u", "a"], {"a": 1}) == 0


@pytest.mark.parametrize("end", ["depth", "lists"])
def test_documents_that_are_shared_far_down_never_make_a_value_negative(end):
    """Their weights are less than what is lost by rounding."""
    ranking = [f"d{rank:03}" for rank in range(1000)]
    for step in range(1, 40):
        assert value(f"Compat(end={end})", ranking, dict.fromkeys(ranking[900::step], 1)) >= 0


@pytest.mark.parametrize("end", ["depth", "lists"])
@pytest.mark.parametrize("length", [3, 999, 1000, 1001, 1500])
def test_long_lists_have_the_value_of_the_twin(end, length):
    judgments = {f"d{n}": 1 + n % 3 for n in range(0, 1400, 7)}
    ranking = [f"d{n}" for n in range(length)]
    for settings in ({}, {"normalize": False}, {"p": 0.99}):
        inside = ",".join(f"{name}={each}" for name, each in {**settings, "end": end}.items())
        expected = compatibility(ranking, judgments, end=end, **settings)
        assert value(f"Compat({inside})", ranking, judgments) == pytest.approx(expected, rel=1e-12)
