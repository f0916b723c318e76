"""Agreement of two sets of judgments: kappa, overlap, and the order of runs by each."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import rankgauge
from rankgauge.errors import InputError, OptionError
from rankgauge.studies.judging import agreement
from rankgauge.studies.judging.assessors import WEIGHTS, kappa
from studies import small
from studies.judging import slow
from studies.slow_judgments import means, tau_b

DOCS = [f"d{n}" for n in range(8)]
MEASURES = ["AP", "nDCG@10", "Bpref", "ESL"]
DISTANCES = {
    "none": lambda a, b: a != b,
    "linear": lambda a, b: abs(a - b),
    "quadratic": lambda a, b: (a - b) ** 2,
}


def judged():
    docs = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-1, 0, 0, 1, 1, 2, 3.5]), min_size=1)
    return st.dictionaries(st.sampled_from(["t1", "t10", "t2"]), docs, min_size=1)


def share(part, whole):
    return part / whole if whole else math.nan


def same(value):
    return pytest.approx(value, abs=1e-12, nan_ok=True)


@given(judged(), judged(), st.sampled_from([1, 2, 0.5]))
def test_coefficients_are_those_of_the_definitions(first, second, rel):
    by_topic = slow.in_both(first, second)
    pairs = [pair for both in by_topic.values() for pair in both]
    assume(pairs)
    found = agreement(first, second, rel=rel).agreement
    assert found.documents == len(pairs)
    assert found.alone == tuple(sum(map(len, qrels.values())) - len(pairs) for qrels in (first, second))
    assert found.left_out == (len(first.keys() - second.keys()), len(second.keys() - first.keys()))
    assert found.same == same(sum(a == b for a, b in pairs) / len(pairs))
    for weights, distance in DISTANCES.items():
        assert found.kappa(weights) == same(slow.kappa(pairs, distance))
    relevant = [(a >= rel, b >= rel) for a, b in pairs]
    assert found.binary_kappa() == same(slow.kappa(relevant))
    both, neither = relevant.count((True, True)), relevant.count((False, False))
    differ = len(pairs) - both - neither
    assert found.positive() == same(share(2 * both, 2 * both + differ))
    assert found.negative() == same(share(2 * neither, 2 * neither + differ))
    overlaps = [
        share(sum(a >= rel and b >= rel for a, b in topic), sum(a >= rel or b >= rel for a, b in topic))
        for topic in by_topic.values()
    ]
    defined = [overlap for overlap in overlaps if not math.isnan(overlap)]
    assert found.overlap() == same(share(sum(defined), len(defined)))


@given(judged(), judged())
def test_tables_count_documents_by_grade_and_topic(first, second):
    by_topic = slow.in_both(first, second)
    pairs = [pair for both in by_topic.values() for pair in both]
    assume(pairs)
    found = agreement(first, second)
    levels = sorted({grade for pair in pairs for grade in pair})
    assert found.table("grades").rows == [(f"{a:g}", *(pairs.count((a, b)) for b in levels)) for a in levels]
    for topic, documents, one, other, both, _, value in found.table("topics").rows:
        relevant = [(a >= 1, b >= 1) for a, b in by_topic[topic]]
        assert (documents, one, other) == (len(relevant), *(sum(r[i] for r in relevant) for i in (0, 1)))
        assert both == relevant.count((True, True))
        assert value == same(slow.kappa(relevant))
    assert [row[0] for row in found.table("topics").rows] == sorted(by_topic, key=str.encode)


@given(judged())
def test_judgments_agree_with_themselves(first):
    found = agreement(first, first).agreement
    grades = {grade for docs in first.values() for grade in docs.values()}
    assert found.same == 1
    for weights in WEIGHTS:
        assert found.kappa(weights) == same(1.0 if len(grades) > 1 else math.nan)
    assert found.alone == found.left_out == (0, 0)


@given(judged(), judged())
def test_it_does_not_matter_which_comes_first(first, second):
    assume(any(slow.in_both(first, second).values()))
    found, turned = agreement(first, second).agreement, agreement(second, first).agreement
    for weights in WEIGHTS:
        assert found.kappa(weights) == same(turned.kappa(weights))
    assert found.overlap() == same(turned.overlap())
    assert found.counts.tolist() == turned.counts.T.tolist()


def test_kappa_of_a_textbook():
    # 50 proposals, two readers: 20 yes-yes, 15 no-no; 0.7 observed and 0.5 by chance.
    assert kappa(np.array([[20, 5], [10, 15]])) == pytest.approx(0.4, abs=1e-15)
    # Fleiss (1981), two raters and three diagnoses, in per cent.
    assert kappa(np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]])) == pytest.approx(0.676, abs=5e-4)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_is_that_of_statsmodels(seed):
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    counts = np.random.default_rng(seed).integers(0, 40, (4, 4))
    apart = np.abs(np.arange(4)[:, None] - np.arange(4))
    expected = {
        None: (apart > 0).astype(float),
        "linear": apart.astype(float),
        "quadratic": (apart * apart).astype(float),
    }
    for name, weights in expected.items():
        theirs = inter_rater.cohens_kappa(counts, wt=name, return_results=False)
        assert kappa(counts, weights) == pytest.approx(theirs, abs=1e-12)


def test_kappa_of_one_grade_is_undefined():
    found = agreement({"q1": {"d1": 1, "d2": 1}}, {"q1": {"d1": 1, "d2": 1, "d3": 0}})
    assert all(math.isnan(found.agreement.kappa(weights)) for weights in WEIGHTS)
    assert found.agreement.same == 1
    assert "All these documents have a single grade in both, so kappa is undefined." in found.sentences


def changed(qrels):
    """Other judgments: some grades differ, some documents are judged here or there alone, topics too."""
    topics = sorted(qrels)
    other = {
        topic: {
            doc: (grade + (place % 3 == 0)) % 4
            for place, (doc, grade) in enumerate(sorted(qrels[topic].items()))
            if place % 5
        }
        for topic in topics[1:]
    }
    other[topics[1]]["new"] = 2
    return other | {"elsewhere": {"d": 1}}


@pytest.mark.parametrize("rules", [{}, {"ties": "average"}, {"missing": "skip", "undefined": "skip"}])
def test_the_order_of_runs_is_compared_on_the_topics_of_both(rules):
    other = changed(small.QRELS)
    second = sorted(small.QRELS)[1]
    runs = {name: {**run, "elsewhere": {"d": 1.0}} for name, run in small.RUNS.items()}
    first = next(iter(runs.values()))
    first[second] = {"new": 1e9, **first[second]}
    found = agreement(small.QRELS, other, runs, measures=MEASURES, **rules)
    common = small.QRELS.keys() & other.keys()
    assert found.settings["topics"] == len(common) == len(small.QRELS) - 1
    judgments = [{topic: qrels[topic] for topic in common} for qrels in (small.QRELS, other)]
    if rules:
        scores = [rankgauge.evaluate(qrels, runs, MEASURES, **rules).mean() for qrels in judgments]
    else:
        scores = None
    orders = {row[0]: row[1:] for row in found.table("orders").rows}
    assert list(orders) == MEASURES
    for measure, run, *values, rank, other_rank in found.table("runs").rows:
        sign = -1 if measure == "ESL" else 1
        both = (
            [{name: sign * mean[measure] for name, mean in each.items()} for each in scores]
            if scores
            else [means(qrels, runs, measure) for qrels in judgments]
        )
        assert values == [sign * each[run] for each in both]
        assert [rank, other_rank] == [1 + sum(v > each[run] for v in each.values()) for each in both]
        tau, swapped, pairs, *best = orders[measure]
        assert tau == pytest.approx(tau_b(*both), abs=1e-12)
        names = list(runs)
        differ = [
            (both[0][a] - both[0][b]) * (both[1][a] - both[1][b]) < 0
            for place, a in enumerate(names)
            for b in names[place + 1 :]
        ]
        assert (swapped, pairs) == (sum(differ), len(differ))
        assert best == [max(each, key=each.get) for each in both]


def test_equal_judgments_keep_the_order_of_runs():
    found = agreement(small.QRELS, small.QRELS, small.RUNS, measures=["AP", "P@10"])
    assert [row[1] for row in found.table("orders").rows] == [1.0, 1.0]
    assert found.sentences[-1] == "By P@10, τ between the two orders of runs is 1.000."


def test_threads_do_not_show():
    one, two = (
        agreement(small.QRELS, changed(small.QRELS), small.RUNS, threads=threads).as_dict()
        for threads in (1, 3)
    )
    assert one == two


def test_judgments_that_share_no_document_are_refused():
    for other in ({"q2": {"d1": 1}}, {"q1": {"d2": 1}}):
        with pytest.raises(InputError, match="have no judged document in common"):
            agreement({"q1": {"d1": 1}}, other)


@pytest.mark.parametrize("rel", ["1", None, math.nan, True])
def test_a_level_of_relevance_is_a_number(rel):
    with pytest.raises(OptionError, match="rel must be a grade"):
        agreement({"q1": {"d1": 1}}, {"q1": {"d1": 1}}, rel=rel)


def test_sets_of_one_name_get_different_names():
    found = agreement({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0, "d2": 1}})
    assert found.settings["first"] == "qrels (1)"
    assert found.sentences[0].startswith(
        "2 documents of 1 topic are judged in both; 0 are judged only in qrels (1)"
    )
    assert "kappa is -1.000, that of relevant or not -1.000" in found.sentences[1]
