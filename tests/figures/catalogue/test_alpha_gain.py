"""The gain over a baseline as novelty comes to count."""

import pytest

from figures.samples import SIZES, STUDIES, campaign, drawn, rows, studied, table
from rankgauge import figures, simulate, studies
from rankgauge.errors import OptionError
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.studies import Campaign


@pytest.mark.parametrize(("depth", "shown"), [(None, 5), (10, 10)])
def test_gains_are_those_of_the_study_at_one_depth(depth, shown):
    gains = {
        (row["run"], row["alpha"]): row["gain in %"]
        for row in table(studied("alpha"), "gains")
        if row["depth"] == shown
    }
    figure = drawn("alpha-gain", depth=depth)
    assert {(row["name"], row["x"]): row["y"] for row in rows(figure, "lines")} == gains
    assert f"nDCG at {shown}" in figure.title


def test_a_depth_that_the_study_does_not_have_is_refused():
    with pytest.raises(OptionError, match="depth must be one of 5, 10, not 7"):
        drawn("alpha-gain", depth=7)


@pytest.mark.parametrize("run", ["dense", None])
def test_one_run_has_a_line_for_each_depth(run):
    findings = studied("alpha")
    if run is None:  # the only one that is compared
        qrels = SubtopicQrels.of(simulate(**SIZES, subtopics=4).subtopics_dict())
        runs = {name: campaign()[1][name] for name in ("bm25", "dense")}
        findings = studies.alpha(Campaign(qrels, runs), **STUDIES["alpha"])
    figure = figures.alpha_gain(findings, **({"run": run} if run else {}))
    gains = {
        (f"depth {row['depth']}", row["alpha"]): row["gain in %"]
        for row in table(findings, "gains")
        if row["run"] == "dense"
    }
    assert {(row["name"], row["x"]): row["y"] for row in rows(figure, "lines")} == gains
    assert figure.title == "α-nDCG: gain of dense over bm25"
    assert {row["series"] for row in rows(figure, "lines")} == {"depth 5", "depth 10"}
    one = figures.alpha_gain(findings, run="dense", depth=10)
    assert one.title == "α-nDCG at 10: gain of dense over bm25"
    with pytest.raises(OptionError, match="no run that is compared with the baseline is called 'bm25'"):
        figures.alpha_gain(findings, run="bm25")
