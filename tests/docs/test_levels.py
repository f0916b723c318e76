"""The page on how often tests are wrong shows what was simulated, and the simulation still does."""

import pytest

import pages


@pytest.fixture
def script(monkeypatch):
    """The script that writes the page."""
    return pages.script("levels", monkeypatch)


def test_the_page_shows_what_was_simulated_and_explains_what_is_away_from_its_level(script):
    assert "\n".join(script.lines(script.load())) == pages.read("docs/studies/levels.md")


def test_every_test_correction_and_size_was_simulated(script):
    expected = {
        (test, key, (runs, topics))
        for test in script.TESTS
        for key in (*script.CORRECTIONS, script.COVERAGE)
        for runs in (2, 10, 40, 80)
        for topics in (2, 10, 50, 200)
    }
    assert expected <= set(script.load())


def test_a_rate_without_a_reason_is_an_error(script):
    with pytest.raises(ValueError, match="nothing explains it"):
        script.reason("t", "holm", (2, 50), script.Rate(0.5, 0.01))
    assert script.reason("t", "holm", (2, 50), script.Rate(0.055, 0.01)) == ""


def test_a_small_simulation_agrees_with_the_page(script):
    cell, count = (10, 10), 40
    trials = [script.trial(cell, 100_000 + number) for number in range(count)]
    known = script.load()
    for name, key in trials[0]:
        rate = known[name, key, cell]
        found = sum(each[name, key] for each in trials) / count
        spread = max(rate.error, 1e-4) * (script.CAMPAIGNS[10] / count) ** 0.5
        assert abs(found - rate.share) < 5 * spread + 0.02, (name, key)
