"""The record of an explanation, and how it is shown."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from rankgauge.evaluation.explanation.nuggets import Nugget, written_nuggets
from rankgauge.model.documents import Document, Section, body, written
from rankgauge.model.tables import PLACES, Cell, Table, in_json, number
from rankgauge.rankings.arrays import ENDLESS
from rankgauge.schema.text import counted

SHOWN = 20  # lines of a table before the rest is told as a number


@dataclass(frozen=True)
class Step:
    """A judged document of a ranking, or ranks without one. NaN is undefined, None does not apply."""

    first: int  # the ranks, as the measure sees them
    last: int
    rank: int | None = None  # of the document in the run: another one if the measure condenses the ranking
    document: str | None = None
    retrieved: bool = True  # False past the end of the ranking
    grade: float | None = None
    relevant: bool | None = None
    gain: float | None = None  # what the grade is worth, if the measure has gains
    discount: float | None = None
    columns: Mapping[str, float] = field(default_factory=dict)  # the measure's own, at its last rank
    value: float | None = None  # of the measure with its cutoff here
    change: float | None = None  # of the value since the step before
    ideal: float | None = None  # the value of the best ranking here
    loss: float | None = None  # what the measure loses with an unjudged document in this one's place
    nuggets: tuple[Nugget, ...] = ()  # its subtopics, if the measure looks at those
    ideal_document: str | None = None  # what the ideal ranking has at this rank, for such measures
    ideal_nuggets: tuple[Nugget, ...] = ()


@dataclass(frozen=True)
class Missed:
    """A relevant document that was not read: not retrieved, or below the cutoff."""

    document: str
    grade: float
    rank: int | None  # below the cutoff, or None: not retrieved


@dataclass(frozen=True, repr=False)
class Explanation:
    """How the value of a measure for one topic of a run came about."""

    run: str
    topic: str
    measure: str  # canonical text
    value: float
    definition: Mapping[str, str]  # title, formula, source, parameters, worth of grades, rules, in words
    retrieved: int
    read: int  # documents that the measure reads: all retrieved, or as many as its cutoff says
    unjudged: int  # of those
    parts: Mapping[str, float]  # numbers that the value is made of
    steps: tuple[Step, ...]
    missed: tuple[Missed, ...]  # the best first
    bounds: Mapping[str, float]  # the value if the unjudged documents were ...
    variants: Mapping[str, float]  # {measure: value} of other definitions of the same name
    decisive_ties: int  # ties between documents that are judged differently
    ties: str  # the rule that decided them

    def as_dict(self) -> dict[str, Any]:
        """All of it as JSON has it: null is undefined, or does not apply; an infinite number is "inf"."""
        record: dict[str, Any] = _as_json(asdict(self))
        return record

    def sheet(self, *, limit: int = SHOWN, places: int = PLACES) -> Document:
        """The explanation for eyes: of long lists the beginning, and how much more there is."""
        said = f"{self.measure} of run {self.run} for topic {self.topic}"
        value = "is undefined" if math.isnan(self.value) else f"is {number(self.value, places)}"
        sections = (
            Section("Definition", (), Table(("what", "how"), list(self.definition.items()))),
            *self._parts(),
            self._ranking(limit),
            self._missed(limit),
            *self._unjudged(),
            *self._variants(),
            *self._notes(),
        )
        return Document(f"{said} {value}", sections)

    def _parts(self) -> Iterator[Section]:
        if self.parts:
            rows = [(name, _short(value)) for name, value in self.parts.items()]
            yield Section("What it is made of", (), Table(("part", "value"), rows))

    def _ranking(self, limit: int) -> Section:
        title = "Rank by rank"
        if not self.retrieved:
            return Section(title, ("The run has no results for this topic.",))
        if not self.steps:
            return Section(title, ("No document that was retrieved is judged.",))
        said = []
        if self.steps[0].value is not None:
            said.append("value: the measure with its cutoff at this rank. change: since the line before.")
        elif self.steps[0].columns:
            said.append(f"{', '.join(self.steps[0].columns)}: at the last rank of the line.")
        said.append("loss: what the measure would lose with an unjudged document in this one's place.")
        if any(step.nuggets for step in self.steps):
            said.append("nuggets: how often each was seen before, and what it is worth now.")
        columns = [self._columns(step) for step in self.steps]
        if len(columns) > limit:
            columns = list(self._together())
        if len(columns) > limit:
            rest = columns[limit:]
            first, last = (str(row["rank"]) for row in (rest[0], rest[-1]))
            hidden = f"{first.partition('–')[0]}–{last.rpartition('–')[2]}"
            columns[limit:] = [self._sum(rest, hidden, f"({len(rest)} more lines)")]
        columns = _whole(columns, self.steps[0].columns)
        shown = [name for name in columns[0] if any(row[name] is not None for row in columns)]
        if any(step.gain is not None for step in self.steps):
            shown.remove("relevant")  # the gain says it
        if all(step.ideal == 1 for step in self.steps):
            shown.remove("ideal")  # that the best is 1 everywhere need not be said on each line
        return Section(title, tuple(said), Table(shown, [[row[name] for name in shown] for row in columns]))

    def _together(self) -> Iterator[dict[str, Cell]]:
        """The lines of the table, with one line for neighbours that make no difference."""
        for (matters, retrieved), group in itertools.groupby(
            self.steps, lambda step: (bool(step.loss), step.retrieved)
        ):
            steps = list(group)
            rows = [self._columns(step) for step in steps]
            if matters or not retrieved or len(rows) == 1:
                yield from rows
            else:
                ranks = _ranks(steps[0].first, steps[-1].last)
                yield self._sum(rows, ranks, f"({steps[-1].last - steps[0].first + 1} without loss)")

    def _sum(self, rows: list[dict[str, Cell]], ranks: str, said: str) -> dict[str, Cell]:
        """One line for several: what is at the end of them, and how much it changed."""
        changes = [row["change"] for row in rows if isinstance(row["change"], float)]
        row = dict.fromkeys(rows[-1]) | {"rank": ranks, "document": said}
        row |= {name: rows[-1][name] for name in self.steps[-1].columns}
        if changes:
            row |= {name: rows[-1][name] for name in ("value", "ideal")} | {"change": math.fsum(changes)}
        return row

    def _columns(self, step: Step) -> dict[str, Cell]:
        """A line of the table of ranks, by column."""
        moved = step.rank is not None and step.rank != step.first
        return {
            "rank": _ranks(step.first, step.last) + (f" (was {step.rank})" if moved else ""),
            "document": self._named(step),
            "grade": None if step.grade is None else _short(step.grade),
            "relevant": None if step.relevant is None else "yes" if step.relevant else "no",
            "gain": None if step.gain is None else _short(step.gain),
            "discount": step.discount,
            "nuggets": written_nuggets(step.nuggets) or None,
            **step.columns,
            "value": step.value,
            "change": step.change,
            "ideal": step.ideal,
            "loss": step.loss,
            "ideal shows": None
            if step.ideal_document is None
            else f"{step.ideal_document}: {written_nuggets(step.ideal_nuggets)}",
        }

    def _named(self, step: Step) -> str:
        if step.document is not None:
            return step.document
        return "(unjudged)" if step.retrieved else "(nothing retrieved)"

    def _missed(self, limit: int) -> Section:
        title = "Relevant documents that were missed"
        if not self.missed:
            return Section(title, ("None.",))
        lost = sum(missed.rank is None for missed in self.missed)
        below = len(self.missed) - lost
        said = [f"{counted(lost, 'document')} not retrieved"] * bool(lost)
        said += [f"{counted(below, 'document')} retrieved below the cutoff"] * bool(below)
        first = f"; the first {limit} of them are" if limit < len(self.missed) else ""
        rows = [
            (missed.document, _short(missed.grade), f"rank {missed.rank}" if missed.rank else "not retrieved")
            for missed in self.missed[:limit]
        ]
        return Section(title, (f"{', '.join(said)}{first}:",), Table(("document", "grade", "where"), rows))

    def _unjudged(self) -> Iterator[Section]:
        title = "What is not judged"
        if not self.unjudged:
            if self.read:
                yield Section(title, ("Nothing: every document that was read is judged.",))
            return
        said = f"{self.unjudged} of the {counted(self.read, 'document')} that were read."
        table = Table(("if these were", "value"), list(self.bounds.items()))
        yield Section(title, (said,), table)

    def _variants(self) -> Iterator[Section]:
        if self.variants:
            rows = [(text, value, value - self.value) for text, value in self.variants.items()]
            table = Table(("measure", "value", "difference"), rows)
            yield Section("The same ranking by other definitions", (), table)

    def _notes(self) -> Iterator[Section]:
        if self.decisive_ties:
            ties = "1 tie" if self.decisive_ties == 1 else f"{self.decisive_ties} ties"
            said = f"{ties} of documents that are judged differently, decided by ties={self.ties}"
            yield Section("Ties", (f"{said}: another order could change the value.",))

    def __repr__(self) -> str:
        return "\n".join(written(self.sheet()))

    def _repr_html_(self) -> str:
        return "\n".join(body(self.sheet()))


def _ranks(first: int, last: int) -> str:
    if last == ENDLESS:
        return f"{first}–"
    return str(first) if first == last else f"{first}–{last}"


def _short(value: float) -> int | float:
    """A whole number as one, so that it is shown without decimals."""
    return int(value) if value.is_integer() else value


def _whole(rows: list[dict[str, Cell]], names: Iterable[str]) -> list[dict[str, Cell]]:
    """The rows, with numbers of these columns as whole ones where all of a column are."""
    for name in names:
        numbers = {row[name] for row in rows if row[name] is not None}
        if all(isinstance(each, float) and each.is_integer() for each in numbers):
            rows = [{**row, name: _short(n) if isinstance(n := row[name], float) else n} for row in rows]
    return rows


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(each) for each in value]
    return in_json(value)
