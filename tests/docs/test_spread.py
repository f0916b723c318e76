"""The page on the spread of Δ and swap rates shows what was simulated, and the simulation still does."""

import copy

import pytest

import pages


@pytest.fixture
def script(monkeypatch):
    """The script that writes the page."""
    return pages.script("spread", monkeypatch)


def test_the_page_shows_what_was_simulated_and_claims_no_more(script):
    assert "\n".join(script.lines(script.load())) == pages.read("docs/studies/spread.md")


def test_numbers_that_do_not_bear_out_a_sentence_are_an_error(script):
    for name, row, column, value in (
        ("delta", 4, 4, 0.0001),  # a Δ of the bootstrap that more samples make steady
        ("repeats", 0, 2, 0.1),  # repeats that vary more than seeds
        ("repeats", 0, 4, 0.5),  # intervals that hold half the time
        ("swaps", 3, 2, 0.2),  # a biased extrapolation
    ):
        numbers = copy.deepcopy(script.load())
        numbers[name][row][column] = value
        with pytest.raises(ValueError, match="the numbers do not show that"):
            script.check(numbers)


@pytest.mark.parametrize("method", ["bootstrap", "tukey"])
def test_a_small_simulation_of_delta_agrees_with_the_page(script, method):
    known = {tuple(row[:3]): row[3:] for row in script.load()["delta"]}
    found = [script.spreads(script.deltas(1000 + number, method, 200, 20)) for number in range(6)]
    for place, alpha in enumerate(script.ALPHAS):
        mean, sd = (sum(each[row][place] for each in found) / 6 for row in (0, 1))
        assert mean == pytest.approx(known[method, alpha, 200][0], rel=0.1)
        assert sd == pytest.approx(known[method, alpha, 200][1], rel=0.35)


def test_a_small_simulation_of_swaps_agrees_with_the_page(script):
    known = script.load()["swaps"]
    found = sum(script.swap_rates(1000 + number) for number in range(6)) / 6
    for (_, true, bias, of_half, error, error_of_half), beyond, half, rate in zip(known, *found, strict=True):
        assert rate == pytest.approx(true, abs=0.05)
        assert beyond - rate == pytest.approx(bias, abs=5 * error / 6**0.5)
        assert half - rate == pytest.approx(of_half, abs=5 * error_of_half / 6**0.5)
