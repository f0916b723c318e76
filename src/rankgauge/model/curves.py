"""Curves: what a measure is worth at every rank, for every run and topic, with the ideal beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from rankgauge.errors import MeasureError
from rankgauge.topics import TopicRules

Vectors = dict[str, dict[str, list[float]]]


@dataclass(frozen=True, eq=False)
class Curves:
    """The vectors of measures over ranks 1 to depth; NaN where a value is undefined."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]  # canonical texts
    values: npt.NDArray[np.float64]  # (runs, measures, topics, depth)
    ideal: npt.NDArray[np.float64]  # (measures, topics, depth): the best ranking the judgments allow
    counted: npt.NDArray[np.bool_]  # (runs, topics), False where a topic is left out
    rules: TopicRules
    # {measure: (how the values of topics become one, its direction)}
    averages: Mapping[str, tuple[str, int]] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """How many ranks."""
        return int(self.values.shape[-1])

    def mean(self) -> Vectors:
        """{run: {measure: the average vector over the topics that count}}."""
        return {
            run: {m: self._mean(m, v[counted]) for m, v in zip(self.measures, values, strict=True)}
            for run, values, counted in zip(self.runs, self.values, self.counted, strict=True)
        }

    def mean_ideal(self) -> dict[str, list[float]]:
        """{measure: the average vector of the ideal rankings}."""
        return {m: self._mean(m, v) for m, v in zip(self.measures, self.ideal, strict=True)}

    def to_dict(self) -> dict[str, dict[str, dict[str, list[float]]]]:
        """{run: {measure: {topic: vector}}}; topics left out are absent."""
        return {
            run: {
                m: {t: v.tolist() for t, v, c in zip(self.topics, vectors, counted, strict=True) if c}
                for m, vectors in zip(self.measures, values, strict=True)
            }
            for run, values, counted in zip(self.runs, self.values, self.counted, strict=True)
        }

    def _mean(self, measure: str, vectors: npt.NDArray[np.float64]) -> list[float]:
        how, direction = self.averages.get(measure, ("mean", 1))
        if how == "micro":
            raise MeasureError(f"{measure}: there is no micro average of curves; use another average")
        return [self.rules.average(column, how, direction=direction) for column in vectors.T.tolist()]

    def __repr__(self) -> str:
        return (
            f"Curves to depth {self.depth}: {len(self.runs)} runs, {len(self.topics)} topics, "
            f"{', '.join(self.measures)}"
        )
