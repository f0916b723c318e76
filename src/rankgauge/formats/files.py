"""Reading and writing files in any format."""

from __future__ import annotations

import os
from collections.abc import Mapping

from rankgauge.errors import OptionError
from rankgauge.formats.columns import Columns
from rankgauge.formats.problems import KEEP
from rankgauge.formats.registry import FORMATS, Format, Request, by_extension, by_name
from rankgauge.formats.sniffing import detect
from rankgauge.formats.source import Source, suffixes
from rankgauge.formats.target import writing


def read(
    source: Source | str | os.PathLike[str],
    kind: str,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    keep: int = KEEP,
) -> Columns:
    """The columns of a run ("run") or of judgments ("qrels"), with the problems found while reading."""
    source = source if isinstance(source, Source) else Source(source)
    return detect(source, kind, format).read(source, Request(kind, columns, keep))


def write(columns: Columns, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write columns to a file, in the named format or that of the extension; atomic, compressed by suffix."""
    name = os.fspath(path)
    chosen = by_name(format, columns.kind) if format else _for_writing(name, columns.kind)
    if chosen.write is None:
        raise OptionError(f"{chosen.name} files can be read but not written; write trec or another format")
    with writing(name) as out:
        chosen.write(columns, out)


def _for_writing(path: str, kind: str) -> Format:
    """The format of a path's extension; TREC if it has none."""
    chosen = by_extension(path, kind)
    if chosen is None and suffixes(path)[0]:
        known = " ".join(e for f in FORMATS.values() if kind in f.kinds for e in f.extensions)
        raise OptionError(f"cannot infer a format from {path}; use one of {known}, or name a format")
    return chosen or by_name("trec", kind)
