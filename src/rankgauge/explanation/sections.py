"""Sections that explanations of a topic and of a mean share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rankgauge.model.document_order import TIES
from rankgauge.model.output.documents import Section
from rankgauge.model.output.tables import Table
from rankgauge.schema.text import counted


def on_run(notes: Sequence[str]) -> Iterator[Section]:
    """What may be wrong with the run."""
    if notes:
        yield Section("Notes", tuple(f"{note}." for note in notes))


def by_other_definitions(what: str, variants: Mapping[str, float], value: float) -> Iterator[Section]:
    """The values of variants of a measure, and how they differ from the value explained."""
    if variants:
        rows = [(text, other, other - value) for text, other in variants.items()]
        table = Table(("measure", "value", "difference"), rows)
        yield Section(f"The same {what} by other definitions", (), table)


def on_ties(decisive: int, rule: str) -> Iterator[Section]:
    """How many ties could change the value, and what decided them."""
    if decisive:
        text = f"{counted(decisive, 'tie')} of documents with different judgments"
        decided = f"decided by {TIES.set_to(rule)}: another order could change the value."
        yield Section("Ties", (f"{text}, {decided}",))
