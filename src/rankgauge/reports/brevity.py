"""A document that is short enough for a comment: what is cut, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from rankgauge.model.output.documents import Document, Section

FEWEST = 5  # rows that a table keeps, as long as it has any


def shortened(document: Document, write: Callable[[Document], str], most: int) -> str:
    """The text of a document, at most so many characters: the longest tables lose rows, then sections go."""
    text = write(document)
    while len(text) > most:
        sections = list(document.sections)
        lengths = [len(write(Document("", (section,)))) for section in sections]
        place = max(range(len(sections)), key=lengths.__getitem__, default=None)
        if place is None:
            return text[:most]
        shorter = _with_fewer_rows(sections[place])
        if shorter is None:
            sections[place] = Section(sections[place].title[:100], ("Left out: it is too long.",))
            if lengths[place] <= len(write(Document("", (sections[place],)))):
                return text[:most]  # nothing is left to cut but the text itself
        else:
            sections[place] = shorter
        document = replace(document, sections=tuple(sections))
        text = write(document)
    return text


def _with_fewer_rows(section: Section) -> Section | None:
    """The section with half the rows; None if it has only a few."""
    rows = list(section.table.rows) if section.table else []
    if section.table is None or len(rows) <= FEWEST:
        return None
    kept = max(FEWEST, len(rows) // 2)
    best = {(row, column) for row, column in section.table.best if row < kept}
    note = "To be short, the table has its first rows only."
    sentences = section.sentences if note in section.sentences else (*section.sentences, note)
    return replace(section, table=section.table._replace(rows=rows[:kept], best=best), sentences=sentences)
