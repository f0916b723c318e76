"""The registry of figures."""

import subprocess
import sys

import pytest
import rankgauge.figures

from rankgauge.errors import OptionError
from rankgauge.extensions.pages.figures.registry import FIGURES


def test_a_figure_is_found_by_its_name_in_any_spelling():
    assert FIGURES.find("effort_gain") is FIGURES.find("Effort-Gain") is rankgauge.figures.effort_gain
    with pytest.raises(OptionError, match=r"no figure is called 'curv' .did you mean curve"):
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
