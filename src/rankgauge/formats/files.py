"""Files in any format: detecting the format, reading, writing."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace

from rankgauge.errors import OptionError
from rankgauge.formats import assumptions
from rankgauge.formats.columns import Columns, fits
from rankgauge.formats.problems import KINDS
from rankgauge.formats.registry import FORMATS, Format, Request, by_extension, by_name, own_first
from rankgauge.formats.source import Source, suffixes
from rankgauge.formats.target import writing
from rankgauge.schema.registry import guarded
from rankgauge.schema.surface import in_command, in_python


def detect(source: Source, kind: str, format: str | None = None) -> Format:
    """The format of a file: the named one, else by content, else by extension, else TREC."""
    if format is not None:
        return by_name(format, kind)
    by_content = (f for f in own_first() if _holds(f, source, kind))
    return next(by_content, None) or by_extension(source.path, kind) or by_name("trec", kind)


def guess_kind(source: Source, format: str | None = None) -> str:
    """Whether a file holds a run or judgments: by its content, or else by its name."""
    formats = [FORMATS.find(format)] if format is not None else list(FORMATS.own().values())
    recognised = _recognised(source, formats)
    if not recognised and format is None:
        formats = list(FORMATS.values())
        recognised = _recognised(source, formats)
    kinds = recognised or [kind for kind in KINDS if any(kind in f.kinds for f in formats)]
    if len(kinds) > 1:
        named = next((f for f in formats if f.names and _holds(f, source, "run")), None)
        names = guarded("format", named.name, named.names)(source) if named and named.names else []
        kinds = [kind for kind in KINDS if fits(names, kind)]
    if len(kinds) == 1:
        return kinds[0]
    *_, folder, name = ["", *source.path.lower().replace("\\", "/").split("/")]
    return "qrels" if "qrel" in name or "judg" in name or folder == "qrels" else "run"


def _recognised(source: Source, formats: list[Format]) -> list[str]:
    """The kinds that some format recognises in a file."""
    return [kind for kind in KINDS if any(_holds(f, source, kind) for f in formats)]


def _holds(format: Format, source: Source, kind: str) -> bool:
    """Whether a file is certainly of a format, and holds this kind."""
    return kind in format.kinds and guarded("format", format.name, format.sniff)(source, kind)


def read(
    source: Source | str | os.PathLike[str],
    kind: str,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    keep: int | None = None,
) -> Columns:
    """The columns of a run ("run") or of judgments ("qrels"), with the problems found while reading.

    Reading stops at the first problem, unless `keep` is the number of problems of each kind to report.
    """
    source = source if isinstance(source, Source) else Source(source)
    found = detect(source, kind, format)
    rows = guarded("format", found.name, found.read)(source, Request(kind, columns, keep))
    if found.assumed and format is None:
        rows = replace(rows, assumed=found.assumed)
    if rows.assumed and in_command():
        assumptions.MADE[source.path, kind] = rows.assumed
    return rows


def write(columns: Columns, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write columns to a file, in the named format or that of the extension; atomic, compressed by suffix."""
    name = os.fspath(path)
    chosen = by_name(format, columns.kind) if format else _for_writing(name, columns.kind)
    if chosen.write is None:
        raise OptionError(f"{chosen.name} files can be read but not written; write trec or another format")
    with writing(name) as out:
        guarded("format", chosen.name, chosen.write)(columns, out)


def _for_writing(path: str, kind: str) -> Format:
    """The format of a path's extension; TREC if it has none."""
    chosen = by_extension(path, kind)
    if chosen is None and suffixes(path)[0]:
        known = " ".join(e for f in FORMATS.values() if kind in f.kinds for e in f.extensions)
        named = in_python("or name a format") or "or pass --to FORMAT"
        raise OptionError(f"cannot infer a format from {path}; use one of {known}, {named}")
    return chosen or by_name("trec", kind)
