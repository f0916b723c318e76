"""Files of documents to leave out of the rankings of queries; a line is: topic document."""

from __future__ import annotations

import os

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats.problems import sentence, wrong_columns
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import content_lines, line_problem

LAYOUT = "topic document"


def read_exclusions(path: str | os.PathLike[str]) -> dict[str, set[str]]:
    """{topic: documents} of a file."""
    source = Source(path)
    excluded: dict[str, set[str]] = {}
    for number, line in content_lines(source):
        code, fields = line_problem(line), line.split()
        if code or len(fields) != 2:
            message = sentence(code, line, "qrels") if code else wrong_columns(LAYOUT, line, len(fields), 2)
            raise InputError(message, path=source.path, line=number)
        topic, document = map(to_text, fields)
        excluded.setdefault(topic, set()).add(document)
    return excluded
