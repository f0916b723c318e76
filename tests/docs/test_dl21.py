"""The page on a real campaign shows what the studies find there."""

import importlib
import re

import pytest
import scipy.stats

import pages


@pytest.fixture
def dl21(data, monkeypatch):
    """The script that writes the page."""
    monkeypatch.setenv("RANKGAUGE_DATA", str(data))
    monkeypatch.syspath_prepend(pages.DOCS)
    return importlib.import_module("dl21")


def rows(command):
    """The cells of the table below a command of the page."""
    text = pages.read("docs/studies/dl21.md")
    pattern = rf"^{re.escape(command)}.*?```\n\n[^\n]*\n\n(?P<table>(?:\|[^\n]*\n)+)"
    match = re.search(pattern, text, re.M | re.S)
    assert match, f"there is no table for {command}; run python docs/dl21.py"
    lines = match["table"].splitlines()
    return [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in [lines[0], *lines[2:]]]


def test_the_correlations_of_the_page_are_scipys(dl21):
    header, *body = rows(f"rankgauge study correlation qrels.txt runs/* --measures '{dl21.BASIC}' --seed")
    means = dl21.campaign().scores(dl21.BASIC).mean()
    orders = {measure: [by[measure] for by in means.values()] for measure in header[1:]}
    assert [row[0] for row in body] == list(orders)
    for name, *cells in body:
        for other, cell in zip(orders, cells, strict=True):
            tau = scipy.stats.kendalltau(orders[name], orders[other]).statistic
            assert float(cell) == pytest.approx(tau, abs=5.1e-4)


def test_the_power_of_the_page_is_what_the_study_finds(dl21):
    body = rows(f"rankgauge study power qrels.txt runs/* --measures '{dl21.BASIC}' --seed")[1:]
    power = dl21.STUDIES["power"].call(dl21.campaign(), measures="AP", seed=dl21.SEED).table("power").rows
    expected = [[f"{alpha:g}", "AP", str(count), str(pairs)] for alpha, _, count, pairs, *_ in power]
    assert [row[:4] for row in body if row[1] == "AP"] == expected
