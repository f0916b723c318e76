"""The values of ranx itself, on random judgments and runs without ties."""

import itertools
import math

import numpy as np
import pytest

import rankgauge
from rankgauge.compat import ranx as ours

pytestmark = pytest.mark.filterwarnings("ignore")  # ranx warns a lot while it is compiled
CUT = (
    "hits",
    "hit_rate",
    "precision",
    "recall",
    "f1",
    "mrr",
    "map",
    "dcg",
    "dcg_burges",
    "ndcg",
    "ndcg_burges",
)
METRICS = [
    f"{name}{cutoff}{level}"
    for names, cutoffs in (
        (CUT, ("", "@1", "@3", "@10", "@1000")),
        (("r-precision", "rbp.95", "rbp.5"), ("",)),
    )
    for name, cutoff, level in itertools.product(names, cutoffs, ("", "-l2"))
]


def campaign(grades, topics=30, runs=3, seed=11):
    """Judgments and runs without ties; a topic has no relevant documents, another no other ones."""
    source = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(40)]
    qrels = {}
    for topic in range(topics):
        low, high = [(0, grades), (0, 0), (1, grades)][2 if topic == 1 else topic == 0]
        judged = source.choice(documents, source.integers(1, 25), replace=False).tolist()
        qrels[f"q{topic}"] = {doc: int(source.integers(low, high + 1)) for doc in judged}
    tables = []
    for run in range(runs):
        table = {}
        for topic, judged in qrels.items():
            kept = source.choice(documents, source.integers(1, 40), replace=False).tolist()
            scores = source.random(len(kept))
            table[topic] = {
                doc: float(score) + run * 0.2 * judged.get(doc, 0)
                for doc, score in zip(kept, scores, strict=True)
            }
            assert len({*table[topic].values()}) == len(kept)
        tables.append(table)
    return qrels, tables


@pytest.fixture(scope="module")
def ranx():
    """ranx itself."""
    return pytest.importorskip("ranx")


@pytest.fixture(scope="module", params=[1, 3], ids=["binary", "graded"])
def both(request, ranx):
    """(largest grade, values of ranx, ours): {metric: an array of topics}."""
    qrels, runs = campaign(request.param)
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(runs[0]), METRICS, return_mean=False)
    return (
        request.param,
        theirs,
        ours.evaluate(ours.Qrels(qrels), ours.Run(runs[0]), METRICS, return_mean=False),
    )


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_has_the_value_of_ranx_in_every_topic(both, metric):
    grade, theirs, values = both
    expected, found = theirs[metric], values[metric]
    if metric.startswith("rbp") and grade > 1:  # ranx multiplies by grades: see the next test
        assert (found <= expected).all()
        assert (found < expected).any()
        return
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_graded_rbp_of_ranx_is_the_share_of_the_top_gain_times_the_highest_grade(ranx):
    qrels, runs = campaign(3)
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(runs[0]), "rbp.5")
    linear = rankgauge.evaluate(qrels, runs[0], "RBP(p=0.5,gains=linear)").mean()["run"]
    assert 3 * linear["RBP(p=0.5,gains=linear)"] == pytest.approx(theirs)
    assert ours.evaluate(qrels, runs[0], "rbp.5") == pytest.approx(
        rankgauge.evaluate(qrels, runs[0], "RBP(p=0.5)").mean()["run"]["RBP(p=0.5)"]
    )


@pytest.mark.parametrize("level", [1, 2])
def test_bpref_has_the_value_of_ranx_where_documents_of_both_kinds_are_judged(ranx, level):
    qrels, (run, *_) = campaign(3)
    kept = [topic for topic, docs in qrels.items() if len({grade >= level for grade in docs.values()}) == 2]
    assert 10 < len(kept) < len(qrels)
    qrels, run = ({topic: table[topic] for topic in kept} for table in (qrels, run))
    metric = f"bpref-l{level}"
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), metric, return_mean=False)
    np.testing.assert_allclose(ours.evaluate(ours.Qrels(qrels), run, metric, return_mean=False), theirs)


def test_results_have_the_shapes_of_ranx(ranx):
    qrels, (run, *_) = campaign(2)
    one, several = "ndcg@10", ["map", "mrr"]
    for metrics, options in itertools.product(
        (one, [one], several), ({}, {"return_std": True}, {"return_mean": False})
    ):
        theirs = ranx.evaluate(ranx.Qrels(qrels), kept := ranx.Run(run), metrics, **options)
        found = ours.evaluate(ours.Qrels(qrels), held := ours.Run(run), metrics, **options)
        assert_same(found, theirs)
        assert_same(held.mean_scores, kept.mean_scores)
        assert_same(held.std_scores, kept.std_scores)
        assert_same(dict(held.scores), dict(kept.scores))


def test_the_objects_of_ranx_are_evaluated_too(ranx):
    qrels, (run, *_) = campaign(2)
    theirs = ranx.Qrels(qrels), ranx.Run(run, name="bm25")
    expected = ours.evaluate(ours.Qrels(qrels), ours.Run(run), "ndcg@10", return_mean=False)
    assert ours.evaluate(*theirs, "ndcg@10", return_mean=False).tolist() == expected.tolist()
    assert ours.compare(theirs[0], [theirs[1], ours.Run(run, name="other")], "map").model_names == [
        "bm25",
        "other",
    ]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda tool, qrels, run: tool.evaluate(qrels, run, "ndgc@10")),
        (AssertionError, lambda tool, qrels, _: tool.evaluate(qrels, tool.Run({"q0": {"d1": 1.0}}), "map")),
        (NotImplementedError, lambda tool, qrels, run: tool.compare(qrels, [run, run], ["map"], "anova")),
    ],
)
def test_errors_are_of_the_types_of_ranx_too(ranx, error, call):
    qrels, (run, *_) = campaign(1, topics=3)
    for tool in (ranx, ours):
        with pytest.raises(error) as raised:
            call(tool, tool.Qrels(qrels), tool.Run(run))
    assert isinstance(raised.value, rankgauge.errors.RankgaugeError)


def assert_same(found, expected):
    if isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            assert_same(found[key], value)
    else:
        assert np.shape(found) == np.shape(expected)
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("test", ["student", "fisher"])
def test_a_report_has_the_numbers_of_ranx(ranx, test):
    qrels, runs = campaign(3)
    metrics = ["map", "ndcg@10-l2"]
    reports = []
    for tool in (ranx, ours):
        named = [tool.Run(run, name=f"model_{number}") for number, run in enumerate(runs)]
        reports.append(tool.compare(tool.Qrels(qrels), named, metrics, test))
    theirs, found = reports
    assert found.to_dict().keys() == theirs.to_dict().keys()
    assert_same(found.results, theirs.results)
    assert found.win_tie_loss == theirs.win_tie_loss
    assert found.to_dataframe().columns.tolist() == theirs.to_dataframe().columns.tolist()
    for pair, metric in itertools.product(itertools.combinations(found.model_names, 2), metrics):
        p, expected = (report.comparisons[pair][metric]["p_value"] for report in (found, theirs))
        if test == "student":
            assert p == pytest.approx(expected)
        else:  # both draw 1,000 samples, and ours counts the observed one
            assert abs(p - expected) < 4 * math.sqrt(0.25 / 1000) + 1 / 1000
    if test == "student":
        assert str(found) == str(theirs)
