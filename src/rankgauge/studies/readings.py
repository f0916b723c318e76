"""How Kendall's τ between two orders of runs is usually read, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankgauge.schema.text import counted

EQUIVALENT, DIFFERENT = 0.9, 0.8
RULE = (
    f"Orders with τ of at least {EQUIVALENT} are usually called equivalent, with τ below {DIFFERENT} "
    "noticeably different (Voorhees 2001)."
)
LEVELS = (0.05, 0.01)
ROUNDING = 1e-12  # of a τ that is 0.9 exactly


def reading(tau: float) -> str:
    """What is usually made of τ between two orders.

    >>> [reading(tau) for tau in (0.9, 0.85, 0.8, 0.79)]
    ['equivalent', 'in between', 'in between', 'different']
    """
    if math.isnan(tau):
        return ""
    if tau >= EQUIVALENT - ROUNDING:
        return "equivalent"
    return "different" if tau < DIFFERENT - ROUNDING else "in between"


def equivalence(taus: Sequence[float]) -> str:
    """A sentence on how many pairs of measures order the runs alike."""
    words = [reading(tau) for tau in taus]
    equivalent = words.count("equivalent")
    verb = "orders" if equivalent == 1 else "order"
    return (
        f"Of {counted(len(words), 'pair')} of measures, {equivalent} {verb} the runs equivalently "
        f"(τ-b of at least {EQUIVALENT}), {words.count('different')} noticeably differently "
        f"(below {DIFFERENT}; Voorhees 2001)."
    )


def significance(runs: int) -> str:
    """A sentence on the smallest τ between orders of so many runs that chance does not explain.

    >>> significance(30)[:98]
    'With 30 runs and no ties, τ from 0.2552 on is significant at α = 0.05, and from 0.3333 at α = 0.01'
    """
    from rankgauge.studies.numerics.tau_test import EXACT_SYSTEMS, critical_tau

    least = {alpha: critical_tau(runs, alpha) for alpha in LEVELS}
    parts = [
        f"from {tau:.4f}{' on is significant' if place == 0 else ''} at α = {alpha}"
        for place, (alpha, tau) in enumerate(least.items())
        if not math.isnan(tau)
    ]
    if not parts:
        return f"With {runs} runs no τ is significant at α = {LEVELS[0]}: even random orders agree too often."
    how = "exact" if runs <= EXACT_SYSTEMS else "normal approximation"
    return (
        f"With {runs} runs and no ties, τ {', and '.join(parts)} (two-sided, {how}): unrelated orders agree, "
        "or disagree, as much in only that share of cases."
    )
