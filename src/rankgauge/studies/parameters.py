"""Kinds of option that studies have beside those of measures, and options that several of them share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from rankgauge.measures import Measure, parse_all
from rankgauge.measures.parameters import Whole, plain

MEASURES = "AP nDCG nDCG@10 Q RBP Bpref P@10 RR"  # of studies that are not told which


@dataclass(frozen=True)
class MeasuresKind:
    """Some measures."""

    words = "measures such as 'nDCG@10 AP'"

    def read(self, value: Any) -> tuple[Measure, ...]:
        """The measures, in any form that `evaluate` takes."""
        return parse_all(value)

    def write(self, value: Any) -> str:
        """Their texts."""
        return " ".join(map(str, value)) if not isinstance(value, str) else value


@dataclass(frozen=True)
class Several:
    """Some values of one kind, such as 0.01,0.05."""

    kind: Any

    @property
    def words(self) -> str:
        """What each has to be."""
        return f"one or more, each {self.kind.words}"

    def read(self, value: Any) -> tuple[Any, ...]:
        """The values; one alone will do."""
        alone = isinstance(value, (str, Mapping)) or not isinstance(value, Iterable)
        values = tuple(self.kind.read(each) for each in ([value] if alone else value))
        if not values:
            raise ValueError
        return values

    def write(self, value: Any) -> str:
        """The values, parted by commas."""
        return ",".join(plain(each) if isinstance(each, float) else str(each) for each in value)


Measures = Annotated[tuple[Measure, ...] | None, MeasuresKind(), "the measures that are studied"]
Seed = Annotated[int, Whole(0), "seed of all that is random"]
SEED = 1
