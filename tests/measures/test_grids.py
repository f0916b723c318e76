"""Grids of measures: all combinations of their alternatives, wherever measures are named."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from rankgauge.comparison.gate import parse_condition
from rankgauge.errors import MeasureError
from rankgauge.measures import parse, parse_all
from rankgauge.measures.reader import MAX_GRID, expand

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1, "d": 2}}
RUNS = {
    "one": {"1": {"c": 3.0, "a": 2.0, "b": 1.0}, "2": {"d": 2.0, "x": 1.0}},
    "two": {"1": {"b": 3.0, "c": 2.0}, "2": {"x": 2.0, "a": 1.0}},
}


@pytest.mark.parametrize(
    ("grid", "measures"),
    [
        ("P@5", "P@5"),
        ("P@5|10", "P@5 P@10"),
        ("nDCG(base=2|10)@5|10", "nDCG(base=2)@5 nDCG(base=2)@10 nDCG(base=10)@5 nDCG(base=10)@10"),
        (
            "Q(beta=1|2,gains={1:1,2:2}|exp2)@10",
            "Q(beta=1,gains={1:1,2:2})@10 Q(beta=1,gains=exp2)@10 "
            "Q(beta=2,gains={1:1,2:2})@10 Q(beta=2,gains=exp2)@10",
        ),
        ("IPrec@0|.1|1", "IPrec@0 IPrec@.1 IPrec@1"),
        ("IA(AP|RR)", "IA(AP) IA(RR)"),
        ("IA(nDCG@5|10|AP)", "IA(nDCG@5) IA(nDCG@10) IA(AP)"),
        ("IA(AP@10|RR@20)", "IA(AP@10) IA(RR@20)"),
        (
            "IA(nDCG(base=2|10)@5|10)",
            "IA(nDCG(base=2)@5) IA(nDCG(base=2)@10) IA(nDCG(base=10)@5) IA(nDCG(base=10)@10)",
        ),
        ("IA(measure=AP|P@5|10)", "IA(measure=AP) IA(measure=P@5) IA(measure=P@10)"),
        (
            "IA(AP|RR,average=mean|sum)",
            "IA(AP,average=mean) IA(AP,average=sum) IA(RR,average=mean) IA(RR,average=sum)",
        ),
    ],
)
def test_a_grid_is_all_its_combinations(grid, measures):
    assert expand(grid) == measures.split()
    assert parse_all(grid) == tuple(map(parse, measures.split()))


def test_grids_stand_among_other_measures_and_lists_of_cutoffs():
    assert parse_all("P@5|10 AP") == parse_all("P@5 P@10 AP")
    assert parse_all("nDCG( base = 2 | 10 )@5,10; RR") == parse_all(
        "nDCG(base=2)@5 nDCG(base=10)@5 nDCG(base=2)@10 nDCG(base=10)@10 RR"
    )
    assert parse_all(["P@5|10", parse("AP"), "P@10|20"]) == parse_all("P@5 P@10 AP P@20")


@given(
    bases=st.lists(st.integers(2, 20), min_size=1, max_size=4, unique=True),
    gains=st.lists(st.sampled_from(["linear", "exp2", "{1:1,2:10}"]), min_size=1, max_size=3, unique=True),
    cutoffs=st.lists(st.integers(1, 1000), min_size=1, max_size=4, unique=True),
)
def test_the_last_alternative_varies_fastest(bases, gains, cutoffs):
    grid = f"nDCG(gains={'|'.join(gains)},base={'|'.join(map(str, bases))})@{'|'.join(map(str, cutoffs))}"
    texts = [f"nDCG(gains={g},base={b})@{k}" for g, b, k in itertools.product(gains, bases, cutoffs)]
    assert parse_all(grid) == parse_all(texts)


def test_a_bar_in_quotes_is_part_of_the_text():
    assert expand("nDCG(dcg='a|b')@5") == ["nDCG(dcg='a|b')@5"]
    with pytest.raises(MeasureError, match=r"dcg"):
        parse_all("nDCG(dcg='a|b')@5")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P@5|", "empty alternative"),
        ("P@|5", "empty alternative"),
        ("nDCG(base=2|)@5", "empty alternative"),
        ("nDCG(base=|)@5", "empty alternative"),
        ("IA(|AP)", "empty alternative"),
        ("P@5|x", "cutoff must be a whole number"),
        ("P@5|10|", "empty alternative"),
        ("AP|RR", "alternatives of values and cutoffs look like nDCG(base=2|10)@5|10, measures like AP RR"),
        ("P@5 | 10", "found '|'; alternatives of values and cutoffs look like"),
        ("nDCG(base=2|10", "found '|'"),
        ("nDCG|", "found '|'"),
        ("|", "found '|'"),
        (
            f"P(rel={'|'.join(map(str, range(200)))})@{'|'.join(map(str, range(1, 200)))}",
            f"more than {MAX_GRID}",
        ),
        ("IA(" * 2000 + "AP|RR" + ")" * 2000, "inside of each other"),
        ("nDCG(basis=2|10)", "basis"),
    ],
)
def test_errors_say_what_is_wrong_with_a_grid(text, message):
    with pytest.raises(MeasureError) as error:
        parse_all(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "one_measure",
    [
        parse,
        lambda text: rankgauge.explain(QRELS, RUNS["one"], topic="1", measure=text),
        lambda text: parse_condition(f"{text} drops by 2%"),
    ],
)
def test_where_one_measure_is_wanted_a_grid_is_refused(one_measure):
    with pytest.raises(MeasureError) as error:
        one_measure("P@5|10|15|20")
    assert str(error.value) == (
        "'P@5|10|15|20' is a grid of 4 measures (P@5, P@10, P@15, ...); name one of them"
    )


def test_the_verbs_take_grids():
    texts = ("nDCG(base=2)@1", "nDCG(base=2)@2", "nDCG@1", "nDCG@2")
    grid = "nDCG(base=2)@1|2 nDCG@1|2"
    scores = rankgauge.evaluate(QRELS, RUNS, grid)
    assert scores.measures == texts
    assert scores.mean() == rankgauge.evaluate(QRELS, RUNS, " ".join(texts)).mean()
    assert rankgauge.Evaluator(QRELS, grid).measures == parse_all(texts)
    assert rankgauge.compare(scores, "nDCG@1|2").measures == ("nDCG@1", "nDCG@2")
    assert rankgauge.curves(QRELS, RUNS, "DCG(base=2|10)", depth=2).measures == (
        "DCG(base=2)",
        "DCG(base=10)",
    )


def test_a_comparison_selects_sets_of_measures():
    scores = rankgauge.evaluate(QRELS, RUNS, "AP busy P@5")
    assert rankgauge.compare(scores, "busy").measures == tuple(map(str, parse_all("busy")))
    with pytest.raises(MeasureError, match=r"the scores have no nDCG\(base=10\)@200, only AP, "):
        rankgauge.compare(scores, "patient")


def test_a_comparison_selects_columns_of_any_name():
    scores = rankgauge.Scores.from_table(
        {"run": ["x", "x", "y", "y"], "topic": ["1", "2", "1", "2"], "a,b": [1, 2, 2, 4], "c|d": [1, 2, 3, 5]}
    )
    assert rankgauge.compare(scores, "a,b c|d").measures == ("a,b", "c|d")
    assert rankgauge.compare(scores, ["c|d"]).measures == ("c|d",)
