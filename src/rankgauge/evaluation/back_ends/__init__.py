"""Back ends of the evaluator: they hold the judgments and compute the measures.

`arrays` uses NumPy, for input of any kind and size. `scalars` uses Python's own numbers, for TREC files so
small that importing NumPy would take longer than all the rest. Both use the same formulas and give the same
values, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.model.provenance import QrelsFacts


class Measured(NamedTuple):
    """The values of runs, and counts of topics by run and measure."""

    values: Any  # [run][measure][topic]
    weights: Mapping[str, Any]  # {measure: [run][topic]} of the measures with a micro average
    random: Sequence[Sequence[int]]  # topics whose value is from random orders of tied documents
    above_ideal: Sequence[Sequence[int]]  # topics whose ranking beats the ideal one


class BackEnd(Protocol):
    """What the evaluator needs of a back end, made from measures, a document order and judgments."""

    topics: tuple[str, ...]  # judged topics, ascending as bytes
    qrels_facts: QrelsFacts

    @property
    def pools(self) -> Sequence[Any]:
        """The pools of all topics, some topics at a time."""

    def read(
        self, runs: Sequence[RunInput], threads: int | None, progress: Any
    ) -> Sequence[RetrievedJudgments]:
        """Read runs, order their documents, join them with the judgments."""

    def measure(self, runs: Sequence[RetrievedJudgments]) -> Measured:
        """The values of all measures."""

    def count_undefined(self, values: Any, counted: Any) -> Sequence[Sequence[int]]:
        """[run][measure]: topics that count and have no value."""

    def table(self, rows: Sequence[Any]) -> Any:
        """[run][topic] from a row per run."""
