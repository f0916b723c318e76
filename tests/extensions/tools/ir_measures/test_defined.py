"""Measures that users define, the names of programs, and rules for ties, as in ir_measures."""

import pandas as pd
import polars as pl
import pytest
from rankgauge.compat.ir_measures import AP, RR, P, Qrel, ScoredDoc, define, define_byquery

from rankgauge.compat import ir_measures
from rankgauge.errors import InputError

QRELS = {"q": {"a": 0, "b": 1, "c": 2}, "r": {"a": 1}, "s": {"a": 1}}
RUN = {"q": {"c": 0.1, "a": 0.8, "b": 0.7}, "r": {"x": 0.5}, "unjudged": {"a": 1.0}}


def precision(qrels, run):
    """That of the results given, in one topic."""
    merged = run.merge(qrels, "left", on="doc_id")
    return (merged["relevance"] > 0).sum() / len(merged)


def first(qrels, run):
    """The first document of each topic."""
    return ((topic, results.doc_id.iloc[0]) for topic, results in run.groupby("query_id"))


SOURCES = {
    "dicts": lambda qrels, run: (QRELS, RUN),
    "generators": lambda qrels, run: (iter(qrels), iter(run)),
    "pandas": lambda qrels, run: (pd.DataFrame(qrels), pd.DataFrame(run)),
    "polars": lambda qrels, run: (pl.DataFrame(qrels), pl.DataFrame(run)),
    "PyTerrier": lambda qrels, run: (
        pd.DataFrame(qrels).rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}),
        pd.DataFrame(run).rename(columns={"query_id": "qid", "doc_id": "docno"}),
    ),
}


@pytest.mark.parametrize("source", SOURCES)
def test_defined_measures_are_computed_beside_others(source):
    qrels = [Qrel(topic, doc, grade) for topic, docs in QRELS.items() for doc, grade in docs.items()]
    run = [ScoredDoc(topic, doc, score) for topic, docs in RUN.items() for doc, score in docs.items()]
    mine = define_byquery(precision)
    values = ir_measures.calc([mine @ 2, P @ 2, mine], *SOURCES[source](qrels, run))
    of_topics = {
        measure: {each.query_id: each.value for each in values.per_query if each.measure == measure}
        for measure in (mine @ 2, P @ 2, mine)
    }
    assert of_topics[P @ 2] == {"q": 0.5, "r": 0.0, "s": 0.0}
    assert of_topics[mine @ 2] == {"q": 0.5, "r": 0.0, "unjudged": 0.0, "s": 0.0}  # as in ir_measures
    assert of_topics[mine]["q"] == pytest.approx(2 / 3)
    assert values.aggregated[mine @ 2] == 0.125


def test_a_definition_has_its_name_and_its_function():
    assert [str(each) for each in (define(first), define(first, "First") @ 3)] == ["first", "First@3"]
    one, other = define(lambda qrels, run: ()), define(lambda qrels, run: ())
    assert str(one) == str(other)
    assert one != other
    assert one @ 5 == one @ 5 != one @ 6
    assert {each.query_id: each.value for each in define(first).iter_calc(QRELS, RUN)}["q"] == "a"
    with pytest.raises(AssertionError, match="no parameter 'cutoff'"):
        define(first, support_cutoff=False) @ 5
    with pytest.raises(InputError, match="need a column query_id, and have topic"):
        define(first).calc(pd.DataFrame({"topic": ["q"]}), RUN)


def test_definitions_of_ir_measures_itself_are_computed_too():
    theirs = pytest.importorskip("ir_measures").define_byquery(precision)
    assert ir_measures.calc_aggregate([theirs, AP], QRELS, RUN)[theirs] == pytest.approx(1 / 6)


def test_every_program_is_rankgauge():
    for program in (
        ir_measures.pytrec_eval,
        ir_measures.providers.GdevalProvider(),
        ir_measures.DefaultPipeline,
    ):
        assert program.calc_aggregate([AP, "RR"], QRELS, RUN) == ir_measures.calc_aggregate(
            [AP, RR], QRELS, RUN
        )
    answers = define(first, run_inputs=["query_id", "answer"])
    assert ir_measures.run_inputs([answers]) == ["query_id", "answer"]
    assert ir_measures.qrel_inputs([answers, AP]) == ["query_id", "doc_id", "relevance"]
    assert [ir_measures.runtime.supports(measure) for measure in (AP, P)] == [True, False]
    with pytest.raises(AttributeError, match="Nothing"):
        ir_measures.providers.Nothing  # noqa: B018


@pytest.mark.parametrize(("ties", "value"), [("docid_desc", 0.5), ("docid_asc", 1.0), ("average", 0.75)])
def test_ties_are_ordered_by_a_rule(ties, value):
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}}
    assert ir_measures.calc_aggregate([RR], qrels, run, ties=ties) == {RR: value}
    assert RR.calc_aggregate(qrels, run, ties=ties) == RR.calc(qrels, run, ties=ties).aggregated == value
    assert next(ir_measures.iter_calc([RR], qrels, run, ties=ties)).value == value
