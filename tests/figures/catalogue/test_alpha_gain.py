"""The gain over a baseline as novelty comes to count."""

import pytest

from figures.samples import drawn, rows, studied, table
from rankgauge.errors import OptionError


@pytest.mark.parametrize(("depth", "shown"), [(None, 5), (10, 10)])
def test_gains_are_those_of_the_study_at_one_depth(depth, shown):
    gains = {
        (row["run"], row["alpha"]): row["gain in %"]
        for row in table(studied("alpha"), "gains")
        if row["depth"] == shown
    }
    figure = drawn("alpha-gain", depth=depth)
    assert {(row["name"], row["x"]): row["y"] for row in rows(figure, "lines")} == gains
    assert f"nDCG@{shown}" in figure.title


def test_a_depth_that_the_study_does_not_have_is_refused():
    with pytest.raises(OptionError, match="depth must be one of 5, 10, not 7"):
        drawn("alpha-gain", depth=7)
