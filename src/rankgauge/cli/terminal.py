"""Output for terminals only: tables with lines and bold type, and progress bars."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Literal

from rankgauge.model.output.table_cells import GAP, fitted, plain_widths
from rankgauge.model.output.tables import PLACES, Position, Table, plain_texts, printable, render, width

if TYPE_CHECKING:
    from rich.console import Console

    from rankgauge.model.output.documents import Document

LONG_WORD, NARROW = 32, 16  # a word that is longer may be broken; in a narrow terminal, than the second
WIDE_GAP, MARGIN = 3, 2  # between columns, and at the end of a line, where there is room
LONG = 500  # rows; rich takes a millisecond for each
PATIENCE = 1.0  # seconds before a progress bar appears


def show(content: Table | Document, places: int = PLACES) -> None:
    """Print a table, or a document and its tables."""
    from rich.console import Console

    if isinstance(content, Table):
        show_table(content, places)
        return
    console = Console()
    if content.title:
        _print(console, content.title, "bold")
    for section in content.sections:
        if section.title or not section.table:  # a table begins with an empty line
            console.print()
        if section.title:
            _print(console, section.title, "bold")
        for sentence in section.sentences:
            _print(console, sentence)
        if section.table:
            show_table(section.table, places)


def _print(console: Console, text: str, style: str = "") -> None:
    from rich.text import Text

    console.print(Text(printable(text), style))


def show_table(table: Table, places: int = PLACES, console: Console | None = None) -> None:
    """Print a table that fits the terminal, drawn by rich with the best values in bold.

    Text is wrapped, but no number is ever broken: what is too wide continues below. A very long table is
    plain text.
    """
    from rich.console import Console

    console = console or Console()
    room = console.width
    table = table._replace(rows=list(table.rows))
    if len(list(table.rows)) > LONG:
        blocks = fitted(table, room, plain_widths(places))
        sys.stdout.write("\n".join(render(block, places=places) for block in blocks))
        return
    for longest in (LONG_WORD, NARROW):
        least = partial(_least_widths, places=places, longest=longest)
        blocks = fitted(table, room, least)
        if all(_total(least(block)) <= room for block in blocks):
            break
    roomy = len(blocks) == 1 and _total(least(blocks[0]), WIDE_GAP) <= room - MARGIN
    gap, columns = (WIDE_GAP, room - MARGIN) if roomy else (GAP, room)
    for block in blocks:
        console.print()
        _draw(block, places, least(block), columns, gap, console)
    if table.legend:
        console.print()
        _print(console, table.legend)


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


def _draw(table: Table, places: int, least: Sequence[int], room: int, gap: int, console: Console) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    numeric, headers, body = plain_texts(table, places)
    widths = [max(map(width, column)) for column in zip(headers, *body, strict=True)]
    while _total(widths, gap) > room and widths != least:
        widest = max(range(len(widths)), key=lambda column: (widths[column] > least[column], widths[column]))
        widths[widest] -= 1
    shown = RichTable(
        box=SIMPLE_HEAD, padding=(0, 1, 0, gap - 2), pad_edge=False, show_edge=False, header_style="bold"
    )
    for header, number, columns in zip(headers, numeric, widths, strict=True):
        justify: Literal["right", "left"] = "right" if number else "left"
        shown.add_column(Text(header, justify=justify), width=columns, overflow="fold")
    for i, row in enumerate(body):
        # rich would drop the room for marks after a number
        cells = (" " * (widths[j] - width(each)) * numeric[j] + each for j, each in enumerate(row))
        shown.add_row(*(Text(cell, _style(table, (i, j))) for j, cell in enumerate(cells)))
    # rather let the terminal break a line than cut a number (a dumb one ignores a width without a height)
    console.size = (max(room, _total(widths, gap)), console.height)
    console.print(shown)


def _style(table: Table, position: Position) -> str:
    return "bold" if position in table.best else "underline" if position in table.second else ""


class Bar:
    """A progress bar that appears after a while; thread-safe."""

    def __init__(self, title: str, then: str, of_bytes: bool) -> None:
        import threading

        self._title, self._then, self._of_bytes = title, then, of_bytes
        self._state: tuple[int, int | None] = (0, None)  # done, and in total
        self._lock = threading.Lock()
        self._show: Callable[[], None] | None = None
        self._stop: Callable[[], None] | None = None
        self._timer = threading.Timer(max(PATIENCE, 0.0), self._open)
        self._timer.daemon = True
        self._timer.start()

    def __call__(self, done: int, total: int | None) -> None:
        """Show how much is done, and of how much."""
        self._state = done, total
        show = self._show  # which another thread may take away
        if show is not None:
            show()

    def close(self) -> None:
        """Remove the bar; it does not appear any more."""
        self._timer.cancel()
        with self._lock:
            stop, self._show, self._stop = self._stop, None, lambda: None
        if stop is not None:
            stop()

    def _open(self) -> None:
        from rich import progress as rich
        from rich.console import Console

        counted: tuple[rich.ProgressColumn, ...] = (
            rich.DownloadColumn() if self._of_bytes else rich.TaskProgressColumn(),
            rich.TimeRemainingColumn(),
        )
        first = rich.TextColumn("{task.description}"), rich.BarColumn()
        with self._lock:
            if self._stop is not None:  # closed in the meantime
                return
            bar = rich.Progress(
                *first,
                rich.TimeElapsedColumn(),
                console=Console(stderr=True),
                transient=True,
                redirect_stdout=False,  # which may be a file; rich would print its lines to the terminal
            )
            task = bar.add_task(self._title, total=None)

            def show() -> None:
                done, total = self._state
                if total is not None and done < total:
                    bar.columns = (*first, *counted)
                    bar.update(task, description=self._title, completed=done, total=total)
                elif done:
                    bar.columns = (*first, rich.TimeElapsedColumn())
                    bar.update(task, description=self._then, completed=0, total=None)

            self._show, self._stop = show, bar.stop  # before it is shown what was done until now
            show()
            bar.start()
