"""The view of effort and gain: its answers, points by keys and pointer, and the curves that a page draws."""

import json

import numpy as np

import browsing
import rankgauge
from browsing import Keys
from extensions.pages.explorer.small import QRELS, RUNS
from extensions.pages.explorer.visiting import in_module, one, press, texts, visit
from rankgauge.extensions.pages.explorer.views import answer
from rankgauge.extensions.studies import effort_view
from rankgauge.extensions.studies.effort import ARCHETYPES, archetype_of, quadrants
from rankgauge.schema.json_text import to_json
from twins.order import in_order

RUN = "bm25"


def test_shares_are_those_of_the_study(opened, session):
    visit(opened, "/effort")
    shares = answer(session, "effort", {})["shares"]
    cells = texts(opened, ".quadrants tbody td")
    assert cells == [f"{100 * share:.1f}%" for row in reversed(shares) for share in row]
    paths = [each.get_attribute("d") for each in browsing.find(opened, ".stage .dots")]
    assert sum(path.count("M") for path in paths) == 3 * 14


def test_arrow_keys_move_between_points_and_open_their_curves(opened, session):
    visit(opened, "/effort")
    opened.execute_script("document.querySelector('.stage svg').focus()")
    press(opened, Keys.ARROW_RIGHT)
    found = answer(session, "effort", {})
    points = [
        (run, topic, x, y)
        for run, xs, ys in zip(found["runs"], found["twist"], found["values"], strict=True)
        for topic, x, y in zip(session.topics, xs, ys, strict=True)
    ]
    order = sorted(points, key=lambda point: (point[2], point[3]))
    for place in (0, 1, 2):
        run, topic, x, _ = order[place]
        status = f"{run}, topic {topic}: Twist {x:.4f}"
        browsing.wait(opened, lambda b, status=status: one(b, "[role=status].facts").text.startswith(status))
        assert len(browsing.find(opened, ".chart svg")) == 2
        press(opened, Keys.ARROW_RIGHT)
    browsing.reload(opened)
    run, topic, *_ = order[3]
    assert one(opened, "[role=status].facts").text.startswith(f"{run}, topic {topic}: ")


def test_runs_are_chosen_by_the_address(opened):
    visit(opened, "/effort?run=dense&gain=AP")
    assert "14 points: 1 run, 14 topics" in opened.find_element("css selector", ".facts").text
    assert texts(opened, ".lines li") == ["dense"]


def test_a_server_that_has_ended_is_reported_where_a_point_is_chosen(opened):
    visit(opened, "/effort")
    opened.execute_script("window.fetch = () => Promise.reject(new TypeError('no server'))")
    opened.execute_script("document.querySelector('.stage svg').focus()")
    press(opened, Keys.ARROW_RIGHT)
    press(opened, Keys.ENTER)
    browsing.wait(opened, lambda b: "no longer runs" in "".join(texts(b, "main > .error")))
    logged = []  # the console has an error for each key, a little later
    browsing.wait(opened, lambda b: logged.extend(browsing.complaints(b)) or len(logged) == 2)


def test_the_page_draws_the_curves_of_the_library(opened, session):
    bases = answer(session, "effort", {})["bases"]
    curves = rankgauge.curves(QRELS, RUNS, "CRP DCG", depth=60)
    for number, run in enumerate(RUNS):
        hits = answer(session, "effort-hits", {"run": run})["hits"]
        drawn = in_module(
            opened,
            "effortcurves",
            "const [bases, hits] = arguments;"
            "return bases.map((base, i) => { const found = hitsFromSteps(base, hits[i]);"
            "return [crpCurve(base, found, 60), dcgCurve(found, 60)]; });",
            bases,
            hits,
        )
        expected = curves.values[number].swapaxes(0, 1)
        known = [place for place, base in enumerate(bases) if base]
        assert np.allclose(np.array(drawn)[known], expected[known], rtol=1e-12)


def test_the_next_point_follows_the_arrow(opened):
    points = [{"x": 0.5, "y": 0.1}, {"x": 0.1, "y": 0.9}, {"x": 0.9, "y": 0.5}]

    def following(start, key):
        return in_module(opened, "effortcurves", "return nextPoint(...arguments);", points, start, key)

    assert following(-1, "ArrowRight") == 1
    assert following(1, "ArrowRight") == 0
    assert following(0, "ArrowRight") == 2
    assert following(2, "ArrowRight") is None
    assert following(2, "ArrowUp") == 1
    assert following(0, "ArrowDown") is None
    assert following(0, "a") is None


def test_quadrants_and_points_are_those_of_the_study(session):
    found = json.loads(to_json(answer(session, "effort", {"gain": "nDCG", "runs": ["dense", RUN]})))
    scores = rankgauge.evaluate(QRELS, RUNS, "Twist nDCG").only(runs=["dense", RUN])
    assert found["runs"] == ["dense", RUN]
    assert np.array_equal(np.array(found["twist"], float), scores.values[:, 0], equal_nan=True)
    assert np.array_equal(np.array(found["values"], float), scores.values[:, 1], equal_nan=True)
    expected = quadrants(scores.values[:, 0], scores.values[:, 1])
    assert found["counts"] == expected.counts.tolist()
    assert found["shares"] == expected.shares.tolist()
    assert found["cuts"] == [[0.25, 0.5, 0.75], list(expected.cuts)]
    assert found["N"] == scores.provenance.measure("Twist").N
    for topic, base in zip(session.campaign.topics, found["bases"], strict=True):
        grades = [grade for grade in QRELS[topic].values() if grade >= 1]
        assert base == [[grade, grades.count(grade)] for grade in sorted({*grades}, reverse=True)]


def test_hits_are_the_relevant_documents_retrieved(session):
    found = answer(session, "effort-hits", {"run": RUN})
    bases = answer(session, "effort", {})["bases"]
    for topic, steps, base in zip(session.campaign.topics, found["hits"], bases, strict=True):
        ranks = np.cumsum(steps[::2]).tolist()
        hits = [
            (rank, QRELS[topic][document])
            for rank, document in enumerate(in_order(RUNS[RUN][topic]), 1)
            if QRELS[topic].get(document, 0) >= 1
        ]
        assert hits == [(rank, base[number][0]) for rank, number in zip(ranks, steps[1::2], strict=True)]
    names = [*ARCHETYPES, None]
    rankings = [each for _, _, each in session.campaign.only([RUN]).rankings()]
    assert found["archetypes"] == [names[n] for each in rankings for n in archetype_of(each).tolist()]


def test_of_many_runs_the_best_are_shown(session, monkeypatch):
    monkeypatch.setattr(effort_view, "MAX_POINTS", 20)
    found = answer(session, "effort", {"gain": "AP"})
    means = rankgauge.evaluate(QRELS, RUNS, "AP").mean()
    assert found["runs"] == [max(RUNS, key=lambda run: means[run]["AP"])]
    assert found["runs_in_all"] == 3
