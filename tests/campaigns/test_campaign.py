"""A campaign gives what evaluation gives, and reads each run once."""

import numpy as np
import pytest

import rankgauge
import small
from cases import identical, plainest
from rankgauge.campaigns.campaign import Campaign
from rankgauge.engines import run_inputs
from rankgauge.errors import InputError
from rankgauge.measures import MEASURES
from rankgauge.model.run import Run

ALL = [plainest(name) for name in MEASURES]


def same(scores, others):
    return (
        scores.runs == others.runs
        and scores.measures == others.measures
        and identical(scores.values, others.values)
        and str(scores.mean()) == str(others.mean())
    )


def test_every_measure_has_the_values_of_evaluate():
    assert same(small.campaign().scores(ALL), rankgauge.evaluate(small.SUBTOPICS, small.RUNS, ALL))


def test_scores_tell_what_the_judgments_were_given_as(write):
    path, run = write("my.qrels", "1 0 a 1\n"), {"1": {"a": 1.0}}
    for qrels, source in ((path, str(path)), ({"1": {"a": 1}}, "dict"), (rankgauge.Qrels.read(path), "my")):
        assert Campaign(qrels, run).scores("AP").provenance.qrels.source == source
        assert rankgauge.evaluate(qrels, run, "AP").provenance.qrels.source == source


def test_curves_are_those_of_evaluation():
    found = small.campaign().curves("nDCG Judged", depth=7)
    expected = rankgauge.curves(small.QRELS, small.RUNS, "nDCG Judged", depth=7)
    assert identical(found.values, expected.values)
    assert identical(found.ideal, expected.ideal)
    assert found.mean() == expected.mean()


@pytest.mark.parametrize("rules", [{"ties": "average"}, {"ties": "worst", "missing": "skip"}])
def test_rules_hold_in_a_campaign(rules):
    runs = {name: dict(list(run.items())[1:]) for name, run in small.RUNS.items()}  # a topic is missing
    found = Campaign(small.QRELS, runs, **rules).scores("AP Bpref")
    assert same(found, rankgauge.evaluate(small.QRELS, runs, "AP Bpref", **rules))


@pytest.mark.parametrize("measures", ["P(rel=2)@2", "AP", "nDCG@2", "bpref", "NumRet"])
def test_ties_are_counted_as_by_evaluate_even_if_no_result_is_relevant(measures):
    qrels = {"1": {"a": 0, "b": 0, "c": 1, "e": 2}, "2": {"a": 1, "x": 2}}
    run = {"1": {"a": 3.0, "b": 3.0, "c": 2.0, "d": 2.0}, "2": {"a": 1.0, "y": 1.0, "z": 0.0}}
    for judged in (qrels, {"1": {"a": 0, "b": -1}, "2": {"a": 0, "z": 0}}):
        expected = rankgauge.evaluate(judged, run, measures).provenance.runs
        assert Campaign(judged, run).scores(measures).provenance.runs == expected


@pytest.mark.parametrize("share", [0.3, 0.7, 1.0])
def test_fewer_judgments_are_as_if_the_others_had_never_been_made(share):
    campaign = small.campaign()
    kept = np.random.default_rng(5).random(len(campaign.qrels.sorted_grades)) < share
    kept[campaign.qrels.starts[:-1]] = True  # something in each topic
    left = iter(zip(campaign.qrels.sorted_docs.texts(), kept, strict=True))
    staying = {
        topic: {doc for doc, keep in [next(left) for _ in small.QRELS[topic]] if keep}
        for topic in campaign.topics
    }
    reduced = {
        topic: {
            subtopic: {doc: grade for doc, grade in grades.items() if doc in staying[topic]}
            for subtopic, grades in subtopics.items()
        }
        for topic, subtopics in small.SUBTOPICS.items()
    }
    found = campaign.judged_by(kept).scores(ALL)
    assert same(found, rankgauge.evaluate(reduced, small.RUNS, ALL))
    assert same(campaign.scores("AP"), rankgauge.evaluate(small.QRELS, small.RUNS, "AP"))  # it is another one


def test_a_topic_without_judgments_left_stays_and_is_undefined():
    campaign = small.campaign()
    kept = np.ones(len(campaign.qrels.sorted_grades), dtype=bool)
    kept[: campaign.qrels.starts[1]] = False
    scores = campaign.judged_by(kept).scores("AP")
    assert scores.topics == campaign.topics
    assert np.isnan(scores.values[:, :, 0]).all()
    assert not np.isnan(scores.values[:, :, 1:]).any()
    with pytest.raises(InputError, match="keeps at least one"):
        campaign.judged_by(np.zeros_like(kept))


def test_each_run_is_read_once(monkeypatch):
    opened = []
    real = run_inputs._resolve

    def counting(run, *rest):
        (one,) = real(run, *rest)
        return [one._replace(open=lambda: opened.append(one.name) or one.open())]

    monkeypatch.setattr(run_inputs, "_resolve", counting)
    campaign = Campaign(small.QRELS, small.RUNS)
    campaign.scores("AP nDCG@10")
    campaign.scores("RelativeRelevance ESL")
    campaign.judged_by(np.arange(len(campaign.qrels.sorted_grades)) % 2 == 0).scores("Bpref")
    assert sum(1 for _ in campaign.rankings()) == 1
    assert len(opened) == len(small.RUNS)


def test_rankings_are_those_of_all_runs_with_every_judged_document():
    campaign = small.campaign()
    ((runs, topics, rankings),) = campaign.rankings()
    assert len(campaign.runs[runs]) == len(small.RUNS)
    assert len(campaign.topics[topics]) == len(small.QRELS)
    found = [
        sum(doc in small.QRELS[topic] for doc in small.RUNS[run].get(topic, ()))
        for run in campaign.runs
        for topic in campaign.topics
    ]
    assert np.diff(rankings.starts).tolist() == found


def test_rankings_are_read_by_the_names_that_runs_have():
    qrels, runs = {"t": {"d": 1}}, {"a": {"t": ["x", "d"]}, "b": {"t": ["d"]}}
    campaign = Campaign(qrels, runs)
    assert campaign.ranking("a", "t").texts == ["x", "d"]
    assert campaign.labelled({"a": "b", "b": "a"}).ranking("b", "t").texts == ["x", "d"]
    more = campaign.with_run(Run.of({"t": ["y"]}, name="c"))
    assert [more.ranking(run, "t").texts for run in more.runs] == [["x", "d"], ["d"], ["y"]]


def test_some_runs_can_be_chosen_of_runs_and_of_scores():
    names = list(small.RUNS)[3:0:-2]
    chosen = {name: small.RUNS[name] for name in names}
    expected = rankgauge.evaluate(small.QRELS, chosen, "AP RR")
    assert same(small.campaign().only(names).scores("AP RR"), expected)
    of_scores = Campaign.of_scores(small.campaign().scores("RR P@5 AP"))
    assert of_scores.only(names).runs == tuple(names)
    assert same(of_scores.only(names).scores("AP RR"), expected)
    with pytest.raises(InputError, match="no run here named 'nobody'"):
        of_scores.only(["nobody"])
    with pytest.raises(InputError, match="no run is selected"):
        of_scores.only([])


def test_scores_alone_have_no_judgments_and_no_other_measures():
    campaign = Campaign.of_scores(small.campaign().scores("AP"))
    with pytest.raises(InputError, match="the campaign has only scores"):
        next(campaign.rankings())
    with pytest.raises(InputError, match="no measure here named 'RR'"):
        campaign.scores("RR")


def test_other_judgments_of_the_same_documents_are_as_if_they_had_been_given():
    campaign = small.campaign()
    other = {
        topic: {doc: (grade + 1) % 3 for place, (doc, grade) in enumerate(grades.items()) if place % 4}
        for topic, grades in small.QRELS.items()
    }
    measures = [text for text in ALL if not rankgauge.parse(text).spec.needs.subtopics]
    found = campaign.judged_as(rankgauge.Qrels.of(other)).scores(measures)
    assert same(found, rankgauge.evaluate(other, small.RUNS, measures))
    first = next(iter(other))
    with pytest.raises(InputError, match="document 'new' is judged, but was not looked up"):
        campaign.judged_as(rankgauge.Qrels.of({**other, first: {"new": 1}}))
    with pytest.raises(InputError, match="have different topics"):
        campaign.judged_as(rankgauge.Qrels.of({first: other[first]}))
