"""Corrections of p for many pairs: one decorated function each. An undefined p is no member of the family."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankgauge.comparison.differences import Floats
from rankgauge.schema.checks import choice

Function = Callable[[Floats], Floats]  # of p in ascending order


@dataclass(frozen=True)
class Correction:
    """A correction and what there is to say about it."""

    name: str
    title: str  # as a sentence has it: "with Holm's correction"
    cite: str
    function: Function
    help: str


CORRECTIONS: dict[str, Correction] = {}


def correction(name: str, *, title: str, cite: str) -> Callable[[Function], Function]:
    """Register the decorated function, which takes p in ascending order and returns them corrected."""

    def register(function: Function) -> Function:
        CORRECTIONS[name] = Correction(name, title, cite, function, inspect.getdoc(function) or "")
        return function

    return register


def corrected(p: Floats, name: str) -> Floats:
    """All p corrected as one family, never above 1."""
    function = CORRECTIONS[choice("correction", name, CORRECTIONS)].function
    found = np.full(p.shape, np.nan)
    family = np.flatnonzero(~np.isnan(p))
    order = family[np.argsort(p[family], kind="stable")]
    found[order] = np.minimum(1.0, function(p[order]))
    return found


@correction("holm", title="Holm's correction", cite="Holm 1979")
def holm(p: Floats) -> Floats:
    """Bounds the chance of any false alarm among the pairs; never weaker than Bonferroni's."""
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


@correction("bonferroni", title="Bonferroni's correction", cite="Bonferroni 1936; Dunn 1961")
def bonferroni(p: Floats) -> Floats:
    """Bounds the chance of any false alarm among the pairs: each p times the number of pairs."""
    return p * len(p)


@correction("bh", title="the Benjamini–Hochberg correction", cite="Benjamini & Hochberg 1995")
def benjamini_hochberg(p: Floats) -> Floats:
    """Bounds the share of false alarms among the pairs that are called different."""
    found = p * len(p) / np.arange(1, len(p) + 1)
    return np.minimum.accumulate(found[::-1])[::-1]


@correction("none", title="no correction", cite="")
def none(p: Floats) -> Floats:
    """Leaves p as they are: with many pairs some will be small by chance."""
    return p
