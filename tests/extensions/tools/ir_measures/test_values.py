"""Values by ir_measures' rules: which topics count, as what, and with which definitions."""

import math
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rankgauge.compat.ir_measures import (
    AP,
    BPM,
    ERR,
    INST,
    RBP,
    RR,
    SDCG,
    Accuracy,
    Bpref,
    Compat,
    IPrec,
    Judged,
    NumQ,
    NumRel,
    NumRelRet,
    NumRet,
    P,
    R,
    SetAP,
    SetF,
    SetP,
    SetR,
    SetRelP,
    StRecall,
    Success,
    alpha_DCG,
    alpha_nDCG,
    calc,
    calc_aggregate,
    evaluator,
    iter_calc,
    nDCG,
)

import rankgauge
from rankgauge.compat import ir_measures
from rankgauge.errors import RankgaugeError

QRELS = {"1": {"a": 2, "b": 0, "c": 1, "d": -1}, "2": {"a": 1}, "3": {"x": 0}}
RUN = {"1": {"b": 5.0, "a": 4.0, "u": 3.0, "d": 2.0, "c": 1.0}, "3": {"x": 1.0}, "9": {"a": 1.0}}


def values(measure, qrels=QRELS, run=RUN):
    return {metric.query_id: metric.value for metric in measure.iter_calc(qrels, run)}


def test_all_judged_topics_count_and_those_without_results_are_0():
    assert values(AP) == {"1": pytest.approx((1 / 2 + 2 / 5) / 2), "2": 0.0, "3": 0.0}
    assert AP.calc_aggregate(QRELS, RUN) == pytest.approx(0.45 / 3)
    assert values(Judged) == {"1": 4 / 5, "2": 0.0, "3": 1.0}


def test_counts_are_added_up_and_count_topics_with_results():
    found = calc_aggregate([NumQ, NumRel, NumRel(rel=2), NumRet, NumRelRet, NumRet(rel=2)], QRELS, RUN)
    assert list(found.values()) == [2, 2, 1, 6, 2, 1]


def test_a_topic_without_a_relevant_document_is_0_but_accuracy_leaves_it_out():
    assert values(R @ 10)["3"] == values(nDCG)["3"] == 0.0
    assert values(Accuracy) == {"1": pytest.approx(1 - (1 + 3) / (2 * 3))}
    assert Accuracy.calc_aggregate(QRELS, RUN) == pytest.approx(1 / 3)
    assert math.isnan(Accuracy.calc_aggregate({"3": {"x": 0}}, RUN))


def test_results_are_in_the_order_of_topics_and_of_measures():
    found = list(iter_calc([P @ 5, AP, P @ 5], QRELS, RUN))
    assert [(m.query_id, str(m.measure)) for m in found] == [
        (topic, measure) for topic in "123" for measure in ("P@5", "AP")
    ]
    assert all(isinstance(metric, ir_measures.Metric) for metric in found)


def test_calc_has_both():
    aggregated, per_query = calc([AP, RR], QRELS, RUN)
    assert aggregated == calc_aggregate([AP, RR], QRELS, RUN)
    assert per_query == list(iter_calc([AP, RR], QRELS, RUN))
    assert AP.calc(QRELS, RUN) == ir_measures.CalcResults(aggregated[AP], list(AP.iter_calc(QRELS, RUN)))


def test_measures_may_be_texts_and_a_single_one():
    assert calc_aggregate(["AP", "P(rel=2)@10"], QRELS, RUN) == calc_aggregate(
        [AP, P(rel=2) @ 10], QRELS, RUN
    )
    assert (
        calc_aggregate("AP", QRELS, RUN) == calc_aggregate(AP, QRELS, RUN) == calc_aggregate([AP], QRELS, RUN)
    )


def test_an_evaluator_takes_run_after_run():
    prepared = evaluator([AP, P @ 2], iter([ir_measures.Qrel("q", "a", 1)]))
    assert prepared.calc_aggregate({"q": {"a": 1}}) == {AP: 1.0, P @ 2: 0.5}
    assert prepared.calc_aggregate({"q": {"b": 1}}) == {AP: 0.0, P @ 2: 0.0}
    assert [metric.value for metric in prepared.iter_calc({"q": {"a": 1, "b": 2}})] == [0.5, 0.5]
    assert prepared.calc({"q": {"a": 1}}).aggregated == {AP: 1.0, P @ 2: 0.5}


EMPTY = [{}, [], iter(()), pd.DataFrame([], columns=["query_id", "doc_id", "score"])]


@pytest.mark.parametrize("run", EMPTY, ids=["dict", "list", "iterator", "frame"])
def test_an_empty_run_has_zeros(run):
    """PyTerrier passes one for topics that no batch had."""
    assert calc_aggregate([AP, NumRet, NumQ], QRELS, run) == {AP: 0.0, NumRet: 0.0, NumQ: 0.0}


def test_empty_judgments_have_no_topic():
    """PyTerrier passes them for batches without a judged topic."""
    empty = pd.DataFrame([], columns=["query_id", "doc_id", "relevance"])
    assert list(iter_calc([AP, NumRet], empty, RUN)) == []
    found = calc_aggregate([AP, NumRet], empty, RUN)
    assert math.isnan(found[AP])
    assert found[NumRet] == 0


def test_a_run_without_a_judged_topic_has_zeros_and_a_warning():
    with pytest.warns(UserWarning, match="all values are 0: run .* has no results for any judged topic"):
        assert calc_aggregate([AP], QRELS, {"one": {"a": 1.0}}) == {AP: 0.0}


def test_scores_are_compared_as_pytrec_eval_does():
    """As 32-bit numbers: these are tied, and b comes first."""
    run = {"q": {"a": 1 + 1e-12, "b": 1.0}}
    assert RR.calc_aggregate({"q": {"a": 1}}, run) == 0.5
    assert rankgauge.evaluate({"q": {"a": 1}}, run, "RR").mean() == {"run": {"RR": 1.0}}


FIRST = {"1": QRELS["1"]}
TIED, ONE_OF_TWO = {"q": {"a": 1.0, "b": 1.0}}, {"q": {"a": 1}}
UNEQUAL, FOUND = {"q": {"a": 1, "z": 2}}, {"q": {"a": 1.0}}
RISING, RANKED = {"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 9, "b": 8, "c": 7}}
DISCOUNTS = [1 / math.log2(rank + 1) for rank in (1, 2, 3)]
DEEP = {"q": {f"d{rank:05}": -float(rank) for rank in range(1, 1202)}}
# (measure, judgments, run, value)
AGGREGATED = [
    # tied documents are in trec_eval's order for all measures, by descending id
    *((measure, ONE_OF_TWO, TIED, 0.5) for measure in (RR, RR @ 10, AP)),
    (Judged @ 1, ONE_OF_TWO, TIED, 0.0),
    # exponential gains, as in gdeval
    (nDCG(dcg="exp-log2") @ 10, FIRST, RUN, (3 / math.log2(3) + 1 / math.log2(6)) / (3 + 1 / math.log2(3))),
    # RBP is binary with rel, and graded without
    (RBP(rel=1, p=0.5), UNEQUAL, FOUND, 0.5),
    (RBP(rel=2), UNEQUAL, FOUND, 0.0),
    (RBP(p=0.5), UNEQUAL, FOUND, 0.25),
    (RBP(rel=1), UNEQUAL, FOUND, 0.2),  # p is 0.8
    # beta of SetF is trec_eval's parameter, which is beta squared
    (SetP, FIRST, RUN, 2 / 5),
    (SetR, FIRST, RUN, 1.0),
    (SetAP, FIRST, RUN, 2 / 5),
    *((SetF(beta=x), FIRST, RUN, (x + 1) * 2 / 5 / (1 + x * 2 / 5)) for x in (0.5, 1.0, 2.0, 4.0)),
    (SetRelP, FIRST, RUN, 1.0),
    # grades below 0 are judged, and lists may be shorter than the cutoff
    (Judged @ 4, FIRST, RUN, 3 / 4),  # b, a and d
    (Judged @ 1000, FIRST, RUN, 4 / 5),
    # scales begin at min_rel and end at max_rel
    (SDCG(max_rel=4) @ 3, RISING, RANKED, np.dot(DISCOUNTS, [1 / 4, 2 / 4, 3 / 4]) / sum(DISCOUNTS)),
    (SDCG(min_rel=1, max_rel=3) @ 3, RISING, RANKED, np.dot(DISCOUNTS, [0, 1 / 2, 1]) / sum(DISCOUNTS)),
    (BPM(max_rel=3) @ 1, RISING, RANKED, 1 / 3),
    # as in gdeval, 4 is the highest grade, whatever the judgments have
    (ERR @ 20, {"q": {"a": 2}}, FOUND, 3 / 16),
    # endless measures end where ir_measures lets cwl_eval stop
    (INST(max_rel=1), {"q": {"d01001": 1}}, DEEP, 0.0),
    (Success @ 1, FIRST, RUN, 0.0),
    (Success(rel=2) @ 2, FIRST, RUN, 1.0),
    (Bpref, FIRST, RUN, 0.0),  # b, the only non-relevant one, is first
    (AP(judged_only=True), FIRST, RUN, (1 / 2 + 2 / 3) / 2),
]


@pytest.mark.parametrize(("measure", "qrels", "run", "value"), AGGREGATED)
def test_definitions_are_those_of_the_programs_behind_ir_measures(measure, qrels, run, value):
    assert measure.calc_aggregate(qrels, run) == pytest.approx(value)


def test_the_overlap_of_compatibility_ends_with_the_lists():
    found = Compat.calc_aggregate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}})
    assert found == pytest.approx(0.3220, abs=5e-5)


def test_gains_map_some_grades_and_leave_others():
    """As if the judgments had them: 1 becomes 5, and 2 stays."""
    changed = {"1": {"a": 2, "c": 5}}
    assert values(nDCG(gains={1: 5}))["1"] == values(nDCG, changed)["1"]
    assert values(nDCG(gains={1: 5, 7: 9}) @ 2)["1"] == values(nDCG @ 2, changed)["1"]
    assert values(nDCG(gains={1: -3}))["1"] == values(nDCG, {"1": {"a": 2}})["1"]


def test_recall_levels_are_those_of_trec_eval_9():
    """With 3 relevant documents, 0.7 is reached by the second: int(0.7 * 3 + 0.9) is 2."""
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    run = {"q": {"a": 9, "u": 8, "b": 7, "v": 6, "w": 5, "c": 4}}
    assert (IPrec @ 0.7).calc_aggregate(qrels, run) == pytest.approx(2 / 3)
    assert rankgauge.evaluate(qrels, run, "IPrec@0.7").mean()["run"]["IPrec@0.7"] == 0.5


TWO_RUNS = {"bm25": {"1": {"a": 1.0}}, "ql": {"1": {"a": 1.0}}}


@pytest.mark.parametrize(
    ("measure", "qrels", "run", "message"),
    [
        (10, QRELS, RUN, "a measure is a text such as 'nDCG@10', not 10"),
        # whose key in the result would be another
        (rankgauge.parse("AP"), QRELS, RUN, "a measure is a text such as 'nDCG@10', not <Measure AP>"),
        (AP, QRELS, TWO_RUNS, "expected one run, found 2"),
        (alpha_nDCG @ 10, QRELS, RUN, "these judgments have no subtopics"),
        (ERR @ 20, {"q": {"a": 5}}, FOUND, "the judgments have grade 5, above max_rel=4"),
        (SDCG(min_rel=3, max_rel=3) @ 3, RISING, RANKED, "min_rel=3 must be below max_rel=3"),
        (SDCG(max_rel=2) @ 3, RISING, RANKED, "the judgments have grade 3, above max_rel=2"),
        (SDCG(min_rel=1, max_rel=2) @ 3, RISING, RANKED, "the judgments have grade 3, above max_rel=2"),
    ],
)
def test_what_cannot_be_computed_is_refused(measure, qrels, run, message):
    with pytest.raises(RankgaugeError, match=message):
        calc_aggregate([measure], qrels, run)


DIVERSE = pd.DataFrame(
    [("q0", "d0", 1, "0"), ("q0", "d0", 1, "1"), ("q0", "d1", 1, "0")],
    columns=["query_id", "doc_id", "relevance", "iteration"],
)


def test_the_iteration_of_judgments_is_the_subtopic():
    run = {"q0": {"d1": 1}}
    assert calc_aggregate([alpha_nDCG @ 10, StRecall @ 10, alpha_DCG @ 1], DIVERSE, run) == {
        alpha_nDCG @ 10: pytest.approx(0.4318787168942832),
        StRecall @ 10: 0.5,
        alpha_DCG @ 1: 1.0,  # as in the paper; ndeval divides by an ideal of its own
    }
    found = calc_aggregate([alpha_nDCG(alpha=0.1) @ 5, alpha_nDCG(alpha=0.9) @ 5], DIVERSE, {"q0": {"d0": 1}})
    assert all(value > 0.5 for value in found.values())  # both: ir_measures has 0 for the second


def test_a_document_of_several_subtopics_has_its_highest_grade_for_other_measures():
    rows = DIVERSE.assign(relevance=[2, 0, 1])
    found = calc_aggregate([alpha_nDCG @ 10, P(rel=2) @ 1], rows, {"q0": {"d0": 1}})
    assert found[P(rel=2) @ 1] == 1.0


def test_nothing_is_printed_or_warned(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        calc_aggregate([AP, nDCG @ 10], QRELS, RUN)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("qrels.txt", "run.txt"),
        (pd.DataFrame(columns=["query_id", "doc_id", "relevance"], data=[("q", "a", 1)]), {"q": {"a": 1.0}}),
        (
            pd.DataFrame(columns=["qid", "docno", "label"], data=[("q", "a", 1)]),
            pd.DataFrame(
                columns=["qid", "query", "docid", "docno", "rank", "score"],
                data=[("q", "x y", 7, "a", 0, 2.5)],
            ),
        ),
        (rankgauge.Qrels.of({"q": {"a": 1}}), rankgauge.Run.of({"q": {"a": 2.5}})),
        (
            pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "relevance": [1], "docid": [7]}),
            pl.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [2.5], "docid": [7]}),
        ),
        (
            pa.table({"query_id": ["q"], "doc_id": ["a"], "relevance": [1]}),
            pa.table({"query_id": ["q"], "doc_id": ["a"], "score": [2.5]}),
        ),
    ],
    ids=["paths", "ir_measures", "PyTerrier", "rankgauge", "polars", "pyarrow"],
)
def test_what_the_library_takes_is_taken(qrels, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("q 0 a 1\n")
    (tmp_path / "run.txt").write_text("q Q0 a 1 2.5 tag\n")
    assert calc_aggregate([AP], qrels, run) == {AP: 1.0}
