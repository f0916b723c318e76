"""Files with parameters of topics: the probabilities of their subtopics, and their alphas.

    topic subtopic probability          as in NTCIR's Iprob and DINprob files; further columns are ignored
    topic alpha

Columns are separated by whitespace or by semicolons.
"""

from __future__ import annotations

from collections.abc import Iterator

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats.lines import content_lines, line_problem, parse_number
from rankgauge.formats.problems import quote, sentence, wrong_columns
from rankgauge.formats.source import Source


def read_subtopic_probabilities(source: Source) -> dict[str, dict[str, float]]:
    """{topic: {subtopic: probability}}."""
    probabilities: dict[str, dict[str, float]] = {}
    for line, (topic, subtopic, *_), value in _rows(source, "topic subtopic probability", 3):
        if subtopic in probabilities.setdefault(topic, {}):
            raise InputError(
                f"subtopic {quote(subtopic)} of topic {quote(topic)} occurs twice; remove one line",
                path=source.path,
                line=line,
            )
        probabilities[topic][subtopic] = value
    return probabilities


def read_alphas(source: Source) -> dict[str, float]:
    """{topic: alpha}."""
    alphas: dict[str, float] = {}
    for line, (topic, *_), value in _rows(source, "topic alpha", 2):
        if topic in alphas:
            raise InputError(
                f"topic {quote(topic)} occurs twice; remove one line", path=source.path, line=line
            )
        alphas[topic] = value
    return alphas


def _rows(source: Source, layout: str, size: int) -> Iterator[tuple[int, list[str], float]]:
    """(line number, fields before the value, value) of each line; the value is the last of `size` columns."""
    for number, line in content_lines(source):
        code = line_problem(line)
        if code:
            raise InputError(sentence(code, line, "qrels"), path=source.path, line=number)
        fields = [part.strip() for part in (line.split(b";") if b";" in line else line.split())]
        if len(fields) < size or not all(fields[:size]):
            message = wrong_columns(layout, line, len(fields), size)
            raise InputError(message, path=source.path, line=number)
        value = parse_number(fields[size - 1])
        if value is None or not 0 <= value <= 1:
            raise InputError(
                f"{quote(fields[size - 1])} is not a number from 0 to 1; a line is: {layout}",
                path=source.path,
                line=number,
            )
        yield number, [to_text(field) for field in fields[: size - 1]], value
