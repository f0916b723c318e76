"""Where a command's answer goes: a terminal, a pipe or a file, in the format that suits it."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rankgauge.errors import OptionError
from rankgauge.tables import FORMATS


def suitable(form: str | None, path: str | None) -> str:
    """The format that was asked for, else the one of the file's ending, else what stdout can show."""
    if form is not None:
        return form
    if path is not None:
        name = path.lower().replace("\\", "/").rpartition("/")[2]
        endings = [f".{part}" for part in name.split(".")[1:][-2:]]  # the last may be .gz
        known = {ending: f.name for f in FORMATS.values() for ending in f.extensions}
        for ending in endings:
            if ending in known:
                return known[ending]
        if {*endings} <= {".gz", ".bz2", ".xz", ".zst"}:
            return "tsv"
        raise OptionError(
            f"the ending of {path} stands for no format; "
            f"end it in {' '.join(known)} or .parquet, or say --format"
        )
    return "table" if sys.stdout.isatty() else "tsv"


def write(lines: Iterable[str], path: str | None) -> None:
    """Write lines to stdout, or to a file that appears only when it is whole."""
    if path is None:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        return
    from rankgauge.formats.target import writing

    with writing(path) as stream:
        stream.writelines(f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)
