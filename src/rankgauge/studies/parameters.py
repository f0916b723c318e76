"""Kinds of option that studies have beside those of measures, and options that several of them share."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from rankgauge.measures import Measure, parse, parse_all
from rankgauge.measures.language import pieces
from rankgauge.schema.parameters import Whole
from rankgauge.schema.text import format_number

MEASURES = "AP nDCG nDCG@10 Q RBP Bpref P@10 RR"  # of studies that are not told which


@dataclass(frozen=True)
class MeasuresKind:
    """Some measures; a grid such as `Q(beta=1|10)@100|1000` stands for all its combinations."""

    words = "measures such as 'nDCG@10 AP', or grids such as 'Q(beta=1|10)'"

    def read(self, value: Any) -> tuple[Measure, ...]:
        """The measures, in any form that `evaluate` takes."""
        given = [value] if isinstance(value, (str, Measure)) else list(value)
        return parse_all(
            text
            for item in given
            for text in ([item] if isinstance(item, Measure) else itertools.chain(*grids(item)))
        )

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


def grids(text: str) -> list[list[str]]:
    """The measures of a text, those of a grid together: `P@5|10 AP` is [[P@5, P@10], [AP]].

    Alternatives are parted by |, for parameters and for the cutoff; the first of them come first.
    """
    found = []
    for piece in pieces(text):
        name, bracket, rest = piece.partition("(")
        inside, closing, behind = rest.rpartition(")") if bracket else ("", "", name)
        stem, at, cutoffs = behind.partition("@")
        settings = re.findall(r"(?:[^,{]|\{[^}]*\})+", inside)
        choices = [
            [f"{parameter}{equals}{value}" for value in values.split("|")]
            for parameter, equals, values in (setting.partition("=") for setting in settings)
        ]
        found.append(
            [
                f"{name if bracket else ''}{bracket}{','.join(chosen)}{closing}{stem}{at}{cutoff}"
                for *chosen, cutoff in itertools.product(*choices, cutoffs.split("|"))
            ]
        )
    return found


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
        return ",".join(format_number(each) if isinstance(each, float) else str(each) for each in value)


@dataclass(frozen=True)
class TeamsKind:
    """Which run is whose."""

    words = "a file of two columns, run and team"

    def read(self, value: Any) -> Any:
        """The file, or a dict {run: team}: what it says is looked up when the runs are known."""
        if isinstance(value, (str, os.PathLike, Mapping)):
            return value
        raise ValueError

    def write(self, value: Any) -> str:
        """The path."""
        return str(value)


Measures = Annotated[
    tuple[Measure, ...] | None,
    MeasuresKind(),
    f"the measures that are studied; if none are given, those of the scores, or {MEASURES}",
]
Seed = Annotated[int, Whole(0), "seed of all that is random"]
SEED = 1
AP = parse("AP")  # what other measures are compared with
