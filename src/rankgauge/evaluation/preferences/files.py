"""Reading preferences: `topic group subgroup document level`, or judgments taken as preferences."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from rankgauge import formats
from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import content_lines, first_line, line_problem, parse_number

LAYOUT = "topic group subgroup document level"
WHOLE = "0"  # the one subgroup of a group that has no others

# {topic: {group: {subgroup: {document: level}}}}
Nested = Mapping[str, Mapping[str, Mapping[str, Mapping[str, float]]]]
Row = tuple[str, str, str, str, float]


def read(path: str | os.PathLike[str] | Source, format: str | None = None) -> Nested:
    """The preferences in a file; `format` is prefs (five columns) or qrels (four), by default detected."""
    source = path if isinstance(path, Source) else Source(path)
    if format not in (None, "prefs", "qrels"):
        raise InputError(f"preferences are read from prefs or qrels files, not from {format!r}")
    if format == "qrels" or (format is None and len(first_line(source.head).split()) == 4):
        return from_qrels(source)
    return nested(_lines(source), source.path)


def from_qrels(path: str | os.PathLike[str] | Source) -> Nested:
    """Judgments as preferences for the higher grade; the second column is the group."""
    columns = formats.read(path, "qrels", "trec").checked()
    rows = zip(
        columns.topic.texts(),
        ["0"] * len(columns) if columns.label is None else columns.label.texts(),
        [WHOLE] * len(columns),
        columns.doc.texts(),
        columns.value.tolist(),
        strict=True,
    )
    lines = range(1, len(columns) + 1) if columns.line is None else columns.line.tolist()
    return nested(zip(lines, rows, strict=True), columns.path(0))


def nested(rows: Iterable[tuple[int, Row]], path: str | None = None) -> Nested:
    """Nested dicts of rows (line, (topic, group, subgroup, document, level)) without duplicates."""
    by_topic: dict[str, Any] = {}
    for line, (topic, group, subgroup, doc, level) in rows:
        levels = by_topic.setdefault(topic, {}).setdefault(group, {}).setdefault(subgroup, {})
        if doc in levels:
            raise InputError(
                f"document {problems.quote(doc)} is in subgroup {problems.quote(subgroup)} of group "
                f"{problems.quote(group)} of topic {problems.quote(topic)} twice; "
                "once is allowed: correct it, or put it into another subgroup",
                path=path,
                line=line,
            )
        levels[doc] = level
    if not by_topic:
        raise InputError("the file is empty; preferences must have at least one row", path=path)
    return by_topic


def _lines(source: Source) -> Iterable[tuple[int, Row]]:
    for number, line in content_lines(source):
        code = line_problem(line)
        if code:
            raise InputError(problems.sentence(code, line, "qrels"), path=source.path, line=number)
        fields = line.split()
        if len(fields) != 5:
            raise InputError(problems.wrong_columns(LAYOUT, line), path=source.path, line=number)
        level = parse_number(fields[4])
        if level is None or not math.isfinite(level):
            raise InputError(
                f"the level is not a finite number: {problems.quote(fields[4])}; a level is a number such as "
                "0, 2 or 0.5",
                path=source.path,
                line=number,
            )
        topic, group, subgroup, doc = map(to_text, fields[:4])
        yield number, (topic, group, subgroup, doc, level)
