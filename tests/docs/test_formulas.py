"""Formulas of measures are typeset whole, in well-formed MathML."""

import importlib
import re
from xml.etree import ElementTree

import pytest

import pages
from rankgauge.measures import MEASURES


@pytest.fixture
def typeset(monkeypatch):
    monkeypatch.syspath_prepend(pages.DOCS)
    return importlib.import_module("writers.formulas").typeset


def symbols(text):
    """What is left of a formula without the marks that typesetting replaces."""
    for plain, drawn in (
        ("-", "−"),
        ("Σ", "∑"),
        ("Π", "∏"),
        ("²", "2"),
        ("⁺", "+"),
        ("⁻", "−"),
        ("\u0302", "^"),
    ):
        text = text.replace(plain, drawn)
    return re.sub(r"[\s/_^(){}√]", "", text)


@pytest.mark.parametrize("name", MEASURES)
def test_a_formula_keeps_all_symbols_in_their_order(name, typeset):
    formula = MEASURES[name].formula
    text = "".join(ElementTree.fromstring(typeset(formula)).itertext())
    assert symbols(text) == symbols(formula)


@pytest.mark.parametrize(
    ("formula", "tree"),
    [
        ("a b / c", "mfrac(mrow(a mspace b) c)"),
        ("a b/c", "mrow(a mspace mfrac(b c))"),
        ("(a + b)/c", "mfrac(mrow(a + b) c)"),
        ("Σ_{i ≤ k} x_i", "mrow(munder(∑ mrow(i ≤ k)) mspace msub(x i))"),
        ("p^(i-1)", "msup(p mrow(i − 1))"),
        ("P@k", "mrow(P @ k)"),
        ("√(x²)", "msqrt(msup(x 2))"),
    ],
)
def test_a_formula_becomes_a_tree(formula, tree, typeset):
    def written(node):
        inner = " ".join(map(written, node))
        return f"{node.tag}({inner})" if inner else node.text or node.tag

    (math,) = ElementTree.fromstring(typeset(formula)).iter("math")
    assert " ".join(map(written, math)) == tree
