"""Where a command's answer goes: a terminal, a pipe or a file, in the format that suits it."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rankgauge.errors import OptionError
from rankgauge.model.tables import FORMATS


def suitable(
    form: str | None, path: str | None, formats: Iterable[str] = FORMATS, elsewhere: str = "tsv"
) -> str:
    """The format that was asked for, else the one of the file's ending, else what stdout can show.

    `elsewhere` is the format for what is neither a terminal nor a file whose ending says more.
    """
    if form is not None:
        return form
    if path is not None:
        name = path.lower().replace("\\", "/").rpartition("/")[2]
        found = [f".{part}" for part in name.split(".")[1:][-2:]]  # the last may be .gz
        known = {ending: f.name for f in FORMATS.values() if f.name in formats for ending in f.extensions}
        for ending in found:
            if ending in known:
                return known[ending]
        if {*found} <= {".gz", ".bz2", ".xz", ".zst"}:
            return elsewhere
        endings = f"{' '.join(known)}{' or .parquet' if formats is FORMATS else ''}"
        raise OptionError(f"the ending of {path} stands for no format; end it in {endings}, or say --format")
    return "table" if sys.stdout.isatty() else elsewhere


def write(lines: Iterable[str], path: str | None) -> None:
    """Write lines to stdout, or to a file that appears only when it is whole."""
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    from rankgauge.formats.target import writing

    with writing(path) as stream:
        stream.writelines(f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)
