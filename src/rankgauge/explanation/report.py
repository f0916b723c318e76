"""Records that print themselves, with the sections and cells that explanations and diffs share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from rankgauge.model.output.documents import Document, Section, notebook, screen_lines
from rankgauge.model.output.tables import Cell, Signed, Table, number
from rankgauge.model.rules import TIES
from rankgauge.schema.json_text import json_value
from rankgauge.schema.text import counted

SHOWN = 20  # rows of a table; the rest is summarised
NAME, TITLE = 48, 60  # the most characters of an id and of a title in a table ...
SCREEN_TITLE = 32  # ... and of a title on a screen of 80 columns


class Report:
    """A dataclass whose records print themselves as documents."""

    document: Callable[..., Document]  # the record as a document to print
    on_screen: ClassVar[Mapping[str, Any]] = {}  # options of the document for a terminal of 80 columns

    def fields(self) -> dict[str, Any]:
        """The content, before it is made fit for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # its classes are dataclasses

    def as_dict(self) -> dict[str, Any]:
        """The record for JSON: null is undefined or does not apply; infinity is "inf"."""
        content: dict[str, Any] = json_value(self.fields(), infinity="text")
        return content

    def __repr__(self) -> str:
        return "\n".join(screen_lines(self.document(**self.on_screen)))

    def _repr_html_(self) -> str:
        return notebook(self.document())


@dataclass(frozen=True, repr=False, kw_only=True)
class ValueExplanation(Report):
    """How a value was computed: definition, terms, and other definitions."""

    run: str
    measure: str  # canonical text
    value: float
    definition: Mapping[str, str]  # title, formula, source, gains, parameters, rules
    variants: Mapping[str, float]  # {measure: value} of other definitions of the same name
    decisive_ties: int  # ties between documents with different judgments
    ties: str  # the rule for ties
    notes: tuple[str, ...] = ()  # what may be wrong with the run

    def printed(self, of: str, terms: Sequence[Section], others: Sequence[Section], places: int) -> Document:
        """The document of the value `of` a run or topic."""
        value = "is undefined" if math.isnan(self.value) else f"is {number(self.value, places)}"
        definition = Section("Definition", (), Table(("what", "how"), list(self.definition.items())))
        sections = [*on_run(self.notes), definition, *terms, *others]
        if self.decisive_ties:
            ties = f"{counted(self.decisive_ties, 'tie')} of documents with different judgments"
            decided = f"broken by {TIES.set_to(self.ties)}: another order may change the value."
            sections.append(Section("Ties", (f"{ties}, {decided}",)))
        return Document(f"{self.measure} of {of} {value}", tuple(sections))

    def by_other_definitions(self, what: str) -> Iterator[Section]:
        """The values of variants of the measure, and their differences."""
        if self.variants:
            rows = [(text, other, other - self.value) for text, other in self.variants.items()]
            table = Table(("measure", "value", "difference"), rows)
            yield Section(f"The same {what} by other definitions", (), table)


def table_of(rows: Sequence[Mapping[str, Cell]], *, always: Sequence[str] = ()) -> Table:
    """A table of rows by column; empty columns are left out unless `always` shown."""
    names = rows[0] if rows else always
    used = [name for name in names if name in always or any(row[name] not in (None, "") for row in rows)]
    return Table(used, [[row[name] for name in used] for row in rows])


def on_run(notes: Sequence[str]) -> Iterator[Section]:
    """Warnings about the run."""
    if notes:
        yield Section("Notes", tuple(f"{note}." for note in notes))


def shortened(text: str, most: int = NAME) -> str:
    """A text of at most `most` characters, without its middle: ids differ at their ends."""
    if len(text) <= most:
        return text
    end = (most - 1) // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def begun(text: str, most: int = TITLE) -> str:
    """The beginning of a text, of at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def difference(value: float | None) -> float:
    """A difference with its sign; a dash if undefined."""
    return math.nan if value is None or math.isnan(value) else Signed(value) if value else 0.0


def whole(value: float) -> int | float:
    """A whole number as an int."""
    return int(value) if value.is_integer() else value


def grade(value: float | None) -> Cell:
    """A grade without needless decimals; a dash for an unjudged document."""
    return math.nan if value is None else whole(value)
