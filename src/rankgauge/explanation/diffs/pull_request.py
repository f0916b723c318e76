"""A diff as a comment on a pull request: short Markdown, details folded, never longer than is allowed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rankgauge.explanation.diffs.cells import begun
from rankgauge.explanation.diffs.result import Diff, TopicChange
from rankgauge.model.output.documents import Document, Section, document_lines
from rankgauge.model.output.tables import PLACES
from rankgauge.schema.text import counted

LONGEST = 60_000  # characters; GitHub takes 65,536
TOPICS = 5  # that lost most, and that gained most
MEASURES, SENTENCES, DOCUMENTS = 20, 12, 10  # the most of each that are shown
SENTENCE = (400, 200, 50)  # characters: some take 14 in Markdown, so the last one always fits


def comment(diff: Diff, places: int = PLACES) -> str:
    """The verdict, the means, the topics that changed most, and as many details as there is room for."""
    text = ""
    for longest in SENTENCE:
        sections, notes = [*_sections(diff, places, longest)], [*_notes(diff, longest)]
        text = _rendered(diff, [*sections, *notes], places)
        if len(text) <= LONGEST:
            break
    changed = (*diff.losses[:TOPICS], *diff.gains[:TOPICS])
    details = diff.details(changed, DOCUMENTS, places)
    while details:
        longer = _rendered(diff, [*sections, *details, *notes], places)
        if len(longer) <= LONGEST:
            return longer
        details = details[:-1]
    return text


def _sections(diff: Diff, places: int, longest: int) -> Iterator[Section]:
    """What is always shown; no sentence is longer than `longest` characters."""
    losses, gains = diff.losses[:TOPICS], diff.gains[:TOPICS]
    for section in (*diff.verdict(), diff.means(places, MEASURES)):
        yield _short(section, longest)
    yield from _topics(diff, "lost", losses)
    yield from _topics(diff, "gained", gains)
    if not losses and not gains:
        yield Section("Topics", (diff.numbers(),))


def _notes(diff: Diff, longest: int) -> Iterator[Section]:
    if diff.notes:
        yield _short(Section("Notes", tuple(f"{note}." for note in diff.notes), folded=True), longest)


def _topics(diff: Diff, what: str, topics: Sequence[TopicChange]) -> list[Section]:
    every = len(diff.losses if what == "lost" else diff.gains)
    title = f"The {counted(len(topics), 'topic')} of {every} that {what} most"
    if every <= TOPICS:
        title = f"{'The topic' if every == 1 else f'All {every} topics'} that {what}"
    rows = [*map(diff.topic_row, topics)]
    return [Section(title, tuple(diff.on_moves()), diff.table(rows))] if topics else []


def _short(section: Section, longest: int) -> Section:
    """The section with some of its sentences, none of which is long."""
    sentences = [begun(sentence, longest) for sentence in section.sentences[:SENTENCES]]
    more = len(section.sentences) - len(sentences)
    return replace(section, sentences=(*sentences, *[f"{more} more."] * bool(more)))


def _rendered(diff: Diff, sections: Sequence[Section], places: int) -> str:
    document = Document(diff.title(places), tuple(sections))
    return "".join(f"{line}\n" for line in document_lines(document, "markdown", places))
