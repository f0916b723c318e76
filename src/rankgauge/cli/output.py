"""Where a command's answer goes: a terminal, a pipe or a file, in the format that suits it."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rankgauge.tables import FORMATS


def suitable(form: str | None, path: str | None) -> str:
    """The format that was asked for, else the one of the file's ending, else what stdout can show."""
    if form is not None:
        return form
    if path is not None:
        endings = [f".{part}" for part in path.lower().split(".")[-2:]]  # the last may be .gz
        return next((f.name for f in FORMATS.values() if {*endings} & {*f.extensions}), "tsv")
    return "table" if sys.stdout.isatty() else "tsv"


def write(lines: Iterable[str], path: str | None) -> None:
    """Write lines to stdout, or to a file that appears only when it is whole."""
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    from rankgauge.formats.target import writing

    with writing(path) as stream:
        stream.writelines(f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)
