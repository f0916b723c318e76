"""The worked example of the paper on α-nDCG: instances, explanations, figures."""

import math

import pytest

import rankgauge
from rankgauge.extensions.studies.simulation import examples


def test_graded_measures_count_instances_if_nuggets_are_their_grades():
    """At alpha = 0, alpha-nDCG is nDCG with the number of nuggets as the grade (Clarke et al. 2008, 5.2)."""
    example = examples.load("clarke-2008")
    counts = {}
    for judged in example.subtopics["85"].values():
        for doc in judged:
            counts[doc] = counts.get(doc, 0) + 1
    for run in example.runs.values():
        novel = rankgauge.curves(example.subtopics, run, "alpha_nDCG(alpha=0) alpha_CG(alpha=0)", depth=10)
        graded = rankgauge.curves({"85": counts}, run, "nDCG CG", depth=10)
        assert novel.values.tolist() == graded.values.tolist()
        recall = rankgauge.curves({"85": counts}, run, "gR", depth=10).values[0, 0, 0]
        found = rankgauge.curves(example.subtopics, run, "alpha_CG(alpha=0)", depth=10).values[0, 0, 0]
        assert (found / sum(counts.values())).tolist() == recall.tolist()  # instance recall


def test_explain_shows_new_and_repeated_subtopics_and_those_of_the_ideal():
    example = examples.load("clarke-2008")
    found = rankgauge.explain(example.subtopics, example.runs["bm25"], topic="85", measure="alpha_nDCG@8")
    rows = {
        step.document: [(n.name, n.seen, n.worth) for n in step.subtopics]
        for step in found.steps
        if step.document
    }
    assert rows["a"] == [("85.2", 0, 1.0), ("85.4", 0, 1.0)]
    assert rows["c"] == [("85.2", 2, 0.25)]
    assert rows["e"] == [("85.1", 0, 1.0), ("85.6", 0, 1.0)]
    shown = [step.ideal_document for step in found.steps]
    assert shown == ["a", "e", "g", "b", "f", "c", "h", None]
    text = repr(found)
    assert "85.2 (seen 2×, 0.25)" in text
    assert "e: 85.1 (new, 1), 85.6 (new, 1)" in text
    exact = rankgauge.explain(
        example.subtopics, example.runs["bm25"], topic="85", measure="alpha_nDCG(gamma=0.5)@2"
    )
    assert [n.worth for n in exact.steps[1].subtopics] == [0.5 * 0.5 * 0.5]
    plain = rankgauge.explain(example.subtopics, example.runs["bm25"], topic="85", measure="StRecall@8")
    assert plain.steps[0].subtopics[0].worth is None


def test_figures_of_the_paper_can_be_had_for_its_example():
    example = examples.load("clarke-2008")
    campaign = rankgauge.studies.Campaign(example.subtopics, example.runs)
    found = rankgauge.studies.reversed_ideal(campaign, values=[0, 0.5], depth=7)
    rows = found.tables["ranks"].rows
    assert [row[2] for row in rows] == pytest.approx(
        [
            0.5,
            0.40328679819136,
            0.48259773480072,
            0.51061155743355,
            0.57968684135377,
            0.67209688153879,
            0.75514035822486,
        ]
    )
    gains = rankgauge.studies.alpha(campaign, baseline="ideal", values=[0.5], depths=[3]).tables["gains"].rows
    assert [(row[0], round(row[4], 3), round(row[5], 1)) for row in gains] == [
        ("bm25", 0.649, -35.1),
        ("by-number", 0.934, -6.6),
    ]
    assert all(math.isnan(row[6]) for row in gains)  # one topic leaves nothing to test
