"""Curves, and evaluators for run after run."""

import copy
import pickle
import random

import numpy as np
import pytest

from evaluation.small import QRELS, QRELS_TEXT, RUN, RUN_TEXT
from rankgauge import Evaluator, Run, curves, evaluate
from rankgauge.errors import InputError, MeasureError, NoCommonTopic, OptionError


def test_curves_have_every_rank_and_the_ideal_beside_them():
    found = curves(QRELS, {"x": RUN, "y": {"1": {"c": 1.0}}}, "P CG", depth=4, missing="skip")
    assert found.depth == 4
    assert found.values.shape == (2, 2, 3, 4)
    assert found.ideal.shape == (2, 3, 4)
    assert found.to_dict()["x"]["CG"] == {"1": [1, 1, 3, 3], "2": [0, 1, 1, 1]}
    assert found.to_dict()["y"]["P"] == {"1": [1, 1 / 2, 1 / 3, 1 / 4]}
    assert found.mean()["x"]["CG"] == [0.5, 1, 2, 2]
    assert found.ideal[1, 0].tolist() == [2, 3, 3, 3]
    assert found.ideal[0, 0].tolist() == [1, 1, 2 / 3, 2 / 4]
    assert "depth 4" in repr(found)


def test_the_ideal_of_a_binary_measure_has_what_is_relevant_to_it():
    found = curves({"1": {"a": 0, "b": 1, "c": 3}}, {"1": {"a": 1.0}}, "R(rel=0) R(rel=2)", depth=3)
    assert found.ideal[:, 0].tolist() == [[1 / 3, 2 / 3, 1], [1, 1, 1]]


def test_an_evaluator_scores_run_after_run_as_evaluate_does(write):
    evaluator = Evaluator(QRELS, "AP RR", missing="skip")
    run = write("my.run", RUN_TEXT)
    for given in (RUN, run, [run, Run.from_dict(RUN)], {"a": RUN, "b": run}):
        assert evaluator.evaluate(given).mean() == evaluate(QRELS, given, "AP RR", missing="skip").mean()
    assert (
        evaluator.curves(RUN, depth=2).mean() == curves(QRELS, RUN, "AP RR", depth=2, missing="skip").mean()
    )
    with pytest.raises(NoCommonTopic):
        evaluator.evaluate({"9": {"a": 1.0}})
    assert evaluator.evaluate(RUN).mean() == evaluate(QRELS, RUN, "AP RR", missing="skip").mean()


@pytest.mark.parametrize(
    ("measures", "rules"),
    [
        ("AP nDCG@10 P@2 Bpref R(rel=2)@3 num_ret", {}),
        ("P(average=micro)@2 AP", {}),
        ("ESL R(average=micro)@2 AP", {}),
        ("AP Twist ESL", {}),  # which need arrays
        ("AP nDCG@2", {"ties": "average"}),
        ("ndcg_cut_10 map", {"names": "given"}),
    ],
)
@pytest.mark.parametrize("topics", [1, 30])
def test_values_of_a_dict_are_those_of_evaluate(measures, rules, topics):
    rng = random.Random(topics)
    docs = [f"d{n}" for n in range(40)]
    qrels = {f"t{t}": {doc: rng.randint(-1, 3) for doc in rng.sample(docs, 12)} for t in range(topics)}
    run = {topic: {doc: float(rng.randint(0, 20)) for doc in rng.sample(docs, 25)} for topic in qrels}
    evaluator = Evaluator(qrels, measures, **rules)
    for given in (run, {t: {d: np.float32(s) for d, s in of.items()} for t, of in run.items()}):
        scores = evaluator.evaluate(given).to_dict()["run"]
        found = evaluator.values({**given, "unjudged": {"a": 1.0}})
        wanted = {topic: {name: of[topic] for name, of in scores.items()} for topic in qrels}
        assert repr(found) == repr(wanted)
        assert repr(pickle.loads(pickle.dumps(evaluator)).values(given)) == repr(wanted)
        some = [*given][::-2]
        assert repr(evaluator.values({t: given[t] for t in some})) == repr({t: wanted[t] for t in some})


def test_values_of_a_dict_are_of_its_judged_topics_alone():
    evaluator = Evaluator(QRELS, "AP RR")
    assert evaluator.values({"2": RUN["2"], "9": {"a": 1.0}}).keys() == {"2"}
    assert evaluator.values({"1": {}}) == {"1": {"AP": 0.0, "RR": 0.0}}
    assert evaluator.values({"9": {"a": 1.0}}) == evaluator.values({}) == {}
    with pytest.raises(InputError, match=r"expected one run as a dict .*, not list"):
        evaluator.values([RUN])
    with pytest.raises(OptionError, match="needs a rank"):
        Evaluator(QRELS, "AP", order="rank").values(RUN)


def test_an_evaluator_can_be_sent_to_another_process_before_and_after_use():
    evaluator = Evaluator(QRELS, "AP RR nDCG@10 Twist", ties="average")
    unused = pickle.loads(pickle.dumps(evaluator))
    scores = evaluator.evaluate(RUN)
    used = pickle.loads(pickle.dumps(evaluator))
    for sent in (unused, used, copy.deepcopy(evaluator), evaluator):
        assert sent.evaluate(RUN).mean() == scores.mean()


def test_an_evaluator_without_arrays_can_be_sent_to_another_process(write):
    evaluator, run = (
        Evaluator(str(write("q", QRELS_TEXT)), "AP RR", back_end="programs"),
        write("r", RUN_TEXT),
    )
    scores = evaluator.evaluate(run)
    assert pickle.loads(pickle.dumps(evaluator)).evaluate(run).mean() == scores.mean()


def test_a_curve_goes_no_further_than_its_measure_looks():
    evaluator = Evaluator(QRELS, "P@2")
    assert evaluator.curves(RUN, depth=2).measures == ("P@2",)
    with pytest.raises(MeasureError, match=r"P@2 has a cutoff at rank 2, .* leave out the cutoff"):
        evaluator.curves(RUN, depth=3)


@pytest.mark.parametrize("depth", [10**10, 1_000_001, 0, -1, 2.0])
def test_a_curve_has_a_depth_that_memory_can_hold(depth):
    with pytest.raises(OptionError, match=rf"depth must be a whole number from 1 to 1000000, not {depth}"):
        curves("no such qrels", "no such run", "P", depth=depth)


@pytest.mark.parametrize(
    ("use", "what"),
    [
        (lambda e: e.curves("r.txt", depth=3), "`curves`"),
        (lambda e: e.qrels, "`qrels`"),
        (lambda e: e.evaluate({"1": {"a": 1.0}}), "a run that is not in a file"),
        (lambda _: Evaluator({"1": {"a": 1}}, "RR", back_end="programs"), "judgments that are not in a file"),
        (lambda _: Evaluator("q.txt", "ESL", back_end="programs"), "all of these measures"),
    ],
)
def test_what_the_back_end_of_programs_lacks_is_an_error_in_words(use, what, write, monkeypatch):
    monkeypatch.chdir(write("r.txt", "1 Q0 a 1 1 t\n").parent)
    evaluator = Evaluator(str(write("q.txt", "1 0 a 1\n")), "RR", back_end="programs")
    assert evaluator.evaluate("r.txt").mean() == {"r": {"RR": 1.0}}
    with pytest.raises(OptionError, match=f"programs does not support {what}; use back_end='arrays'"):
        use(evaluator)


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("1 0 a 1\n1 0 b\n", "1 Q0 a 1 1 t\n"),
        ("1 0 a 1\n1 0 b x\n", "1 Q0 a 1 1 t\n"),
        ("1 0 a 1\n2 0 a 1\n1 0 a 0\n", "1 Q0 a 1 1 t\n"),
        ("1 0 a 1\n", "1 Q0 a 1 1 t\n\n1 Q0 b 2 x t\n"),
        ("1 0 a 1\n", "1 Q0 a 1 1 t\n1 Q0 b 2 0.5\n"),
        ("1 0 a 1\n", "1 Q0 a 1 1 t\n1 Q0 b 2 nan t\n"),
        ("1 0 a 1\n", "1 Q0 a 1 2 t\n2 Q0 c 1 3 t\n1 Q0 a 2 1 t\n"),
        ("1 0 a 1\n", "7 Q0 a 1 2 t\n"),
    ],
)
def test_both_back_ends_name_the_same_line(qrels, run, write):
    given = str(write("q.txt", qrels)), str(write("a.run", run))
    messages = []
    for back_end in ("programs", "arrays"):
        with pytest.raises(InputError) as error:
            Evaluator(given[0], "RR", back_end=back_end).evaluate(given[1])
        messages.append(str(error.value).partition(", first on")[0].partition("; once")[0])
    assert messages[0] == messages[1]
