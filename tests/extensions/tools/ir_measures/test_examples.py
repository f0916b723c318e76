"""The examples of ir_measures' documentation, on inputs of every kind it names."""

import gzip
import io
from typing import NamedTuple

import pandas as pd
import pytest
from rankgauge.compat.ir_measures import AP, RR, Judged, P, Qrel, ScoredDoc, alpha_nDCG, nDCG

from rankgauge.compat import ir_measures
from rankgauge.errors import InputError

QRELS = {"Q0": {"D0": 0, "D1": 1}, "Q1": {"D0": 0, "D3": 2}}
RUN = {"Q0": {"D0": 1.2, "D1": 1.0}, "Q1": {"D0": 2.4, "D3": 3.6}}
MEASURES = [AP, nDCG, RR, nDCG @ 10, P(rel=2) @ 10]
# as its README prints them
AGGREGATED = "{AP: 0.75, nDCG: 0.8154648767857288, RR: 0.75, nDCG@10: 0.8154648767857288, P(rel=2)@10: 0.05}"
BY_QUERY = {
    "Metric(query_id='Q0', measure=AP, value=0.5)",
    "Metric(query_id='Q0', measure=RR, value=0.5)",
    "Metric(query_id='Q0', measure=nDCG, value=0.6309297535714575)",
    "Metric(query_id='Q0', measure=nDCG@10, value=0.6309297535714575)",
    "Metric(query_id='Q1', measure=AP, value=1.0)",
    "Metric(query_id='Q1', measure=RR, value=1.0)",
    "Metric(query_id='Q1', measure=nDCG, value=1.0)",
    "Metric(query_id='Q1', measure=nDCG@10, value=1.0)",
    "Metric(query_id='Q0', measure=P(rel=2)@10, value=0.0)",
    "Metric(query_id='Q1', measure=P(rel=2)@10, value=0.1)",
}
QRELS_TEXT = """
Q0 0 D0 0
Q0 0 D1 1
Q1 0 D0 0
Q1 0 D3 2
"""
RUN_TEXT = """
Q0 0 D0 0 1.2 runid
Q0 0 D1 1 1.0 runid
Q1 0 D3 0 3.6 runid
Q1 0 D0 1 2.4 runid
"""


class Judgment(NamedTuple):
    """As ir_datasets yields them: further fields, in another order."""

    iteration: str
    doc_id: str
    query_id: str
    relevance: int
    assessor: str = "x"


def judged():
    return [(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]


def retrieved():
    return [(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]


INPUTS = {
    "dicts": lambda: (QRELS, RUN),
    "frames": lambda: (
        pd.DataFrame(judged(), columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(retrieved(), columns=["query_id", "doc_id", "score"]),
    ),
    "renamed frames": lambda: (
        pd.DataFrame(judged(), columns=["qid", "docno", "label"]).rename(
            columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"}
        ),
        pd.DataFrame(retrieved(), columns=["qid", "docno", "output"]).rename(
            columns={"qid": "query_id", "docno": "doc_id", "output": "score"}
        ),
    ),
    "named tuples": lambda: ([Qrel(*row) for row in judged()], [ScoredDoc(*row) for row in retrieved()]),
    "generators": lambda: ((Qrel(*row) for row in judged()), (ScoredDoc(*row) for row in retrieved())),
    "texts": lambda: (ir_measures.read_trec_qrels(QRELS_TEXT), ir_measures.read_trec_run(RUN_TEXT)),
    "open files": lambda: (
        ir_measures.read_trec_qrels(io.StringIO(QRELS_TEXT)),
        ir_measures.read_trec_run(io.BytesIO(RUN_TEXT.encode())),
    ),
    "other named tuples": lambda: (
        (Judgment("0", doc, topic, grade) for topic, doc, grade in judged()),
        (ScoredDoc(*row) for row in retrieved()),
    ),
}


@pytest.mark.parametrize("kind", INPUTS)
def test_getting_started(kind):
    assert str(ir_measures.calc_aggregate(MEASURES, *INPUTS[kind]())) == AGGREGATED
    assert {str(metric) for metric in ir_measures.iter_calc(MEASURES, *INPUTS[kind]())} == BY_QUERY


def test_files_by_path(tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt.gz"
    qrels.write_text(QRELS_TEXT)
    with gzip.open(run, "wt") as file:
        file.write(RUN_TEXT)
    found = ir_measures.calc_aggregate(
        MEASURES, ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
    )
    assert str(found) == AGGREGATED
    assert list(ir_measures.read_trec_qrels(qrels))[1] == Qrel("Q0", "D1", 1, "0")
    assert list(ir_measures.read_trec_run(run))[2] == ScoredDoc("Q1", "D3", 3.6)
    assert str(ir_measures.calc_aggregate(MEASURES, qrels, str(run))) == AGGREGATED


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (ir_measures.read_trec_qrels, "q 0 d\nq 0 d 1\n", "<qrels>:1: "),
        (ir_measures.read_trec_run, "q Q0 d 1 x tag\n", "<run>:1: "),
        (ir_measures.read_trec_qrels, "no such file", "no such file"),
    ],
)
def test_files_that_cannot_be_read_are_named_with_the_line(read, text, message):
    with pytest.raises(InputError, match=message):
        list(read(text))


def test_measures_from_objects_and_texts():
    assert [str(each) for each in (AP, AP(rel=2), nDCG @ 20, P(rel=2) @ 10)] == [
        "AP",
        "AP(rel=2)",
        "nDCG@20",
        "P(rel=2)@10",
    ]
    assert ir_measures.parse_measure("P(rel=2)@10") == P(rel=2) @ 10


def test_values_from_the_measure_itself():
    assert AP.calc_aggregate(QRELS, RUN) == 0.75
    assert (nDCG @ 10).calc_aggregate(QRELS, RUN) == 0.8154648767857288
    assert [str(metric) for metric in (P(rel=2) @ 10).iter_calc(QRELS, RUN)] == [
        "Metric(query_id='Q0', measure=P(rel=2)@10, value=0.0)",
        "Metric(query_id='Q1', measure=P(rel=2)@10, value=0.1)",
    ]


def test_scoring_multiple_runs():
    evaluator = ir_measures.evaluator(
        [nDCG @ 10, P @ 5, P(rel=2) @ 5, Judged @ 10], iter(INPUTS["generators"]()[0])
    )
    first, second = evaluator.calc_aggregate(RUN), evaluator.calc_aggregate({"Q0": {"D1": 1.0}})
    assert first == {nDCG @ 10: 0.8154648767857288, P @ 5: 0.2, P(rel=2) @ 5: 0.1, Judged @ 10: 1.0}
    assert second == {nDCG @ 10: 0.5, P @ 5: 0.1, P(rel=2) @ 5: 0.0, Judged @ 10: 0.5}


def test_diversity_measures():
    qrels = [
        Qrel("q0", "d0", 1, iteration="0"),
        Qrel("q0", "d0", 1, iteration="1"),
        Qrel("q0", "d1", 1, iteration="0"),
    ]
    better, worse = [ScoredDoc("q0", "d0", 1)], [ScoredDoc("q0", "d1", 1)]
    assert ir_measures.calc_aggregate([alpha_nDCG @ 10], qrels, better) == pytest.approx(
        {alpha_nDCG @ 10: 0.8637574337885664}
    )
    assert ir_measures.calc_aggregate([alpha_nDCG @ 10], qrels, worse) == pytest.approx(
        {alpha_nDCG @ 10: 0.4318787168942832}
    )


def test_star_imports_bring_all_measures():
    names = {}
    exec("from rankgauge.compat.ir_measures import *", names)
    assert {"nDCG", "AP", "α_nDCG", "SetRelP", "NERR11", "calc_aggregate", "Qrel"} <= names.keys()
