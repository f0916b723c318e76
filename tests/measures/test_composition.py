"""Measures composed in Python, as their text is."""

import copy
import pickle
import subprocess
import sys
from typing import Annotated

import numpy as np
import pytest

from rankgauge import evaluate, measures, parse
from rankgauge.errors import MeasureError
from rankgauge.measures import AP, IA, MEASURES, MRR, IPrec, P, nDCG
from rankgauge.measures.settings import Measure
from rankgauge.schema.parameters import Number
from registries import restored

QRELS = {"1": {"a": 1, "b": 2, "c": 0}}
RUN = {"1": {"c": 3.0, "b": 2.0, "a": 1.0}}


@pytest.mark.parametrize(
    ("composed", "text"),
    [
        (parse("nDCG") @ 10, "nDCG@10"),
        (parse("nDCG@10") @ 5, "nDCG@5"),
        (nDCG(gains="exp2") @ 10, "nDCG(gains=exp2)@10"),
        (nDCG(gains={1: 1, 2: 10}, base=2) @ 30, "nDCG(gains={1:1,2:10},base=2)@30"),
        (nDCG(dcg="exp-log2") @ 10, "nDCG(dcg='exp-log2')@10"),
        ((AP @ 100)(rel=2), "AP(rel=2)@100"),
        (AP(rel=2)(judged_only=True), "AP(rel=2,judged_only=true)"),
        (AP(rel=2)(rel=3), "AP(rel=3)"),
        (AP(rel=2)(rel=1), "AP"),
        (P(cutoff=5), "P@5"),
        (P(top_k=5), "P@5"),
        (nDCG(k=10), "nDCG@10"),
        (P(cutoff=5, rel=2), "P(rel=2)@5"),
        (MRR @ 10, "RR@10"),
        (IPrec @ 0.1, "IPrec@0.1"),
        (IPrec(levels="trec10") @ 0.1, "IPrec(levels=trec10)@0.1"),
        ((IPrec @ 0.1) @ 0.5, "IPrec@0.5"),
        (measures.GMAP, "AP(average=geometric)"),
        (measures.GMAP @ 10, "AP(average=geometric)@10"),
        (measures.Fallout(docs=100) @ 5, "Fallout(docs=100)@5"),
        (IA(nDCG @ 10), "IA(nDCG@10)"),
        (IA("nDCG@10"), "IA(nDCG@10)"),
        (IA(measure=P @ 5), "IA(P@5)"),
        (IA(P @ 5)(AP), "IA(AP)"),
    ],
)
def test_a_composed_measure_is_the_one_of_its_text(composed, text):
    assert composed == parse(text)
    assert str(composed) == str(parse(text))
    assert pickle.loads(pickle.dumps(composed)) == copy.copy(composed) == composed


def test_an_inner_measure_takes_its_facts_along():
    lower = IA(P @ 5)(measures.FirstRank)
    assert lower.spec.direction == parse("IA(FirstRank)").spec.direction == -1
    assert lower(P @ 5).spec.direction == 1


def test_numbers_of_numpy_are_numbers():
    assert P(rel=np.int64(2), judged_only=np.bool_(True)) @ np.int32(5) == parse(
        "P(rel=2,judged_only=true)@5"
    )
    assert IPrec @ np.float32(0.5) == parse("IPrec@0.5")
    assert nDCG(gains={np.int64(1): np.float64(2.5)}) == parse("nDCG(gains={1:2.5})")


def test_a_cutoff_is_set_once():
    with pytest.raises(MeasureError, match="P: the cutoff is set twice, to 5 and 10"):
        P(cutoff=5, k=10)
    assert (P @ 5)(k=10) == P @ 10


@pytest.mark.parametrize(
    ("compose", "text"),
    [
        (lambda: P @ 0, "P@0"),
        (lambda: P @ -5, "P@-5"),
        (lambda: P @ 2.5, "P@2.5"),
        (lambda: P @ 10**9, "P@1000000000"),
        (lambda: measures.Twist @ 5, "Twist@5"),
        (lambda: IPrec @ 2, "IPrec@2"),
        (lambda: P(rel=2, grade=2), "P(rel=2,grade=2)"),
        (lambda: P(relevance=2), "P(relevance=2)"),
        (lambda: nDCG(grade=2) @ 20, "nDCG(grade=2)@20"),
        (lambda: nDCG(gains="expo"), "nDCG(gains=expo)"),
        (lambda: nDCG(dcg="exp"), "nDCG(dcg=exp)"),
        (lambda: P(negatives="nonrelevant"), "P(negatives=nonrelevant)"),
        (lambda: IA("nonsense"), "IA(measure=nonsense)"),
        (lambda: parse(IPrec), "IPrec"),
        (lambda: parse(IPrec(levels="trec10")), "IPrec(levels=trec10)"),
    ],
)
def test_what_a_text_may_not_be_composition_may_not_be_either(compose, text):
    with pytest.raises(MeasureError) as composed:
        compose()
    with pytest.raises(MeasureError) as written:
        parse(text)
    assert str(composed.value).replace("'", "") == str(written.value).replace("'", "")


@pytest.mark.parametrize("cutoff", [True, None, "", "ten", [5, 10], np.array([5, 10]), float("nan")])
def test_a_cutoff_is_one_number(cutoff):
    with pytest.raises(MeasureError, match=r"P: the cutoff must be a whole number from 1 to 999999999, not "):
        _ = P @ cutoff


def test_a_parameter_of_a_measure_is_not_its_cutoff():
    with restored(MEASURES):

        @measures.measure("Own", title="Own", formula="...", cite="...", bounds=(0, 1))
        def own(j: "JudgedRankings", k: Annotated[float, Number(0, 1), "a share"] = 0.5) -> "Curve":  # noqa: F821
            """A measure with a parameter k."""
            return j.hits

        assert str(measures.Own(k=0.25) @ 5) == str(parse("Own(k=0.25)@5")) == "Own(k=0.25)@5"


def test_settings_have_names():
    with pytest.raises(MeasureError, match=r"P takes settings by name, as in P\(rel=2\)"):
        P(2)
    with pytest.raises(MeasureError, match="IA takes settings by name"):
        IA(P, 2)


def test_composed_measures_are_evaluated():
    scores = evaluate(QRELS, RUN, [nDCG @ 10, P @ 2, AP, IPrec @ 0.5])
    assert scores.measures == ("nDCG@10", "P@2", "AP", "IPrec@0.5")
    with pytest.raises(MeasureError, match="IPrec needs recall"):
        evaluate(QRELS, RUN, [nDCG, IPrec])


def test_every_measure_is_an_attribute():
    for name, spec in MEASURES.items():
        measure = getattr(measures, name)
        assert isinstance(measure, Measure)
        assert measure.spec is spec
        assert name in dir(measures)
    assert {"Measure", "parse", "Spec"} < set(dir(measures))
    assert measures.parse is parse  # the names of the package win


def test_the_attributes_of_other_packages_measures():
    with restored(MEASURES):

        @measures.measure("Found", title="Found", formula="...", cite="...", bounds=(0, 1), binary=True)
        def found(j: "JudgedRankings") -> "Curve":  # noqa: F821
            """Whether anything relevant is among the first k documents."""
            return j.hits.at_most(1)

        assert str(measures.Found(rel=2) @ 1) == "Found(rel=2)@1"
        assert "Found" in dir(measures)
    assert not hasattr(measures, "Found")


def test_an_attribute_that_is_no_measure_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"no measure named 'nDCGG' \(did you mean nDCG\?\)"):
        measures.nDCGG  # noqa: B018
    with pytest.raises(ImportError):
        from rankgauge.measures import nDCGG  # noqa: F401
    assert not hasattr(measures, "__path_of_nothing__")


def test_modules_are_imported_as_modules_and_families_when_they_are_needed():
    script = (
        "import rankgauge; assert str(rankgauge.measures.nDCG @ 10) == 'nDCG@10';"
        "import sys; from rankgauge.measures import nDCG, P, AP;"
        "assert str(rankgauge.parse('ndcg_cut_10')) == 'nDCG@10' and str(rankgauge.parse('map')) == 'AP';"
        "assert 'rankgauge.measures.effort' not in sys.modules;"
        "from rankgauge.measures import sets, effort, reader;"
        "assert sets.__name__ == 'rankgauge.measures.sets', sets;"
        "from rankgauge.measures import Twist; assert str(Twist) == 'Twist'"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize(
    "name", [name for name, spec in MEASURES.items() if any(p.required for p in spec.parameters)]
)
def test_measures_that_lack_a_setting_come_back_from_pickles_and_copies(name):
    incomplete = getattr(measures, name)
    for measure in (incomplete, incomplete(judged_only=True)):
        for back in (pickle.loads(pickle.dumps(measure)), copy.copy(measure), copy.deepcopy(measure)):
            assert (back, back.settings) == (measure, measure.settings)
    with pytest.raises(MeasureError, match=f"{name} needs "):
        evaluate(QRELS, RUN, pickle.loads(pickle.dumps(incomplete)))


def test_a_notebook_shows_what_a_measure_computes():
    page = parse("nDCG@10")._repr_html_()
    assert "<b>nDCG@10</b>: Normalised discounted cumulated gain" in page
    assert "nDCG[k] = DCG[k] / DCG_ideal[k]" in page
