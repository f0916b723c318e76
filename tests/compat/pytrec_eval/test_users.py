"""BEIR, MTEB and ir_measures run with rankgauge in the place of pytrec_eval, and have the right numbers."""

import importlib
import importlib.machinery
import importlib.util
import math
import random
import sys
import types

import pytest

from compat.pytrec_eval import twin
from rankgauge.compat import pytrec_eval

K_VALUES = [1, 3, 5, 10, 100]
NAMES = {"NDCG": "ndcg_cut", "MAP": "map_cut", "Recall": "recall", "P": "P", "HitRate": "success"}


@pytest.fixture
def campaign():
    """Judgments and results as BEIR's loader and retrievers have them, with ties and missing topics."""
    rng = random.Random(5)
    docs = [f"doc{n}" for n in range(60)]
    qrels = {f"q{n}": {doc: rng.choice([0, 1, 1, 2]) for doc in rng.sample(docs, 6)} for n in range(20)}
    results = {
        f"q{n}": {doc: rng.choice([0.5, rng.random()]) for doc in rng.sample(docs, 40)} for n in range(18)
    }
    return qrels, results


@pytest.fixture
def swapped(monkeypatch):
    """A function that imports a module with rankgauge in the place of pytrec_eval, for one test."""
    before = dict(sys.modules)
    monkeypatch.setitem(sys.modules, "pytrec_eval", pytrec_eval)

    def load(name, absent=None):
        if importlib.util.find_spec(name.partition(".")[0]) is None:
            pytest.skip(f"{name} is not installed")
        for stub in absent or ():
            if importlib.util.find_spec(stub.__name__) is None:
                monkeypatch.setitem(sys.modules, stub.__name__, stub)
        return importlib.import_module(name)

    yield load
    for name in {*sys.modules} - {*before}:
        if name.partition(".")[0] in ("beir", "mteb", "ir_measures"):
            del sys.modules[name]


def means(qrels, results, k, key):
    """The mean of a measure over the topics that have both, by its definition."""
    topics = [topic for topic in results if topic in qrels]
    values = [twin.values(qrels[topic], results[topic], [k])[f"{key}_{k}"] for topic in topics]
    return sum(values) / len(values)


def test_beir_evaluates(swapped, campaign):
    beir = swapped("beir.retrieval.evaluation").EvaluateRetrieval
    qrels, results = campaign
    results["q0"]["q0"] = 2.0  # a document with the id of its query, which BEIR leaves out
    found = beir.evaluate(qrels, results, K_VALUES)
    assert "q0" not in results["q0"]
    for (name, key), values in zip(list(NAMES.items())[:4], found, strict=True):
        assert values == {f"{name}@{k}": round(means(qrels, results, k, key), 5) for k in K_VALUES}
    kept = beir.evaluate(qrels, {"q1": {"q1": 2.0, **results["q1"]}}, [1], ignore_identical_ids=False)
    assert kept[0] == {"NDCG@1": 0.0}


def test_a_retriever_is_evaluated_through_beir_as_haystack_and_gpl_do(swapped, campaign):
    beir = swapped("beir.retrieval.evaluation")
    qrels, results = campaign

    class Retriever(beir.BaseSearch):
        def search(self, corpus, queries, top_k, *_, **__):
            best = {query: twin.ranked(results[query])[:top_k] for query in queries}
            return {query: {doc: results[query][doc] for doc in docs} for query, docs in best.items()}

        encode = search_from_files = None

    retriever = beir.EvaluateRetrieval(Retriever(), k_values=[1, 10])
    retrieved = retriever.retrieve({}, dict.fromkeys(results, "a question"))
    assert max(map(len, retrieved.values())) == 10
    ndcg, _, recall, _ = retriever.evaluate(qrels, retrieved, retriever.k_values)
    assert ndcg["NDCG@10"] == round(means(qrels, results, 10, "ndcg_cut"), 5)
    assert recall["Recall@10"] == round(means(qrels, results, 10, "recall"), 5)


def packages(*names):
    """Packages of an installed distribution without what their __init__ imports."""
    root = importlib.util.find_spec(names[0]).submodule_search_locations[0]
    for name in names:
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations.append("/".join([root, *name.split(".")[1:]]))
        yield importlib.util.module_from_spec(spec)


@pytest.fixture
def mteb(swapped, monkeypatch):
    """MTEB's module of retrieval metrics, without torch and pydantic, which others of its modules need."""
    if importlib.util.find_spec("mteb") is None:
        pytest.skip("mteb is not installed")
    pytest.importorskip("sklearn")
    for package in packages("mteb", "mteb._evaluators"):
        monkeypatch.setitem(sys.modules, package.__name__, package)
    pydantic = types.ModuleType("pydantic")  # it validates dates and addresses of datasets
    pydantic.AnyUrl, pydantic.BeforeValidator = str, lambda check: check
    pydantic.TypeAdapter = lambda _: types.SimpleNamespace(validate_python=str)
    return swapped("mteb._evaluators.retrieval_metrics", [pydantic])


def test_mteb_evaluates(mteb, campaign):
    qrels, results = campaign
    found = mteb.calculate_retrieval_scores(results, qrels, K_VALUES)
    assert [*found.all_scores] == [*results]
    for name, values in (
        ("NDCG", found.ndcg),
        ("MAP", found.map),
        ("Recall", found.recall),
        ("P", found.precision),
        ("HitRate", found.hit_rate),
    ):
        assert values == {f"{name}@{k}": round(means(qrels, results, k, NAMES[name]), 5) for k in K_VALUES}
    # its own reciprocal rank has the same order of documents
    ranks = [twin.values(qrels[topic], results[topic], ())["recip_rank"] for topic in results]
    assert found.mrr["MRR@100"] == pytest.approx(sum(ranks) / len(ranks))
    shown = mteb.make_score_dict(
        ndcg=found.ndcg,
        _map=found.map,
        recall=found.recall,
        precision=found.precision,
        mrr=found.mrr,
        naucs=found.naucs,
        naucs_mrr=found.naucs_mrr,
        hit_rate=found.hit_rate,
        task_scores={},
    )
    assert shown["ndcg_at_10"] == found.ndcg["NDCG@10"]
    assert any(math.isfinite(value) for value in found.naucs.values())


def test_ir_measures_has_it_as_the_provider_that_it_calls_pytrec_eval(swapped, campaign):
    ir_measures = swapped("ir_measures")
    qrels, results = campaign
    provider = ir_measures.providers.PytrecEvalProvider()
    assert provider.is_available()
    measures = [
        ir_measures.parse_measure(text) for text in ("nDCG@10", "AP(rel=2)", "P@5", "RR", "SetF(beta=2.0)")
    ]
    by_topic = {
        (str(each.measure), each.query_id): each.value
        for each in provider.iter_calc(measures, qrels, results)
    }
    assert len(by_topic) >= len(measures) * len(results)
    for topic in results:
        expected = twin.values(qrels[topic], results[topic], [5, 10])
        assert by_topic["nDCG@10", topic] == pytest.approx(expected["ndcg_cut_10"])
        assert by_topic["P@5", topic] == pytest.approx(expected["P_5"])
        assert by_topic["RR", topic] == pytest.approx(expected["recip_rank"])
        stricter = twin.values(qrels[topic], results[topic], (), level=2)
        assert by_topic["AP(rel=2)", topic] == pytest.approx(stricter["map"])
