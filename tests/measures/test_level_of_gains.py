"""rel= of measures of gains: documents below that grade have no gain, in the ranking and in the ideal one."""

import math

import pytest

from rankgauge import Evaluator, evaluate, explain
from rankgauge.measures import MEASURES, nDCG, parse
from rankgauge.measures.rankings.programs import Unsupported

WORTH = {"linear": lambda grade: grade, "exp2": lambda grade: 2**grade - 1, "binary": lambda _: 1}
OF_GAINS = sorted(
    name for name, spec in MEASURES.own().items() if spec.has("gains") and spec.has("rel") and not spec.binary
)


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("campaign")
    judged = (f"{t} 0 d{i} {t * i % 5 - 1}\n" for t in range(1, 8) for i in range(1, 12))
    (folder / "qrels.txt").write_text("".join(judged))
    for step in (3, 5):
        rows = (f"{t} Q0 d{i * step % 17} {i} {-i} x\n" for t in range(1, 8) for i in range(1, 15))
        (folder / f"{step}.run").write_text("".join(rows))
    return str(folder / "qrels.txt"), [str(folder / "3.run"), str(folder / "5.run")]


def test_measures_of_gains_take_a_level():
    assert {"CG", "DCG", "nCG", "nDCG"} <= {*OF_GAINS}
    assert str(nDCG(rel=2) @ 20) == "nDCG(rel=2)@20"
    assert parse("ndcg(rel=2)@20") == nDCG(rel=2) @ 20


@pytest.mark.parametrize("back_end", ["arrays", "programs"])
@pytest.mark.parametrize("scheme", WORTH)
@pytest.mark.parametrize("name", OF_GAINS)
def test_grades_below_the_level_have_no_gain(name, scheme, back_end, campaign):
    qrels, runs = campaign
    cutoff = "@7" if MEASURES[name].curve else ""
    mapped = ",".join(f"{g}:{WORTH[scheme](g) if g >= 2 else 0}" for g in (1, 2, 3))
    texts = [f"{name}(gains={scheme},rel=2){cutoff}", f"{name}(gains={{{mapped}}}){cutoff}"]
    level, by_map = map(str, map(parse, texts))
    plain = str(parse(f"{name}(gains={scheme}){cutoff}"))
    try:
        values = Evaluator(qrels, [level, by_map, plain], back_end=back_end).evaluate(runs).to_dict()
    except Unsupported as error:
        pytest.skip(str(error))
    for of_run in values.values():
        assert of_run[level] == pytest.approx(of_run[by_map], nan_ok=True)
    assert any(of_run[level] != of_run[plain] for of_run in values.values())  # the level makes a difference


def test_trec_evals_level_has_no_effect_on_its_gains():
    """Its option -l is about relevance; `rel` of a measure of gains is ours."""
    from rankgauge.compat import pytrec_eval

    qrels, run = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2.0, "b": 1.0}}
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg", "map"}, relevance_level=2)
    values = evaluator.evaluate(run)["1"]
    assert values["map"] == 0.5
    assert values["ndcg"] == float(evaluate(qrels, run, "nDCG"))
    assert values["ndcg"] != float(evaluate(qrels, run, "nDCG(rel=2)"))


def test_a_level_below_all_gains_changes_nothing(campaign):
    qrels, runs = campaign
    scores = evaluate(qrels, runs, "nDCG@5 nDCG(rel=-3)@5 nDCG(rel=0)@5").to_dict()
    for values in scores.values():
        for level in ("-3", "0"):
            assert values[f"nDCG(rel={level})@5"] == pytest.approx(values["nDCG@5"], abs=0, nan_ok=True)


def test_a_level_above_all_grades_leaves_nothing(campaign):
    qrels, runs = campaign
    values = evaluate(qrels, runs, "nDCG(rel=9)@5 CG(rel=9)").to_dict()["3"]
    assert all(math.isnan(value) for value in values["nDCG(rel=9)@5"].values())
    assert set(values["CG(rel=9)"].values()) == {0.0}


def test_an_explanation_shows_the_ideal_without_grades_below_the_level():
    """By hand: gains 2 and 3 are left, so the ideal gains nothing at rank 3."""
    qrels, run = {"1": {"a": 1, "b": 2, "c": 3}}, {"1": ["a", "b", "x", "c"]}
    steps = explain(qrels, run, measure="nDCG(rel=2)@3", topic="1").steps
    ideal = [3.0, 3 + 2 / math.log2(3), 3 + 2 / math.log2(3)]
    assert [step.columns["ideal DCG"] for step in steps] == pytest.approx(ideal)
    assert [step.columns["DCG"] for step in steps] == pytest.approx([0.0, *[2 / math.log2(3)] * 2])
