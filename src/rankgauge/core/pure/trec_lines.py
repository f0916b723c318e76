"""Lines and fields of TREC files, and whole files as columns."""

from __future__ import annotations

import re
from array import array
from typing import Any

from rankgauge.core import codes
from rankgauge.core.buffers import column, numbers, strings

Problem = tuple[int, int, bytes]


def number(field: bytes) -> float | None:
    """The number in a field, or None. Python's float() also accepts 1_000, which no run means."""
    try:
        return None if b"_" in field else float(field)
    except ValueError:
        return None


def read_rank(field: bytes) -> int | None:
    """The rank in a field, or None. A larger number would be no key to order by: keys are doubles."""
    digits = re.fullmatch(rb"([+-]?)0*([0-9]{1,19})", field)
    value = int(digits[1] + digits[2]) if digits else codes.LARGE_RANK
    return value if abs(value) < codes.LARGE_RANK else None


class Lines:
    """Cuts chunks of bytes into lines, also those that span chunks, and counts them."""

    def __init__(self) -> None:
        self.count = 0  # lines seen so far
        self._rest = b""

    @property
    def is_overlong(self) -> bool:
        """Whether the line that has not ended yet is too long already."""
        return len(self._rest) > codes.MAX_LINE

    def of(self, chunk: bytes) -> bytes:
        """The lines that end in this chunk, with their newlines; the rest is kept."""
        lines, newline, rest = (self._rest + chunk).rpartition(b"\n")
        self._rest = rest[: codes.MAX_LINE + 1]  # just long enough to be recognised as too long
        return lines + newline

    def last(self) -> bytes:
        """The last line, when it had no newline."""
        rest, self._rest = self._rest, b""
        return rest and rest + b"\n"


def unreadable(line: bytes) -> tuple[int, bytes] | None:
    """(code, what was found) of a line that no format can have, or None."""
    if len(line) > codes.MAX_LINE:
        return codes.LONG_LINE, line[: codes.FOUND_BYTES]
    if b"\0" in line:
        return codes.BINARY, line[: codes.FOUND_BYTES]
    return None


# Consecutive lines that begin with the same field.
_LINES_OF_A_TOPIC = re.compile(rb"[^\S\n]*(\S+)[^\n]*\n(?:[^\S\n]*\1[^\S\n][^\n]*\n)*")


def topic_lines(text: bytes) -> tuple[array[int], array[int], tuple[bytes, array[int]]]:
    """(where consecutive lines with the same first field begin, where they end, these fields).

    Every line of the text has its end.
    """
    groups = [*_LINES_OF_A_TOPIC.finditer(text)]
    begins, ends = (array("q", [group.span()[place] for group in groups]) for place in (0, 1))
    return begins, ends, column([group[1] for group in groups])


def run_text(
    topic_data: Any,
    topic_offsets: Any,
    doc_data: Any,
    doc_offsets: Any,
    ranks: Any,
    scores: Any,
    tag_data: Any,
    tag_offsets: Any,
) -> bytes:
    """The lines of a run in a TREC file."""
    topics, docs = strings(topic_data, topic_offsets), strings(doc_data, doc_offsets)
    tags = strings(tag_data, tag_offsets)
    rows = zip(topics, docs, numbers(ranks, "q"), numbers(scores, "d"), tags, strict=True)
    return b"".join(map(b"%b Q0 %b %d %a %b\n".__mod__, rows))


class Table:
    """Reads a whole TREC file into columns and records every problem.

    `fields` is 6 for a run (topic Q0 doc rank score tag), 4 for judgments (topic iteration doc grade), 3 for
    judgments without the second column. Lines with a problem are left out of the columns; the first `keep`
    problems of each kind are kept, all are counted.
    """

    def __init__(self, fields: int, keep: int) -> None:
        self._fields, self._keep = fields, keep
        self._lines = Lines()
        self._problems: list[Problem] = []
        self._counts: dict[int, int] = {}
        self._forget_rows()

    def _forget_rows(self) -> None:
        self._topic: list[bytes] = []
        self._doc: list[bytes] = []
        self._label: list[bytes] = []
        self._value, self._rank, self._line = array("d"), array("q"), array("q")

    def feed(self, chunk: Any) -> int:
        """Take the next bytes of the file; return the number of problems so far.

        A line that is too long counts before its end, as it may have none.
        """
        self._rows(self._lines.of(bytes(chunk)))
        return sum(self._counts.values()) + self._lines.is_overlong

    def _rows(self, lines: bytes) -> None:
        for line in lines.split(b"\n")[:-1]:
            self._row(line)

    def _row(self, line: bytes) -> None:
        self._lines.count += 1
        problem = unreadable(line)
        fields = [] if problem else line.split()
        if problem is None and fields and not fields[0].startswith(b"#"):
            problem = self._take(fields, line)
        if problem:
            code, found = problem
            self._counts[code] = self._counts.get(code, 0) + 1
            if self._counts[code] <= self._keep:
                self._problems.append((code, self._lines.count, found))

    def _take(self, fields: list[bytes], line: bytes) -> tuple[int, bytes] | None:
        if len(fields) != self._fields:
            return codes.COLUMNS, line[: codes.FOUND_BYTES]
        if self._fields == 6:
            topic, _, doc, rank, text, label = fields
            value, order = number(text), read_rank(rank)
            bad_code = codes.BAD_SCORE
        else:
            topic, *iteration, doc, text = fields
            label, order, bad_code = (iteration[0] if iteration else b"0"), None, codes.BAD_GRADE
            value = number(text)
        if value is None or (bad_code == codes.BAD_GRADE and value in (float("inf"), -float("inf"))):
            return bad_code, text[: codes.FOUND_BYTES]
        if value != value:
            return codes.NOT_A_NUMBER, text[: codes.FOUND_BYTES]
        self._topic.append(topic)
        self._doc.append(doc)
        self._label.append(label)
        self._value.append(value)
        if self._fields == 6:
            self._rank.append(codes.NO_RANK if order is None else order)
        self._line.append(self._lines.count)
        return None

    def finish(self) -> dict[str, Any]:
        """The rows left as columns (strings as data and offsets, numbers as buffers), and all problems."""
        self._rows(self._lines.last())
        return self.take()

    def take(self) -> dict[str, Any]:
        """The rows so far, which are then forgotten, and all problems."""
        rows = {
            "topic": column(self._topic),
            "doc": column(self._doc),
            "label": column(self._label),  # the iteration of judgments, the tag of a run
            "value": self._value,
            "rank": self._rank,
            "line": self._line,
            "lines": self._lines.count,
            "problems": self._problems,
            "counts": self._counts,
        }
        self._forget_rows()
        return rows
