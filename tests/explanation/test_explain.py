"""Explanations: every number in them is one that evaluation would give, for every measure of the registry."""

import inspect
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgauge
from cases import (
    campaigns,
    cutoffs,
    evaluate,
    few_for_each_measure,
    identical,
    judged_for,
    levels_of,
    seeds,
    settings_of,
    written,
)
from rankgauge.errors import InputError, MeasureError
from rankgauge.measures import MEASURES, parse
from rankgauge.model.output.documents import document_lines
from twins.order import condensed, in_order

NAMES = list(MEASURES)


def evaluated(qrels, run, topic, *texts, **options):
    """The values that evaluation has for one topic, at one go."""
    scores = evaluate(qrels, run, texts, **options)
    values = scores.values[..., scores.topics.index(topic)].ravel().tolist()
    return values if len(values) > 1 else values[0]


def explained(name, campaign, seed, cutoff):
    """(explanation, measure, judgments, documents in order) of one topic, under the settings of a seed."""
    qrels, run = campaign
    spec = MEASURES[name]
    text = written(name, settings_of(spec, seed, levels_of(qrels)), cutoff if spec.curve else None)
    topic = sorted(qrels)[seed % len(qrels)]
    found = rankgauge.explain(judged_for(qrels, text), run, topic=topic, measure=text)
    return found, parse(text), qrels[topic], in_order(run.get(topic, {}))


def ranked(docs):
    """Scores that put documents in this order."""
    return {doc: float(len(docs) - place) for place, doc in enumerate(docs)}


def scored(docs, results, spec):
    """These documents in the places of those of a run, with their scores if a measure needs them."""
    if not spec.needs.ties_or_scores:
        return ranked(docs)
    return {doc: results[old] for doc, old in zip(docs, in_order(results), strict=True)}


@pytest.mark.parametrize("name", NAMES)
@few_for_each_measure
@given(campaign=campaigns(), seed=seeds(), cutoff=cutoffs())
def test_an_explanation_has_the_value_of_evaluate_and_every_judged_document(name, campaign, seed, cutoff):
    found, measure, judged, docs = explained(name, campaign, seed, cutoff)
    spec = MEASURES[name]
    assert identical(found.value, evaluated(*campaign, found.topic, measure))
    assert found.measure == str(measure)
    assert found.definition["title"] == spec.title
    assert found.definition["source"] == spec.cite

    seen = docs
    if measure.settings.get("judged_only"):
        seen = condensed(docs, judged, measure.negatives)
    read = seen[: measure.cutoff]
    shown = [(step.first, step.rank, step.document, step.grade) for step in found.steps if step.document]
    every_rank = spec.curve or spec.shows.columns  # otherwise only the judged ones are shown
    assert shown == [
        (place, docs.index(doc) + 1, doc, judged.get(doc))
        for place, doc in enumerate(read, 1)
        if every_rank or doc in judged
    ]
    graded = [step for step in found.steps if step.grade is not None]
    assert all(step.relevant == measure.is_relevant(step.grade) for step in graded)
    assert all(step.loss is None for step in found.steps if step.grade is None)
    assert [step.retrieved for step in found.steps] == [step.first <= len(seen) for step in found.steps]
    if spec.curve:  # every rank once, to the one at which the measure is read
        ends = [0, *(step.last for step in found.steps)]
        assert [step.first for step in found.steps] == [end + 1 for end in ends[:-1]]

    relevant = {doc for doc, grade in judged.items() if measure.is_relevant(float(grade))}
    assert {m.document for m in found.missed} == relevant - set(read)
    for missed in found.missed:
        assert missed.rank == (docs.index(missed.document) + 1 if missed.document in docs else None)
    worth = [measure.worth(missed.grade, levels_of(campaign[0])) for missed in found.missed]
    assert worth == sorted(worth, reverse=True)

    assert str(measure) not in found.variants
    assert [str(parse(text)) for text in found.variants] == list(found.variants)
    if found.variants:
        values = np.atleast_1d(evaluated(*campaign, found.topic, *found.variants))
        assert identical(list(found.variants.values()), values)

    [ranking] = [section for section in found.document(limit=2).sections if section.title == "Rank by rank"]
    assert ranking.table is None or len(ranking.table.rows) <= 3
    assert repr(found).startswith(f"{measure} of run run for topic {found.topic} is ")
    assert spec.formula in repr(found)
    assert "<h" not in found._repr_html_()  # a heading would be in the outline of the notebook
    record = json.loads(json.dumps(found.as_dict(), allow_nan=False))
    assert (record["value"] is None) == math.isnan(found.value)
    assert len(record["steps"]) == len(found.steps)

    if spec.curve:  # the value of a step is that of the measure with its cutoff there
        bare = parse(written(name, settings_of(spec, seed, levels_of(campaign[0]))))
        steps = [step for step in found.steps if step.last < 10**9]  # some measures have no last rank
        if steps:
            values = evaluated(*campaign, found.topic, *(f"{bare}@{step.last}" for step in steps))
            assert identical([step.value for step in steps], np.atleast_1d(values))
        if found.steps:
            assert identical(found.steps[-1].value, found.value)
            defined = [step.change for step in found.steps if not math.isnan(step.value)]
            if len(defined) == len(found.steps):
                begin = found.steps[0].value - found.steps[0].change
                assert begin + math.fsum(defined) == pytest.approx(found.value, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
@few_for_each_measure
@given(campaign=campaigns(most=1), seed=seeds(), cutoff=cutoffs())
def test_losses_and_bounds_are_the_values_with_other_documents_judged(name, campaign, seed, cutoff):
    found, measure, judged, docs = explained(name, campaign, seed, cutoff)
    steps = [step for step in found.steps if step.grade is not None]
    if steps:
        others = [["unjudged" if doc == step.document else doc for doc in docs] for step in steps]
        results = campaign[1][found.topic]
        runs = {
            str(n): {found.topic: scored(ranking, results, measure.spec)} for n, ranking in enumerate(others)
        }
        without = np.atleast_1d(evaluated(campaign[0], runs, found.topic, measure))
        assert identical([step.loss for step in steps], [found.value - value for value in without.tolist()])

    condenses = measure.settings.get("judged_only")
    read = docs if condenses else docs[: measure.cutoff]
    unjudged = [doc for doc in read if doc not in judged]
    assert found.unjudged == len(unjudged)
    assert found.read == len(read)
    as_they_are, zero, *others = found.bounds.values()
    (best,) = others or (zero,)  # one line if no grade is above 0
    assert identical(as_they_are, found.value)
    spec = measure.spec
    run = {found.topic: scored(docs, campaign[1][found.topic], spec)} if docs else campaign[1]
    for grade, value in ((0, zero), (max(levels_of(campaign[0])), best)):
        new = dict.fromkeys(unjudged, grade)
        qrels = {found.topic: judged | new}
        if spec.needs.subtopics:  # they are of this grade for every subtopic
            known = judged_for({found.topic: judged}, measure)[found.topic]
            qrels = {found.topic: {subtopic: docs | new for subtopic, docs in known.items() if docs}}
        unknown = spec.needs.scores and unjudged and math.isnan(value)  # those of unjudged documents
        again = rankgauge.evaluate(qrels, run, measure)
        assert unknown or identical(value, float(again.values[0, 0, again.topics.index(found.topic)]))


@pytest.mark.parametrize("name", NAMES)
def test_the_variants_and_columns_that_a_measure_names_can_be_had(name):
    spec = MEASURES[name]
    for text in spec.variants:
        assert parse(text)
    parameters = {parameter.name for parameter in spec.parameters}
    for function in spec.shows.columns.values():
        assert set(list(inspect.signature(function).parameters)[1:]) <= parameters
    assert not set(spec.shows.columns) & {"rank", "document", "grade", "relevant", "gain", "discount"}
    assert not set(spec.shows.columns) & {"value", "change", "ideal", "loss"}


QRELS = {"q": {"a": 2, "b": 0, "c": 1, "z": 3}}
RUN = {"q": {"u": 9.0, "a": 8.0, "v": 7.0, "b": 6.0, "c": 5.0}}


def test_ndcg_shows_gains_discounts_and_both_sums():
    found = rankgauge.explain(QRELS, RUN, topic="q", measure="nDCG@4")
    table = next(section.table for section in found.document().sections if section.title == "Rank by rank")
    headers = ["rank", "document", "grade", "gain", "discount", "DCG", "ideal DCG", "value", "change", "loss"]
    assert list(table.headers) == headers
    ideal = 3 + 2 / math.log2(3) + 1 / 2
    assert found.value == 2 / math.log2(3) / ideal
    step = found.steps[1]
    assert (step.document, step.gain, step.discount) == ("a", 2, math.log2(3))
    assert step.columns == {"DCG": 2 / math.log2(3), "ideal DCG": 3 + 2 / math.log2(3)}
    assert step.loss == found.value
    assert [missed.document for missed in found.missed] == ["z", "c"]
    assert [missed.rank for missed in found.missed] == [None, 5]
    assert {"nDCG(base=2)@4", "nDCG(base=10)@4", "nDCG(gains=exp2)@4", "nDCG"} <= set(found.variants)


def test_average_precision_adds_the_precision_at_each_relevant_document():
    found = rankgauge.explain(QRELS, RUN, topic="q", measure="AP")
    relevant = [step for step in found.steps if step.relevant]
    assert [step.columns["precision"] for step in relevant] == [1 / 2, 2 / 5]
    assert [step.change for step in relevant] == pytest.approx([1 / 2 / 3, 2 / 5 / 3])
    assert found.variants["AP(rel=2)"] == 1 / 2 / 2


def test_only_relevant_documents_have_a_gain_where_the_measure_asks_for_relevance():
    found = rankgauge.explain(QRELS, RUN, topic="q", measure="Q(rel=2)")
    gains = {step.document: step.gain for step in found.steps}
    assert gains == {"u": None, "a": 2, "v": None, "b": 0, "c": 0}
    assert found.definition["worth"] == "grade 0: 0, grade 1: 0, grade 2: 2, grade 3: 3"


def test_unjudged_documents_are_named():
    found = rankgauge.explain(QRELS, RUN, topic="q", measure="nDCG@4")
    unjudged = [step for step in found.steps if step.grade is None]
    assert [(step.rank, step.document) for step in unjudged] == [(1, "u"), (3, "v")]
    table = next(section.table for section in found.document().sections if section.title == "Rank by rank")
    grades = {row[1]: row[2] for row in table.rows}
    assert math.isnan(grades["u"])
    assert math.isnan(grades["v"])
    assert grades["a"] == 2
    assert "A document without a grade is not judged." in repr(found)
    assert "without a grade" not in repr(rankgauge.explain(QRELS, {"q": {"a": 1.0}}, topic="q", measure="P"))


def test_tied_documents_are_named_in_the_order_of_evaluation():
    run = {"q": {"u": 1.0, "a": 1.0, "v": 1.0}}
    for ties, expected in (("docid_desc", "vua"), ("docid_asc", "auv"), ("input", "uav")):
        found = rankgauge.explain(QRELS, run, topic="q", measure="P@3", ties=ties)
        assert "".join(step.document for step in found.steps) == expected


def test_a_condensed_ranking_shows_both_ranks():
    found = rankgauge.explain(QRELS, RUN, topic="q", measure="P(judged_only=true)@3")
    assert [(step.first, step.rank) for step in found.steps] == [(1, 2), (2, 4), (3, 5)]
    assert "1 (was 2)  a" in repr(found)
    assert found.unjudged == 2


def test_a_long_ranking_is_cut_and_the_rest_is_summarised():
    docs = [f"d{i:03}" for i in range(300)]
    qrels, run = {"q": dict.fromkeys(docs, 1)}, {"q": ranked(docs)}
    found = rankgauge.explain(qrels, run, topic="q", measure="R@250")
    shown = repr(found)
    assert "21–250  (230 more lines)" in shown
    assert "50 documents retrieved below the cutoff; the first 20 of them:" in shown
    assert f"{230 / 300:.4f}" in shown.split("(230 more lines)")[1].splitlines()[0]
    assert len(found.steps) == 250


def test_neighbours_that_make_no_difference_share_a_line_of_a_long_table():
    docs = [f"d{i:03}" for i in range(60)]
    qrels = {"q": {doc: int(doc.endswith("9")) for doc in docs[::3]}}
    found = rankgauge.explain(qrels, {"q": ranked(docs)}, topic="q", measure="AP")
    table = next(section.table for section in found.document().sections if section.title == "Rank by rank")
    lines = {row[0]: row[1] for row in table.rows}
    assert lines == {"1–9": "(9 without loss)", "10": "d009", "11–39": "(29 without loss)", "40": "d039"} | {
        "41–60": "(20 without loss)"
    }
    assert len(found.steps) > 20


def test_a_cutoff_far_past_the_end_costs_nothing():
    found = rankgauge.explain(QRELS, RUN, topic="q", measure="P@999999999")
    assert found.steps[-1].last == 999_999_999
    assert "6–999999999  (nothing retrieved)" in repr(found)


def test_a_topic_without_results_is_explained():
    qrels = QRELS | {"empty": {"a": 1}}
    shown = repr(rankgauge.explain(qrels, RUN, topic="empty", measure="AP"))
    assert shown.startswith("AP of run run for topic empty is 0.0000")
    assert "The run has no results for this topic." in shown
    assert "1 document not retrieved" in shown


def test_ties_between_documents_with_different_judgments_are_reported():
    run = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}}
    assert "1 tie of documents with different judgments, broken by ties=docid_desc" in repr(
        rankgauge.explain(QRELS, run, topic="q", measure="AP")
    )
    first = rankgauge.explain(QRELS, run, topic="q", measure="AP", ties="docid_asc").steps[0]
    assert first.document == "a"


def test_an_undefined_value_is_shown_as_undefined():
    found = rankgauge.explain({"q": {"a": 0}}, {"q": {"a": 1.0}}, topic="q", measure="AP")
    assert "is undefined" in repr(found).splitlines()[0]
    assert found.as_dict()["value"] is None


def test_ids_with_markup_or_control_characters_do_no_harm():
    nasty = "<script>alert(1)</script>&\x1b[31m|*"
    found = rankgauge.explain(
        {nasty: {nasty: 1, "b": 1}}, {nasty: {nasty: 2.0}}, topic=nasty, measure="nDCG@5"
    )
    assert "<script>" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()
    assert "\x1b" not in repr(found)
    assert found.steps[0].document == nasty


def test_topics_may_be_given_as_they_are_in_the_input():
    assert rankgauge.explain({7: {"a": 1}}, {7: {"a": 1.0}}, topic=7, measure="AP").topic == "7"
    assert (
        rankgauge.explain({b"\xff": {"a": 1}}, {b"\xff": {"a": 1.0}}, topic=b"\xff", measure="AP").value == 1
    )


@pytest.mark.parametrize(
    ("run", "topic", "measure", "error", "message"),
    [
        (RUN, "Q", "AP", InputError, r"no judged topic named 'Q'.*did you mean q\?"),
        ({"a": RUN, "b": RUN}, "q", "AP", InputError, "one run is explained at a time; these are 2"),
        (RUN, "q", "AP RR", MeasureError, None),
    ],
)
def test_another_topic_and_several_runs_or_measures_are_errors(run, topic, measure, error, message):
    with pytest.raises(error, match=message):
        rankgauge.explain(QRELS, run, topic=topic, measure=measure)


@given(campaign=campaigns(), ties=st.sampled_from(["docid_desc", "docid_asc", "input"]))
def test_the_options_are_those_of_evaluate(campaign, ties):
    qrels, run = campaign
    rules = {"ties": ties, "score_precision": "single"}
    for topic in qrels:
        found = rankgauge.explain(qrels, run, topic=topic, measure="nDCG", **rules)
        assert identical(found.value, evaluated(qrels, run, topic, "nDCG", **rules))
        assert found.definition["score_precision"].startswith("single (")
        assert found.definition["ties"].startswith(ties)


@pytest.mark.parametrize("measure", ["RBP", "nDCG", "IDCG@5"])
def test_a_ranking_without_relevant_documents_is_one_line_if_it_is_long(measure):
    judged = {"rel": 1, **{f"d{n:02}": 0 for n in range(60)}}
    run = {doc: float(-rank) for rank, doc in enumerate(judged) if doc != "rel"}
    found = rankgauge.explain({"q": judged}, {"q": run}, topic="q", measure=measure)
    assert "without loss)" in "\n".join(document_lines(found.document(limit=2)))


def test_the_measure_may_be_the_third_argument():
    qrels, run = {"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}
    assert (
        rankgauge.explain(qrels, run, "RR@5").value
        == rankgauge.explain(qrels, run, measure="RR@5").value
        == 0.5
    )
