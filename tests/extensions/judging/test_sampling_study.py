"""Estimators of a sampled pool, tried on pools made from the sample."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from rankgauge.studies import STUDIES, Campaign

from rankgauge.extensions.judging.sampling_study import Strata, estimators
from rankgauge.measures import parse


def campaign_of(rates, topics=8, seed=1):
    """(a campaign by a sample, one by all judgments) of strata a, b and c, drawn with these rates."""
    source = np.random.default_rng(seed)
    sample, judged, runs = {}, {}, {name: {} for name in ("good", "fair", "bad")}
    for topic in (f"t{n}" for n in range(topics)):
        grades = {f"d{n}": int(source.choice(3, p=[0.6, 0.3, 0.1])) for n in range(60)}
        noise = {name: source.normal(size=60) * size for name, size in zip(runs, (0.7, 1.5, 5), strict=True)}
        for name, each in noise.items():
            runs[name][topic] = {doc: grades[doc] + x for doc, x in zip(grades, each.tolist(), strict=True)}
        best = sorted(grades, key=lambda doc: -runs["fair"][topic][doc])
        parts = dict(zip("abc", (best[:10], best[10:25], best[25:]), strict=True))
        sample[topic] = {
            name: {
                doc: grades[doc] if place < max(1, rate * len(docs)) else -1
                for place, doc in enumerate(source.permutation(docs).tolist())
            }
            for (name, docs), rate in zip(parts.items(), rates, strict=True)
        }
        judged[topic] = grades
    return Campaign(sample, runs, by_subtopic=True), Campaign(judged, runs)


def by_estimator(campaign, measures, **options):
    rows = STUDIES["sampling"].call(campaign, measures=measures, **options).records("estimators")
    return {row["estimator"]: row for row in rows}


def test_pools_have_the_documents_drawn_and_others_like_them_and_samples_are_as_large():
    campaign, _ = campaign_of((0.5, 0.3, 0.1))
    strata = Strata.of(campaign)
    source = np.random.default_rng(5)
    for pool, drawn in itertools.islice(iter(lambda: strata.simulated(source), None), 5):
        assert (pool[strata.drawn] == campaign.qrels.grades[strata.drawn]).all()
        assert ((drawn == -1) | (drawn == pool)).all()
        for stratum in range(strata.stratum.max() + 1):
            here = strata.stratum == stratum
            assert {*pool[here]} == {*campaign.qrels.grades[here & strata.drawn]}
            assert (drawn[here] >= 0).sum() == (strata.drawn & here).sum()


def test_a_stratum_without_a_drawn_document_has_none_that_is_relevant():
    sample = {"q": {"a": {"d1": 2, "d2": -1}, "b": {"d3": -1, "d4": -1}}}
    campaign = Campaign(sample, {"r": {"q": ["d3", "d1", "d2", "d4"]}}, by_subtopic=True)
    pool, drawn = Strata.of(campaign).simulated(np.random.default_rng(1))
    assert pool.tolist() == [2, 2, 0, 0]
    assert (drawn >= 0).tolist().count(True) == 1


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("nDCG@10", ["HT(nDCG@10)", "infNDCG@10"]),
        ("nDCG(gains=exp2)@5", ["HT(nDCG(gains=exp2)@5)", "infNDCG(gains=exp2)@5"]),
        ("nDCG(base=2)@10", ["HT(nDCG(base=2)@10)"]),
        ("AP", ["HT(AP)", "xinfAP", "statAP"]),
        ("AP(rel=2)", ["HT(AP(rel=2))", "xinfAP(rel=2)", "statAP(rel=2)"]),
        ("P@5", ["HT(P@5)", "infP@5"]),
        ("DCG@10", ["HT(DCG@10)"]),
    ],
)
def test_the_estimators_of_a_measure_have_its_settings(measure, expected):
    assert [*estimators(parse(measure))] == expected


def test_sums_over_documents_are_unbiased_and_infp_is_not():
    campaign, _ = campaign_of((0.4, 0.2, 0.1))
    found = by_estimator(campaign, "P@10", samples=200)
    ht, inferred = found["HT(P@10)"], found["infP@10"]
    assert abs(ht["bias"]) <= 3 * ht["error of it"]
    assert abs(inferred["bias"]) > 3 * inferred["error of it"]
    assert ht["lowest"] <= ht["bias"] <= ht["highest"]
    assert abs(ht["bias"]) < ht["RMSE"]


def test_errors_are_about_as_large_as_those_against_the_true_pool():
    """40 samples each, so that errors have a standard error of some 11 %."""
    campaign, complete = campaign_of((0.5, 0.2, 0.1), topics=12)
    found = by_estimator(campaign, "nDCG@10", samples=40)
    rmse = {name: row["RMSE"] for name, row in found.items()}
    true = complete.scores("nDCG@10").values.mean(axis=-1)
    sources = (np.random.default_rng([7, seed]) for seed in range(40))
    errors = [true_errors(Strata.of(campaign), complete, campaign, source, true) for source in sources]
    truth = dict(zip(rmse, np.sqrt((np.array(errors) ** 2).mean(axis=(0, 2))).tolist(), strict=True))
    assert min(truth, key=truth.get) == min(rmse, key=rmse.get) == "HT(nDCG@10)"
    assert rmse["HT(nDCG@10)"] == pytest.approx(truth["HT(nDCG@10)"], rel=0.4)


def true_errors(strata, complete, campaign, source, true):
    """(estimators, runs) errors of a sample of the same size of the true pool."""
    grades = [
        complete.qrels.grades_of(topic)[doc]
        for topic, doc in zip(strata.qrels.columns().topic.texts(), strata.qrels.docs.texts(), strict=True)
    ]
    order = np.lexsort((source.random(len(grades)), strata.stratum))
    place = np.empty(len(grades), dtype=int)
    starts = np.searchsorted(strata.stratum[order], np.arange(strata.stratum.max() + 1))
    place[order] = np.arange(len(grades)) - starts[strata.stratum[order]]
    drawn = np.where(place < strata.counts[strata.stratum], grades, -1.0)
    again = campaign.judged_as(replace(strata.qrels, grades=drawn))
    return again.scores("HT(nDCG@10) infNDCG@10").values.mean(axis=-1).T - true.T


def test_with_all_documents_drawn_there_is_nothing_to_estimate():
    campaign, _ = campaign_of((1, 1, 1), topics=3)
    found = STUDIES["sampling"].call(campaign, measures="nDCG@10 P@5", samples=10)
    assert all(abs(row["RMSE"]) < 1e-4 for row in found.records("estimators"))
    assert "nothing to estimate" in found.sentences[0]


def test_intervals_of_runs_hold_most_of_their_true_means():
    campaign, complete = campaign_of((0.5, 0.2, 0.1), topics=12)
    rows = STUDIES["sampling"].call(campaign, measures="nDCG@10", samples=20).records("runs")
    true = complete.scores("nDCG@10").mean()
    assert all(row["from"] <= true[row["run"]]["nDCG@10"] <= row["to"] for row in rows)
    estimates = campaign.scores("HT(nDCG@10)").mean()
    assert {row["run"]: row["mean"] for row in rows} == {
        run: of_run["HT(nDCG@10)"] for run, of_run in estimates.items()
    }


def test_strata_without_a_drawn_document_are_named():
    sample = {"q": {"a": {"d1": 2, "d2": 1}, "b": {"d3": -1, "d4": -1, "d5": -1}}}
    campaign = Campaign(sample, {"r": {"q": ["d3", "d1", "d2", "d4"]}}, by_subtopic=True)
    found = STUDIES["sampling"].call(campaign, measures="nDCG@3", samples=10)
    assert "each stratum was drawn completely or not at all" in found.sentences[0]
    assert found.sentences[-1].startswith("3 documents are in strata from which none was drawn")
    whole, _ = campaign_of((0.5, 0.3, 0.1))
    assert "none was drawn" not in STUDIES["sampling"].call(whole, measures="P@5", samples=10).sentences[-1]
