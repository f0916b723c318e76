"""Parts of scores by name, as one number, and under the names that measures were given by."""

import json
import math

import pytest

import rankgauge
from rankgauge import Evaluator, Scores, compare, evaluate
from rankgauge.errors import InputError, OptionError
from rankgauge.measures import P, nDCG

QRELS = {"1": {"a": 1, "b": 2}, "2": {"a": 1}, "3": {"x": 0}}
RUNS = {
    "bm25": {"1": {"c": 3.0, "b": 2.0, "a": 1.0}, "2": {"a": 1.0}, "3": {"a": 1.0}},
    "ql": {"1": {"a": 3.0, "b": 2.0}, "2": {"c": 1.0, "d": 0.5}, "3": {"b": 1.0}},
}


@pytest.fixture
def scores():
    return evaluate(QRELS, RUNS, "nDCG@10 P@5 AP FirstRank P(average=micro)@5")


@pytest.mark.parametrize("name", ["nDCG@10", "ndcg_cut_10", "NDCG@10", "ndcg_at_10", nDCG @ 10])
def test_a_measure_is_selected_by_any_of_its_names(scores, name):
    part = scores[name]
    assert isinstance(part, Scores)
    assert (part.runs, part.measures) == (scores.runs, ("nDCG@10",))
    assert part.mean() == {run: {"nDCG@10": means["nDCG@10"]} for run, means in scores.mean().items()}
    assert part.direction("nDCG@10") == 1


def test_a_run_is_selected_by_its_name_and_both_in_any_order(scores):
    assert scores["ql"].mean() == {"ql": scores.mean()["ql"]}
    one, other = scores["ql"]["map"], scores["AP"]["ql"]
    assert one.mean() == other.mean() == {"ql": {"AP": scores.mean()["ql"]["AP"]}}
    assert float(one) == scores.mean()["ql"]["AP"]
    assert f"{one:.4f}" == format(scores.mean()["ql"]["AP"], ".4f")
    assert math.isclose(one, float(other))  # anything that takes a float


def test_one_run_needs_no_name():
    scores = evaluate(QRELS, RUNS["bm25"], "nDCG@10 P@5")
    assert f"{scores['nDCG@10']:.4f}" == f"{scores.mean()['run']['nDCG@10']:.4f}"
    assert f"{scores}" == str(scores)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("bm52", r"named 'bm52' \(did you mean bm25\?\); use one of bm25, ql, nDCG@10"),
        ("P@10", "no run or measure here named 'P@10'"),  # a measure, but not one of these
        (0, "no run or measure here named '0'"),
    ],
)
def test_what_is_neither_run_nor_measure_is_an_error_that_lists_them(scores, name, message):
    with pytest.raises(InputError, match=message):
        scores[name]
    with pytest.raises(TypeError, match="not iterable"):
        list(scores)


def test_what_is_both_is_an_error():
    scores = evaluate(QRELS, {"AP": RUNS["bm25"], "map": RUNS["ql"]}, "AP P@5")
    for name in ("AP", "map"):
        with pytest.raises(InputError, match=rf"'{name}' is a run and a measure here; use only\(runs=\)"):
            scores[name]
    assert scores["P_5"].measures == ("P@5",)


def test_several_values_are_not_one_number(scores):
    for part in (scores, scores["ql"], scores["AP"]):
        with pytest.raises(InputError, match=r"one number needs one run and one measure; here are \d runs"):
            float(part)
        with pytest.raises(InputError, match=r"select, as in scores\['(bm25|ql)'\]\['(nDCG@10|AP)'\]"):
            f"{part:.2f}"


GIVEN = "ndcg_cut_10 P_5 nDCG@10 FirstRank gm_map P(average=micro)@5"


def test_results_have_the_names_that_were_given():
    given, canonical = (evaluate(QRELS, RUNS, GIVEN, names=names) for names in ("given", "canonical"))
    names = ("ndcg_cut_10", "P_5", "nDCG@10", "FirstRank", "gm_map", "P(average=micro)@5")
    texts = ("nDCG@10", "P@5", "nDCG@10", "FirstRank", "AP(average=geometric)", "P(average=micro)@5")
    assert given.measures == names
    for run in RUNS:
        assert list(given.mean()[run].items()) == [
            (name, canonical.mean()[run][text]) for name, text in zip(names, texts, strict=True)
        ]
        assert str(given.to_dict()[run]["P_5"]) == str(canonical.to_dict()[run]["P@5"])
    assert given.direction("FirstRank") == -1
    assert given.average("gm_map") == "geometric"
    assert given.table().headers == ("run", *names)
    assert set(given.to_pandas()["measure"]) == set(names)
    assert given.provenance.measures["gm_map"].text == "AP(average=geometric)"
    assert given.provenance.measures["nDCG@10"].text == ""
    undefined = {name: text for name, text in zip(names, texts, strict=True) if text != "FirstRank"}
    for facts, others in zip(given.provenance.runs.values(), canonical.provenance.runs.values(), strict=True):
        assert {name: facts.undefined.get(name) for name in undefined} == {
            name: others.undefined.get(text) for name, text in undefined.items()
        }
    assert len(given.notes) >= len(canonical.notes) > 0


def test_given_names_are_compared_selected_saved_and_loaded(tmp_path):
    scores = evaluate(QRELS, RUNS, GIVEN, names="given")
    assert compare(scores, "P@5").measures == compare(scores, "P_5").measures == ("P_5",)
    assert scores["AP(average=geometric)"].measures == ("gm_map",)
    assert scores["ndcg_cut_10"].measures == ("ndcg_cut_10",)
    assert scores["NDCG@10"].measures == ("ndcg_cut_10",)  # the first of two names of one measure
    for name in ("scores.json", "scores.parquet"):
        scores.save(tmp_path / name)
        loaded = Scores.load(tmp_path / name)
        assert (loaded.measures, loaded.mean()) == (scores.measures, scores.mean())
        assert loaded.provenance == scores.provenance


def test_an_evaluator_has_given_names_too():
    evaluator = Evaluator(QRELS, ["ndcg_cut_10", P @ 5], names="given")
    assert evaluator.evaluate(RUNS).measures == ("ndcg_cut_10", "P@5")
    assert [str(measure) for measure in evaluator.measures] == ["nDCG@10", "P@5"]


def test_random_orders_of_ties_are_reported_under_given_names():
    tied = {"1": {f"d{i}": 1.0 for i in range(40)}}
    qrels = {"1": {f"d{i}": i % 3 for i in range(30)}}
    scores = evaluate(qrels, tied, "P-plus", names="given", ties="average")
    assert scores.provenance.runs["run"].random_orders.topics == {"P-plus": 1}
    assert any("P-plus" in note for note in scores.notes)


def test_on_the_command_line(tmp_path, invoke):
    qrels, run = tmp_path / "q.txt", tmp_path / "bm25.run"
    qrels.write_text("1 0 a 1\n1 0 b 2\n")
    run.write_text("1 Q0 a 1 2 t\n1 Q0 c 2 1 t\n")
    arguments = ["evaluate", str(qrels), str(run), "-m", "ndcg_cut_10 P_5,10", "-m", "map"]
    for extra, names in (
        (["--names", "given"], ["ndcg_cut_10", "P_5", "P_10", "map"]),
        ([], ["nDCG@10", "P@5", "P@10", "AP"]),
    ):
        assert invoke(*arguments, "--format", "tsv", *extra).out.splitlines()[0].split("\t") == [
            "run",
            *names,
        ]
        assert list(json.loads(invoke(*arguments, "--format", "json", *extra).out)["mean"]["bm25"]) == names


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (
            lambda: evaluate(QRELS, RUNS, "AP", names="mine"),
            "names must be one of canonical, given, not 'mine'",
        ),
        (lambda: evaluate(QRELS, RUNS, "AP").under({"precision": "P"}), "no measure here named 'P'"),
    ],
)
def test_names_that_are_not_there_are_refused(use, message):
    with pytest.raises((InputError, OptionError), match=message):
        use()


def test_under_selects_and_repeats():
    scores = rankgauge.Scores.from_table({"bm25": {"1": 0.5, "2": 0.25}}, "AP")
    assert scores.under({"map": "AP", "MAP": "AP"}).mean() == {"bm25": {"map": 0.375, "MAP": 0.375}}
