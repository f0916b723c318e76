"""Runs as trec_eval reads them: columns after the sixth are ignored, and the last line names the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from rankgauge.core.ids import to_text
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import InputError
from rankgauge.formats.source import Source, run_name
from rankgauge.formats.text_files import numbered_lines

T = TypeVar("T")
TAIL = 1 << 16  # bytes that hold the last line


def reading(path: str, work: Callable[[RunInput], T]) -> T:
    """The result of `work` on a run.

    Our reader rejects lines of more than six columns. A run that it rejects is read again without the
    additional columns; an error that remains is raised.
    """
    source = Source(path)
    try:
        return work(_run_input(path, source))
    except InputError as error:
        if error.path != source.path:
            raise
    return work(_run_input(path, SixColumns(path)))


def _run_input(path: str, source: Source) -> RunInput:
    return RunInput(run_name(path), source.path, source.size, lambda: source)


class SixColumns(Source):
    """A run without the columns after the sixth."""

    uncompressed = False  # the bytes on disk are not the data

    def chunks(self, size: int = 1 << 20, tick: Callable[[int], None] | None = None) -> Iterator[bytes]:
        """The data, line by line, without byte order mark; each call starts from the beginning."""
        for _, line in numbered_lines(Source(self.file)):
            columns = line.split(None, 6)
            yield (b" ".join(columns[:6]) if len(columns) > 6 else line) + b"\n"


def last_tag(path: str) -> str:
    """The name of the run: the tag in the last line of its file."""
    source, tail = Source(path), b""
    if source.in_place:
        with source.opened() as file:
            file.seek(max(0, source.size - TAIL))
            tail = file.read(TAIL)
    else:
        for chunk in source.chunks():
            tail = (tail + chunk)[-TAIL:]
    for line in reversed(tail.split(b"\n")):
        columns = line.split()
        if len(columns) >= 6 and not columns[0].startswith(b"#"):
            return to_text(columns[5])
    return run_name(path)
