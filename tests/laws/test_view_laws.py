"""Views of judged rankings: each is what a reader of its name expects, and again a judged ranking."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import (
    at,
    by_subtopic,
    campaigns,
    cutoffs,
    for_each_measure,
    identical,
    levels_of,
    plainest,
    seeds,
    settings_of,
    written,
)
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.errors import MeasureError
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.explanation.contributions import TopicRankings
from rankgauge.measures import MEASURES, parse
from rankgauge.measures.rankings.arrays.curves import Ranking
from rankgauge.measures.rankings.arrays.judged_rankings import suppose_judged
from rankgauge.measures.rankings.gains import GAINS, Gains
from rankgauge.measures.settings import build
from rankgauge.model.subtopics import SubtopicQrels
from twins.order import in_order

CURVES = [name for name in MEASURES if MEASURES[name].curve]
GRADES = [-2, -1, 0, 0, 1, 1, 2, 3, 0.5, 10]


def judged_of(qrels, run):
    """The judged rankings of a run, all topics in one block."""
    # a measure that looks at all that is judged
    evaluator = Evaluator(SubtopicQrels.from_dict(by_subtopic(qrels)), "P(judged_only=true)")
    hits = LocalEngine(evaluator.qrels, evaluator.order).retrieve(run)
    [(_, _, judged)] = evaluator.back_end.rankings([hits])
    return judged


def hits_of(j):
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
        hits_of(j), j.retrieved[:, 0], by_topic(qrels, run), strict=True
    ):
        assert found == [(rank, judged[doc]) for rank, doc in enumerate(docs, 1) if doc in judged]
        assert retrieved == len(docs)


@given(campaign=campaigns(), depth=st.integers(1, 20))
def test_a_cut_ranking_has_the_first_documents_only(campaign, depth):
    j = judged_of(*campaign)
    cut = j.cut(depth)
    assert hits_of(cut) == [[(rank, grade) for rank, grade in hits if rank <= depth] for hits in hits_of(j)]
    assert cut.retrieved.tolist() == np.minimum(j.retrieved, depth).tolist()
    for name in (name for name in CURVES if not MEASURES[name].needs.whole_ranking):
        measure = parse(at(plainest(name), depth))
        assert identical(measure.value(cut), measure.value(j)), name


def suppose_best(j):
    return suppose_judged(j, float(j.pool.levels[-1]))


@given(campaign=campaigns(), depth=st.integers(1, 20))
def test_views_know_the_longest_list_of_all(campaign, depth):
    qrels, run = campaign
    j = judged_of(qrels, run)
    longest = max(len(docs) for topic, docs in run.items() if topic in qrels)
    some = j.of_topics(np.zeros(3, dtype=np.int64))
    for view in (
        j,
        j.found,
        j.judged_only(),
        suppose_best(j),
        j.at_level(2),
        j.prefix_maxima,
        some,
    ):
        assert view.longest == longest
    assert j.cut(depth).longest == min(depth, longest)
    assert j.ideal(Gains()).longest == max(len(hits) for hits in hits_of(j.ideal(Gains())))


@given(campaign=campaigns(), times=st.integers(1, 3), seed=seeds())
def test_topics_that_are_repeated_or_picked_know_where_they_are_from(campaign, times, seed):
    pool = judged_of(*campaign).pool
    picked = np.random.default_rng(seed).integers(pool.topics, size=4)
    for made, numbers in (
        (pool, np.arange(pool.topics)),
        (pool.repeated(times), np.tile(np.arange(pool.topics), times)),
        (pool.of_topics(picked), picked),
        (pool.repeated(times).of_topics(picked), picked),
    ):
        assert made.origin is pool
        assert made.original(np.arange(made.topics)).tolist() == numbers.tolist()


@pytest.mark.parametrize("negatives", ["unjudged", "nonrelevant"])
@given(campaign=campaigns())
def test_a_condensed_ranking_has_no_gaps(negatives, campaign):
    j = judged_of(*campaign)
    condensed = j.judged_only(negatives)
    kept = [[g for _, g in hits if g >= 0 or negatives == "nonrelevant"] for hits in hits_of(j)]
    assert hits_of(condensed) == [list(enumerate(grades, 1)) for grades in kept]
    assert condensed.retrieved[:, 0].tolist() == list(map(len, kept))
    assert hits_of(condensed.judged_only(negatives)) == hits_of(condensed)
    for name in MEASURES:
        plain = parse(plainest(name))
        own = {"negatives": negatives} if plain.spec.own_negatives else {}
        both = {"judged_only": True, "negatives": negatives}
        setting = build(plain.spec, {**plain.settings, **both}, None)
        expected = build(plain.spec, {**plain.settings, **own}, None)
        assert identical(setting.value(j), expected.value(condensed)), name


@given(campaign=campaigns(), level=st.sampled_from([-1, 0, 0.5, 1, 1.5, 2, 99]))
def test_another_level_of_relevance_changes_what_is_relevant_and_nothing_else(campaign, level):
    qrels, run = campaign
    j = judged_of(qrels, run).at_level(level)
    assert hits_of(j) == hits_of(judged_of(qrels, run))
    assert j.relevant.tolist() == [grade >= level for hits in hits_of(j) for _, grade in hits]
    relevant = [sum(grade >= level for grade in judged.values()) for judged, _ in by_topic(qrels, run)]
    assert j.recall_base[:, 0].tolist() == relevant


@given(campaign=campaigns(grades=GRADES))
def test_the_optimist_takes_unjudged_documents_for_the_best_there_are(campaign):
    qrels, run = campaign
    j = judged_of(qrels, run)
    best, best_case = max(levels_of(qrels)), suppose_best(j)
    for found, hits, (judged, docs) in zip(hits_of(best_case), hits_of(j), by_topic(qrels, run), strict=True):
        assert found == [(rank, judged.get(doc, best)) for rank, doc in enumerate(docs, 1)]
        assert set(hits) <= set(found)
    assert best_case.retrieved.tolist() == j.retrieved.tolist()
    added = [sum(doc not in judged for doc in docs) for judged, docs in by_topic(qrels, run)]
    assert (best_case.pool.sizes - j.pool.sizes)[:, 0].tolist() == added


@pytest.mark.parametrize("name", [name for name in MEASURES if MEASURES[name].laws.judging_never_hurts])
@for_each_measure
@given(campaign=campaigns(grades=GRADES), cutoff=cutoffs(), seed=seeds())
def test_hope_never_lowers_a_measure_that_no_good_document_can_lower(name, campaign, cutoff, seed):
    spec = MEASURES[name]
    cutoff = None if spec.laws.judging_never_hurts == "uncut" else cutoff
    settings = settings_of(spec, seed, levels_of(campaign[0]))
    if isinstance(settings.get("gains"), dict):  # to the optimist, the best grade is the best there is
        worth = sorted(settings["gains"].values())
        settings["gains"] = dict(zip(sorted(settings["gains"]), worth, strict=True))
    settings.pop(spec.laws.varies, None)
    settings.pop("grade", None)  # the only grade that counts need not be the best
    j, measure = judged_of(*campaign), parse(written(name, settings, cutoff))
    real, hoped = (
        measure.value(j) * spec.direction,
        measure.value(suppose_best(j)) * spec.direction,
    )
    assert all((hoped >= real - 1e-12 * abs(real)) | np.isnan(real))


@given(campaign=campaigns(grades=GRADES), depth=st.one_of(st.none(), st.integers(0, 20)))
def test_unjudged_documents_may_be_supposed_of_any_grade_down_to_a_depth(campaign, depth):
    qrels, run = campaign
    j = judged_of(qrels, run)
    supposed = suppose_judged(j, 0.25, depth)
    for found, hits, (judged, docs) in zip(hits_of(supposed), hits_of(j), by_topic(qrels, run), strict=True):
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
    length = int(j.retrieved[0, 0])
    without = [(np.where(j.rank == rank, 0, j.rank), length) for rank in j.rank]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rankgauge.explanation.contributions.BLOCK", block)
        blocks = list(TopicRankings(j.pool, j.doc, j.longest).rankings(without))
    (hits,) = hits_of(j)
    assert [ranking for view in blocks for ranking in hits_of(view)] == [
        [other for other in hits if other != hit] for hit in hits
    ]
    assert all((view.retrieved == j.retrieved).all() for view in blocks)
    assert all((view.recall_base == j.recall_base).all() for view in blocks)


@given(
    campaign=campaigns(grades=GRADES),
    gains=st.sampled_from(["linear", "exp2", "binary", {1: 0, 2: 7, 3: 1, 0.5: 2, 10: 3, -1: 9}]),
)
def test_the_ideal_ranking_has_every_document_with_a_gain_the_largest_first(campaign, gains):
    qrels, run = campaign
    j, gains = judged_of(qrels, run), GAINS.read(gains)
    assert isinstance(gains, Gains)
    ideal = j.ideal(gains)
    for hits, judged in zip(hits_of(ideal), (part for part, _ in by_topic(qrels, run)), strict=True):
        worth = [gains.worth(grade) for _, grade in hits]
        assert worth == sorted((w for g in judged.values() if (w := gains.worth(float(g))) > 0), reverse=True)
        assert [rank for rank, _ in hits] == list(range(1, len(hits) + 1))
    assert j.ideal(gains) is ideal


@given(
    campaign=campaigns(), level=st.sampled_from([-1, 0, 0.5, 1, 2]), grade=st.sampled_from([-1, 0, 1, 2, 99])
)
def test_one_grade_alone_may_be_relevant(campaign, level, grade):
    qrels, run = campaign
    j = judged_of(qrels, run).at_level(level).exactly(grade)
    assert j.relevant.tolist() == [g == grade for hits in hits_of(judged_of(qrels, run)) for _, g in hits]
    counts = [list(judged.values()).count(grade) for judged, _ in by_topic(qrels, run)]
    assert j.recall_base[:, 0].tolist() == counts
    for negatives, least in (("unjudged", 0), ("nonrelevant", -99)):
        others = [
            sum(g != grade and g >= least for g in judged.values()) for judged, _ in by_topic(qrels, run)
        ]
        assert j.nonrelevant_base(negatives)[:, 0].tolist() == others


@pytest.mark.parametrize("negatives", ["unjudged", "nonrelevant"])
@given(campaign=campaigns(), level=st.sampled_from([-1, 0, 0.5, 1, 2]))
def test_counts_of_documents_found_so_far_grow_with_the_rank(negatives, campaign, level):
    qrels, run = campaign
    j = judged_of(qrels, run).at_level(level)
    depth = 20
    curves = (j.seen, j.hits, j.judged_so_far(negatives), j.nonrelevant(negatives))
    found = [j.read_all(curve, depth).tolist() for curve in curves]
    least = min(0, level) if negatives == "unjudged" else -99
    for topic, (judged, docs) in enumerate(by_topic(qrels, run)):
        for k in range(1, depth + 1):
            grades = [judged[doc] for doc in docs[:k] if doc in judged]
            expected = [
                len(docs[:k]),
                sum(g >= level for g in grades),
                sum(g >= least for g in grades),
                sum(least <= g < level for g in grades),
            ]
            assert [of[topic][k - 1] for of in found] == expected
    in_pool = [sum(least <= g < level for g in judged.values()) for judged, _ in by_topic(qrels, run)]
    assert j.nonrelevant_base(negatives)[:, 0].tolist() == in_pool


@given(campaign=campaigns(), seed=st.integers(0, 999), nth=st.integers(1, 5))
def test_values_at_hits_are_added_up_looked_ahead_in_and_found_by_number(campaign, seed, nth):
    j = judged_of(*campaign)
    values = np.random.default_rng(seed).choice([0.25, 0.5, 1.0, 3.0], size=len(j.rank))
    by_hits = [values[begin:end].tolist() for begin, end in itertools.pairwise(j.starts.tolist())]
    assert j.total(values)[:, 0].tolist() == [sum(of) for of in by_hits]
    best = j.best_to_come(values).tolist()
    assert best == [max(of[place:]) for of in by_hits for place in range(len(of))]
    numbers = np.full((len(by_hits), 1), nth)
    assert j.at_nth(values, numbers)[:, 0].tolist() == [
        of[nth - 1] if nth <= len(of) else 0 for of in by_hits
    ]
    stretches = [[len(list(same)) for _, same in itertools.groupby(of)] for of in by_hits]
    ends = [
        [hits[end - 1] for end in itertools.accumulate(lengths)]
        for lengths, hits in zip(stretches, hits_of(j), strict=True)
    ]
    assert hits_of(j.last_of_each(values)) == ends
    coming = j.read_all(j.next_value(values), 20).tolist()
    for hits, of, row in zip(hits_of(j), by_hits, coming, strict=True):
        for k, found in enumerate(row, 1):
            later = [value for (rank, _), value in zip(hits, of, strict=True) if rank > k]
            assert found == (later[0] if later else 0)


def test_a_collection_cannot_be_smaller_than_what_is_known_of_it():
    j = judged_of({"q": {"a": 1, "b": 0}}, {"q": {"b": 1.0, "c": 0.5}})
    assert j.nonrelevant_of(10)[:, 0].tolist() == [9]
    assert j.nonrelevant_of(3)[:, 0].tolist() == [2]
    with pytest.raises(MeasureError, match="docs=2 cannot be the number of documents"):
        j.nonrelevant_of(2)


@given(campaign=campaigns())
def test_records_are_documents_better_than_all_before_them(campaign):
    j = judged_of(*campaign)
    for found, hits in zip(hits_of(j.prefix_maxima), hits_of(j), strict=True):
        assert found == [(rank, grade) for rank, grade in hits if all(g < grade for r, g in hits if r < rank)]


@given(campaign=campaigns(), gains=st.sampled_from(["linear", {1: 5, 2: 0, 3: 1, 4: 2, 0.5: 2, 10: 0}]))
def test_the_best_order_has_the_documents_retrieved_by_gain(campaign, gains):
    j, gains = judged_of(*campaign), GAINS.read(gains)
    if any(grade > 0 and gains.scheme == "map" and grade not in dict(gains.table) for grade in j.pool.levels):
        return
    for found, hits in zip(hits_of(j.best_order(gains)), hits_of(j), strict=True):
        assert sorted(grade for _, grade in found) == sorted(grade for _, grade in hits)
        worth = [gains.worth(grade) for _, grade in found]
        assert worth == sorted(worth, reverse=True)
        assert [rank for rank, _ in found] == list(range(1, len(hits) + 1))


@given(campaign=campaigns())
def test_ranking_and_ideal_agree_on_a_document_once_both_have_shown_it(campaign):
    qrels, run = campaign
    j = judged_of(qrels, run).keeping(0.1)
    for found, (judged, docs) in zip(hits_of(j.agreement(Gains())), by_topic(qrels, run), strict=True):
        place = {doc: rank for rank, doc in enumerate(docs, 1)}
        ideal = sorted(
            (doc for doc in judged if judged[doc] > 0), key=lambda d: (-judged[d], place.get(d, 99))
        )
        shown = [max(place[doc], rank) for rank, doc in enumerate(ideal, 1) if doc in place]
        assert [rank for rank, _ in found] == sorted(shown)


@given(campaign=campaigns(), depth=st.integers(1, 20))
def test_what_a_curve_remembers_multiplies_and_adds_up(campaign, depth):
    j = judged_of(*campaign)
    factors = 1 / (1 + j.rank)
    before, after = j.survival(factors)
    read = {
        "latest": j.read_all(j.last_value(j.rank, before=-1), depth),
        "after": j.read_all(after, depth),
        "added": j.read_all(j.added_up(j.cumulate(j.position)), depth),
        "both": j.read_all(j.added_up(j.hits * j.cut(3).hits, j.cut(3)), depth),
    }
    place = 0
    for topic, hits in enumerate(hits_of(j)):
        product, added, both = 1.0, 0.0, 0.0
        for rank in range(1, depth + 1):
            passed = [r for r, _ in hits if r <= rank]
            if rank in passed:
                assert before[place + len(passed) - 1] == product
                product *= 1 / (1 + rank)
            added += sum(passed)
            found = [r for r, grade in hits if r <= rank and grade >= 1]
            both += len(found) * len([r for r in found if r <= 3])
            assert read["latest"][topic, rank - 1] == (passed[-1] if passed else -1)
            assert read["after"][topic, rank - 1] == product
            assert read["added"][topic, rank - 1] == added
            assert read["both"][topic, rank - 1] == both
        assert (
            j.previous(j.rank, 0)[place : place + len(hits)].tolist()
            == [0, *(r for r, _ in hits)][: len(hits)]
        )
        place += len(hits)


@given(campaign=campaigns())
def test_the_first_hit_that_is_wanted_is_found_in_each_topic(campaign):
    j = judged_of(*campaign)
    found = j.at_first(j.grade > 1, j.rank * 10.0)
    for value, hits in zip(found, hits_of(j), strict=True):
        wanted = [rank * 10.0 for rank, grade in hits if grade > 1]
        assert value == wanted[0] if wanted else np.isnan(value)


@given(campaign=campaigns(), depth=st.integers(1, 20))
def test_a_collection_has_all_documents_retrieved_or_judged(campaign, depth):
    qrels, run = campaign
    j = judged_of(qrels, run)
    sizes = j.read_all(j.collection(None), depth)
    for size, (judged, docs) in zip(sizes, by_topic(qrels, run), strict=True):
        assert size.tolist() == [len(set(docs[:rank]) | set(judged)) for rank in range(1, depth + 1)]
    largest = max(len(set(docs) | set(judged)) for judged, docs in by_topic(qrels, run))
    assert (j.read_all(j.collection(largest), depth) == largest).all()
    with pytest.raises(MeasureError, match=f"docs={largest - 1} cannot be the number of documents"):
        j.collection(largest - 1)


@pytest.mark.parametrize("sizes", [[3, 0, 1], [2, 2, 2, 2, 2], [0], [7], [0, 5, 0, 4, 1]])
def test_products_run_from_one_in_each_topic_whichever_way_they_are_made(sizes):
    factors = np.random.default_rng(len(sizes)).random(sum(sizes))
    starts = np.concatenate(([0], np.cumsum(sizes)))
    made = Ranking(starts, np.arange(1, sum(sizes) + 1)).products(factors)
    for begin, end in itertools.pairwise(starts.tolist()):
        product = 1.0
        for at_hit in range(begin, end):
            product = factors[at_hit] if at_hit == begin else product * factors[at_hit]
            assert made[at_hit] == product
