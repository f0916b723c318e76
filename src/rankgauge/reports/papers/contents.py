"""What a part of an experiment yields: tables, figures, and whether findings of the document hold."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from rankgauge.model.output.tables import Table

if TYPE_CHECKING:
    from rankgauge.figures import Figure

T = TypeVar("T")
HELD = {True: "held", False: "not held", None: "–"}


class Outcome(NamedTuple):
    """Whether a finding holds on a collection, and the numbers that decide; None: nothing to decide by."""

    held: bool | None
    evidence: str = ""

    def __str__(self) -> str:
        return f"{HELD[self.held]}: {self.evidence}" if self.evidence else HELD[self.held]


@dataclass(frozen=True)
class Claim:
    """A finding that the document states, with its outcome on each collection."""

    text: str
    outcomes: Mapping[str, Outcome]


def claim(text: str, by_collection: Mapping[str, T], decide: Callable[[T], Outcome]) -> Claim:
    """A finding, decided for each collection by what was computed from it."""
    return Claim(text, {name: decide(each) for name, each in by_collection.items()})


def more(value: float, than: float, form: str = ".2f", unit: str = "") -> Outcome:
    """Whether a value is higher than another; undefined values decide nothing."""
    if math.isnan(value) or math.isnan(than):
        return Outcome(None)
    return Outcome(value > than, f"{value:{form}}{unit} against {than:{form}}{unit}")


def falling(values: Sequence[float], form: str = ".2f") -> Outcome:
    """Whether values fall and never rise; equal and undefined ones decide nothing."""
    if any(map(math.isnan, values)):
        return Outcome(None)
    held = None if len({*values}) == 1 else sorted(values, reverse=True) == [*values]
    return Outcome(held, ", ".join(f"{value:{form}}" for value in values))


@dataclass(frozen=True)
class Contents:
    """The tables and figures of a part, by the names of their files.

    `captions` are of tables; figures have their own. `reported` has the tables that the document prints.
    """

    sentences: Sequence[str] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    reported: Mapping[str, Table] = field(default_factory=dict)  # {caption: table}
    claims: Sequence[Claim] = ()
    commands: Sequence[str] = ()  # that show the same, for one collection
    places: int = 3


def claims_table(claims: Sequence[Claim]) -> Table:
    """A row for each finding of the document, a column for each collection."""
    names = list(dict.fromkeys(name for claim in claims for name in claim.outcomes))
    rows = [
        [claim.text, *(str(claim.outcomes.get(name, Outcome(None))) for name in names)] for claim in claims
    ]
    return Table(("The document finds", *names), rows)
