"""What pytrec_eval's documentation and users show, written anew: it runs, and the numbers are right."""

import json
import math

import pytest

from rankgauge.compat import pytrec_eval

QREL = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}}
RUN = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {"d1": 1.5, "d2": 0.2, "d3": 0.5}}


def test_the_simple_example_prints_what_its_page_shows():
    evaluator = pytrec_eval.RelevanceEvaluator(QREL, {"map", "ndcg"})
    assert json.loads(json.dumps(evaluator.evaluate(RUN), indent=1)) == {
        "q1": {"ndcg": 0.5, "map": 0.3333333333333333},
        "q2": {"ndcg": 0.6934264036172708, "map": 0.5833333333333333},
    }


def test_the_front_end_prints_all_measures_of_a_file(data):
    folder = data / "trec_eval_test"
    with (folder / "qrels.test").open() as f_qrel, (folder / "results.test").open() as f_run:
        qrel, run = pytrec_eval.parse_qrel(f_qrel), pytrec_eval.parse_run(line.strip() for line in f_run)
    results = pytrec_eval.RelevanceEvaluator(qrel, pytrec_eval.supported_measures).evaluate(run)
    (keys,) = {frozenset(values) for values in results.values()}
    printed = 0
    for line in (folder / "v9.0.4_out" / "out.test.aq").read_text().splitlines():
        key, topic, value = map(str.strip, line.split("\t"))
        if key in ("runid", "relstring"):
            continue
        own = (
            pytrec_eval.compute_aggregated_measure(key, [values[key] for values in results.values()])
            if topic == "all"
            else results[topic][key]
        )
        assert f"{own:.{4 if '.' in value else 0}f}" == value, (key, topic)
        printed += topic == "all"
    assert printed == len(keys - {"runid", "relstring"})


def test_a_higher_level_of_relevance_has_the_values_of_trec_eval(data):
    folder = data / "trec_eval_test"
    with (folder / "qrels.rel_level").open() as f_qrel, (folder / "results.test").open() as f_run:
        qrel, run = pytrec_eval.parse_qrel(f_qrel), pytrec_eval.parse_run(f_run)
    results = pytrec_eval.RelevanceEvaluator(qrel, {"all_trec"}, relevance_level=2).evaluate(run)
    compared = 0
    for line in (folder / "v9.0.4_out" / "out.test.aql").read_text().splitlines():
        key, topic, value = map(str.strip, line.split("\t"))
        if topic in results and not key.startswith("relstring"):
            assert f"{results[topic][key]:.{4 if '.' in value else 0}f}" == value, (key, topic)
            compared += 1
    assert compared > 250


def test_measures_as_the_keys_of_a_dict_and_ranks_as_negative_scores():
    """As dense retrievers' own scripts call it: whole numbers of rank, below 0."""
    names = {"map_cut": "MAP", "ndcg_cut": "NDCG", "recip_rank": "MRR", "recall": "Recall"}
    run = {"7": {"d9": -1, "d2": -2, "d3": -3}}
    found = pytrec_eval.RelevanceEvaluator({"7": {"d2": 1, "d4": 1}}, names.keys()).evaluate(run)["7"]
    assert found["recip_rank"] == 0.5
    assert found["recall_100"] == 0.5
    assert found["map_cut_5"] == 0.25
    assert found["ndcg_cut_10"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
