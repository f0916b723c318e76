"""Samples of judgments: their sizes, that they are nested, that they depend on the seed alone."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cases
import rankgauge
from extensions.judging import slow
from rankgauge.campaigns.downsampling import Strata
from rankgauge.errors import OptionError
from rankgauge.extensions.judging import downsample

GOLDEN = Path(__file__).parents[2] / "golden" / "downsample.json"
PERCENT = (90, 70, 50, 30, 10)


def judged_topics():
    """{topic: {document: grade}} with many documents of few grades."""
    docs = st.dictionaries(
        st.sampled_from([f"d{n}" for n in range(60)]), st.sampled_from([-2, 0, 0, 1, 2, 2.5]), min_size=1
    )
    return st.dictionaries(st.sampled_from(["t1", "t10", "t2"]), docs, min_size=1)


def by_grade(qrels):
    """{(topic, grade): documents}; all that is not relevant has grade 0."""
    return {
        (topic, grade): docs for topic, judged in qrels.items() for grade, docs in slow.strata(judged).items()
    }


@pytest.mark.parametrize("case", json.loads(GOLDEN.read_text()), ids=lambda case: case["id"])
def test_samples_have_the_sizes_of_the_definition(case):
    judged = {doc: int(grade) for grade, docs in case["shuffled"].items() for doc in docs}
    for percent, sizes in case["expected"]["floor"].items():
        sample = downsample({"t": judged}, int(percent), seed=5).to_dict()["t"]
        kept = {grade: sum(g == int(grade) for g in sample.values()) for grade in case["shuffled"]}
        assert kept == sizes


@given(judged_topics(), st.integers(0, 99), st.sampled_from([0.5, 10, 28.9, 29, 30, 50, 70, 90, 99.9, 100]))
def test_a_sample_has_so_many_of_each_topic_and_grade(judged, seed, percent):
    sample = downsample(judged, percent, seed=seed).to_dict()
    assert all(sample[t][doc] == judged[t][doc] for t in sample for doc in sample[t])
    sizes = {stratum: len(docs) for stratum, docs in by_grade(sample).items()}
    assert sizes == {
        (topic, grade): slow.sample_size(percent, len(docs), grade > 0)
        for (topic, grade), docs in by_grade(judged).items()
    }


@given(judged_topics(), st.integers(0, 99))
def test_samples_of_one_shuffle_are_nested_and_the_whole_is_the_pool(judged, seed):
    larger = by_grade(judged)
    assert downsample(judged, 100, seed=seed).to_dict() == rankgauge.Qrels.of(judged).to_dict()
    for percent in PERCENT:
        smaller = by_grade(downsample(judged, percent, seed=seed).to_dict())
        assert all(docs <= larger[stratum] for stratum, docs in smaller.items())
        larger = smaller


@given(cases.campaigns(), st.integers(0, 99))
def test_the_order_of_lines_and_topics_does_not_show(campaign, seed):
    judged, _ = campaign
    mixed = {
        topic: dict(random.Random(seed).sample(list(docs.items()), len(docs)))
        for topic, docs in reversed(judged.items())
    }
    sample = downsample(judged, 50, seed=seed)
    assert downsample(mixed, 50, seed=seed).to_dict() == sample.to_dict()


def test_seeds_and_shuffles_are_different_samples():
    judged = {"t": {f"d{n}": 1 for n in range(100)}}
    samples = [
        frozenset(downsample(judged, 50, seed=seed, shuffle=shuffle).to_dict()["t"])
        for seed in range(4)
        for shuffle in range(4)
    ]
    assert len({*samples}) == 16


def test_a_sample_tells_how_it_was_drawn():
    sample = downsample(rankgauge.Qrels.of({"t": {"d": 1}}, name="dl21"), 12.5, seed=3, shuffle=4)
    assert sample.name == "dl21, 12.5%, seed 3, shuffle 4"


def test_every_document_is_as_likely_as_any_other():
    qrels = rankgauge.Qrels.of({"t": {f"d{n}": 2 for n in range(20)}})
    times = sum(Strata.shuffled(qrels, 3, shuffle).sample(30).astype(int) for shuffle in range(2000))
    # 600 times each on average; 20.5 is the standard deviation, and 5 of them the bound.
    assert times.sum() == 12000
    assert abs(times - 600).max() < 103


def test_shares_are_taken_as_they_are_written():
    # 0.29 · 100 is 28.999999999999996 in doubles.
    assert len(downsample({"t": {f"d{n}": 1 for n in range(100)}}, 29)) == 29
    assert len(downsample({"t": {f"d{n}": 1 for n in range(1000)}}, 1.1)) == 11


@pytest.mark.parametrize(
    ("percent", "seed", "message"),
    [
        *(
            (percent, 0, "percent must be above 0 and at most 100")
            for percent in (0, -1, 100.5, "50", True, float("nan"), float("inf"), None)
        ),
        *((50, seed, "seed must be a whole number") for seed in (-1, 0.5, "1", None)),
    ],
)
def test_wrong_shares_and_seeds_are_refused(percent, seed, message):
    with pytest.raises(OptionError, match=message):
        downsample({"t": {"d": 1}}, percent, seed=seed)
