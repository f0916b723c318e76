"""Writing a command's results to a terminal, a pipe or a file, in a suitable format."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress

from rankgauge.cli.paths import WRITTEN
from rankgauge.errors import InputError, OptionError
from rankgauge.model.output.tables import FORMATS


def check(args: argparse.Namespace) -> None:
    """Refuse an output that cannot be written, or that is an input, before anything is read."""
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
    """The files that a command may replace: those it names, or those of an experiment in its folder."""
    named = [path for path in (getattr(args, dest, None) for dest in WRITTEN) if path is not None]
    if named:
        return [path for path in named if path != "-"]
    from pathlib import Path

    from rankgauge.formats.patterns import files_below
    from rankgauge.reports.papers.folder import PLACES

    places = [Path(args.folder, name) for name in PLACES]
    return [
        file
        for place in places
        for file in (files_below(str(place)) if place.is_dir() else [str(place)])
        if place.exists()
    ]


def _inputs(args: argparse.Namespace) -> Iterator[str]:
    """The files that a command is to read, with those in directories, which are the parts of a run."""
    from rankgauge.cli.paths import read_by
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
    formats: Iterable[str] = FORMATS,
    elsewhere: str = "tsv",
    own: Mapping[str, str] | None = None,
) -> str:
    """The requested format, else that of the file's extension, else one that suits stdout.

    `elsewhere` is the format for pipes, and for files without an extension; `own` has the extensions of
    formats that the command alone can write.
    """
    if form is not None:
        return form
    if path is not None:
        name = path.lower().replace("\\", "/").rpartition("/")[2]
        extensions = [f".{part}" for part in name.split(".")[1:][-2:]]  # the last may be .gz
        known = {
            extension: f.name for f in FORMATS.values() if f.name in formats for extension in f.extensions
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
        raise OptionError(f"cannot infer a format from {path}; use one of {allowed}, or pass --format")
    return "table" if sys.stdout.isatty() else elsewhere


def is_file(path: str | None) -> bool:
    """Whether output goes to a file: not to the terminal, nor to a pager that shows it there."""
    if path is not None:
        return True
    with suppress(OSError, ValueError):  # standard output may be no file at all
        return stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode)
    return False


def write(lines: Iterable[str], path: str | None) -> None:
    """Write lines to stdout, or atomically to a file."""
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    from rankgauge.formats.target import writing

    with writing(path) as stream:
        stream.writelines(f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)
