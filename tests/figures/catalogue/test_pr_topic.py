"""Precision and recall of one topic, rank by rank."""

import pytest

import rankgauge
from figures.samples import campaign, curves, rows, views
from rankgauge import figures
from rankgauge.errors import OptionError


def test_the_saw_and_the_stairs_of_a_topic_follow_their_definitions():
    depth = 60
    result, (qrels, runs) = curves("P R InterpolatedP", depth), campaign()
    topic = result.topics[5]
    figure = figures.pr_topic(result, topic=topic)
    for run in result.runs:
        ranking = sorted(runs[run][topic], key=lambda d: (runs[run][topic][d], d.encode()), reverse=True)
        relevant = [qrels[topic].get(doc, 0) >= 1 for doc in ranking]
        base = sum(grade >= 1 for grade in qrels[topic].values())
        saw = {r["rank"]: (r["recall"], r["precision"]) for r in rows(figure, "saw") if r["run"] == run}
        for rank, (recall, precision) in saw.items():
            hits = sum(relevant[:rank])
            assert (recall, precision) == (hits / base, hits / rank)
        found_at = [rank for rank in range(1, depth + 1) if relevant[rank - 1]]
        assert {*found_at} | {rank - 1 for rank in found_at} - {0} | {1, depth} == saw.keys()
        stairs = [(r["rank"], r["precision"]) for r in rows(figure, "stairs") if r["run"] == run]
        assert [rank for rank, _ in stairs] == [0, *found_at]
        for rank, precision in stairs:
            later = range(max(rank, 1), len(ranking) + 1)
            assert precision == max(sum(relevant[:k]) / k for k in later)


def test_a_line_ends_at_the_last_document_retrieved():
    qrels = {"q": {"a": 1, "b": 1, "c": 1}, "p": {"a": 1}}
    runs = {"short": {"q": {"a": 3.0, "x": 2.0, "b": 1.0, "y": 0.5}}, "none": {"p": {"a": 1.0}}}
    result = rankgauge.curves(qrels, runs, "P R InterpolatedP", depth=1000)
    saw = [
        (r["rank"], r["precision"])
        for r in rows(figures.pr_topic(result, topic="q"), "saw")
        if r["run"] == "short"
    ]
    assert saw == [(1, 1.0), (2, 1 / 2), (3, 2 / 3), (4, 2 / 4)]
    assert not [r for r in rows(figures.pr_topic(result, topic="q"), "saw") if r["run"] == "none"]


@pytest.mark.parametrize("form", ["raw", "interpolated"])
def test_one_form_of_the_curve_is_drawn_alone(form):
    figure = figures.pr_topic(curves("P R InterpolatedP"), form=form)
    assert [*figure.data] == [{"raw": "saw", "interpolated": "stairs"}[form]]
    assert len([*views(figure.spec)]) == 1


def test_other_measures_are_refused_by_the_curve_of_a_topic():
    with pytest.raises(OptionError, match="takes P, R and InterpolatedP, not P, R"):
        figures.pr_topic(curves("P R"))
