"""Effort and gain of one ranking, rank by rank."""

from figures.samples import campaign, results, rows
from rankgauge import figures


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
