"""Recall by sample analysis, against counting and against the exact distribution of samples."""

import math
from math import comb

import pytest

from rankgauge.errors import OptionError
from rankgauge.extensions.judging import estimate_recall
from rankgauge.extensions.judging.recall import interval


def chance(x, total, number, sampled):
    """The probability of x relevant documents in a sample, if `number` of all are relevant."""
    if x > number or sampled - x > total - number:
        return 0.0
    return comb(number, x) * comb(total - number, sampled - x) / comb(total, sampled)


def slow_interval(x, sampled, total, alpha):
    """All numbers of relevant documents with which neither x or more nor x or fewer is too unlikely."""
    kept = [
        number
        for number in range(x, total - (sampled - x) + 1)
        if sum(chance(y, total, number, sampled) for y in range(x, sampled + 1)) > alpha / 2 + 1e-12
        and sum(chance(y, total, number, sampled) for y in range(x + 1)) > alpha / 2 + 1e-12
    ]
    return min(kept), max(kept)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
@pytest.mark.parametrize(("sampled", "total"), [(0, 9), (1, 1), (5, 30), (12, 12), (11, 12), (20, 47)])
def test_the_interval_has_every_number_that_is_not_too_unlikely(sampled, total, alpha):
    for x in range(sampled + 1):
        assert interval(x, sampled, total, alpha) == slow_interval(x, sampled, total, alpha)


def collection(docs=400, relevant=60, retrieved=80, found=45):
    """(relevant documents, retrieved ones) of a collection of so many documents d0, d1, ..."""
    good = {f"d{n}" for n in range(relevant)}
    run = [f"d{n}" for n in range(found)] + [f"d{n}" for n in range(relevant, relevant + retrieved - found)]
    return good, run, [f"d{n}" for n in range(docs)]


def test_a_sample_of_everything_is_exact():
    good, run, docs = collection()
    judged = {"q": {doc: int(doc in good) for doc in docs}}
    (topic,) = estimate_recall(judged, judged, {"q": dict.fromkeys(run, 1.0)}, docs=400).topics
    assert (topic.found, topic.sampled, topic.relevant, topic.missed) == (45, 320, 15, 15.0)
    assert topic.recall == topic.low == topic.high == 45 / 60


def test_retrieved_documents_of_the_sample_are_not_counted_as_missed():
    sample = {"q": {"a": 2, "b": 2, "c": 0, "d": 0}}
    (topic,) = estimate_recall({"q": {"x": 1}}, sample, {"q": {"a": 1.0, "x": 0.5}}, docs=8, rel=2).topics
    assert (topic.retrieved, topic.found, topic.sampled, topic.relevant) == (2, 1, 3, 1)
    assert topic.missed == pytest.approx(6 / 3)
    assert topic.recall == pytest.approx(1 / 3)


def test_where_there_is_nothing_to_estimate_from_recall_is_undefined_or_open():
    run = {"q": {"a": 1.0}}
    (nothing,) = estimate_recall({"q": {"a": 0}}, {"q": {"b": 0}}, run, docs=10).topics
    assert math.isnan(nothing.recall)
    found = estimate_recall({"q": {"a": 1}}, {"q": {"a": 1}}, run, docs=10)
    (unsampled,) = found.topics
    assert unsampled.sampled == 0
    assert math.isnan(unsampled.recall)
    assert (unsampled.low, unsampled.high) == (0.1, 1.0)
    (rare,) = estimate_recall({"q": {"a": 1}}, {"q": dict.fromkeys("bcd", 0)}, run, docs=1000).topics
    assert rare.recall == rare.high == 1.0
    assert rare.low < 0.01  # three documents of a thousand say little


def test_findings_have_a_table_and_sentences():
    found = estimate_recall({"q": {"a": 1}}, {"q": {"b": 0, "c": 0}}, {"q": {"a": 1.0}}, docs=100)
    assert found.table("recall").headers[0] == "topic"
    assert "Mean recall of 1 topic: 1.0000" in found.sentences[0]
    assert "1 topic without a relevant document in the sample" in found.sentences[1]
    assert "95 % intervals" in repr(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"docs": 2}, r"docs=2 cannot be the number of documents .* 1 were retrieved and 2 others"),
        ({"docs": 0}, "docs must be a whole number from 1, not 0"),
        ({"docs": 9.5}, "docs must be a whole number"),
        ({"docs": 9, "level": 1}, "level must be between 0 and 1, such as 0.95, not 1"),
        ({"docs": 9, "level": float("nan")}, "level must be between"),
        ({"docs": 9, "rel": "1"}, "rel must be a grade, not '1'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(OptionError, match=message):
        estimate_recall({"q": {"a": 1}}, {"q": {"b": 0, "c": 0}}, {"q": {"a": 1.0}}, **options)


@pytest.mark.parametrize(("qrels", "sample"), [(0, 1), (1, 0)])
def test_either_judgment_makes_a_retrieved_document_relevant(qrels, sample):
    (topic,) = estimate_recall({"q": {"d": qrels}}, {"q": {"d": sample}}, {"q": {"d": 1.0}}, docs=5).topics
    assert topic.found == 1
