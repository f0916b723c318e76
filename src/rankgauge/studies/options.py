"""Kinds of option that only studies have, and options that several studies share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from rankgauge.measures import Measure, parse, parse_all
from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.schema.text import format_number

MEASURES = "AP nDCG nDCG@10 Q RBP Bpref P@10 RR"  # the default of studies


@dataclass(frozen=True)
class MeasuresKind:
    """Some measures."""

    words = "measures such as 'nDCG@10 AP', or grids such as 'Q(beta=1|10)'"

    def read(self, value: Any) -> tuple[Measure, ...]:
        """The measures, in any form that `evaluate` takes."""
        return parse_all(value)

    def write(self, value: Any) -> str:
        """Their texts."""
        return " ".join(map(str, value)) if not isinstance(value, str) else value


@dataclass(frozen=True)
class OneMeasure:
    """A measure."""

    words = "a measure such as nDCG@10"

    def read(self, value: Any) -> Measure:
        """The measure, from its text."""
        return parse(value)

    def write(self, value: Any) -> str:
        """Its text."""
        return str(value)


@dataclass(frozen=True)
class Several:
    """One or more values of one kind, such as 0.01,0.05."""

    kind: Any

    @property
    def words(self) -> str:
        """The requirement on each value."""
        return f"one or more, each {self.kind.words}"

    def read(self, value: Any) -> tuple[Any, ...]:
        """The values, from several or a single one."""
        single = isinstance(value, (str, Mapping)) or not isinstance(value, Iterable)
        values = tuple(self.kind.read(each) for each in ([value] if single else value))
        if not values:
            raise ValueError
        return values

    def write(self, value: Any) -> str:
        """The values, separated by commas."""
        return ",".join(format_number(each) if isinstance(each, float) else str(each) for each in value)


@dataclass(frozen=True)
class TeamsKind:
    """The team of each run."""

    words = "a file of two columns, run and team"

    def read(self, value: Any) -> Any:
        """A path or a dict {run: team}, unchanged: it is read once the runs are known."""
        if isinstance(value, (str, os.PathLike, Mapping)):
            return value
        raise ValueError

    def write(self, value: Any) -> str:
        """The path."""
        return str(value)


@dataclass(frozen=True)
class Name:
    """The name of something in the results, such as a run."""

    words: str = "a name"

    def read(self, value: Any) -> str:
        """The name; whether it exists is checked against the results."""
        if not isinstance(value, str):
            raise ValueError
        return value

    def write(self, value: Any) -> str:
        """The name itself."""
        return str(value)


Measures = Annotated[
    tuple[Measure, ...] | None,
    MeasuresKind(),
    f"the measures to study; by default those of the scores, or {MEASURES}",
]
AP = parse("AP")  # the reference that other measures are compared with
Alphas = Annotated[tuple[float, ...], Several(Number(0, 1)), "values of alpha to compare"]
QuartileMethod = Annotated[
    str, Word(("linear", "hazen")), "how the quartiles of gains are computed; hazen as in MATLAB"
]
TopicSetSizes = Annotated[tuple[int, ...] | None, Several(Whole(1)), "sizes of the topic sets"]
Trials = Annotated[int, Whole(1), "how many topic sets of each size are drawn"]
Seed = Annotated[int, Whole(0), "seed of everything random"]
SEED = 1
