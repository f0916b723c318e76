"""Views of judged rankings: each is what a reader of its name expects, and again a judged ranking."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaigns import campaigns, identical, levels_of
from rankgauge.engines.local import LocalEngine
from rankgauge.evaluation import Evaluator
from rankgauge.measures import REGISTRY, parse
from rankgauge.measures.scales import GAINS, Gains
from twins.order import in_order

CURVES = [name for name in REGISTRY if REGISTRY[name].curve]
GRADES = [-2, -1, 0, 0, 1, 1, 2, 3, 0.5, 10]


def judged_of(qrels, run):
    """The judged rankings of a run, all topics in one block."""
    evaluator = Evaluator(qrels, "P(judged_only=true)")  # a measure that looks at all that is judged
    hits = LocalEngine(evaluator.qrels, evaluator.order).hits(run)
    [(_, _, judged)] = evaluator._judged(hits)
    return judged


def told(j):
    """[[(rank, grade) of each hit] of each topic]."""
    hits = list(zip(j.rank.tolist(), j.grade.tolist(), strict=True))
    return [hits[begin:end] for begin, end in itertools.pairwise(j.starts.tolist())]


def by_topic(qrels, run):
    """(judgments, documents in order) of each topic, topics by bytes."""
    return [(qrels[t], in_order(run.get(t, {}))) for t in sorted(qrels, key=str.encode)]


@given(campaign=campaigns())
def test_a_judged_ranking_is_the_judged_documents_with_their_ranks(campaign):
    qrels, run = campaign
    j = judged_of(qrels, run)
    for found, retrieved, (judged, docs) in zip(
        told(j), j.retrieved[:, 0], by_topic(qrels, run), strict=True
    ):
        assert found == [(rank, judged[doc]) for rank, doc in enumerate(docs, 1) if doc in judged]
        assert retrieved == len(docs)


@given(campaign=campaigns(), depth=st.integers(1, 20))
def test_a_cut_ranking_has_the_first_documents_only(campaign, depth):
    j = judged_of(*campaign)
    cut = j.cut(depth)
    assert told(cut) == [[(rank, grade) for rank, grade in hits if rank <= depth] for hits in told(j)]
    assert cut.retrieved.tolist() == np.minimum(j.retrieved, depth).tolist()
    for name in CURVES:
        measure = parse(f"{name}@{depth}")
        assert identical(measure.value(cut), measure.value(j)), name


@pytest.mark.parametrize("negatives", ["unjudged", "nonrelevant"])
@given(campaign=campaigns())
def test_a_condensed_ranking_has_no_gaps(negatives, campaign):
    j = judged_of(*campaign)
    condensed = j.judged_only(negatives)
    kept = [[g for _, g in hits if g >= 0 or negatives == "nonrelevant"] for hits in told(j)]
    assert told(condensed) == [list(enumerate(grades, 1)) for grades in kept]
    assert condensed.retrieved[:, 0].tolist() == list(map(len, kept))
    assert told(condensed.judged_only(negatives)) == told(condensed)
    for name in REGISTRY:
        setting = f"{name}(judged_only=true,negatives={negatives})"
        assert identical(parse(setting).value(j), parse(name).value(condensed)), name


@given(campaign=campaigns(), level=st.sampled_from([-1, 0, 0.5, 1, 1.5, 2, 99]))
def test_another_level_of_relevance_changes_what_is_relevant_and_nothing_else(campaign, level):
    qrels, run = campaign
    j = judged_of(qrels, run).at_level(level)
    assert told(j) == told(judged_of(qrels, run))
    assert j.relevant.tolist() == [grade >= level for hits in told(j) for _, grade in hits]
    relevant = [sum(grade >= level for grade in judged.values()) for judged, _ in by_topic(qrels, run)]
    assert j.recall_base[:, 0].tolist() == relevant


@given(campaign=campaigns(grades=GRADES))
def test_the_optimist_takes_unjudged_documents_for_the_best_there_are(campaign):
    qrels, run = campaign
    j = judged_of(qrels, run)
    best, hopeful = max(levels_of(qrels)), j.optimistic
    for found, hits, (judged, docs) in zip(told(hopeful), told(j), by_topic(qrels, run), strict=True):
        assert found == [(rank, judged.get(doc, best)) for rank, doc in enumerate(docs, 1)]
        assert set(hits) <= set(found)
    assert hopeful.retrieved.tolist() == j.retrieved.tolist()
    added = [sum(doc not in judged for doc in docs) for judged, docs in by_topic(qrels, run)]
    assert (hopeful.pool.sizes - j.pool.sizes)[:, 0].tolist() == added


@given(campaign=campaigns(grades=GRADES), depth=st.one_of(st.none(), st.integers(0, 20)))
def test_unjudged_documents_may_be_supposed_of_any_grade_down_to_a_depth(campaign, depth):
    qrels, run = campaign
    j = judged_of(qrels, run)
    supposed = j.supposing(0.25, depth)
    for found, hits, (judged, docs) in zip(told(supposed), told(j), by_topic(qrels, run), strict=True):
        first = [(rank, judged.get(doc, 0.25)) for rank, doc in enumerate(docs[:depth], 1)]
        assert found == first + [hit for hit in hits if hit[0] > len(first)]
    assert supposed.pool.levels.tolist() == sorted({0.25, *levels_of(qrels)})
    added = [sum(doc not in judged for doc in docs[:depth]) for judged, docs in by_topic(qrels, run)]
    assert (supposed.pool.sizes - j.pool.sizes)[:, 0].tolist() == added
    assert supposed.retrieved.tolist() == j.retrieved.tolist()


@pytest.mark.parametrize("block", [1, 20, 1 << 17])
@given(campaign=campaigns(most=1))
def test_without_each_hit_in_turn_the_others_stay_where_they_are(block, campaign):
    j = judged_of(*campaign)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankgauge.judged.BLOCK", block)
        blocks = list(j.without_each())
    (hits,) = told(j)
    assert [ranking for view in blocks for ranking in told(view)] == [
        [other for other in hits if other != hit] for hit in hits
    ]
    assert all((view.retrieved == j.retrieved).all() for view in blocks)
    assert all((view.recall_base == j.recall_base).all() for view in blocks)


@pytest.mark.parametrize(
    "text", ["P", "P@5", "R", "RR", "CG@5", "DCG(gains=exp2)", "CG(gains={1:5,2:0,3:1,0.5:2,10:0})"]
)
@given(campaign=campaigns(grades=GRADES))
def test_hope_never_lowers_a_measure_that_no_other_document_can_lower(text, campaign):
    j, measure = judged_of(*campaign), parse(text)
    real, hoped = measure.value(j), measure.value(j.optimistic)
    assert all((hoped >= real) | np.isnan(real))


@given(
    campaign=campaigns(grades=GRADES),
    gains=st.sampled_from(["linear", "exp2", "binary", {1: 0, 2: 7, 3: 1, 0.5: 2, 10: 3, -1: 9}]),
)
def test_the_ideal_ranking_has_every_document_with_a_gain_the_largest_first(campaign, gains):
    qrels, run = campaign
    j, gains = judged_of(qrels, run), GAINS.read(gains)
    assert isinstance(gains, Gains)
    ideal = j.ideal(gains)
    for hits, judged in zip(told(ideal), (part for part, _ in by_topic(qrels, run)), strict=True):
        worth = [gains.worth(grade) for _, grade in hits]
        assert worth == sorted((w for g in judged.values() if (w := gains.worth(float(g))) > 0), reverse=True)
        assert [rank for rank, _ in hits] == list(range(1, len(hits) + 1))
    assert j.ideal(gains) is ideal
