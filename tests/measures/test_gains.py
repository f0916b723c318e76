"""Gains, discounts and the other tables by rank that measures are made of."""

import math
import random
import re

import numpy as np
import pytest

from rankgauge import curves, evaluate
from rankgauge.errors import MeasureError
from rankgauge.measures import parse
from rankgauge.measures.cwl import inverse_squares
from rankgauge.measures.rankings import discounts
from rankgauge.measures.rankings.discounts import Discount, Gone, Persistence, Reciprocal, RunningSum
from rankgauge.measures.rankings.gains import Gains
from rankgauge.measures.settings import build
from rankgauge.measures.usermodels import FromHereOn

TABLES = [
    Discount("log2"),
    Persistence(0.8),
    Persistence(0.0),
    Gone(0.8),
    Gone(0.0),
    Reciprocal(Discount("rank")),
    RunningSum(Reciprocal(Discount("log2"))),
    FromHereOn(0.5),
    FromHereOn(0.95),
]


@pytest.mark.parametrize("table", TABLES, ids=repr)
def test_a_table_has_the_same_numbers_as_each_rank_alone_and_past_its_end(table, monkeypatch):
    ranks = np.array([[1, 2, 3], [1000, 1024, 1500]])
    expected = [[table.one(rank) for rank in row] for row in ranks.tolist()]
    assert table.at(ranks).tolist() == expected
    monkeypatch.setattr(discounts, "DEEPEST", 1)
    assert table.at(ranks).tolist() == expected


def test_what_has_gone_and_what_is_seen_make_one():
    for p in (0.0, 0.3, 0.8, 0.95, 1 - 1e-12):
        for rank in (0, 1, 2, 50):
            assert Gone(p).one(rank) + Persistence(p).one(rank + 1) == pytest.approx(1, rel=1e-15)
        assert Gone(p).at(np.array([0, 1]))[0] == 0
    assert Gone(1 - 1e-12).one(3) == pytest.approx(3e-12, rel=1e-3)


@pytest.mark.parametrize("p", [0.0, 1e-5, 0.3, 0.9, 0.95, 0.999])
def test_differences_of_what_is_to_come_are_the_weights_between(p):
    table = FromHereOn(p)
    for first, last in ((1, 1), (2, 4), (7, 20)):
        weights = math.fsum(p ** (i - 1) / i for i in range(first, last + 1))
        assert table.one(first) - table.one(last + 1) == pytest.approx(weights, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("first", [0.02, 1.0, 2.5, 40.0, 2e6])
def test_inverse_squares_are_added_up_without_a_loop(first):
    for count in (0, 1, 2, 17, 1000):
        expected = math.fsum(1 / (first + n) ** 2 for n in range(count))
        assert inverse_squares(first, count) == pytest.approx(expected, rel=1e-14)
    assert inverse_squares(1.0, 2.0**62) == pytest.approx(math.pi**2 / 6, rel=1e-14)


def test_running_sums_go_on_past_the_table_without_a_loop(monkeypatch):
    monkeypatch.setattr(discounts, "_TABLES", {})
    monkeypatch.setattr(discounts, "DEEPEST", 1 << 16)
    by_log, by_rank = Reciprocal(Discount("log2")), Reciprocal(Discount("rank"))
    calls = []
    one = Discount.one
    monkeypatch.setattr(Discount, "one", lambda self, rank: calls.append(rank) or one(self, rank))
    for rank in ((1 << 16) - 1, 1 << 16, (1 << 16) + 1, 300_000):
        expected = math.fsum(1 / math.log2(1 + n) for n in range(1, rank + 1))
        assert RunningSum.one.__wrapped__(RunningSum(by_log), rank) == pytest.approx(expected, rel=1e-12)
    for rank in (999_999_999, 1 << 62):
        harmonic = math.log(rank) + 0.57721566490153286 + 0.5 / rank
        assert RunningSum.one.__wrapped__(RunningSum(by_rank), rank) == pytest.approx(harmonic, rel=1e-12)
    assert len(calls) < 1 << 18


@pytest.mark.parametrize("name", ["SDCG", "NERR9"])
def test_the_deepest_cutoff_is_read_beyond_the_end_of_the_list(name):
    qrels, run = {"1": {"a": 1, "b": 1}}, {"1": {"a": 3.0, "z": 2.0, "b": 1.0}}
    measures = [
        f"{name}(max_rel=2, value={value})@{k}" for value in ("ED", "EU") for k in (10**8, 999_999_999)
    ]
    depth, deeper, value, less = evaluate(qrels, run, measures).values.ravel().tolist()
    assert 1 < depth < deeper
    assert 0 < less < value


@pytest.mark.parametrize(
    ("gains", "level", "expected"),
    [
        (Gains(), 2, [0, 0, 0, 2, 3]),
        (Gains("binary"), 0, [0, 1, 1, 1, 1]),
        (Gains("exp2"), -5, [0, 0, 1, 3, 7]),
        (Gains("map", ((1.0, 5.0), (2.0, 0.0), (3.0, 1.0))), 2, [0, 0, 0, 0, 1]),
    ],
)
def test_gains_above_a_level_are_those_of_relevant_documents_alone(gains, level, expected):
    levels = np.array([-1.0, 0.0, 1.0, 2.0, 3.0])
    assert gains.above(level).of(levels, levels).tolist() == expected


@pytest.mark.parametrize(
    ("gains", "max_rel", "top"),
    [
        (Gains(), None, 3),
        (Gains("exp2"), 4, 15),
        (Gains("binary"), None, 1),
        (Gains("map", ((1.0, 7.0), (3.0, 2.0), (9.0, 8.0))), None, 8),
    ],
)
def test_the_top_of_a_scale_is_that_of_the_highest_grade_or_of_the_map(gains, max_rel, top):
    assert gains.top(np.array([0.0, 1.0, 3.0]), max_rel) == top


def test_a_grade_above_the_top_of_the_scale_is_refused():
    with pytest.raises(MeasureError, match="the judgments have grade 3, above max_rel=2"):
        Gains().top(np.array([0.0, 1.0, 3.0]), 2)


def test_a_map_of_gains_and_a_highest_grade_exclude_each_other():
    with pytest.raises(MeasureError, match="max_rel=3 has no meaning with gains="):
        parse("ERR(gains={1:1,2:3},max_rel=3)")
    assert str(parse("ERR(gains=linear,max_rel=3)@10")) == "ERR(gains=linear,max_rel=3)@10"


@pytest.mark.parametrize(
    "text", ["CG", "DCG", "IDCG", "nDCG", "G", "Q", "O_measure", "RBP(gains=linear)", "EBR"]
)
def test_the_largest_grades_that_are_allowed_have_finite_values(text):
    """Linear gains of grades of which 2^grade is too large a number, also where sums are rounded."""
    qrels = {"1": {"a": 1e100, "b": 1e100, "c": 2}, "2": {"a": 3e16, "b": 1e16, "c": 1e16, "d": 7e16}}
    run = {"1": {"c": 3.0, "a": 2.0, "b": 1.0}, "2": {"d": 4.0, "a": 3.0, "b": 2.0, "c": 1.0}}
    for value in evaluate(qrels, run, text).values.ravel().tolist():
        assert 0 < value < math.inf
    best = evaluate(qrels, run, text).values[0, 0, 1]
    assert text in ("CG", "DCG", "IDCG", "RBP(gains=linear)", "EBR") or best == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("CG(gains={1:1e308})", "gain (-1e+100 to 1e+100)"),
        ("CG(gains={0:-1e101})", "gain (-1e+100 to 1e+100)"),
        ("nCG(gains={1:1e308})", "gain (0 to 1e+100)"),
        ("CG(gains=exp2)", "gains=exp2 of grade 1000 is too large"),
    ],
)
def test_gains_too_large_to_add_up_are_refused(text, message):
    with pytest.raises(MeasureError, match=re.escape(message)):
        evaluate({"1": {"a": 1000}}, {"1": {"a": 1.0}}, text)


def graded(scale, seed=7):
    """(judgments, run) of three topics, graded by the levels of a scale."""
    rng = random.Random(seed)
    qrels = {t: {f"d{n}": scale[rng.choice([0, 0, 1, 2, 3])] for n in range(12)} for t in "abc"}
    return qrels, {t: {f"d{n}": rng.random() for n in range(15)} for t in "abc"}


GAPS = [(0, 1, 2, 4), (0, 2, 3, 9), (-2, 1, 1.5, 1e9)]


@pytest.mark.parametrize("scale", GAPS)
def test_gaps_between_grades_make_no_difference_to_measures_of_effort(scale):
    effort = (
        "RP@3 CRP@7 ForwardSpace BackwardSpace SpaceRatio RecoveryRatio BalancePoint Twist "
        "Twist(crossing=definition) Twist(crossing=matters)"
    )
    found = evaluate(*graded(scale), effort)
    np.testing.assert_array_equal(found.values, evaluate(*graded((0, 1, 2, 3)), effort).values)


@pytest.mark.parametrize("scale", GAPS)
@pytest.mark.parametrize("base", ["", ",base=10"])
def test_gains_by_level_do_not_see_gaps(scale, base):
    qrels, run = graded(scale)
    by_level = f"nDCG(gains=levels{base}) DCG(gains=levels{base})@5 CG(gains=levels)"
    linear = by_level.replace("gains=levels,", "").replace("(gains=levels)", "")
    expected = evaluate(*graded((0, 1, 2, 3)), linear).values
    np.testing.assert_array_equal(evaluate(qrels, run, by_level).values, expected)
    five = ",".join(f"{grade}:{5 * place}" for place, grade in enumerate(scale) if place)
    weighed = evaluate(qrels, run, f"nDCG(gains={{{five}}}{base})").values
    np.testing.assert_allclose(weighed, expected[:, :1], rtol=1e-14)


def test_levels_are_those_of_all_topics():
    qrels = {"a": {"x": 3}, "b": {"x": 1, "y": 2, "z": 3}}
    scores = evaluate(qrels, {"a": {"x": 1.0}, "b": {"y": 1.0}}, "CG(gains=levels) RBP(gains=levels,p=0)")
    assert scores.values[0].tolist() == [[3.0, 2.0], [1.0, 2 / 3]]
    assert evaluate({"a": qrels["a"]}, {"a": {"x": 1.0}}, "CG(gains=levels)").values[0].tolist() == [[1.0]]
    scaled = evaluate(qrels, {"a": {"x": 1.0}}, "RBP(gains=levels,max_rel=5,p=0)").values[0, 0, 0]
    assert scaled == 3 / 4  # grade 5 is the fourth level


def test_many_levels_are_counted_once(monkeypatch):
    calls = []
    worth = Gains.worth
    monkeypatch.setattr(Gains, "worth", lambda self, *grade: calls.append(grade) or worth(self, *grade))
    qrels = {"a": {f"d{n}": n / 7 for n in range(20_000)}}
    assert evaluate(qrels, {"a": {"d700": 1.0}}, "CG(gains=levels)").values[0].tolist() == [[700.0]]
    assert len(calls) < 100


def test_gains_below_0_take_away():
    qrels = {"q": {"a": 2, "b": 1, "junk": 0, "spam": -2}}
    run = {"q": {"junk": 5.0, "a": 4.0, "new": 3.0, "spam": 2.0, "b": 1.0}}
    gains = "{-2:-5,0:-1,1:1,2:10}"
    curve = curves(qrels, run, f"CG(gains={gains}) DCG(gains={gains},base=2)", depth=6)
    assert curve.values[0, 0, 0].tolist() == [-1, 9, 9, 4, 5, 5]
    expected = np.cumsum([-1, 10 / 1, 0, -5 / 2, 1 / math.log2(5), 0])
    np.testing.assert_allclose(curve.values[0, 1, 0], expected)
    assert curve.ideal[0, 0].tolist() == [10, 11, 11, 11, 11, 11]  # no ideal ranking has junk
    assert evaluate(qrels, {"q": {"junk": 1.0}}, f"CG(gains={gains})").values[0, 0, 0] == -1
    assert parse(f"CG(gains={gains})").bounds == (-math.inf, math.inf)
    assert parse("CG").bounds == (0, math.inf)
    assert str(parse("CG(gains={0:-0.0,1:1})")) == "CG(gains={0:0,1:1})"


def test_the_worst_of_tied_documents_come_last_in_the_best_order():
    qrels = {"q": {"a": 1, "x": 0, "y": -1}}
    run = {"q": dict.fromkeys(("a", "x", "y", "new"), 1.0)}
    gains = "{-1:-4,0:-1,1:3}"
    best, worst = (
        evaluate(qrels, run, f"DCG(gains={gains},discount=rank)", ties=rule).values[0, 0, 0]
        for rule in ("best", "worst")
    )
    assert best == pytest.approx(3 - 1 / 3 - 4 / 4)
    assert worst == pytest.approx(-4 - 1 / 2 + 3 / 4)


@pytest.mark.parametrize("measure", ["nCG", "nDCG", "AnDCG", "IDCG", "Q", "ERR", "Twist", "gP", "RBP"])
def test_measures_that_are_shares_refuse_gains_below_0(measure):
    spec = parse(measure).spec
    for gains in ({0: -1, 1: 1}, parse("CG(gains={0:-1,1:1})").gains):
        with pytest.raises(MeasureError, match=r"; gains below 0 are for CG, DCG, ACG and ADCG alone"):
            build(spec, {"gains": gains}, None)
