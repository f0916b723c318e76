"""Records that print themselves, with the sections and cells that explanations and diffs share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from rankgauge.model.output.documents import Document, Section, notebook, screen_lines
from rankgauge.model.output.tables import Cell, Signed, Table
from rankgauge.model.rules import TIES
from rankgauge.schema.json_text import json_value
from rankgauge.schema.text import counted

SHOWN = 20  # rows of a table; the rest is summarised
NAME, TITLE = 48, 60  # the most characters of an id and of a title in a table ...
SCREEN_TITLE = 32  # ... and of a title on a screen of 80 columns


class Report:
    """A dataclass whose records print themselves as documents."""

    def fields(self) -> dict[str, Any]:
        """The content, before it is made fit for JSON."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]  # its classes are dataclasses

    def as_dict(self) -> dict[str, Any]:
        """The record for JSON: null is undefined or does not apply; infinity is "inf"."""
        content: dict[str, Any] = json_value(self.fields(), infinity="text")
        return content

    def document(self) -> Document:
        """The record as a document to print."""
        raise NotImplementedError

    def screen(self) -> Document:
        """The document for a terminal of 80 columns."""
        return self.document()

    def __repr__(self) -> str:
        return "\n".join(screen_lines(self.screen()))

    def _repr_html_(self) -> str:
        return notebook(self.document())


def table_of(rows: Sequence[Mapping[str, Cell]], *, always: Sequence[str] = ()) -> Table:
    """A table of rows by column, without columns that are empty, unless they are `always` shown."""
    names = rows[0] if rows else always
    used = [name for name in names if name in always or any(row[name] not in (None, "") for row in rows)]
    return Table(used, [[row[name] for name in used] for row in rows])


def on_run(notes: Sequence[str]) -> Iterator[Section]:
    """Warnings about the run."""
    if notes:
        yield Section("Notes", tuple(f"{note}." for note in notes))


def by_other_definitions(what: str, variants: Mapping[str, float], value: float) -> Iterator[Section]:
    """The values of variants of a measure, and their differences from the value explained."""
    if variants:
        rows = [(text, other, other - value) for text, other in variants.items()]
        table = Table(("measure", "value", "difference"), rows)
        yield Section(f"The same {what} by other definitions", (), table)


def on_ties(decisive: int, rule: str) -> Iterator[Section]:
    """The number of ties that may change the value, and the rule that decided them."""
    if decisive:
        text = f"{counted(decisive, 'tie')} of documents with different judgments"
        decided = f"decided by {TIES.set_to(rule)}: another order may change the value."
        yield Section("Ties", (f"{text}, {decided}",))


def shortened(text: str, most: int = NAME) -> str:
    """A text of at most `most` characters; ids often differ at their ends, so the middle is left out."""
    if len(text) <= most:
        return text
    end = (most - 1) // 3
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def begun(text: str, most: int = TITLE) -> str:
    """The beginning of a text, of at most `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def difference(value: float | None) -> float:
    """A difference, which is shown with its sign unless it is 0; a dash if it is undefined."""
    return math.nan if value is None or math.isnan(value) else Signed(value) if value else 0.0


def whole(value: float) -> int | float:
    """A whole number as an int, so that it is shown without decimals."""
    return int(value) if value.is_integer() else value


def grade(value: float | None) -> Cell:
    """A grade, without decimals if it is whole; a dash for an unjudged document."""
    return math.nan if value is None else whole(value)
