"""Which runs differ significantly."""

import math

import pytest

import rankgauge
from figures.samples import campaign, rows
from rankgauge import figures
from rankgauge.errors import OptionError


def test_significance_has_the_corrected_p_of_every_pair_from_the_best_run_on():
    scores = rankgauge.evaluate(*campaign(), "AP")
    compared = rankgauge.compare(scores, test="randomisation", correction="bh", seed=5)
    figure = figures.significance(scores, test="randomisation", correction="bh", seed=5)
    p = {(pair.run, pair.against): pair.corrected for pair in compared["AP"].pairs}
    cells = rows(figure)
    order = sorted(scores.runs, key=lambda run: -scores.mean()[run]["AP"])
    assert [cell["column"] for cell in cells[: len(order)]] == order
    for cell in cells:
        pair = (cell["row"], cell["column"])
        if pair[0] == pair[1]:
            assert math.isnan(cell["value"])
        else:
            assert cell["value"] == p.get(pair, p.get(pair[::-1]))
    assert figures.significance(compared).spec == figure.spec
    assert "paired randomisation test, the Benjamini–Hochberg correction" in figure.caption
    assert "(seed 5)" in figure.caption
    with pytest.raises(OptionError, match="takes one measure, not 2"):
        figures.significance(rankgauge.evaluate(*campaign(), "AP RR"))
    with pytest.raises(OptionError, match="no test is called 'z'; use one of t, wilcoxon"):
        figures.significance(scores, test="z")


def test_the_caption_says_where_the_means_disagree_with_the_test():
    table = {"A": [0.5] * 30, "B": [0.52] * 24 + [0.0] * 6}
    compared = rankgauge.compare(rankgauge.Scores.from_table(table, "AP"), test="sign")
    assert "The means say otherwise of B > A." in figures.significance(compared).caption
    agreeing = rankgauge.compare(rankgauge.Scores.from_table(table, "AP"), test="t")
    assert "otherwise" not in figures.significance(agreeing).caption
