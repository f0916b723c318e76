"""The page on how time and memory grow shows what was measured, and claims no more."""

import copy

import pytest

import pages


@pytest.fixture
def script(monkeypatch):
    """The script that writes the page."""
    return pages.script("scaling", monkeypatch)


def test_the_page_shows_what_was_measured(script):
    assert "\n".join(script.lines(script.load())) == pages.read("docs/studies/scaling.md")


def test_the_slope_is_that_of_the_largest_sizes(script):
    points = [{"size": size, "processor": 3 * size**0.5 + (size < 10)} for size in (1, 100, 10_000)]
    assert script.slope(points, "processor") == pytest.approx(0.5)


@pytest.mark.parametrize("unit", ["processor", "megabytes"])
def test_growth_that_is_not_linear_is_an_error(script, unit):
    numbers = copy.deepcopy(script.load())
    points = numbers["axes"]["topics"]["points"]
    points[-1][unit] = points[-2][unit] * (points[-1]["size"] / points[-2]["size"]) ** 1.5
    with pytest.raises(ValueError, match="grows faster than topics"):
        list(script.lines(numbers))
