"""Runs as trec_eval reads them: what follows the sixth column is overlooked, the last line has the name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from rankgauge.core.ids import to_text
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import InputError
from rankgauge.formats.lines import numbered_lines
from rankgauge.formats.source import Source, run_name

T = TypeVar("T")
TAIL = 1 << 16  # bytes that hold the last line


def reading(path: str, work: Callable[[RunInput], T]) -> T:
    """What `work` makes of a run.

    Our reader refuses lines of more than six columns, so a run that it refuses is shown to it once more
    without them; what is then still wrong with it is told.
    """
    source = Source(path)
    try:
        return work(_given(path, source))
    except InputError as error:
        if error.path != source.path:
            raise
    return work(_given(path, SixColumns(path)))


def _given(path: str, source: Source) -> RunInput:
    return RunInput(run_name(path), source.path, source.size, lambda: source)


class SixColumns(Source):
    """A run without what follows the sixth column of its lines."""

    uncompressed = False  # the bytes on disk are not the data

    def chunks(self, size: int = 1 << 20, tick: Callable[[int], None] | None = None) -> Iterator[bytes]:
        """The data, line by line, without byte order mark; each call begins anew."""
        for _, line in numbered_lines(Source(self.file)):
            columns = line.split(None, 6)
            yield (b" ".join(columns[:6]) if len(columns) > 6 else line) + b"\n"


def last_tag(path: str) -> str:
    """The name of the run, which the last line of its file gives."""
    source, tail = Source(path), b""
    if source.uncompressed:
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
