"""Fusion and normalisation by ranx itself, on random runs."""

from functools import partial

import numpy as np
import pytest

from rankgauge.compat import ranx as ours
from rankgauge.errors import OptionError
from rankgauge.extensions.tools.ranx import fusion, normalization
from rankgauge.extensions.tools.ranx.fusion import METHODS, NORMALISATIONS

from .test_against_ranx import campaign

pytestmark = pytest.mark.filterwarnings("ignore")  # ranx warns a lot while it is compiled
QRELS, RUNS = campaign(2, topics=8)
WEIGHTED = ("wsum", "wmnz", "mixed", "w_bordafuse")
PARAMS = {"rrf": {"k": 10}, **{name: {"weights": [0.2, 0.3, 0.5]} for name in WEIGHTED}}


@pytest.fixture(scope="module")
def ranx():
    """ranx itself."""
    return pytest.importorskip("ranx")


def assert_same(found, theirs):
    expected = theirs.to_dict()
    assert found.name == theirs.name
    assert found.keys() == expected.keys()
    for topic, scores in expected.items():
        assert found[topic] == pytest.approx(scores, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_scores_of_ranx(ranx, method):
    params = PARAMS.get(method, {})
    for norm in ("min-max", None):
        theirs = ranx.fuse([ranx.Run(run) for run in RUNS], norm, method, params)
        assert_same(ours.fuse([ours.Run(run) for run in RUNS], norm, method, params), theirs)


def test_points_of_borda_are_normalised_scores(ranx):
    for method in ("sum", "mnz"):
        theirs = ranx.fuse([ranx.Run(run) for run in RUNS], "borda", method)
        assert_same(ours.fuse([ours.Run(run) for run in RUNS], "borda", method), theirs)


def test_ranks_follow_inverted_scores(ranx):
    theirs = ranx.fuse([ranx.Run(run) for run in RUNS], "min-max-inverted", "rrf")
    assert_same(ours.fuse([ours.Run(run) for run in RUNS], "min-max-inverted", "rrf"), theirs)


@pytest.mark.parametrize(
    ("method", "metric", "options"),
    [
        ("wsum", "ndcg", {}),
        ("wsum", "map@5", {"step": 0.25}),
        ("rrf", "ndcg@10", {"min_k": 1, "max_k": 30, "step": 3}),
    ],
)
def test_optimisation_finds_the_parameters_of_ranx(ranx, monkeypatch, method, metric, options):
    def few(run):  # compiled, ranx keeps the order of ties in lists of up to 15 documents
        return {topic: dict([*docs.items()][:5]) for topic, docs in run.items()}

    # Not compiled, as in these tests, it has NumPy's order of ties, which depends on the processor.
    monkeypatch.setattr(np, "argsort", partial(np.argsort, kind="stable"))

    runs, found = [few(run) for run in RUNS], []
    for tool in (ours, ranx):
        arguments = tool.Qrels(QRELS), [*map(tool.Run, runs)], "min-max", method, metric, True
        found.append(tool.optimize_fusion(*arguments, show_progress=False, **options))
    (best, report), (expected, theirs) = found
    assert best == expected
    assert report.results == pytest.approx(theirs.results, rel=1e-12, abs=1e-12)
    assert ours.optimize_fusion(QRELS, runs, "min-max", method, metric, **options) == best
    assert report.to_table().best == {(report.results.index(max(report.results)), 1)}
    assert f"{max(report.results):.3f}" in str(report)


def test_an_optimisation_without_trials_or_with_several_metrics_is_refused():
    for method, options in (
        ("wsum", {"step": 0}),
        ("wsum", {"step": 0.3}),
        ("rrf", {"min_k": 9, "max_k": 1}),
    ):
        with pytest.raises(ValueError, match="to try; pass a step such as"):
            ours.optimize_fusion(QRELS, RUNS[:2], method=method, **options)
    with pytest.raises(ValueError, match="for one metric"):
        ours.optimize_fusion(QRELS, RUNS[:2], metric=["ndcg", "map"])


@pytest.mark.parametrize("norm", [name for name in NORMALISATIONS if name not in (None, "borda")])
def test_every_normalisation_has_the_scores_of_ranx(ranx, norm):
    theirs = ranx.normalize(ranx.Run(RUNS[0], name="bm25"), norm)
    assert_same(ours.normalize(ours.Run(RUNS[0], name="bm25"), norm), theirs)


@pytest.mark.parametrize("method", ["rrf", "mnz"])
def test_tied_documents_keep_their_order_as_in_ranx(ranx, method):
    tables = [{"q": {"b": 2.0, "c": 1.0, "a": 2.0}}, {"q": {"d": 3.0, "c": 3.0, "b": 1.0}}]
    for norm in ("min-max", None):
        found, theirs = (tool.fuse([*map(tool.Run, tables)], norm, method) for tool in (ours, ranx))
        assert [*found["q"].items()] == [*theirs.to_dict()["q"].items()]


def test_topics_without_results_stay_and_others_are_refused():
    runs = [{"q": {"a": 1.0}, "r": {}}, {"q": {"b": 1.0}, "r": {}}]
    assert ours.fuse(runs, None, "sum").to_dict() == {"q": {"a": 1.0, "b": 1.0}, "r": {}}
    with pytest.raises(AssertionError, match="runs 0 and 1 have different topics, such as 'r'"):
        ours.fuse([runs[0], {"q": {"a": 1.0}}], method="sum")
    with pytest.raises(AssertionError, match="there is 1 run; pass two or more"):
        ours.fuse(runs[:1])
    with pytest.raises(AssertionError, match="there are no runs"):
        ours.fuse([])
    with pytest.raises(TypeError, match="ranx's rrf takes no 'weights'; it takes k, name"):
        ours.fuse(runs, method="rrf", params={"weights": [1, 2]})
    with pytest.raises(TypeError, match="ranx's sum takes no 'depth'; it takes name"):
        ours.fuse(runs, method="sum", params={"depth": 3})
    with pytest.raises(ValueError, match="ranx's fusion method condorcet is not here; use one of anz"):
        ours.fuse(runs, method="condorcet")
    with pytest.raises(OptionError, match="no normalisation named 'half' here"):
        ours.normalize(runs[0], "half")
    with pytest.raises(ValueError, match="borda normalises several runs together"):
        ours.normalize(runs[0], "borda")
    with pytest.raises(ValueError, match="sum has no parameters to optimise; use one of mixed, rrf"):
        ours.optimize_fusion({}, runs, method="sum")
    with pytest.raises(TypeError, match="ranx's wsum takes no 'min_k'; it takes step, show_progress"):
        ours.optimize_fusion({}, runs, min_k=3)


def test_methods_and_normalisations_are_functions_as_in_ranx(ranx):
    theirs, found = ([tool.Run(run) for run in RUNS] for tool in (ranx, ours))
    for name in ("comb_anz", "comb_max", "comb_med", "comb_min", "comb_mnz", "comb_sum", "bordafuse", "isr"):
        assert_same(getattr(fusion, name)(found), getattr(ranx.fusion, name)(theirs))
    assert_same(fusion.wsum(found, [0.2, 0.3, 0.5]), ranx.fusion.wsum(theirs, [0.2, 0.3, 0.5]))
    assert_same(fusion.rrf(found, k=10, name="ten"), ranx.fusion.rrf(theirs, k=10, name="ten"))
    for mine, its in zip(normalization.borda_norm(found), ranx.normalization.borda_norm(theirs), strict=True):
        assert mine.to_dict() == its.to_dict()
    assert_same(normalization.norm_switch("max")(found[0]), ranx.normalization.norm_switch("max")(theirs[0]))
    for name in ("max_norm", "min_max_norm", "rank_norm", "sum_norm", "zmuv_norm"):
        norm, expected = getattr(normalization, name), getattr(ranx.normalization, name)
        assert_same(norm(found[0]), expected(theirs[0]))
