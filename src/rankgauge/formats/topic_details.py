"""Files that say more about topics: the probabilities of their subtopics, and an alpha for each.

    topic subtopic probability          as NTCIR's Iprob and DINprob files; what follows is of no account
    topic alpha

Columns are parted by blanks, or by semicolons.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats.lines import filled, parsed, unreadable
from rankgauge.formats.problems import quote, sentence, wrong_columns
from rankgauge.formats.source import Source


def read_intents(source: Source) -> dict[str, dict[str, float]]:
    """{topic: {subtopic: probability}}."""
    found: dict[str, dict[str, float]] = {}
    for line, (topic, subtopic, *_), value in _rows(source, "topic subtopic probability", 3):
        if subtopic in found.setdefault(topic, {}):
            raise InputError(
                f"subtopic {quote(subtopic)} of topic {quote(topic)} is there for the second time",
                path=source.path,
                line=line,
            )
        found[topic][subtopic] = value
    return found


def read_alphas(source: Source) -> dict[str, float]:
    """{topic: alpha}."""
    found: dict[str, float] = {}
    for line, (topic, *_), value in _rows(source, "topic alpha", 2):
        if topic in found:
            raise InputError(
                f"topic {quote(topic)} is there for the second time", path=source.path, line=line
            )
        found[topic] = value
    return found


def _rows(source: Source, layout: str, size: int) -> Iterator[tuple[int, list[str], float]]:
    """(line, fields, the number in the last column wanted), each checked."""
    for number, line in filled(source):
        code = unreadable(line)
        if code:
            raise InputError(sentence(code, line, "qrels"), path=source.path, line=number)
        fields = [part.strip() for part in (line.split(b";") if b";" in line else line.split())]
        if len(fields) < size or not all(fields[:size]):
            said = wrong_columns(layout, line, len(fields), size)
            raise InputError(said, path=source.path, line=number)
        value = parsed(fields[size - 1])
        if value is None or not 0 <= value <= 1:
            raise InputError(
                f"{quote(fields[size - 1])} is no number from 0 to 1; a line is: {layout}",
                path=source.path,
                line=number,
            )
        yield number, [to_text(field) for field in fields[: size - 1]], value
