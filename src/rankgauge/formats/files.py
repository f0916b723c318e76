"""File formats: their registry, detection, reading, writing.

    register(Format("trec", "TREC: …", ("run", "qrels"), (".txt",), text_files.is_trec, read, write))

Installed packages add formats under the entry point group `rankgauge.formats`: a `Format`, or a module that
registers one. They are tried after the ones listed here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import IO, Any

from rankgauge.errors import OptionError
from rankgauge.formats.columns import Columns, fits
from rankgauge.formats.problems import ASSUMPTIONS, HOLDS, KINDS
from rankgauge.formats.source import Source, suffixes
from rankgauge.formats.target import is_replaced, writing
from rankgauge.formats.topics import with_topics
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import in_command, in_python
from rankgauge.schema.registry import Registry, guarded


class Request(Frozen):
    """A request to read a file."""

    kind: str  # run or qrels
    columns: Mapping[str, str] | None = None  # see `columns.choose`
    keep: int | None = None  # problems of each kind to report one by one; None: reading stops at the first
    # Rows without their duplicates, where a small compressed file has so many that it must have some.
    thin: Callable[[Columns], Columns] | None = None


class Format(Frozen):
    """A file format of runs or judgments."""

    name: str
    title: str
    kinds: tuple[str, ...]  # what it can hold: run, qrels
    extensions: tuple[str, ...]  # the usual one first
    sniff: Callable[[Source, str], bool]  # whether a file is certainly of this format and holds this kind
    read: Callable[[Source, Request], Columns]
    write: Callable[[Columns, IO[bytes]], None] | None = None  # None: read only
    names: Callable[[Source], list[str]] | None = None  # column names, for formats that have them
    keeps: tuple[str, ...] = ("value", "rank", "label")  # columns that survive writing and reading
    assumed: str = ""  # what detecting this format takes for granted: see `problems.assumption`
    is_special: bool = False  # detected before formats that could hold the same lines, such as JSON
    samples: Mapping[str, str] = {}  # {kind: two rows}, where nothing is written that could be one
    example: str = ""  # a command, in place of samples, for what is no text


# The order of the modules is the order in which formats are tried on the first bytes of a file.
FORMATS: Registry[Format] = Registry(
    "rankgauge.formats",
    "format",
    [
        f"rankgauge.formats.{name}"
        for name in (
            "arrow",
            "folders",
            "json",
            "trec",
            "ntcir",
            "delimited",
        )
    ],
)


def register(format: Format) -> Format:
    """Add a format to the registry and return it."""
    # A `functools.partial` has no module of its own.
    FORMATS.add(format.name, format, getattr(format.read, "func", format.read))
    return format


def _own() -> list[Format]:
    return sorted(FORMATS.own().values(), key=lambda format: not format.is_special)


def own_first() -> Iterator[Format]:
    """All formats in order; other packages are loaded only at their turn."""
    own = _own()
    yield from own
    yield from (format for format in FORMATS.values() if format not in own)


def by_name(name: str, kind: str) -> Format:
    """The format of this name that holds this kind."""
    format = FORMATS.find(name)
    if kind not in format.kinds:
        suitable = ", ".join(f.name for f in FORMATS.values() if kind in f.kinds)
        raise OptionError(f"{format.name} files cannot hold {HOLDS[kind]}; use one of {suitable}")
    return format


def by_extension(path: str, kind: str) -> Format | None:
    """The format of a path's extension, if any."""
    extension = suffixes(path)[0]
    if not extension:
        return None
    return next((f for f in own_first() if extension in f.extensions and kind in f.kinds), None)


def detect(source: Source, kind: str, format: str | None = None) -> Format:
    """The format of a file: as named, by content, by extension, or TREC."""
    if format is not None:
        return by_name(format, kind)
    if found := next((f for f in own_first() if _holds(f, source, kind)), None):
        return found
    source.refuse_foreign()
    return by_extension(source.path, kind) or by_name("trec", kind)


def guess_kind(source: Source, format: str | None = None) -> str:
    """Whether a file holds a run or judgments, by content or name."""
    formats = [FORMATS.find(format)] if format is not None else _own()
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


def recognised(source: Source) -> str | None:
    """The kind that the first bytes of a file certainly hold, or None."""
    return guess_kind(source) if _recognised(source, _own()) else None


def _recognised(source: Source, formats: list[Format]) -> list[str]:
    """The kinds that a file holds by the first format that recognises it."""
    found = ([kind for kind in KINDS if _holds(f, source, kind)] for f in formats)
    return next(filter(None, found), [])


def _holds(format: Format, source: Source, kind: str) -> bool:
    return kind in format.kinds and guarded("format", format.name, format.sniff)(source, kind)


def read(
    source: Source | str | os.PathLike[str],
    kind: str,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    keep: int | None = None,
    thin: Callable[[Columns], Columns] | None = None,
) -> Columns:
    """The columns of a run ("run") or of judgments ("qrels"), with the problems found while reading.

    Reading stops at the first problem, unless `keep` is the number of problems of each kind to report.
    """
    source = source if isinstance(source, Source) else Source(source)
    found = detect(source, kind, format)
    names: dict[str, Any] = dict(columns or {})
    topics = names.pop("topics", None)
    rows = guarded("format", found.name, found.read)(source, Request(kind, names or None, keep, thin))
    if topics is not None:
        rows = with_topics(rows, topics)
    if found.assumed and format is None:
        rows = replace(rows, assumed=found.assumed)
    if rows.assumed and in_command():
        ASSUMPTIONS[source.path, kind] = rows.assumed
    return rows


def write(
    columns: Columns, path: str | os.PathLike[str], format: str | None = None, header: bytes = b""
) -> None:
    """Write columns to a file, in the named format or that of the extension; atomic, compressed by suffix."""
    name = os.fspath(path)
    chosen = by_name(format, columns.kind) if format else _for_writing(name, columns.kind)
    if chosen.write is None:
        raise OptionError(f"{chosen.name} files can be read but not written; write trec or another format")
    if header and (chosen.name, columns.kind) != ("trec", "run"):
        raise OptionError(f"metadata are for TREC runs, not {chosen.name} {columns.kind}; leave them out")
    with writing(name) as out:
        out.write(header)
        guarded("format", chosen.name, chosen.write)(columns, out)


def write_parts(parts: Iterable[Columns], path: str, format: str | None = None) -> bool:
    """Write a run part by part; False if there is none, or the format or target cannot take parts."""
    chosen = by_name(format, "run") if format else _for_writing(path, "run")
    if chosen.name not in ("trec", "jsonl") or not is_replaced(path):
        return False
    remaining = iter(parts)
    first = next(remaining, None)
    if first is not None and chosen.write is not None:
        with writing(path) as out:
            for part in chain([first], remaining):
                chosen.write(part, out)
    return first is not None


def _for_writing(path: str, kind: str) -> Format:
    chosen = by_extension(path, kind)
    if chosen is None and suffixes(path)[0]:
        known = " ".join(e for f in FORMATS.values() if kind in f.kinds for e in f.extensions)
        named = in_python("or name a format") or "or pass --to FORMAT"
        raise OptionError(f"cannot infer a format from {path}; use one of {known}, {named}")
    return chosen or by_name("trec", kind)
