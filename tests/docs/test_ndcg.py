"""The page on measures called nDCG: its values match the definitions and the tools it names."""

import importlib
import math
import shutil

import pytest

import pages


@pytest.fixture
def ndcg(monkeypatch):
    """The module that writes the page."""
    monkeypatch.syspath_prepend(pages.DOCS)
    return importlib.import_module("writers.ndcg")


def by_hand(ndcg, gain, divisor, cut=5, candidates_only=False):
    """nDCG of the example in plain loops."""
    grades, ranking = ndcg.QRELS["q"], list(ndcg.RUN["q"])
    pool = [grade for doc, grade in grades.items() if doc in ranking or not candidates_only]
    got = [gain(grades.get(doc, 0)) / divisor(i) for i, doc in enumerate(ranking[:cut], 1)]
    best = [gain(grade) / divisor(i) for i, grade in enumerate(sorted(pool, reverse=True)[:cut], 1)]
    return sum(got) / sum(best)


def grade_itself(grade):
    return grade


def log_of_next(rank):
    return math.log2(1 + rank)


BY_HAND = {
    "nDCG@5": (grade_itself, log_of_next),
    "nDCG": (grade_itself, log_of_next, None),
    "nDCG(gains=exp2)@5": (lambda grade: 2**grade - 1, log_of_next),
    "nDCG(base=2)@5": (grade_itself, lambda rank: max(1, math.log2(rank))),
    "nDCG(base=10)@5": (grade_itself, lambda rank: max(1, math.log10(rank))),
    "nDCG(gains=binary)@5": (lambda grade: grade > 0, log_of_next),
}


def test_the_values_of_the_page_are_those_of_the_definitions(ndcg):
    by_measure_alone = [variant for variant in ndcg.VARIANTS if variant.qrels is None]
    assert {variant.text: ndcg.value(variant) for variant in by_measure_alone} == pytest.approx(
        {text: by_hand(ndcg, *definition) for text, definition in BY_HAND.items()}
    )
    (learned,) = [variant for variant in ndcg.VARIANTS if variant.qrels is not None]
    candidates = by_hand(ndcg, *BY_HAND["nDCG@5"], candidates_only=True)
    assert ndcg.value(learned) == pytest.approx(candidates)


def test_all_values_of_the_page_differ_and_are_on_it(ndcg, reference):
    shown = [f"{ndcg.value(variant):.4f}" for variant in ndcg.VARIANTS]
    assert len(set(shown)) == len(ndcg.VARIANTS)
    assert all(f"| {value} |" in reference["ndcg.md"] for value in shown)


@pytest.mark.parametrize(("name", "text"), [("ndcg_cut_5", "nDCG@5"), ("ndcg", "nDCG")])
def test_the_values_are_those_of_pytrec_eval(name, text, ndcg):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    evaluator = pytrec_eval.RelevanceEvaluator(ndcg.QRELS, {name.replace("_5", ".5")})
    value = evaluator.evaluate(ndcg.RUN)["q"][name]
    (variant,) = [v for v in ndcg.VARIANTS if v.text == text and v.qrels is None]
    assert value == pytest.approx(ndcg.value(variant), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "text"), [("nDCG@5", "nDCG@5"), ("nDCG(dcg='exp-log2')@5", "nDCG(gains=exp2)@5")]
)
def test_the_values_are_those_of_ir_measures(name, text, ndcg):
    ir_measures = pytest.importorskip("ir_measures")
    if "exp" not in name:
        pytest.importorskip("pytrec_eval", reason="ir_measures leaves nDCG to pytrec_eval")
    elif not shutil.which("perl"):
        pytest.skip("ir_measures runs gdeval, which is written in Perl")
    qrels, run = ({"1": by_topic["q"]} for by_topic in (ndcg.QRELS, ndcg.RUN))  # gdeval needs numeric topics
    measure = ir_measures.parse_measure(name)
    value = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    (variant,) = [v for v in ndcg.VARIANTS if v.text == text and v.qrels is None]
    assert value == pytest.approx(ndcg.value(variant), abs=5e-6)  # gdeval prints five digits
