"""Figures of precision and recall."""

import itertools
import math

import pytest

import rankgauge
from extensions.pages.figures.samples import campaign, curves, drawn, results, rows
from rankgauge import figures
from rankgauge.extensions.pages.figures.catalogue.precision_recall import equal_f
from rankgauge.extensions.pages.figures.laws import encodings


def test_averaged_precision_is_that_of_the_levels():
    result = results("pr")
    for row in rows(drawn("pr")):
        level = f"IPrec@{row['recall']:g}"
        assert row["precision"] == result.mean()[row["run"]][level]
    assert len(rows(drawn("pr"))) == 11 * len(result.runs)


def test_relevance_levels_stand_side_by_side():
    result = rankgauge.evaluate(*campaign(), "IPrec@0,1 IPrec(rel=2)@0,1")
    figure = figures.pr(result)
    assert figure.data.keys() == {"levels 1", "levels 2"}
    (first, *_) = [row for row in rows(figure, "levels 2") if row["run"] == "bm25"]
    assert first["precision"] == result.mean()["bm25"]["IPrec(rel=2)@0"]
    titles = [encoding["y"]["title"] for _, encoding in encodings(figure.spec)]
    assert titles == ["IPrec", "IPrec(rel=2)"]


@pytest.mark.parametrize("beta", [0.5, 1.0, 2.0])
def test_along_a_line_of_equal_f_the_harmonic_mean_is_the_same(beta):
    figure = drawn("pr-scatter", beta=beta)
    alpha = 1 / (1 + beta**2)
    table = rows(figure, "equal F")
    assert {row["F"] for row in table} == {i / 10 for i in range(1, 10)}
    for row in table:
        assert 0 <= row["recall"] <= 1
        assert 0 <= row["precision"] <= 1
        assert 1 / (alpha / row["precision"] + (1 - alpha) / row["recall"]) == pytest.approx(row["F"])
    for row in rows(figure, "ends"):
        assert 1 / (alpha / row["precision"] + (1 - alpha)) == pytest.approx(row["F"])


@pytest.mark.parametrize("beta", [0.1, 0.5, 1.0, 2.0, 10.0])
def test_a_line_of_equal_f_has_no_visible_kinks(beta):
    for f in (0.1, 0.5, 0.9):
        points = equal_f(f, beta)
        assert points[0][1] == pytest.approx(1)
        assert points[-1][0] == pytest.approx(1)
        directions = [math.atan2(y2 - y1, x2 - x1) for (x1, y1), (x2, y2) in itertools.pairwise(points)]
        assert max(abs(b - a) for a, b in itertools.pairwise(directions)) < math.radians(9)


def test_points_of_precision_and_recall_are_means_or_values_of_topics():
    result = results("pr-scatter")
    for row in rows(drawn("pr-scatter"), "points"):
        assert {"R@10": row["x"], "P@10": row["y"]} == result.mean()[row["run"]]
    values = result.to_dict()
    points = rows(drawn("pr-scatter", of="topics"), "points")
    assert len(points) == len(result.runs) * len(result.topics)
    for row in points:
        own = values[row["run"]]
        assert (row["x"], row["y"]) == (own["R@10"][row["topic"]], own["P@10"][row["topic"]])


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
    assert len([*encodings(figure.spec)]) == 1
