"""Decisions on other scales: possible values against all rankings, decisions against those of `compare`."""

import itertools
import statistics

import numpy as np
import pytest

import rankgauge
from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.registry import STUDIES
from rankgauge.errors import OptionError
from rankgauge.extensions.studies.catalogue.scales import on_intervals, standardised
from rankgauge.measures import parse_all

SOURCE = np.random.default_rng(3)
QRELS = {
    f"t{n}": {f"d{m}": int(SOURCE.choice(3, p=[0.7, 0.2, 0.1])) for m in range(7)} | {"r": 1, "s": 2}
    for n in range(10)
}
RUNS = {
    name: {
        topic: {doc: grade * skill + float(SOURCE.normal()) for doc, grade in judged.items()}
        for topic, judged in QRELS.items()
    }
    for name, skill in (("good", 2.0), ("fair", 0.8), ("weak", 0.4), ("bad", 0.0))
}


@pytest.mark.parametrize("text", ["nDCG@3", "RR@2", "P(rel=2)@2", "AP@3", "DCG(gains=exp2)@2", "Bpref@2"])
def test_possible_values_are_those_of_all_rankings(text):
    (measure,) = parse_all(text)
    scores = rankgauge.evaluate(QRELS, RUNS, text)
    found = on_intervals(Campaign(QRELS, RUNS), scores, (measure,))
    for place, topic in enumerate(scores.topics[:2]):
        docs = [*QRELS[topic], "u1", "u2"]
        every = {
            str(n): {topic: {doc: -rank for rank, doc in enumerate(some)}}
            for n, some in enumerate(itertools.permutations(docs, measure.cutoff))
        }
        of_all = rankgauge.evaluate({topic: QRELS[topic]}, every, text).values[:, 0, 0]
        possible = sorted({round(value, 9) for value in of_all.tolist()})
        for run, value in enumerate(scores.values[:, 0, place].tolist()):
            step = possible.index(round(value, 9)) / (len(possible) - 1)
            assert found[run, 0, place] == pytest.approx(step)


def test_decisions_are_those_of_the_t_test_on_the_values_of_the_scale():
    found = STUDIES["scales"].call(Campaign(QRELS, RUNS), measures="nDCG@3")
    scores = rankgauge.evaluate(QRELS, RUNS, "nDCG@3")
    rows = {row["scale"]: row for row in found.records("scales")}
    z = (scores.values - scores.values.mean(axis=0)) / scores.values.std(axis=0)
    cdf = np.array([statistics.NormalDist().cdf(value) for value in z.ravel().tolist()]).reshape(z.shape)
    raw = rankgauge.compare(scores).compared[0]
    assert 0 < len(raw.significant) < 6
    for name, values in (("z", z), ("cdf", cdf)):
        again = rankgauge.compare(scores._replace(values=values)).compared[0]
        one, other = ({(v.better, v.worse) for v in of.significant} for of in (raw, again))
        assert rows[name]["on this scale"] == len(other)
        assert rows[name]["decision changes"] == len({frozenset(pair) for pair in one ^ other})
    changed = sum(row["decision changes"] for row in rows.values())
    assert len(found.records("changes")) == changed
    assert [sentence.split()[1] for sentence in found.sentences] == [
        str(rows[name]["decision changes"]) for name in ("interval", "z", "cdf")
    ]


def test_measures_with_too_many_values_are_refused():
    with pytest.raises(OptionError, match="too many possible values; give it a cutoff of 7 or less"):
        STUDIES["scales"].call(Campaign(QRELS, RUNS), measures="nDCG@10")
    with pytest.raises(OptionError, match="AP has too many possible values"):
        STUDIES["scales"].call(Campaign(QRELS, RUNS), measures="AP")


def test_values_that_differ_by_rounding_are_alike():
    runs = {name: {f"t{n}": {"d": 1.0} for n in range(6)} for name in ("a", "b")}
    campaign = Campaign({f"t{n}": {"d": 1, "e": 1} for n in range(6)}, runs)
    scores = campaign.scores(parse_all("P@3"))
    noisy = scores._replace(values=scores.values + np.array([0.0, 1e-16])[:, None, None])
    assert noisy.values[0, 0, 0] != noisy.values[1, 0, 0]
    campaign.scores = lambda _: noisy
    found = STUDIES["scales"].call(campaign, measures="P@3")
    assert [row["on this scale"] for row in found.records("scales")] == [0, 0, 0]


def test_documents_of_any_name_are_told_from_unjudged_ones():
    campaign = Campaign({"t": {"?0": 1, "?1": 2}}, {"a": {"t": ["?0"]}, "b": {"t": ["x"]}})
    measures = parse_all("RR@3")
    assert on_intervals(campaign, campaign.scores(measures), measures).tolist() == [[[1.0]], [[0.0]]]


def test_a_value_that_one_run_lacks_is_left_out_of_the_mean_of_its_topic():
    runs = {"a": {"t": ["d", "x"]}, "b": {"t": ["x", "d"]}, "c": {"t": ["x"]}}
    scores = Campaign({"t": {"d": 1}}, runs).scores(parse_all("FirstRank@2"))
    assert standardised(scores)[:2, 0, 0].tolist() == [-1.0, 1.0]
    assert np.isnan(standardised(scores)[2, 0, 0])


def test_values_over_several_orders_are_refused():
    runs = {"a": {"t": {"d": 1.0, "x": 1.0}}, "b": {"t": ["x", "d"]}}
    with pytest.raises(OptionError, match="that no ranking down to its cutoff has"):
        STUDIES["scales"].call(Campaign({"t": {"d": 1}}, runs, ties="average"), measures="RR@2")
