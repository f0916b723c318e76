"""The registry of figures."""

import inspect
import pydoc
import subprocess
import sys

import pytest
import rankgauge.figures

import rankgauge
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.registry import FIGURES


def test_a_figure_is_found_by_its_name_in_any_spelling():
    assert FIGURES.find("effort_gain") is FIGURES.find("Effort-Gain") is rankgauge.figures.effort_gain
    with pytest.raises(OptionError, match=r"no figure named 'curv' .did you mean curve"):
        FIGURES.find("curv")
    with pytest.raises(AttributeError, match="no attribute 'curv'"):
        rankgauge.figures.curv  # noqa: B018


def test_listing_figures_imports_nothing_heavy():
    code = (
        "import sys, rankgauge.figures as f; f.figures(); "
        "print([m for m in ('numpy', 'altair', 'vl_convert') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


def test_help_shows_the_options_of_a_figure_and_measures_follow_scores():
    figures = rankgauge.figures
    shown = pydoc.render_doc(figures.curve, renderer=pydoc.plaintext)
    assert all(f"{each.name}: {each.help}" in shown for each in figures.curve.parameters)
    assert "normalise" in inspect.signature(figures.curve).parameters
    judged = {topic: {"a": 1, "b": 0} for topic in "123"}
    scores = rankgauge.evaluate(judged, {"x": judged, "y": {"1": {"b": 1.0}, "2": {"a": 1.0}}}, "AP RR")
    assert "RR" in figures.significance(scores, "RR").title
    with pytest.raises(OptionError, match="measures select some of scores"):
        figures.curve(rankgauge.curves(judged, judged, "P"), "P")
