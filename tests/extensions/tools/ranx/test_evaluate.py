"""`evaluate` by ranx's interface: the documented examples, metric names, topics, ties."""

import numpy as np
import pytest
from rankgauge.compat.ranx import Qrels, Run, evaluate

import rankgauge
from rankgauge.errors import InputError, MeasureError
from rankgauge.extensions.tools.ranx import metrics
from rankgauge.extensions.tools.ranx.evaluation import METRICS

QRELS = {"q_1": {"d_12": 5, "d_25": 3}, "q_2": {"d_11": 6, "d_22": 1}}
RUN = {
    "q_1": {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7, "d_36": 0.6, "d_32": 0.5, "d_35": 0.4},
    "q_2": {"d_12": 0.9, "d_11": 0.8, "d_25": 0.7, "d_36": 0.6, "d_22": 0.5, "d_35": 0.4},
}


def test_the_example_of_ranx_has_its_printed_values():
    qrels, run = Qrels(QRELS), Run(RUN)
    assert evaluate(qrels, run, "ndcg@5") == pytest.approx(0.7861, abs=5e-5)
    assert evaluate(qrels, run, ["map@5", "mrr"]) == pytest.approx({"map@5": 0.6416, "mrr": 0.75}, abs=1e-4)
    assert run.mean_scores == pytest.approx({"ndcg@5": 0.7861, "map@5": 0.6416, "mrr": 0.75}, abs=1e-4)
    printed = {
        "ndcg@5": {"q_1": 0.9430, "q_2": 0.6292},
        "map@5": {"q_1": 0.8333, "q_2": 0.4500},
        "mrr": {"q_1": 1.0000, "q_2": 0.5000},
    }
    assert {name: pytest.approx(values, abs=1e-4) for name, values in printed.items()} == dict(run.scores)


RBP = rankgauge.evaluate(QRELS, RUN, "RBP(p=0.95)@2").mean()["run"]["RBP(p=0.95)@2"]
EMPTY = {"q_0": {}, "q_1": {"d_12": 0}, "q_2": QRELS["q_2"]}
# (judgments, run, metrics, result)
RESULTS = [
    (QRELS, RUN, ["mrr", "mrr"], {"mrr": 0.75}),  # once
    (QRELS, RUN, ("mrr",), 0.75),
    (QRELS, RUN, ["MRR", "R_Precision"], {"MRR": 0.75, "R_Precision": 0.5}),  # case does not matter
    (QRELS, RUN, "rbp.95@2", RBP),  # which ranx cannot read
    *(
        (EMPTY, {"q_0": {"d_1": 1.0}, **RUN}, metric, value)
        for metric, value in (("recall", 1 / 3), ("bpref", 1 / 3))
    ),
]


@pytest.mark.parametrize(("qrels", "run", "metrics", "result"), RESULTS)
def test_results(qrels, run, metrics, result):
    assert evaluate(qrels, run, metrics) == pytest.approx(result)


def test_judgments_that_change_are_evaluated_anew():
    qrels, run = Qrels(QRELS), Run(RUN)
    before = evaluate(qrels, run, "precision@1")
    qrels.add_score("q_2", "d_12", 1)
    assert (before, evaluate(qrels, run, "precision@1")) == (0.5, 1.0)
    qrels.set_relevance_level(7)
    assert evaluate(qrels, run, "precision@1") == 0.0


@pytest.mark.parametrize("metric", METRICS)
def test_a_level_is_the_same_as_judgments_without_lower_grades(metric):
    name = f"{metric}.8" if metric == "rbp" else metric
    only = {t: {d: grade * (grade >= 4) for d, grade in docs.items()} for t, docs in QRELS.items()}
    values = evaluate(QRELS, RUN, f"{name}-l4", return_mean=False)
    assert values.tolist() == evaluate(only, RUN, name, return_mean=False).tolist()
    assert values[0] > 0


def test_a_level_leaves_lower_grades_without_gain():
    gains = {1: 0, 3: 0, 5: 5, 6: 6}
    for metric, burges in (("ndcg@3-l4", False), ("ndcg_burges@3-l4", True)):
        table = {grade: 2**gain - 1 if burges else gain for grade, gain in gains.items()}
        text = "nDCG(gains={" + ",".join(f"{g}:{gain}" for g, gain in table.items()) + "})@3"
        expected = rankgauge.evaluate(QRELS, RUN, text).mean()["run"]
        assert [evaluate(QRELS, RUN, metric)] == pytest.approx([*expected.values()])


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("ndgc@10", r"no metric 'ndgc@10' \(did you mean ndcg\?\)"),
        ("err@20", "no metric 'err@20'.* rankgauge.evaluate has more measures"),
        ("rbp", "rbp.95 for p = 0.95"),
        ("rbp@10", "rbp.95 for p = 0.95"),  # 0.10 to ranx
        ("map.5", "rbp, and no other metric"),
        ("r-precision@10", "leave out @10"),
        ("bpref@5", "leave out @5"),
        (3, "names such as 'ndcg@10'"),
        ([], "names such as 'ndcg@10'"),
        (["map", 1], "names such as 'ndcg@10'"),
    ],
)
def test_other_names_are_refused(metric, message):
    with pytest.raises(MeasureError, match=message):
        evaluate(QRELS, RUN, metric if metric != 3 else [3])


def test_topics_must_be_the_same_unless_they_are_made_comparable():
    qrels = Qrels({**QRELS, "q_3": {"d_1": 1}})
    run = Run({**RUN, "q_4": {"d_1": 1.0}})
    with pytest.raises(
        InputError, match="1 topic without results, such as 'q_3' and 1 topic without judgments"
    ):
        evaluate(qrels, run, "mrr")
    values = evaluate(qrels, run, "mrr", return_mean=False, make_comparable=True)
    assert values.tolist() == [1.0, 0.5, 0.0]
    assert dict(run.scores) == {"mrr": {"q_1": 1.0, "q_2": 0.5, "q_3": 0.0}}
    assert list(run.keys()) == ["q_1", "q_2", "q_4"]  # as it was
    assert evaluate(qrels, run.make_comparable(qrels), "mrr") == 0.5
    assert list(run.keys()) == ["q_1", "q_2", "q_3"]
    with pytest.raises(InputError, match="make_comparable=True"):
        evaluate(QRELS, {"q_1": RUN["q_1"]}, "mrr")
    with pytest.raises(InputError, match="run 'bm25' has no results for any judged topic"):
        evaluate(QRELS, Run({"q_9": {"d_1": 1.0}}, name="bm25"), "mrr", make_comparable=True)


def test_values_are_in_the_order_of_a_dict_and_sorted_for_qrels():
    qrels, run = ({topic: table[topic] for topic in ("q_2", "q_1")} for table in (QRELS, RUN))
    assert evaluate(qrels, RUN, "mrr", return_mean=False).tolist() == [0.5, 1.0]
    assert evaluate(Qrels(qrels), run, "mrr", return_mean=False).tolist() == [1.0, 0.5]
    many = {str(number): {"d": 1} for number in range(12)}
    one = {topic: {"d" if topic == "10" else "e": 1.0} for topic in many}
    assert np.flatnonzero(evaluate(many, one, "mrr", return_mean=False)).tolist() == [10]
    assert np.flatnonzero(evaluate(Qrels(many), one, "mrr", return_mean=False)).tolist() == [2]


def test_ties_do_not_depend_on_the_order_of_the_dict_unless_that_is_asked_for():
    qrels = {"q": {"a": 1}}
    runs = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"b": 1.0, "a": 1.0}}
    assert [evaluate(qrels, Run(run), "mrr") for run in runs] == [0.5, 0.5]
    assert [evaluate(qrels, Run(run), "mrr", ties="input") for run in runs] == [1.0, 0.5]
    for run in map(Run, runs):
        run.sort()
    assert [evaluate(qrels, run, "mrr", ties="input") for run in map(Run, runs)] == [1.0, 0.5]


def test_arrays_have_rows_of_documents_in_the_order_of_ranks():
    qrels = [np.array([[1, 5], [4, 0], [5, 3]]), np.array([[2, 1], [3, 2]])]
    run = np.array([[[7, 0.5], [1, 0.9], [5, 0.9]], [[3, 0.1], [2, 0.1], [9, 0.8]]])
    ranked = {"a": {"7": 3, "1": 2, "5": 1}, "b": {"3": 3, "2": 2, "9": 1}}
    judged = {"a": {"1": 5, "4": 0, "5": 3}, "b": {"2": 1, "3": 2}}
    for metric in METRICS:
        name = "rbp.8" if metric == "rbp" else metric
        expected = evaluate(judged, ranked, name, return_mean=False)
        assert np.array_equal(evaluate(qrels, run, name, return_mean=False), expected)
    assert np.array_equal(
        metrics.ndcg(qrels, run, 2, 3), evaluate(judged, ranked, "ndcg@2-l3", return_mean=False)
    )
    assert np.array_equal(
        metrics.rank_biased_precision(Qrels(judged), Run(ranked), 0.8),
        evaluate(qrels, run, "rbp.8", return_mean=False),
    )
    typed = Qrels(judged).to_typed_list(), Run(ranked).to_typed_list()
    assert np.array_equal(metrics.bpref(*typed), metrics.bpref(qrels, run))
    with pytest.raises(InputError, match="topic 1 of the run has document 3 more than once"):
        evaluate(qrels, [run[0], run[1][[0, 0, 1]]], "mrr")
    assert evaluate([[[1.25, 0], [1.5, 1]]], [[[1.5, 0.1]]], "mrr") == 1
    for rows in ([[1, 0.5], [2]], [["d1", 0.5]], [[np.nan, 0.5]]):
        with pytest.raises(InputError, match=r"an array with a row \[document, number\]"):
            evaluate(qrels, [rows, [[3, 0.1]]], "mrr")


def test_what_is_no_table_is_refused():
    with pytest.raises(InputError, match=r"run must be a Run, a dict .* not a list; make a Run of it"):
        evaluate(QRELS, [RUN], "mrr")
    with pytest.raises(InputError, match="qrels must be a Qrels"):
        evaluate("qrels.txt", RUN, "mrr")


def test_rankgauge_takes_them_too():
    scores = rankgauge.evaluate(Qrels(QRELS), [Run(RUN, name="bm25"), Run(RUN, name="copy")], "nDCG@5")
    expected = rankgauge.evaluate(QRELS, {"bm25": RUN, "copy": RUN}, "nDCG@5")
    assert scores.mean() == expected.mean()
