"""The explorer without judgments."""

from pathlib import Path

import pytest

from extensions.pages.explorer.small import RUNS
from rankgauge.campaigns.campaign import Campaign
from rankgauge.errors import InputError
from rankgauge.explanation.run_diff import diff_rankings
from rankgauge.extensions.pages.explorer import Session
from rankgauge.extensions.pages.explorer.exploration import Explorer
from rankgauge.extensions.pages.explorer.views import answer
from rankgauge.model.run import Run
from twins.order import in_order

RUN = "1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n2 Q0 c 1 1.0 x\n"


@pytest.fixture(scope="module")
def session():
    return Session(Campaign.of_runs(RUNS), "P@40")


def test_views_of_measures_are_left_out(session):
    facts = answer(session, "session", {})
    assert not facts["judged"]
    assert not {"overview", "topics", "curves", "what-if", "effort"} & {*facts["views"]}
    assert "ranking" in facts["views"]
    assert facts["topics"] == sorted({topic for run in RUNS.values() for topic in run})
    assert answer(session, "about", {})["notes"] == [
        "There are no judgments yet; the views of measures come with them."
    ]
    run, topic = facts["runs"][0], facts["topics"][0]
    found = answer(session, "ranking", {"runs": [run], "topic": topic})
    assert (found["judged"], found["measures"], found["runs"][run]["curves"]) == (0, [], [])


def test_two_rankings_without_judgments_are_compared_by_overlap_and_moves(session):
    first, second = [*RUNS][:2]
    topic = min(RUNS[first])
    found = answer(session, "moves", {"topic": topic, "run": second, "against": first, "depth": 10})
    expected = diff_rankings(RUNS[first], RUNS[second], topic=topic)
    alike = found["alike"]
    assert (alike["rbo"], alike["overlap"]) == (expected.change.rbo, expected.change.overlap)
    assert found["difference"] is None
    moves = {each.document: each.move for each in expected.documents}
    within = {*in_order(RUNS[first][topic])[:10], *in_order(RUNS[second][topic])[:10]}
    assert {document: move for document, _, _, move, _ in found["documents"]} == {
        document: moves[document] for document in within
    }


def test_without_judgments_the_least_similar_rankings_come_first(session, monkeypatch):
    first, second = [*RUNS][:2]
    request = {"order": "alike", "run": second, "against": first}
    expected = [each.topic for each in diff_rankings(RUNS[first], RUNS[second]).topics]
    assert answer(session, "topic-order", request)["topics"] == expected
    assert expected != sorted(expected)
    monkeypatch.setattr("rankgauge.extensions.pages.explorer.views.topics.MAX_ALIKE", 1)
    assert answer(session, "topic-order", request)["topics"] == sorted(expected)


def test_runs_of_many_results_need_no_judgments(tmp_path):
    Run.from_dict(RUNS[next(iter(RUNS))]).write(tmp_path / "a.run")
    assert answer(Session(Campaign.of_runs(tmp_path / "a.run")), "session", {})["judged"] is False


def test_the_command_takes_runs_alone(working_folder, invoke, refused, monkeypatch):
    working_folder(
        {"a.run": RUN, "b.run": RUN, "qrels.txt": "1 0 a 1\n", "bad.run": RUN + "1 Q0 a 3 0.5 x\n"}
    )
    monkeypatch.setattr(Explorer, "run", lambda self: self._listener.close())
    for runs in (["a.run"], ["a.run", "b.run"], ["old=a.run", "new=b.run"]):
        assert "#" not in invoke("explore", *runs, "--no-browser", "--quiet").out
    assert "there is no run" in refused("explore", "qrels.txt", "--no-browser")
    assert "--grades changes judgments" in refused("explore", "a.run", "--grades", "1=0")
    assert "--margin needs judgments" in refused("explore", "a.run", "--margin", "0.1")
    assert "bad.run" in refused("explore", "a.run", "bad.run")
    Path("gold.json").write_text('{"q1": {"a": 1}}')  # which could be a run, too
    assert "no results for any judged topic" in refused("explore", "gold.json", "a.run", "--no-browser")


def test_scores_need_judgments_and_say_so():
    with pytest.raises(InputError, match="at least one"):
        Campaign({}, RUNS)
