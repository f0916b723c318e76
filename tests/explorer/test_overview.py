"""The leaderboard in a browser."""

import browsing
import rankgauge
from explorer.small import QRELS, RUNS


def test_means_are_those_of_the_library(opened):
    means = rankgauge.evaluate(QRELS, RUNS, "AP nDCG@10 RR").mean()
    rows = [row.text.split() for row in browsing.find(opened, "tbody tr")]
    assert rows == [[run, *(f"{value:.4f}" for value in means[run].values())] for run in RUNS]
