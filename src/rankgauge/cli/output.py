"""Writing a command's results to a terminal, a pipe or a file, in a suitable format."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress

from rankgauge.errors import InputError, OptionError
from rankgauge.model.tables import FORMATS


def check(args: argparse.Namespace) -> None:
    """Refuse an output that cannot be written, or that is an input, before anything is read."""
    from rankgauge.formats.target import status_of

    path = getattr(args, "output", None)
    status = None if path in (None, "-") else status_of(path)
    if status is None or not stat.S_ISREG(status.st_mode):
        return
    for file in _inputs(args):
        with suppress(OSError, ValueError):  # a missing input is an error of the command
            if os.path.samestat(status, os.fstat(0) if file == "-" else os.stat(file)):  # noqa: PTH116
                raise OptionError(
                    f"the output {path} is the same file as the input {file}, which would be lost; "
                    "write to another file"
                )


def _inputs(args: argparse.Namespace) -> Iterator[str]:
    """The files that a command is to read.

    All its arguments but OUT are files, and so are the values of options that help calls FILE or QRELS.
    """
    from rankgauge.formats.source import expand

    for action in args.parser._actions:
        texts = [*_texts(getattr(args, action.dest, None))]
        if action.dest == "select":
            texts = [text.removeprefix("teams=") for text in texts if text.startswith("teams=")]
        elif action.dest == "output" or (action.option_strings and action.metavar not in ("FILE", "QRELS")):
            continue
        for text in texts:
            with suppress(InputError):  # a pattern that matches nothing is an error of the command
                for path in expand(text):
                    yield path
                    for folder, _, names in os.walk(path):  # the parts of a run
                        yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118


def _texts(value: object) -> Iterator[str]:
    """The texts in the value of an argument, which may be lists of lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def suitable(
    form: str | None, path: str | None, formats: Iterable[str] = FORMATS, elsewhere: str = "tsv"
) -> str:
    """The requested format, else that of the file's extension, else one that suits stdout.

    `elsewhere` is the format for pipes, and for files without an extension.
    """
    if form == "word" and path is not None and path.lower().endswith(".docx"):
        raise OptionError(f"Word opens HTML as .doc, but not as .docx; write to {path[:-1]}, or paste it")
    if form is not None:
        return form
    if path is not None:
        name = path.lower().replace("\\", "/").rpartition("/")[2]
        extensions = [f".{part}" for part in name.split(".")[1:][-2:]]  # the last may be .gz
        known = {
            extension: f.name for f in FORMATS.values() if f.name in formats for extension in f.extensions
        }
        for extension in extensions:
            if extension in known:
                return known[extension]
        if {*extensions} <= {".gz", ".bz2", ".xz", ".zst"}:
            return elsewhere
        allowed = f"{' '.join(known)}{' or .parquet' if formats is FORMATS else ''}"
        raise OptionError(f"cannot infer a format from {path}; use one of {allowed}, or pass --format")
    return "table" if sys.stdout.isatty() else elsewhere


def write(lines: Iterable[str], path: str | None) -> None:
    """Write lines to stdout, or atomically to a file."""
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    from rankgauge.formats.target import writing

    with writing(path) as stream:
        stream.writelines(f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)
