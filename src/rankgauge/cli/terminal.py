"""Output for terminals only: tables with lines and bold type, and progress bars."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from rankgauge.model.tables import PLACES, Table, printable, render, texts, width

if TYPE_CHECKING:
    from rich.console import Console

    from rankgauge.model.documents import Document

NARROW = 16  # the narrowest column that text is wrapped to
LONG = 500  # rows; rich takes a millisecond for each
PATIENCE = 1.0  # seconds before a progress bar appears
Callback = Callable[[int, int], None]


def show(table: Table, places: int = PLACES, console: Console | None = None) -> None:
    """Print a table, drawn by rich with the best values in bold; a very long one as plain text."""
    rows = list(table.rows)
    if len(rows) > LONG:
        sys.stdout.write(render(table._replace(rows=rows), places=places))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    numeric, headers, body = texts(table._replace(rows=rows), places)
    shown = RichTable(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    needed = 0
    for header, number, *column in zip(headers, numeric, *body, strict=True):
        justify: Literal["right", "left"] = "right" if number else "left"
        shown.add_column(Text(header), justify=justify, no_wrap=number, overflow="fold")
        widest = max(map(width, [header, *column]))
        needed += 3 + (widest if number else min(widest, NARROW))
    for i, row in enumerate(body):
        shown.add_row(*(Text(cell, "bold" if (i, j) in table.best else "") for j, cell in enumerate(row)))
    console = console or Console()
    # text is wrapped to fit, but a number must never be cut: rather let the terminal wrap the line
    # (a dumb terminal ignores a width without a height)
    console.size = (max(console.width, needed), console.height)
    console.print(shown)


def show_document(document: Document, places: int = PLACES) -> None:
    """Print a document, its tables drawn by rich."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    console.print(Text(printable(document.title), "bold"))
    for section in document.sections:
        console.print()
        console.print(Text(printable(section.title), "bold"))
        for sentence in section.sentences:
            console.print(Text(printable(sentence)))
        if section.table:
            show(section.table, places)


@contextmanager
def progress(title: str, *, shown: bool = True, unit: str = "bytes") -> Iterator[Callback | None]:
    """A callback (done, in total) that draws a bar if work takes long; None off a terminal."""
    if not shown or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(title, unit)
    try:
        yield bar
    finally:
        bar.close()


class _Bar:
    """A progress bar that appears after a while; can be called from any thread."""

    def __init__(self, title: str, unit: str) -> None:
        import threading

        self._title, self._unit = title, unit
        self._begin = time.monotonic()
        self._lock = threading.Lock()
        self._show: Callback | None = None
        self.close: Callable[[], None] = lambda: None

    def __call__(self, done: int, total: int) -> None:
        if self._show is None:
            if time.monotonic() - self._begin < PATIENCE:
                return
            with self._lock:
                if self._show is None:
                    self._show = self._open()
        self._show(done, total)

    def _open(self) -> Callback:
        from rich import progress as rich
        from rich.console import Console

        bar = rich.Progress(
            rich.TextColumn("{task.description}"),
            rich.BarColumn(),
            rich.DownloadColumn() if self._unit == "bytes" else rich.MofNCompleteColumn(),
            rich.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        task = bar.add_task(self._title)
        bar.start()
        self.close = bar.stop
        return lambda done, total: bar.update(task, completed=done, total=total)
