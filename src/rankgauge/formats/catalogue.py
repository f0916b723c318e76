"""The table of formats, finding out which one a file has, reading, writing."""

from __future__ import annotations

import os
from collections.abc import Mapping

from rankgauge.errors import OptionError
from rankgauge.formats import arrow as arrowfile
from rankgauge.formats import delimited, msmarco, ntcir, trec
from rankgauge.formats import json as jsonfile
from rankgauge.formats.columns import KEEP, KINDS, Columns, fits
from rankgauge.formats.problems import HOLDS
from rankgauge.formats.registry import Format, Request
from rankgauge.formats.source import Source, suffixes
from rankgauge.formats.target import writing
from rankgauge.schema.text import nearest

# In the order in which they are tried.
FORMATS: dict[str, Format] = {
    f.name: f
    for f in (
        arrowfile.PARQUET,
        arrowfile.ARROW,
        jsonfile.JSONL,
        jsonfile.JSON,
        trec.FORMAT,
        ntcir.NTCIR,
        ntcir.NTCIREVAL,
        delimited.CSV,
        delimited.TSV,
        msmarco.FORMAT,
    )
}


def named(name: str, kind: str) -> Format:
    """The format of this name, when it can hold this kind."""
    found = FORMATS.get(name)
    if found is None:
        known = ", ".join(FORMATS)
        raise OptionError(f"format must be one of {known}, not {name!r}{nearest(name, FORMATS)}")
    if kind not in found.kinds:
        able = ", ".join(f.name for f in FORMATS.values() if kind in f.kinds)
        raise OptionError(f"{name} files do not hold {HOLDS[kind]}; {able} do")
    return found


def detect(source: Source, kind: str, format: str | None = None) -> Format:
    """The format a file has: the one asked for, else by its first bytes, else by its name, else TREC's."""
    if format is not None:
        return named(format, kind)
    able = [f for f in FORMATS.values() if kind in f.kinds]
    by_content = (f for f in able if f.sniff(source, kind))
    return next(by_content, None) or by_extension(source.path, kind)


def by_extension(path: str, kind: str) -> Format:
    """The format that a file name stands for; TREC files are called anything."""
    extension = suffixes(path)[0]
    fitting = (f for f in FORMATS.values() if extension in f.extensions and kind in f.kinds)
    return next(fitting, trec.FORMAT)


def _for_writing(path: str, kind: str) -> Format:
    """The format that a file name stands for; one without an ending is TREC's."""
    extension = suffixes(path)[0]
    known = [e for f in FORMATS.values() if kind in f.kinds for e in f.extensions]
    if extension and extension not in known:
        raise OptionError(
            f"the ending of {path} stands for no format; end it in {' '.join(known)}, or name one"
        )
    return by_extension(path, kind)


def guess_kind(source: Source, format: str | None = None) -> str:
    """Whether a file holds a run or judgments, by its content, or else by its name."""
    formats = [FORMATS[format]] if format in FORMATS else list(FORMATS.values())
    fitting = [kind for kind in KINDS if any(kind in f.kinds and f.sniff(source, kind) for f in formats)]
    fitting = fitting or [kind for kind in KINDS if any(kind in f.kinds for f in formats)]
    if len(fitting) > 1:
        named = next((f.names for f in formats if f.names and f.sniff(source, "run")), None)
        names = named(source) if named else []
        fitting = [kind for kind in KINDS if fits(names, kind)]
    if len(fitting) == 1:
        return fitting[0]
    *_, folder, name = ["", *source.path.lower().replace("\\", "/").split("/")]
    return "qrels" if "qrel" in name or "judg" in name or folder == "qrels" else "run"


def read(
    source: Source | str | os.PathLike[str],
    kind: str,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    keep: int = KEEP,
) -> Columns:
    """The columns of a run ("run") or of judgments ("qrels"), with the problems met on the way."""
    source = source if isinstance(source, Source) else Source(source)
    return detect(source, kind, format).read(source, Request(kind, columns, keep))


def write(columns: Columns, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Write the columns to a file, whole or not at all; the format is that of the extension, if not given."""
    name = os.fspath(path)
    chosen = named(format, columns.kind) if format else _for_writing(name, columns.kind)
    if chosen.write is None:
        raise OptionError(f"{chosen.name} files are only read, not written; write trec or another format")
    with writing(name) as out:
        chosen.write(columns, out)
