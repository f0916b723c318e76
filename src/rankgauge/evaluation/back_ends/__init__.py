"""Back ends: where judgments are held and rankings are measured.

There is one evaluator and two of these. `arrays` uses NumPy, for anything of any size. `scalars` uses
Python's own numbers, for TREC files so small that importing NumPy would take longer than all the rest. Both
run the same formulas and give the same values, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankgauge.schema.frozen import Frozen


class Measured(Frozen, eq=False):
    """The values of runs, and on how many topics each is special; by run, then measure."""

    values: Any  # [run][measure][topic]
    weights: Mapping[str, Any]  # {measure: [run][topic]} of the measures with a micro average
    random: Sequence[Sequence[int]]  # topics whose value comes from random orders of tied documents
    above_ideal: Sequence[Sequence[int]]  # topics whose ranking beats the ideal one
