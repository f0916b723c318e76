"""The explanation of the value of one topic, rank by rank, as a record and as a document to print."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rankgauge.explanation.report import SHOWN, ValueExplanation, grade, table_of, whole
from rankgauge.measures.rankings.vocabulary import ENDLESS
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import PLACES, Cell, Table
from rankgauge.schema.text import counted, format_number

MAX_SUBTOPICS = 6  # of one document in a table


@dataclass(frozen=True)
class CoveredSubtopic:
    """A subtopic that a document is relevant to."""

    name: str
    seen: int  # number of documents before it that cover the subtopic
    worth: float | None  # its part of the document's gain; None if the measure has no such gain


@dataclass(frozen=True)
class Step:
    """A document of a ranking, or ranks beyond its end. NaN is undefined, None does not apply."""

    first: int  # the ranks, as the measure sees them
    last: int
    rank: int | None = None  # in the run; differs from `first` if the measure condenses the ranking
    document: str | None = None
    retrieved: bool = True  # False beyond the end of the ranking
    grade: float | None = None  # None if it is not judged
    relevant: bool | None = None
    gain: float | None = None  # of the grade, if the measure has gains
    discount: float | None = None
    columns: Mapping[str, float] = field(
        default_factory=dict
    )  # curves of the measure's declaration, at the last rank
    value: float | None = None  # of the measure with its cutoff at the last rank
    change: float | None = None  # of the value since the step before
    ideal: float | None = None  # the value of the ideal ranking at the last rank
    loss: float | None = None  # the loss in value if this document were unjudged
    subtopics: tuple[CoveredSubtopic, ...] = ()  # if the measure depends on subtopics
    ideal_document: str | None = None  # at this rank of the ideal ranking, for such measures
    ideal_subtopics: tuple[CoveredSubtopic, ...] = ()

    @property
    def is_unjudged(self) -> bool:
        """Whether this is a document that is not judged."""
        return self.document is not None and self.grade is None


@dataclass(frozen=True)
class Missed:
    """A relevant document that does not count: not retrieved, or below the cutoff."""

    document: str
    grade: float
    rank: int | None  # below the cutoff; None if not retrieved


@dataclass(frozen=True, repr=False, kw_only=True)
class Explanation(ValueExplanation):
    """How the value of a measure for one topic of a run was computed."""

    topic: str
    retrieved: int
    read: int  # documents that the measure takes into account: all retrieved, or down to its cutoff
    unjudged: int  # of those
    parts: Mapping[str, float]  # quantities that the value is computed from
    steps: tuple[Step, ...]
    missed: tuple[Missed, ...]  # best first
    bounds: Mapping[str, float]  # the value if the unjudged documents were ...

    def document(self, *, limit: int = SHOWN, places: int = PLACES) -> Document:
        """The explanation as a document to print; long tables are cut at `limit` rows."""
        terms = [*self._parts(), self._ranking(limit), self._missed(limit), *self._unjudged()]
        others = [*self.by_other_definitions("ranking")]
        return self.printed(f"run {self.run} for topic {self.topic}", terms, others, places)

    def _parts(self) -> Iterator[Section]:
        if self.parts:
            rows = [(name, whole(value)) for name, value in self.parts.items()]
            yield Section("What it is made of", (), Table(("part", "value"), rows))

    def _ranking(self, limit: int) -> Section:
        title = "Rank by rank"
        if not self.retrieved:
            return Section(title, ("The run has no results for this topic.",))
        if not self.steps:
            return Section(title, ("No retrieved document is judged.",))
        legend = []
        if self.steps[0].value is not None:
            legend.append("value: the measure with its cutoff at this rank. change: since the line before.")
        elif self.steps[0].columns:
            legend.append(f"{', '.join(self.steps[0].columns)}: at the last rank of the line.")
        legend.append("loss: what the measure would lose with an unjudged document in this one's place.")
        if any(step.is_unjudged for step in self.steps):
            legend.append("A document without a grade is not judged.")
        if any(step.subtopics for step in self.steps):
            legend.append("subtopics: how often each was seen before, and what it is worth now.")
        columns = [self._columns(step) for step in self.steps]
        if len(columns) > limit:
            columns = list(self._merged())
        if len(columns) > limit:
            rest = columns[limit:]
            first, last = (str(row["rank"]) for row in (rest[0], rest[-1]))
            hidden = f"{first.partition('–')[0]}–{last.rpartition('–')[2]}"
            columns[limit:] = [self._sum(rest, hidden, f"({counted(len(rest), 'more line')})")]
        columns = _without_decimals(columns, self.steps[0].columns)
        redundant = {
            "relevant": any(step.gain is not None for step in self.steps),  # the gain shows it
            "ideal": all(step.ideal == 1 for step in self.steps),
        }
        columns = [{name: row[name] for name in row if not redundant.get(name)} for row in columns]
        return Section(title, tuple(legend), table_of(columns))

    def _merged(self) -> Iterator[dict[str, Cell]]:
        """The lines of the table; neighbours without loss are merged into one line."""
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

    def _sum(self, rows: list[dict[str, Cell]], ranks: str, text: str) -> dict[str, Cell]:
        """One line for several: the values at the end of them, and the change over all."""
        changes = [row["change"] for row in rows if isinstance(row["change"], float)]
        row = dict.fromkeys(rows[-1]) | {"rank": ranks, "document": text}
        row |= {name: rows[-1][name] for name in self.steps[-1].columns}
        if changes:
            row |= {name: rows[-1][name] for name in ("value", "ideal")} | {"change": math.fsum(changes)}
        return row

    def _columns(self, step: Step) -> dict[str, Cell]:
        """A line of the table of ranks, by column."""
        moved = step.rank is not None and step.rank != step.first
        return {
            "rank": _ranks(step.first, step.last) + (f" (was {step.rank})" if moved else ""),
            "document": "(nothing retrieved)" if step.document is None else step.document,
            "grade": grade(step.grade) if step.document is not None else None,
            "relevant": None if step.relevant is None else "yes" if step.relevant else "no",
            "gain": None if step.gain is None else whole(step.gain),
            "discount": step.discount,
            "subtopics": _format_subtopics(step.subtopics) or None,
            **step.columns,
            "value": step.value,
            "change": step.change,
            "ideal": step.ideal,
            "loss": step.loss,
            "ideal document": None
            if step.ideal_document is None
            else f"{step.ideal_document}: {_format_subtopics(step.ideal_subtopics)}",
        }

    def _missed(self, limit: int) -> Section:
        title = "Relevant documents that were missed"
        if not self.missed:
            return Section(title, ("None.",))
        lost = sum(missed.rank is None for missed in self.missed)
        below = len(self.missed) - lost
        parts = [f"{counted(lost, 'document')} not retrieved"] * bool(lost)
        parts += [f"{counted(below, 'document')} retrieved below the cutoff"] * bool(below)
        first = f"; the first {limit} of them" if limit < len(self.missed) else ""
        rows = [
            (missed.document, whole(missed.grade), f"rank {missed.rank}" if missed.rank else "not retrieved")
            for missed in self.missed[:limit]
        ]
        return Section(title, (f"{', '.join(parts)}{first}:",), Table(("document", "grade", "where"), rows))

    def _unjudged(self) -> Iterator[Section]:
        title = "What is not judged"
        if not self.unjudged:
            if self.read:
                yield Section(title, ("Nothing: every document that was read is judged.",))
            return
        share = f"{self.unjudged} of the {counted(self.read, 'document')} that were read."
        table = Table(("if these were", "value"), list(self.bounds.items()))
        yield Section(title, (share,), table)


def _ranks(first: int, last: int) -> str:
    if last == ENDLESS:
        return f"{first}–"
    return str(first) if first == last else f"{first}–{last}"


def _without_decimals(rows: list[dict[str, Cell]], names: Iterable[str]) -> list[dict[str, Cell]]:
    """The rows, with ints in those of these columns that have whole numbers only."""
    for name in names:
        numbers = {row[name] for row in rows if row[name] is not None}
        if all(isinstance(each, float) and each.is_integer() for each in numbers):
            rows = [{**row, name: whole(n) if isinstance(n := row[name], float) else n} for row in rows]
    return rows


def _format_subtopics(subtopics: tuple[CoveredSubtopic, ...]) -> str:
    parts = []
    for subtopic in subtopics[:MAX_SUBTOPICS]:
        seen = "new" if not subtopic.seen else f"seen {subtopic.seen}×"
        worth = "" if subtopic.worth is None else f", {format_number(round(subtopic.worth, 4))}"
        parts.append(f"{subtopic.name} ({seen}{worth})")
    if len(subtopics) > MAX_SUBTOPICS:
        parts.append(f"{len(subtopics) - MAX_SUBTOPICS} more")
    return ", ".join(parts)
