"""The axes of the explorer's charts, computed in a browser."""

import itertools
import math
import re
from pathlib import Path

import pytest

import rankgauge.explorer

MODULE = Path(rankgauge.explorer.__file__).parent / "assets" / "plot.js"
ASK = """
return arguments[0].map((list) => {
  const reach = reachOf([list], { round: 5 });
  return [reach, ticksOf(reach)];
});
"""
LISTS = [
    [],
    [None],
    [0.0],
    [-1.0],
    [0.1, 0.7],
    [-0.2, 0.3],
    [0.3, math.nextafter(0.3, 1)],  # but for rounding, one value
    [1.0, 1 + 1e-13],
    [-1.0, -1 - 1e-12],
    [0.0, 1e-15],
    [1e6, 1e6 + 1],
    [-1e300, 1e300],
    [0.25, None, 0.5],
]


@pytest.fixture(scope="module")
def answers(browser):
    """[(the ends of an axis, its ticks)] for each list of values."""
    browser.get("about:blank")
    code = re.sub(r"^import .*$|^export ", "", MODULE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return browser.execute_script(code + ASK, LISTS)


@pytest.mark.parametrize("place", range(len(LISTS)), ids=map(str, LISTS))
def test_an_axis_holds_all_values_and_has_some_ticks(answers, place):
    (low, high), ticks = answers[place]
    slack = 1e-9 * max(abs(low), abs(high))
    assert low < high
    assert all(low - slack <= value <= high + slack for value in LISTS[place] if value is not None)
    assert all(low - slack <= tick <= high + slack for tick in ticks)
    assert 2 <= len(ticks) <= 12
    assert all(one < other for one, other in itertools.pairwise(ticks))
