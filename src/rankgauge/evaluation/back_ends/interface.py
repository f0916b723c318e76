"""What the evaluator asks of a back end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.evaluation.back_ends import Measured
from rankgauge.model.provenance import QrelsFacts


class BackEnd(Protocol):
    """A back end is made from measures, an order of documents, and judgments."""

    topics: tuple[str, ...]  # judged topics, ascending as bytes
    qrels_facts: QrelsFacts

    @property
    def pools(self) -> Sequence[Any]:
        """The pools of all topics, some topics at a time."""

    def read(
        self, runs: Sequence[RunInput], threads: int | None, progress: Any
    ) -> Sequence[RetrievedJudgments]:
        """Read runs, order their documents, join them with the judgments."""

    def measure(self, runs: Sequence[RetrievedJudgments], *, readings: bool = False) -> Measured:
        """The values of all measures; with `readings`, also by other readings of their definitions."""

    def count_undefined(self, values: Any, counted: Any) -> Sequence[Sequence[int]]:
        """[run][measure]: topics that count and have no value."""

    def table(self, rows: Sequence[Any]) -> Any:
        """[run][topic] from a row per run."""
