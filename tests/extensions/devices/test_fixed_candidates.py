"""Fixed candidates, which take scores alone."""

import math
import pickle
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cases
from evaluation import test_objects
from evaluation.small import MEAN, QRELS, RUN
from rankgauge import Evaluator, Run, evaluate
from rankgauge.errors import InputError, NoCommonTopic, OptionError
from rankgauge.measures import MEASURES
from rankgauge.model.rules import OVER_ORDERS
from schema.test_text import COUNT, Counted

CANDIDATES = {"2": ["b", "a"], "9": ["q"], "1": ["a", "b", "c"]}


@pytest.fixture
def candidates():
    return Evaluator(QRELS, "AP RR").fixed(CANDIDATES)


class Tensor:
    """What a CPU tensor of another library looks like from here."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)


@pytest.mark.parametrize(
    "scores",
    [
        [2.0, 1.0, 0.0, 3.0, 2.0, 1.0],
        (2, 1, 0, 3, 2, 1),
        np.array([2.0, 1.0, 0.0, 3.0, 2.0, 1.0]),
        np.array([2, 1, 0, 3, 2, 1], dtype=np.float32),
        np.array([2, 9, 1, 9, 0, 9, 3, 9, 2, 9, 1, 9])[::2],
        np.array([[2.0, 1.0, 0.0], [3.0, 2.0, 1.0]]),
        [np.array([2.0, 1.0]), [0.0], (3.0, 2.0, 1.0)],
        [Tensor([2.0, 1.0]), Tensor([0.0]), Tensor([3.0, 2.0, 1.0])],
        Tensor([2.0, 1.0, 0.0, 3.0, 2.0, 1.0]),
    ],
    ids=["list", "tuple", "array", "single", "strided", "rows", "parts", "tensors", "tensor"],
)
def test_fixed_candidates_take_scores_in_their_order(candidates, scores):
    found = candidates.evaluate(scores)
    assert found.mean()["run"] == pytest.approx(MEAN)
    facts = found.provenance.runs["run"]
    assert (facts.source, facts.unjudged_topics, facts.missing, facts.retrieved) == (
        "fixed candidates",
        1,
        1,
        5,
    )


@pytest.mark.parametrize("ties", ["docid_desc", "docid_asc", "input", "average"])
@pytest.mark.parametrize("precision", ["double", "single"])
def test_fixed_candidates_are_evaluated_again_and_again(ties, precision):
    rules, rng = {"ties": ties, "score_precision": precision}, random.Random(5)
    candidates = Evaluator(QRELS, "AP RR", **rules).fixed(CANDIDATES)
    for _ in range(20):
        scores = [rng.choice([16777216.0, 16777217.0, rng.random()]) for _ in range(6)]
        parts = iter(scores)
        run = {topic: {doc: next(parts) for doc in docs} for topic, docs in CANDIDATES.items()}
        found, expected = candidates.evaluate(scores, name="x"), evaluate(QRELS, {"x": run}, "AP RR", **rules)
        assert found.mean() == expected.mean()
        ties_found = [scores.provenance.runs["x"].decisive_ties for scores in (found, expected)]
        assert ties_found[0] == ties_found[1]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1.0], "expected 6 scores, one per candidate and in their order, found 1"),
        (np.zeros(7), "found 7"),
        (np.zeros((2, 4)), "found 8"),
        ([], "found 0"),
        (
            [[1.0, 2.0, 3.0], [0.4], [5.0, 6.0]],
            "lengths 2, 1, 3, found lengths 3, 1, 2; give one score per",
        ),
        ([1, 2, 3, math.nan, 5, 6], r"score 3 \(counted from 0\) is NaN"),
        ([[1.0, 2.0], [math.nan], [1.0, 2.0, 3.0]], r"score 2 \(counted from 0\) is NaN"),
        (np.array([1, 2, 3, 4, 5, math.nan], dtype=np.float32), r"score 5 \(counted from 0\) is NaN"),
        (np.ma.array([1, 2, 3, 4, 5, 6], mask=[0, 0, 1, 0, 0, 0]), "some scores are masked"),
        ([[1.0, 2.0], np.ma.array([1.0], mask=True), [1.0, 2.0, 3.0]], "some scores are masked"),
        (["a", "b", "c", "d", "e", "f"], "some scores are not numbers"),
        ([1, 2, 3, [4], 5, 6], "some scores are not numbers"),
        (["1", "2", "3", "4", "5", "6"], "some scores are not numbers"),
        ([10**400, 2, 3, 4, 5, 6], "some scores are not numbers"),
        (np.array([1, 2, 3, 4, 5, 6j]), "some scores are not numbers"),
        (np.arange(6).astype("M8[s]"), "some scores are not numbers"),
    ],
)
def test_fixed_candidates_refuse_scores_that_do_not_fit(candidates, scores, message):
    with pytest.raises(InputError, match=message):
        candidates.evaluate(scores)


def test_fixed_candidates_are_made_from_anything_that_is_a_run(write):
    evaluator = Evaluator(QRELS, "AP RR")
    interleaved = "2 Q0 b 1 0 t\n1 Q0 a 1 0 t\n1 Q0 b 1 0 t\n2 Q0 a 1 0 t\n1 Q0 c 1 0 t\n"
    path = write("mine.run", interleaved)
    candidates = evaluator.fixed(path)
    assert candidates.evaluate([2.0, 3.0, 2.0, 1.0, 1.0]).mean() == {"mine": pytest.approx(MEAN)}
    candidates = evaluator.fixed(Run.from_dict(RUN, name="r"))
    assert candidates.evaluate([3, 2, 1, 2, 1]).mean() == {"r": pytest.approx(MEAN)}
    assert evaluator.fixed(RUN).evaluate([3, 2, 1, 2, 1]).mean() == {"run": pytest.approx(MEAN)}


def test_scores_in_single_precision_are_compared_as_they_are_under_any_rule():
    rng = np.random.default_rng(3)
    docs = {str(t): [f"d{n}" for n in range(40)] for t in range(6)}
    qrels = {str(t): {f"d{n}": int(n % 3) for n in range(0, 40, t + 1)} for t in range(1, 6)}
    scores = rng.choice(rng.normal(size=50), size=240).astype(np.float32)  # many tie
    for ties in ("docid_desc", "input", "average"):
        candidates = Evaluator(qrels, "AP nDCG@10", ties=ties).fixed(docs)
        found, wide = candidates.evaluate(scores), candidates.evaluate(scores.astype(np.float64))
        assert np.array_equal(found.values, wide.values, equal_nan=True)


def test_fixed_candidates_refuse_other_topics_repeats_and_ranks(write):
    evaluator = Evaluator(QRELS, "RR")
    with pytest.raises(NoCommonTopic):
        evaluator.fixed({"9": ["a"]})
    with pytest.raises(InputError, match=r"^a document is listed twice among .* \(1 row too many\)"):
        evaluator.fixed({"1": ["a", "b", "a"]})
    path = write("again.run", "1 Q0 a 1 3 x\n1 Q0 b 2 2 x\n1 Q0 a 3 1 x\n")
    for rule in ("error", "first", "max"):  # whatever it is: three scores would come for two documents
        with pytest.raises(InputError, match=r"^a document is listed twice among .* \(1 row too many\)"):
            Evaluator(QRELS, "RR", duplicates=rule).fixed(path)
    candidates = evaluator.fixed(Run.read(path, duplicates="max"))  # which left one out itself
    assert candidates.evaluate([1.0, 2.0]).to_dict()["again"]["RR"]["1"] == 0.5
    with pytest.raises(OptionError, match="order=rank and ties=rank need ranks"):
        Evaluator(QRELS, "RR", ties="rank").fixed(CANDIDATES)


@pytest.mark.parametrize("name", test_objects.RUNS)
def test_they_come_in_all_shapes(name):
    run, scores = test_objects.RUNS[name], test_objects.RUN
    candidates, order = Evaluator(test_objects.QRELS, "RR").fixed(run()), Run.of(run())
    places = list(zip(order.topics.take(order.topic).texts(), order.docs.texts(), strict=True))
    assert candidates.evaluate([scores[t][d] for t, d in places]).mean() == {"run": {"RR": 0.75}}
    with pytest.raises(InputError, match="a set, which has no order"):
        Evaluator(QRELS, "RR").fixed({"0": {"0", "1"}})


@pytest.mark.parametrize("low", [-math.inf, -1.7e308])
def test_scores_may_be_as_far_apart_as_numbers_are(low):
    scores = {f"d{i:03}": float(i) for i in range(100)} | {"low": low, "high": 1.7e308}
    qrels = {"1": {f"d{i:03}": 1 for i in range(60)} | {"low": 1}}
    plan = Evaluator(qrels, "AP").fixed({"1": list(scores)})
    assert plan.evaluate(list(scores.values())).mean() == evaluate(qrels, {"1": scores}, "AP").mean()


def test_they_have_given_names_too():
    fixed = Evaluator(QRELS, ["ndcg_cut_10", "P@5"], names="given").fixed({"1": ["a", "b"], "2": ["a"]})
    assert fixed.evaluate(np.array([1.0, 0.5, 2.0])).measures == ("ndcg_cut_10", "P@5")


def test_an_evaluator_that_was_sent_to_another_process_makes_them():
    evaluator = Evaluator(QRELS, "AP RR nDCG@10 Twist", ties="average")
    topics = evaluator.evaluate(RUN).topics
    for sent in (pickle.loads(pickle.dumps(evaluator)), evaluator):
        assert sent.fixed(RUN).evaluate([1, 2, 3, 4, 5]).topics == topics


def test_ties_are_noted():
    docs = [f"d{n}" for n in range(100)]
    candidates = Evaluator({"1": dict.fromkeys(docs[::2], 1)}, "P@5").fixed({"1": docs})
    assert any("tie" in note for note in candidates.evaluate([1.0] * 100).notes)
    assert not any("tie" in note for note in candidates.evaluate([*range(100)]).notes)


@pytest.mark.parametrize("rule", ["docid_desc", *OVER_ORDERS])
@settings(max_examples=3)
@given(campaign=cases.campaigns(grades=[-1, 0, 0, 1, 1, 2]), precision=st.sampled_from(["double", "single"]))
def test_they_have_the_values_and_facts_of_the_run_that_they_make(rule, campaign, precision):
    qrels, run = campaign
    measures = [cases.plainest(name) for name in MEASURES]
    rules = {"ties": rule, "score_precision": precision}
    expected = cases.evaluate(qrels, run, measures, **rules)
    fixed = Evaluator(cases.by_subtopic(qrels), measures, **rules).fixed(
        {topic: list(docs) for topic, docs in run.items()}
    )
    found = fixed.evaluate([score for docs in run.values() for score in docs.values()])
    assert cases.identical(found.values, expected.values)
    facts = found.provenance.runs["run"]
    assert facts._replace(source="dict") == expected.provenance.runs["run"]


def test_a_repeated_document_is_found_in_one_pass():
    Counted.comparisons = 0
    names = [*(Counted(f"d{number}") for number in range(COUNT)), Counted(f"d{COUNT - 1}")]
    with pytest.raises(InputError, match="a document is listed twice"):
        Evaluator({"1": {"d1": 1}}, "RR").fixed({"1": names})
    assert Counted.comparisons < 10 * COUNT
