"""Writing a command's results to a terminal, a pipe or a file, in a suitable format."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rankgauge.errors import OptionError
from rankgauge.model.tables import FORMATS


def suitable(
    form: str | None, path: str | None, formats: Iterable[str] = FORMATS, elsewhere: str = "tsv"
) -> str:
    """The requested format, else that of the file's extension, else one that suits stdout.

    `elsewhere` is the format for pipes, and for files without an extension.
    """
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
