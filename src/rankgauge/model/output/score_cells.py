"""Values of measures as people see them: in per cent, counts without decimals, the best ones marked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from rankgauge.model.output.table_cells import Shown, Signed
from rankgauge.model.provenance import is_count, is_share
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import joined


class MeasureCells(Frozen):
    """How the values of a measure are shown."""

    factor: float = 1.0  # 100 for values in per cent
    counts: bool = False  # values of topics are numbers of things, which have no decimals ...
    sums: bool = False  # ... and their average has none if it is their sum

    @classmethod
    def of(cls, measure: str, average: str, percent: bool) -> MeasureCells:
        """How a measure with a kind of average is shown, with or without per cent."""
        return cls(100.0 if percent and is_share(measure) else 1.0, is_count(measure), average == "sum")

    def values(self, values: list[float]) -> list[float]:
        """The values of topics."""
        if self.counts:
            return list(map(Shown.count, values))
        return values if self.factor == 1.0 else [self.factor * value for value in values]

    def average(self, value: float) -> float:
        """The average over topics."""
        return Shown.count(value) if self.counts and self.sums else self.factor * value

    def difference(self, value: float, *, of_averages: bool = False) -> float:
        """A difference of values of topics, or of averages, with its sign."""
        if self.counts and (self.sums or not of_averages) and value.is_integer():
            return Shown(value, f"{value:+.0f}")
        return Signed(self.factor * value)


def best_and_second(values: Sequence[float], direction: int) -> tuple[list[int], list[int]]:
    """The places of the best and of the second-best values; empty if there is nothing to compare.

    Where several values are the best, none is second.
    """
    if direction == 0 or len(values) < 2:
        return [], []
    levels = sorted({direction * value for value in values if not math.isnan(value)}, reverse=True)[:2]
    places = [[i for i, value in enumerate(values) if direction * value == level] for level in levels]
    best, second = [*places, [], []][:2]
    return best, second if len(best) == 1 else []


def notes_on_cells(measures: Iterable[str], labels: Callable[[str], str], percent: bool, second: bool) -> str:
    """What the marks and the numbers of a table mean, if they are not as usual."""
    notes = ["The best values are bold, the second-best ones underlined."] if second else []
    notes += [percent_note(measures, labels)] if percent else []
    return " ".join(notes)


def percent_note(measures: Iterable[str], labels: Callable[[str], str] = str) -> str:
    """A sentence on the values that are multiplied by 100."""
    others = [labels(measure) for measure in measures if not is_share(measure)]
    return f"Values are per cent{f', except those of {joined(others)}' if others else ''}."
