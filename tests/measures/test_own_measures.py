"""Measures that others add: with the same decorator, in a notebook or in a package of their own."""

import importlib.metadata
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pytest

from rankgauge import evaluate, measure, parse
from rankgauge.errors import MeasureError
from rankgauge.measures import MEASURES, Laws
from rankgauge.schema.parameters import Number
from registries import restored

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings
    from rankgauge.measures.rankings.arrays.curves import Curve

QRELS = {"1": {"a": 1, "b": 2, "c": 0}}
RUN = {"1": {"c": 3.0, "b": 2.0, "a": 1.0}}


@pytest.fixture
def registry():
    """The registry, to be changed at will."""
    with restored(MEASURES) as registry:
        yield registry


def add_hit():
    @measure(
        "Found",
        title="Found",
        formula="...",
        cite="...",
        bounds=(0, 1),
        binary=True,
        depends_on="relevant",
        laws=Laws(judging_never_hurts="always"),
    )
    def hit(j: "JudgedRankings") -> "Curve":
        """Whether anything relevant is among the first k documents."""
        return j.hits.at_most(1)


def add_weighted():
    @measure("Weighted", title="Weighted", formula="...", cite="...", bounds=(0, 1))
    def weighted(j: "JudgedRankings", p: Annotated[float, Number(0, 1), "patience"] = 0.5) -> "Curve":
        """Relevant documents, each worth p to the power of its rank."""
        return j.cumulate(p**j.rank, where=j.relevant)


@pytest.mark.usefixtures("registry")
def test_a_measure_of_a_few_lines_is_evaluated_like_any_other():
    add_hit()
    add_weighted()
    scores = evaluate(QRELS, RUN, "Found@1 Found@2 Found(rel=2)@5 Weighted Weighted(p=0.1)@2")
    assert scores.mean()["run"] == {
        "Found@1": 0.0,
        "Found@2": 1.0,
        "Found(rel=2)@5": 1.0,
        "Weighted": 0.375,
        "Weighted(p=0.1)@2": pytest.approx(0.01),
    }


@pytest.mark.usefixtures("registry")
def test_a_notebook_cell_may_be_run_again_but_a_name_has_one_owner():
    add_hit()
    add_hit()
    with pytest.raises(MeasureError, match="the name Found belongs to the measure Found"):

        @measure("Found", title="Another", formula="...", cite="...", bounds=(0, 1))
        def other(j: "JudgedRankings") -> "Curve":
            return j.hits


@pytest.mark.usefixtures("registry")
def test_an_installed_package_offers_measures_through_an_entry_point(monkeypatch):
    class EntryPoint:
        value = "found.measures"
        load = staticmethod(add_hit)

    asked = []
    monkeypatch.setattr(
        importlib.metadata, "entry_points", lambda group: asked.append(group) or [EntryPoint()]
    )
    assert str(parse("Found@3")) == "Found@3"
    with pytest.raises(MeasureError, match="no measure is called 'Foundd'"):
        parse("Foundd@3")
    assert asked == ["rankgauge.measures"]  # looked for once, and only for a name that was not known


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("name", ["NDCG", "hit_rate", "map", "graded", "AP", "official", "GMAP", "P_k"])
def test_a_name_that_is_taken_is_refused_whatever_it_is_the_name_of(name):
    with pytest.raises(MeasureError, match=f"the name {name} belongs to"):

        @measure(name, title="...", formula="...", cite="...", bounds=(0, 1))
        def other(j: "JudgedRankings") -> "Curve":
            return j.hits


@pytest.mark.usefixtures("registry")
def test_a_package_that_cannot_be_loaded_is_named(monkeypatch):
    class EntryPoint:
        value = "broken.measures"

        def load(self):
            raise ModuleNotFoundError("no module named x")

    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: [EntryPoint()])
    with pytest.raises(MeasureError, match=r"'Unknown'.*measures of 'broken\.measures' cannot be loaded"):
        parse("Unknown@3")
    assert "nDCG" in MEASURES  # as all others are


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("value", ["x", None, 1j])
def test_a_measure_whose_values_are_no_real_numbers_is_refused(value):
    @measure("Words", title="...", formula="...", cite="...")
    def words(j):
        return np.array([value] * len(j.retrieved))

    with pytest.raises(MeasureError, match=r"Words has values of type .*; its function must return real"):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "Words")


@pytest.mark.usefixtures("registry")
def test_a_measure_without_the_annotation_of_its_curve_is_refused():
    @measure("Hidden", title="...", formula="...", cite="...", bounds=(0, 1))
    def hidden(j):
        return j.hits

    with pytest.raises(MeasureError, match=r"Hidden returns a curve; write"):
        evaluate(QRELS, RUN, "Hidden")
