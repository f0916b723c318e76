"""Measures that others add: with the same decorator, in a notebook or in a package of their own."""

import importlib.metadata
import random
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pytest

from rankgauge import Evaluator, evaluate, measure, parse
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
    with pytest.raises(MeasureError, match="no measure named 'Foundd'"):
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


def changes_its_rankings(j):
    j.level, j.grade = 2.0, j.grade.clip(max=1.0)
    return j.total(j.grade)


def asks_before_it_takes(j):
    return j.total(j.grade * (2.0 if hasattr(j, "sizes") else 1.0))


def tries(j):
    try:
        return j.total(j.grade) + float(j.grade[0]) * 0
    except (TypeError, AttributeError):
        return j.total(j.grade * 2.0)


# What arrays and programs could easily read differently: such a formula is left to arrays, or is the same.
TRAPS = {
    "ranks that are no whole numbers": lambda j: j.at(j.hits, 0.5 * j.recall_base),
    "chosen ranks": lambda j: j.at(j.hits, j.chosen(j.recall_base > 2, j.recall_base, 2.0)),
    "equal to NumPy's number": lambda j: j.total((j.grade == np.int64(2)) * 1.0 + j.grade),
    "unequal to NumPy's number": lambda j: j.total((j.grade != np.int64(2)) * j.grade),
    "stretches of whole numbers": lambda j: j.last_of_each(j.rank // 4 - 1).count * 1.0,
    "a condition of numbers": lambda j: j.cumulate(j.grade * 0 + 1.0, where=-(j.grade - 1)).total,
    "levels in arithmetic": lambda j: j.total(j.grade) * float((j.pool.levels * 2)[-1]),
    "not a whole number": lambda j: j.total(~(j.relevant.astype("int64")) * 1.0),
    "before a truth value": lambda j: j.total(j.previous(j.relevant, 0.5) * 1.0),
    "a function of NumPy": lambda j: j.total(np.sqrt(j.grade)),
    "a loop": lambda j: j.total(j.grade) + sum(j.rank) * 0.0,
    "an attribute that may be missing": asks_before_it_takes,
    "an error that is caught": tries,
    "rankings that are changed": changes_its_rankings,
}


@pytest.mark.usefixtures("registry")
@pytest.mark.parametrize("trap", TRAPS)
def test_a_formula_has_the_same_values_by_program_or_is_left_to_arrays(trap):
    def formula(j: "JudgedRankings") -> "np.ndarray":
        """One number for each topic."""
        return TRAPS[trap](j)

    declared = {"title": "Trap", "formula": "...", "cite": "...", "bounds": (None, None), "binary": True}
    measure("Trap", **declared)(formula)
    rng = random.Random(4)
    docs = [f"d{n}" for n in range(20)]
    qrels = {f"q{t}": {doc: rng.randint(0, 3) for doc in rng.sample(docs, 12)} for t in range(4)}
    run = {topic: {doc: rng.random() for doc in docs} for topic in qrels}
    evaluator, alone = Evaluator(qrels, "nDCG@5 Trap AP"), Evaluator(qrels, "nDCG@5 AP")

    def outcome():
        try:
            return evaluator.values(run)
        except Exception as error:
            return type(error)

    found = outcome()
    evaluator.back_end.programmed = None, ()
    assert repr(found) == repr(outcome())
    if isinstance(found, dict):
        for topic, values in alone.values(run).items():
            assert values.items() <= found[topic].items()
