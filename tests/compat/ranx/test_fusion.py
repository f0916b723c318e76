"""Fusion and normalisation by ranx itself, on random runs."""

import pytest

from rankgauge.compat import ranx as ours
from rankgauge.compat.ranx.fusion import METHODS, NORMALISATIONS
from rankgauge.errors import OptionError

from .test_against_ranx import campaign

pytestmark = pytest.mark.filterwarnings("ignore")  # ranx warns a lot while it is compiled
RUNS = campaign(2, topics=8)[1]
PARAMS = {"wsum": {"weights": [0.2, 0.3, 0.5]}, "rrf": {"k": 10}}


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


@pytest.mark.parametrize("norm", [name for name in NORMALISATIONS if name])
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
    with pytest.raises(TypeError, match="ranx's rrf takes no 'weights'; its params are k and name"):
        ours.fuse(runs, method="rrf", params={"weights": [1, 2]})
    with pytest.raises(TypeError, match="ranx's sum takes no 'depth'; its params are name"):
        ours.fuse(runs, method="sum", params={"depth": 3})
    with pytest.raises(ValueError, match="no fusion method is called 'condorcet' here; use one of anz"):
        ours.fuse(runs, method="condorcet")
    with pytest.raises(OptionError, match="no normalisation is called 'borda' here"):
        ours.normalize(runs[0], "borda")
