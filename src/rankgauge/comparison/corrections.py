"""Corrections of p for many pairs: one decorated function each. An undefined p is not part of the family."""

from __future__ import annotations

import numpy as np

from rankgauge.comparison.registry import CORRECTIONS, correction
from rankgauge.numbers.differences import Floats


def correct(p: Floats, name: str) -> Floats:
    """All p corrected as one family, never above 1."""
    function = CORRECTIONS.find(name).function
    flat = p.ravel()
    corrected = np.full(flat.shape, np.nan)
    family = np.flatnonzero(~np.isnan(flat))
    order = family[np.argsort(flat[family], kind="stable")]
    corrected[order] = np.minimum(1.0, function(flat[order]))
    return corrected.reshape(p.shape)


def correction_of(correction: str, familywise: bool) -> str:
    """The correction of one-sided p: Holm's where the test itself accounts for all pairs."""
    return "holm" if familywise and correction == "none" else correction


def factor(name: str, pairs: int) -> float:
    """The factor by which a correction multiplies a p if no other pair has a small one."""
    tiny = 1e-12
    return float(correct(np.array([tiny] + [1.0] * (pairs - 1)), name)[0]) / tiny


@correction("holm", title="Holm's correction", cite="Holm 1979")
def holm(p: Floats) -> Floats:
    """Bounds the chance of any false alarm among the pairs; never weaker than Bonferroni's."""
    return np.maximum.accumulate(p * np.arange(len(p), 0, -1))


@correction("bonferroni", title="Bonferroni's correction", cite="Bonferroni 1936; Dunn 1961")
def bonferroni(p: Floats) -> Floats:
    """Bounds the chance of any false alarm among the pairs: each p times the number of pairs."""
    return p * len(p)


@correction("hochberg", title="Hochberg's correction", cite="Hochberg 1988")
def hochberg(p: Floats) -> Floats:
    """Finds a little more than Holm's, if pairs do not depend on each other; those that share a run do."""
    return np.minimum.accumulate((p * np.arange(len(p), 0, -1))[::-1])[::-1]


@correction("bh", title="the Benjamini–Hochberg correction", cite="Benjamini & Hochberg 1995")
def benjamini_hochberg(p: Floats) -> Floats:
    """Bounds the share of false alarms among the pairs that are called different."""
    scaled = p * len(p) / np.arange(1, len(p) + 1)
    return np.minimum.accumulate(scaled[::-1])[::-1]


@correction("by", title="the Benjamini–Yekutieli correction", cite="Benjamini & Yekutieli 2001")
def benjamini_yekutieli(p: Floats) -> Floats:
    """As Benjamini and Hochberg's, but however the tests depend on each other."""
    return benjamini_hochberg(p) * float((1 / np.arange(1, len(p) + 1)).sum())


@correction("none", title="no correction", cite="")
def none(p: Floats) -> Floats:
    """Leaves p as it is: with many pairs, some are small by chance."""
    return p
