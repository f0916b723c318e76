"""Which topics are hard."""

import statistics

from figures.samples import rows, scores
from rankgauge import figures


def test_topics_go_from_easy_to_hard_by_the_median_over_runs():
    result = scores("AP")
    figure = figures.difficulty(result, highlight=["bm25", "dense"])
    values = result.to_dict()
    table = rows(figure, "topics 1")
    medians = [row["median"] for row in table]
    assert medians == sorted(medians, reverse=True)
    for row in table:
        own = [values[run]["AP"][row["topic"]] for run in result.runs]
        assert row["median"] == statistics.median(own)
        assert (row["low"], row["high"]) == (min(own), max(own))
    hardest = ", ".join(row["topic"] for row in table[:-4:-1])
    assert f"hardest by AP: {hardest}" in " ".join(figure.spec["title"]["subtitle"])
    for row in rows(figure, "runs 1"):
        assert row["value"] == values[row["run"]]["AP"][row["topic"]]
    assert {row["run"] for row in rows(figure, "runs 1")} == {"bm25", "dense"}
