"""The page on intervals of rank correlation shows what was simulated, and the simulation still does."""

import itertools
import json

import pytest

import pages


@pytest.fixture
def script(monkeypatch):
    """The script that writes the page."""
    return pages.script("tau_intervals", monkeypatch)


def shares(script):
    return {tuple(row[:6]): row[6] for row in json.loads(script.RATES.read_text())}


def test_the_page_shows_what_was_simulated(script):
    rows = json.loads(script.RATES.read_text())
    assert "\n".join(script.lines(rows)) == pages.read("docs/studies/tau-intervals.md")
    cells = itertools.product(
        script.KINDS, script.METHODS, script.TARGETS, script.RUNS, script.TOPICS, script.ALIKE
    )
    assert {*cells} == {*shares(script)}


def test_what_the_page_claims_is_what_was_simulated(script):
    by_method = {
        (method, target): [
            share for key, share in shares(script).items() if (key[1], key[2]) == (method, target)
        ]
        for method in script.METHODS
        for target in script.TARGETS
    }

    def away(method):
        return max(abs(share - script.LEVEL) for share in by_method[method, "as many topics"])

    assert away("deviation") < min(away("percentile"), away("basic"))
    few = by_method["deviation", "as many topics"]
    assert 0.92 < sum(few) / len(few) < script.LEVEL  # a little below
    span = f"{min(few):.3f} to {max(few):.3f}"
    assert span in pages.read("docs/decisions/studies.md")
    assert max(by_method["basic", "as many topics"]) < 0.9
    assert all(min(by_method[method, "all topics"]) < 0.8 for method in script.METHODS)


def test_a_small_simulation_agrees_with_the_page(script):
    cell, count = (10, 25, 0.9), 60
    trials = [script.Model(cell, 100_000 + number).trial() for number in range(count)]
    for key, share in shares(script).items():
        if key[3:] == cell:
            found = sum(each[key[:3]] for each in trials) / count
            spread = (max(share * (1 - share), 0.01) / count) ** 0.5
            assert abs(found - share) < 4.5 * spread, key
