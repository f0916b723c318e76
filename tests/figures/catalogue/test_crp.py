"""Effort and gain, rank by rank."""

import pytest

from figures.samples import campaign, results, rows
from rankgauge import figures
from rankgauge.errors import OptionError


def test_the_recall_base_is_marked_where_the_ideal_has_found_everything():
    qrels, _ = campaign()
    result = results("crp")
    for topic in result.topics[:4]:
        base = sum(grade >= 1 for grade in qrels[topic].values())
        figure = figures.crp(result, run="dense", topic=topic)
        assert rows(figure, "recall base") == ([{"rank": base}] if base <= result.depth else [])
        own = result.to_dict()["dense"]
        assert [row["value"] for row in rows(figure, "effort")] == own[result.measures[0]][topic]
        gains = [row["value"] for row in rows(figure, "gain") if row["series"] == "dense"]
        assert gains == own["DCG"][topic]
        ideal = [row["value"] for row in rows(figure, "gain") if row["series"] == "ideal"]
        assert ideal == result.ideal[1, result.topics.index(topic)].tolist()


def test_several_runs_are_lines_of_one_plot():
    result = results("crp")
    figure = figures.crp(result, run=["dense", "bm25"], topic=result.topics[2])
    own = result.to_dict()
    for run in ("bm25", "dense"):
        values = [row["value"] for row in rows(figure, "effort") if row["series"] == run]
        assert values == own[run][result.measures[0]][result.topics[2]]
    assert {row["series"] for row in rows(figure, "effort")} == {"bm25", "dense"}
    assert {row["series"] for row in rows(figure, "gain")} == {"bm25", "dense", "ideal"}
    assert "of dense, bm25, topic" in figure.title


def test_several_topics_have_a_plot_each():
    qrels, _ = campaign()
    result = results("crp")
    topics = result.topics[1:3]
    figure = figures.crp(result, run="dense", topic=topics)
    assert [panel["title"]["text"] for panel in figure.spec["concat"]] == [f"topic {t}" for t in topics]
    for number, topic in enumerate(topics, 1):
        base = sum(grade >= 1 for grade in qrels[topic].values())
        assert rows(figure, f"recall base {number}") == ([{"rank": base}] if base <= result.depth else [])
        values = [row["value"] for row in rows(figure, f"effort {number}")]
        assert values == result.to_dict()["dense"][result.measures[0]][topic]


def test_runs_and_topics_that_are_not_there_are_named():
    with pytest.raises(OptionError, match="no run is called 'bm52'"):
        figures.crp(results("crp"), run=["bm25", "bm52"])
    with pytest.raises(OptionError, match="no topic is called 'q'"):
        figures.crp(results("crp"), topic=["101", "q"])
