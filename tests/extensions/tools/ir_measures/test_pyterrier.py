"""The calls that PyTerrier's Experiment makes, by name and argument (PyTerrier itself needs Java)."""

import sys
from collections import defaultdict

import pandas as pd
import pytest

from rankgauge.compat import ir_measures as compat
from rankgauge.compat import pytrec_eval

TO_IR_MEASURES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
QRELS = pd.DataFrame(
    [("1", "a", 1), ("1", "b", 0), ("2", "c", 2), ("3", "d", 1)], columns=["qid", "docno", "label"]
)
RESULTS = pd.DataFrame(
    [
        ("1", 11, "b", 0, 9.5, "first query"),
        ("1", 10, "a", 1, 8.5, "first query"),
        ("2", 12, "c", 0, 7.5, "second query"),
        ("9", 12, "c", 0, 7.5, "unjudged query"),
    ],
    columns=["qid", "docid", "docno", "rank", "score", "query"],
)
EXPECTED = {"AP": (0.5 + 1 + 0) / 3, "nDCG@10": (0.6309297535714575 + 1 + 0) / 3, "NumRet": 3.0}


def of_pyterrier(frame):
    """A frame with the names of ir_measures: `docid`, a number of PyTerrier's own, is beside `doc_id`."""
    return frame.rename(columns=TO_IR_MEASURES)


@pytest.fixture(params=["compat", "provider"])
def ir_measures(request):
    """Our drop-in, and ir_measures itself with rankgauge in it."""
    return compat if request.param == "compat" else request.getfixturevalue("answered")


def test_a_mean_is_aggregated_from_iter_calc(ir_measures):
    measures = [ir_measures.AP, ir_measures.nDCG @ 10, ir_measures.NumRet]
    assert all(isinstance(measure, ir_measures.Measure) for measure in measures)
    aggregators = {str(measure): measure.aggregator() for measure in measures}
    for metric in ir_measures.iter_calc(measures, of_pyterrier(QRELS), of_pyterrier(RESULTS)):
        aggregators[str(metric.measure)].add(metric.value)
    assert {name: each.result() for name, each in aggregators.items()} == pytest.approx(EXPECTED)


def test_values_per_query_have_every_measure_for_every_judged_topic(ir_measures):
    measures = [ir_measures.AP, ir_measures.Judged @ 10]
    found = defaultdict(dict)
    for metric in ir_measures.iter_calc(measures, of_pyterrier(QRELS), of_pyterrier(RESULTS)):
        found[metric.query_id][str(metric.measure)] = metric.value
    assert found == {
        "1": {"AP": 0.5, "Judged@10": 1.0},
        "2": {"AP": 1.0, "Judged@10": 1.0},
        "3": {"AP": 0.0, "Judged@10": 0.0},
    }


@pytest.mark.filterwarnings("ignore:all values are 0")
def test_batches_of_topics_and_what_no_batch_had(ir_measures):
    """Each batch has its part of the judgments, perhaps none; the rest is evaluated on an empty frame."""
    measures, qrels, results = [ir_measures.AP], of_pyterrier(QRELS), of_pyterrier(RESULTS)
    found = {}
    for batch in (["1"], ["9"], ["2"]):
        judged, some = qrels[qrels.query_id.isin(batch)], results[results.query_id.isin(batch)]
        found |= {m.query_id: m.value for m in ir_measures.iter_calc(measures, judged, some)}
    empty = pd.DataFrame([], columns=["query_id", "doc_id", "score"])
    rest = qrels[qrels.query_id == "3"]
    found |= {m.query_id: m.value for m in ir_measures.iter_calc(measures, rest, empty)}
    assert found == {"1": 0.5, "2": 1.0, "3": 0.0}


def test_frames_are_taken_under_pyterriers_own_names():
    found = compat.calc_aggregate([compat.AP, compat.nDCG @ 10, compat.NumRet], QRELS, RESULTS)
    assert {str(measure): value for measure, value in found.items()} == pytest.approx(EXPECTED)


def test_names_of_trec_eval_are_converted_as_experiment_does():
    measures = [measure for name in ("map", "ndcg_cut_10") for measure in compat.parse_trec_measure(name)]
    assert compat.calc_aggregate(measures, QRELS, RESULTS)[compat.AP] == pytest.approx(EXPECTED["AP"])


def test_names_of_trec_eval_need_no_pytrec_eval_if_ours_is_in_its_place(answered, monkeypatch):
    monkeypatch.setitem(sys.modules, "pytrec_eval", pytrec_eval)
    measures = [measure for name in ("map", "ndcg_cut_10") for measure in answered.parse_trec_measure(name)]
    assert measures == [answered.AP, answered.nDCG @ 10]
    assert answered.nDCG @ 10 in answered.parse_trec_measure("all_trec")
    found = answered.calc_aggregate(measures, of_pyterrier(QRELS), of_pyterrier(RESULTS))
    assert found[answered.AP] == pytest.approx(EXPECTED["AP"])
