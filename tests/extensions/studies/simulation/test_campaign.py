"""What a simulated campaign looks like."""

import itertools
import statistics

import pytest

from rankgauge.errors import OptionError
from rankgauge.extensions.studies.simulation import simulate


def ndcg10(qrels, run):
    """A plain nDCG@10, good enough to see which system is better."""
    from math import log2

    values = []
    for topic, judged in qrels.items():
        order = sorted(run.get(topic, {}), key=lambda d: -run[topic][d])[:10]
        ideal = sorted(judged.values(), reverse=True)[:10]
        best = sum(g / log2(i + 2) for i, g in enumerate(ideal))
        values.append(
            sum(judged.get(d, 0) / log2(i + 2) for i, d in enumerate(order)) / best if best else 0.0
        )
    return values


@pytest.fixture(scope="module")
def campaign():
    return simulate(topics=60, depth=200, systems=6, seed=3)


@pytest.fixture(scope="module")
def qrels(campaign):
    return campaign.qrels_dict()


@pytest.fixture(scope="module")
def runs(campaign):
    return {name: campaign.run_dict(name) for name in campaign.systems}


def test_a_campaign_has_the_topics_documents_and_systems_asked_for(campaign, qrels, runs):
    assert campaign.systems == ["bm25", "dense", "hybrid", "rerank", "rm3", "rewrite"]
    assert len(campaign.topics) == 60
    assert list(qrels) == campaign.topics
    for run in runs.values():
        assert list(run) == campaign.topics
        assert {len(documents) for documents in run.values()} == {200}


def test_systems_beyond_the_styles_are_numbered_variants():
    assert simulate(systems=14).systems[6:8] == ["bm25-2", "dense-2"]
    assert simulate(systems=14).systems[-2:] == ["bm25-3", "dense-3"]


def test_the_number_of_relevant_documents_is_skewed(qrels):
    relevant = [sum(grade > 0 for grade in judged.values()) for judged in qrels.values()]
    assert min(relevant) >= 1
    assert statistics.mean(relevant) > 1.15 * statistics.median(relevant)
    assert max(relevant) > 3 * statistics.median(relevant)


def test_few_documents_have_the_highest_grade(qrels):
    grades = [grade for judged in qrels.values() for grade in judged.values()]
    counts = [grades.count(grade) for grade in range(4)]
    assert counts == sorted(counts, reverse=True)
    assert 0.08 < counts[3] / sum(counts[1:]) < 0.25


def test_about_as_many_documents_are_judged_as_asked(qrels):
    assert statistics.mean(map(len, qrels.values())) == pytest.approx(200, rel=0.15)


def test_sparse_judgments_are_a_relevant_document_and_nothing_else():
    judged = simulate(topics=2000, depth=10, judged=1.1, grades=1).qrels_dict().values()
    assert {grade for documents in judged for grade in documents.values()} == {1}
    assert {len(documents) for documents in judged} == {1, 2}
    assert statistics.mean(map(len, judged)) == pytest.approx(1.1, abs=0.03)


def test_the_judgments_are_a_pool_of_what_stands_near_the_top(qrels, runs):
    for run in runs.values():
        near = deep = 0
        for topic, scores in run.items():
            order = list(scores)
            near += sum(document in qrels[topic] for document in order[:10])
            deep += sum(document in qrels[topic] for document in order[-10:])
        assert 0.85 < near / 600 < 1.0
        assert deep < near / 2


def test_more_documents_near_the_top_are_unjudged_when_asked():
    def judged_at_10(unjudged):
        made = simulate(topics=40, depth=100, systems=1, unjudged=unjudged)
        qrels, run = made.qrels_dict(), made.run_dict("bm25")
        return sum(document in qrels[topic] for topic in run for document in list(run[topic])[:10]) / 400

    assert judged_at_10(0.0) > 0.99
    assert judged_at_10(0.4) == pytest.approx(0.6, abs=0.1)


def test_systems_differ_in_quality_and_style(qrels, runs):
    values = {name: ndcg10(qrels, run) for name, run in runs.items()}
    mean = {name: statistics.mean(v) for name, v in values.items()}
    assert mean["rerank"] > mean["hybrid"] > mean["bm25"]
    assert all(0.1 < value < 0.9 for value in mean.values())
    spread = {name: statistics.stdev(v) for name, v in values.items()}
    assert spread["rewrite"] == max(spread.values())

    def found(name):
        return sum(grade > 0 and d in runs[name][t] for t in qrels for d, grade in qrels[t].items())

    assert found("rm3") > found("bm25")


def test_scores_fall_and_have_the_scale_of_their_style(runs):
    for run in runs.values():
        for scores in run.values():
            assert all(a >= b for a, b in itertools.pairwise(scores.values()))
    first = {
        name: statistics.mean(next(iter(s.values())) for s in run.values()) for name, run in runs.items()
    }
    assert 15 < first["bm25"] < 35
    assert 0.7 < first["dense"] < 1
    assert any(score < 0 for scores in runs["rerank"].values() for score in scores.values())


@pytest.mark.parametrize("ties", [0.0, 0.05, 0.5, 1.0])
def test_the_share_of_ties_is_as_asked(ties):
    run = simulate(topics=20, depth=500, systems=1, ties=ties).run_dict("bm25")
    tied = sum(a == b for s in run.values() for a, b in itertools.pairwise(s.values()))
    assert tied / (20 * 499) == pytest.approx(ties, abs=0.02 if 0 < ties < 1 else 0)


def test_missing_topics_and_short_lists_are_as_frequent_as_asked():
    made = simulate(topics=400, depth=20, systems=1, missing=0.1, short=0.25)
    run = made.run_dict("bm25")
    assert 400 - len(run) == pytest.approx(40, abs=20)
    lengths = [len(scores) for scores in run.values()]
    assert sum(length < 20 for length in lengths) / len(lengths) == pytest.approx(0.25, abs=0.07)
    assert min(lengths) >= 1


def test_subtopics_are_graded_and_the_best_of_them_is_the_grade():
    made = simulate(topics=30, depth=50, subtopics=5)
    qrels, subtopics = made.qrels_dict(), made.subtopics_dict()
    assert list(subtopics) == list(qrels)
    for topic, judged in qrels.items():
        assert list(subtopics[topic]) == [str(number) for number in range(1, len(subtopics[topic]) + 1)]
        assert 3 <= len(subtopics[topic]) <= 5
        for document, grade in judged.items():
            assert max(grades[document] for grades in subtopics[topic].values()) == grade
    several = [
        sum(grades[document] > 0 for grades in subtopics[topic].values())
        for topic, judged in qrels.items()
        for document, grade in judged.items()
        if grade > 0
    ]
    assert 1.2 < statistics.mean(several) < 3


def test_one_topic_of_one_document_makes_a_campaign():
    made = simulate(topics=1, depth=1, systems=6, judged=1.0, grades=1)
    assert [len(made.run_dict(name)["101"]) for name in made.systems] == [1] * 6


def test_a_part_does_not_depend_on_the_rest():
    small, large = simulate(topics=5, depth=50, systems=2), simulate(topics=700, depth=50, systems=8)
    assert small.run_dict("dense") == {t: s for t, s in large.run_dict("dense").items() if t in small.topics}
    assert small.qrels_dict() == {t: j for t, j in large.qrels_dict().items() if t in small.topics}


def test_ids_have_one_width_and_sort_like_their_topics():
    topics = simulate(topics=5000).topics
    assert {len(topic) for topic in topics} == {7}
    assert topics == sorted(topics)
    run = simulate(topics=2, depth=50, systems=1).run_dict("bm25")
    assert {len(document) for scores in run.values() for document in scores} == {17}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("topics", 0, "topics must be a whole number from 1 to 5,000,000, not 0"),
        ("depth", 2.5, "depth must be a whole number from 1 to 1,000,000, not 2.5"),
        ("systems", "5", "systems must be a whole number from 1 to 10,000, not '5'"),
        ("judged", float("nan"), "judged must be a number from 0.1 to 100,000, not nan"),
        ("ties", 1.5, "ties must be a number from 0 to 1, not 1.5"),
        ("unjudged", 1, "unjudged must be a number from 0 to 0.9, not 1"),
        ("grades", True, "grades must be a whole number from 1 to 9, not True"),
        ("seed", -1, "seed must be a whole number from 0 to"),
    ],
)
def test_a_size_out_of_range_is_refused(option, value, message):
    with pytest.raises(OptionError, match=message):
        simulate(**{option: value})


def test_an_unknown_system_is_refused_with_the_nearest():
    with pytest.raises(OptionError, match="'bm52' \\(did you mean bm25"):
        simulate().run_dict("bm52")
