"""The output of commands: results for a terminal, a pipe or a file, and messages on standard error.

Messages that cannot be written are dropped; results that cannot be written are an error.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from rankgauge.errors import InputError, OptionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any, TextIO

    from rankgauge.model.output.documents import Document
    from rankgauge.model.output.labels import Labels
    from rankgauge.model.output.tables import Table


def replace_closed() -> None:
    """Put a stream in the place of each that is closed, which drops messages and refuses results.

    Otherwise the next file that is opened would be standard output, and `print` would add messages to it.
    """
    for name, number, mode in (("stdout", 1, os.O_RDONLY), ("stderr", 2, os.O_WRONLY)):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, mode), number)
            setattr(sys, name, open(number, "w", encoding="utf-8", closefd=False))  # noqa: SIM115


def print_message(text: str) -> None:
    """Print text on standard error, as wide as a terminal, with control characters escaped."""
    from rankgauge.model.output.tables import printable

    lines = [printable(line) for line in text.splitlines()]
    if sys.stderr.isatty():
        from textwrap import TextWrapper

        from rankgauge.schema.text import terminal_width

        wrapper = TextWrapper(
            terminal_width(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        lines = [part for line in lines for part in wrapper.wrap(line) or [""]]
    try:
        print("\n".join(lines), file=sys.stderr, flush=True)
    except OSError:
        drop_rest(sys.stderr)


def print_line(text: str) -> None:
    """Print a line of data, such as a path; on a terminal with control characters escaped."""
    from rankgauge.schema.text import printable

    print(printable(text, "\t") if sys.stdout.isatty() else text)


def drop_rest(stream: TextIO) -> None:
    """Drop the unwritten, or Python would try again when it closes the stream."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_notes(kind: str, sentences: Iterable[str], *, quiet: bool = False) -> None:
    """Print sentences on standard error, unless the command is quiet."""
    for sentence in () if quiet else sentences:
        from rankgauge.model.output.tables import printable

        print_message(f"{kind}: {printable(sentence)}")


def print_checks(checks: Mapping[str, Iterable[str]]) -> None:
    """Print on standard error which conditions passed, and why others failed."""
    for condition, failures in checks.items():
        sentence = f"{condition}{''.join(f'; {each}' for each in failures)}"
        print_notes("failed" if failures else "passed", [sentence])


def note_unmatched(labels: Labels, args: argparse.Namespace, *results: Any) -> None:
    """Name the labels that belong to nothing in the results."""
    if labels.by_name and not getattr(args, "quiet", False):
        names = {name for each in results for name in _names_in(each)}
        print_notes("note", labels.unmatched(names))


def _names_in(results: Any) -> Iterator[str]:
    from rankgauge.model.output.tables import Table

    for kind in ("runs", "measures", "topics"):
        names = getattr(results, kind, ())
        yield from names if isinstance(names, Iterable) else ()
    tables = results.tables.values() if hasattr(results, "tables") else [results]
    for table in tables:
        if isinstance(table, Table):
            yield from table.headers
            yield from (cell for row in table.rows for cell in row if isinstance(cell, str))


def check(args: argparse.Namespace) -> None:
    """Refuse an output that cannot be written or is an input."""
    from contextlib import suppress

    from rankgauge.formats.target import status_of

    existing = {}  # what may be replaced, by what identifies a file, whatever its names
    for path in _outputs(args):
        status = status_of(path)
        if status is not None and stat.S_ISREG(status.st_mode):
            existing[status.st_dev, status.st_ino] = path
    for file in _inputs(args) if existing else ():
        with suppress(OSError, ValueError):  # a missing input is an error of the command
            status = os.fstat(0) if file == "-" else os.stat(file)  # noqa: PTH116
            if same := existing.get((status.st_dev, status.st_ino)):
                raise OptionError(
                    f"the output {same} is the same file as the input {file}, which would be lost; "
                    f"write to another {'folder' if getattr(args, 'folder', None) else 'file'}"
                )


def _outputs(args: argparse.Namespace) -> list[str]:
    """The files that a command may replace."""
    from rankgauge.cli.inputs import WRITTEN

    named = [path for path in (getattr(args, dest, None) for dest in WRITTEN) if path is not None]
    if named:
        return [path for path in named if path != "-"]
    from pathlib import Path

    from rankgauge.formats.patterns import files_below

    places = [Path(args.folder, name) for name in args.replaces]
    return [
        file
        for place in places
        for file in (files_below(str(place)) if place.is_dir() else [str(place)])
        if place.exists()
    ]


def _inputs(args: argparse.Namespace) -> Iterator[str]:
    """The files that a command reads, also in directories."""
    from contextlib import suppress

    from rankgauge.cli.inputs import read_by
    from rankgauge.formats.patterns import files_below
    from rankgauge.formats.source import expand

    for text in read_by(args):
        with suppress(InputError):  # a pattern that matches nothing is an error of the command
            for path in expand(text.removeprefix("file://")):  # as Spark has it
                yield path
                if os.path.isdir(path):  # noqa: PTH112
                    yield from files_below(path)


def suitable(
    form: str | None,
    path: str | None,
    formats: Iterable[str] | None = None,
    elsewhere: str = "tsv",
    own: Mapping[str, str] | None = None,
    option: str = "--format",
) -> str:
    """The requested format, else that of the file's extension, else one that suits stdout.

    `elsewhere` is the format for pipes, and for files without an extension; `own` has the extensions of
    formats of this command alone.
    """
    if form is not None:
        return form
    if path is not None:
        from rankgauge.model.output.tables import FORMATS

        name = path.lower().replace("\\", "/").rpartition("/")[2]
        extensions = [f".{part}" for part in name.split(".")[1:][-2:]]  # the last may be .gz
        known = {
            extension: form.name
            for form in FORMATS.values()
            if form.name in (formats or FORMATS)
            for extension in form.extensions
        }
        own = own or {}
        if extensions and extensions[-1] in own:
            return own[extensions[-1]]
        for extension in extensions:
            if extension in known:
                return known[extension]
        if {*extensions} <= {".gz", ".bz2", ".xz", ".zst"}:
            return elsewhere
        allowed = " ".join([*known, *own])
        raise OptionError(f"cannot infer a format from {path}; use one of {allowed}, or pass {option}")
    return "table" if sys.stdout.isatty() else elsewhere


def is_file(path: str | None) -> bool:
    """Whether output goes to a file, and not to a terminal or pager."""
    from contextlib import suppress

    if path is not None:
        return True
    with suppress(OSError, ValueError):  # standard output may be no file at all
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    return False


def show(
    content: Table | Document,
    form: str | None = None,
    path: str | None = None,
    places: int | None = None,
) -> None:
    """Write a table or a document; on a terminal, it is drawn."""
    from rankgauge.model.output import documents
    from rankgauge.model.output.tables import PLACES, Table, lines

    form, places = form or suitable(None, path), PLACES if places is None else places
    if form == "table" and path is None and sys.stdout.isatty():
        from rankgauge.cli import terminal

        terminal.show(content, places)
    elif isinstance(content, Table):
        write(lines(content, form, places), path)
    else:
        write(documents.document_lines(content, form, places), path)


class progress:
    """A callback (done, in total if known) that draws a bar if work takes long; None off a terminal.

    The bar appears whether or not it is called; `then` is the title of the rest of the work once all is done.
    """

    def __init__(self, title: str, *, shown: bool = True, then: str = "computing") -> None:
        self._bar = None
        if shown and sys.stderr.isatty():
            from rankgauge.cli.terminal import Bar

            self._bar = Bar(title, then)

    def __enter__(self) -> Callable[[int, int | None], None] | None:
        return self._bar

    def __exit__(self, *_problem: object) -> None:
        if self._bar:
            self._bar.close()


def write(lines: Iterable[str], path: str | None = None) -> None:
    """Write lines to standard output, or atomically to a file."""
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.flush()  # before any message
        return
    from rankgauge.formats.target import writing

    with writing(path) as stream:
        stream.writelines(f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)
