"""Kinds of option of studies."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from rankgauge.measures import Measure, parse, parse_all
from rankgauge.schema.parameters import Number, Whole, Word
from rankgauge.schema.text import format_number

MEASURES = "AP nDCG nDCG@10 Q RBP Bpref P@10 RR"  # the default of studies


@dataclass(frozen=True)
class ValueKind:
    """A kind of option: what it accepts in words, and how a value is read and written."""

    words: str
    read: Callable[[Any], Any]  # raises ValueError if a value is not allowed
    write: Callable[[Any], str] = str


def _measure_texts(measures: Any) -> str:
    return measures if isinstance(measures, str) else " ".join(map(str, measures))


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _teams(value: Any) -> Any:
    """A path or a dict {run: team}, read once the runs are known."""
    if not isinstance(value, (str, os.PathLike, Mapping)):
        raise ValueError
    return value


SOME_MEASURES = ValueKind(
    "measures such as 'nDCG@10 AP', or grids such as 'Q(beta=1|10)'", parse_all, _measure_texts
)
ONE_MEASURE = ValueKind("a measure such as nDCG@10", parse)
TEAMS = ValueKind("a file of two columns, run and team", _teams)
NAME = ValueKind("a name", _name)  # of something in the results, such as a run


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


Measures = Annotated[
    tuple[Measure, ...] | None,
    SOME_MEASURES,
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
