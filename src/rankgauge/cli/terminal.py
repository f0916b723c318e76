"""Output for terminals only: tables with lines and bold type, and progress bars."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rankgauge.model.output.table_cells import GAP, fitted, plain_widths
from rankgauge.model.output.tables import PLACES, Table, plain_texts, printable, render, width
from rankgauge.schema.text import terminal_width

if TYPE_CHECKING:
    from rankgauge.model.output.documents import Document

LONG_WORD, NARROW = 32, 16  # a word that is longer may be broken; in a narrow terminal, than the second
WIDE_GAP, MARGIN = 3, 2  # between columns, and at the end of a line, where there is room
LONG = 500  # rows; drawing them all takes long, and nobody reads them
PATIENCE, INTERVAL = 1.0, 0.2  # seconds before a progress bar appears, and between its changes
BAR = 30  # columns
BOLD, UNDERLINED = "1", "4"  # ANSI's codes


def show(content: Table | Document, places: int = PLACES) -> None:
    """Print a table, or a document and its tables."""
    sys.stdout.writelines(f"{line}\n" for line in _lines(content, places))


def _lines(content: Table | Document, places: int) -> Iterator[str]:
    if isinstance(content, Table):
        yield from _table_lines(content, places)
        return
    if content.title:
        yield from _paragraph(content.title, BOLD)
    for section in content.sections:
        if section.title or not section.table:  # a table begins with an empty line
            yield ""
        if section.title:
            yield from _paragraph(section.title, BOLD)
        for sentence in section.sentences:
            yield from _paragraph(sentence)
        if section.table:
            yield from _table_lines(section.table, places)


def _paragraph(text: str, style: str = "") -> Iterator[str]:
    return (_styled(line, style) for line in _wrapped(printable(text), terminal_width()))


def _styled(text: str, style: str) -> str:
    # The old console of Windows does not know these codes, its successor and other terminals set a variable.
    plain = os.environ.get("TERM", "dumb") == "dumb" and "WT_SESSION" not in os.environ
    return text if plain or not style else f"\x1b[{style}m{text}\x1b[0m"


def _wrapped(text: str, room: int) -> list[str]:
    """A text in lines of so many columns; a word that is longer is broken."""
    if width(text) <= room:
        return [text]
    lines, line, left = [], "", room
    for word in text.split(" "):
        gap = " " if line else ""
        if line and width(word) + 1 > left:
            lines.append(line.rstrip())
            line, left, gap = "", room, ""
        for character in gap + word:
            if (needed := width(character)) > left:
                lines.append(line)
                line, left = "", room
            line += character
            left -= needed
    return [*lines, line.rstrip()]


def _table_lines(table: Table, places: int) -> Iterator[str]:
    """A table that fits the terminal, with the best values in bold.

    Text is wrapped, but no number is ever broken: what is too wide continues below. A very long table is
    plain text.
    """
    room = terminal_width()
    table = table._replace(rows=list(table.rows))
    if len(list(table.rows)) > LONG:
        blocks = fitted(table, room, plain_widths(places))
        yield from "\n".join(render(block, places=places) for block in blocks).splitlines()
        return
    for longest in (LONG_WORD, NARROW):
        least = partial(_least_widths, places=places, longest=longest)
        blocks = fitted(table, room, least)
        if all(_total(least(block)) <= room for block in blocks):
            break
    roomy = len(blocks) == 1 and _total(least(blocks[0]), WIDE_GAP) <= room - MARGIN
    gap, columns = (WIDE_GAP, room - MARGIN) if roomy else (GAP, room)
    for block in blocks:
        yield ""
        yield from _drawn(block, places, least(block), columns, gap)
    if table.legend:
        yield ""
        yield from _paragraph(table.legend)


def _least_widths(table: Table, places: int, longest: int) -> list[int]:
    """Minimum widths of columns: whole numbers and words, up to `longest`."""
    numeric, headers, body = plain_texts(table, places)
    columns = zip(*body, strict=True) if body else [()] * len(headers)
    return [
        max(_longest_word([header], longest), *map(width, column), 0)
        if number
        else _longest_word([header, *column], longest)
        for header, number, column in zip(headers, numeric, columns, strict=True)
    ]


def _longest_word(texts: Iterable[str], longest: int) -> int:
    return min(max((width(word) for text in texts for word in text.split()), default=0), longest)


def _total(widths: Sequence[int], gap: int = GAP) -> int:
    return sum(widths) + gap * (len(widths) - 1)


def _drawn(table: Table, places: int, least: Sequence[int], room: int, gap: int) -> Iterator[str]:
    numeric, headers, body = plain_texts(table, places)
    widths = [max(map(width, column)) for column in zip(headers, *body, strict=True)]
    while _total(widths, gap) > room and widths != least:
        widest = max(range(len(widths)), key=lambda column: (widths[column] > least[column], widths[column]))
        widths[widest] -= 1

    def drawn(cells: Sequence[str], styles: Sequence[str], sink: bool = False) -> Iterator[str]:
        columns = [_wrapped(cell, room) for cell, room in zip(cells, widths, strict=True)]
        height = max(map(len, columns))
        for i in range(height):
            line = ""
            for column, style, right, room in zip(columns, styles, numeric, widths, strict=True):
                at = i - (height - len(column)) * sink
                part = column[at] if 0 <= at < len(column) else ""
                space = " " * (room - width(part))
                shown = _styled(part, style) if part else ""
                line += (space + shown if right else shown + space) + " " * gap
            yield line.rstrip()

    yield from drawn(headers, [BOLD] * len(headers), sink=True)
    utf = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    yield ("─" if utf else "-") * _total(widths, gap)
    for i, row in enumerate(body):
        cells = [(i, j) for j in range(len(row))]
        yield from drawn(row, [BOLD if c in table.best else UNDERLINED * (c in table.second) for c in cells])


class Bar:
    """A progress bar on standard error that appears after a while and is drawn by a thread of its own."""

    def __init__(self, title: str, then: str) -> None:
        self._title, self._then = title, then
        self._state: tuple[int, int | None] = (0, None)  # done, and in total
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()

    def __call__(self, done: int, total: int | None) -> None:
        """Say how much is done, and of how much."""
        self._state = done, total

    def close(self) -> None:
        """Remove the bar; it does not appear any more."""
        self._closed.set()
        self._thread.join()

    def _draw(self) -> None:
        stream, start, longest = sys.stderr, time.monotonic(), 0
        pause = PATIENCE
        while not self._closed.wait(pause):
            line = self._line(time.monotonic() - start)[: terminal_width() - 1]
            longest, pause = max(longest, len(line)), INTERVAL
            try:  # the cursor goes back, so that a message overwrites the bar
                stream.write(f"{line:{longest}}\r")
                stream.flush()
            except (OSError, ValueError):  # nobody looks any more
                return
        if longest:
            stream.write(f"{'':{longest}}\r")
            stream.flush()

    def _line(self, seconds: float) -> str:
        done, total = self._state
        if total is None or done >= total:
            return f"{self._then if done else self._title} {_clock(seconds)}"
        full = BAR * done // total
        left = f" {_clock(seconds / done * (total - done))} left" if done else ""
        return f"{self._title} [{'#' * full}{'.' * (BAR - full)}] {done / total:4.0%}{left}"


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"
