"""Evaluation: the verbs that take judgments and runs, and return scores or curves.

Formulas run as programs in the compiled core, or with NumPy where they cannot: the same values, bit for bit.
`program_back_end` evaluates TREC files without importing NumPy, `array_back_end` everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.schema.frozen import Frozen
from rankgauge.schema.registry import Services

# What extensions add to evaluation: where files are evaluated, what scores are estimated from, and what an
# `Evaluator` takes beside runs.
ENGINES = Services("engines", "engine", {})
KINDS = Services("scores", "kind of scores", {})
METHODS = Services("methods", "method of Evaluator", {})
DEEPEST_CURVE = 1_000_000  # the last rank of a curve; memory does not hold the values of more


class Measured(Frozen, eq=False):
    """The values of runs, as back ends compute them, and counts of topics by run and measure."""

    values: Any  # [run][measure][topic]
    weights: Mapping[str, Any]  # {measure: [run][topic]} of the measures with a micro average
    random: Sequence[Sequence[int]]  # topics whose value is from random orders of tied documents
    above_ideal: Sequence[Sequence[int]]  # topics whose ranking beats the ideal one
    readings: Mapping[str, tuple[str, Any]] = {}  # {measure: (by another reading, its values [run][topic])}
