"""Back ends of the evaluator: they hold the judgments and compute the measures.

`arrays` uses NumPy, for input of any kind and size. `scalars` uses Python's own numbers, for TREC files so
small that importing NumPy would take longer than all the rest. Both use the same formulas and give the same
values, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.schema.frozen import Frozen


class Measured(Frozen, eq=False):
    """The values of runs, and counts of topics by run and measure."""

    values: Any  # [run][measure][topic]
    weights: Mapping[str, Any]  # {measure: [run][topic]} of the measures with a micro average
    random: Sequence[Sequence[int]]  # topics whose value is from random orders of tied documents
    above_ideal: Sequence[Sequence[int]]  # topics whose ranking beats the ideal one
    readings: Mapping[str, tuple[str, Any]] = {}  # {measure: (by another reading, its values [run][topic])}
