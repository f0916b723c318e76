"""What a file format is, and the registry of formats.

A module of this package defines a format as a `Format` record and registers it:

    register(Format("trec", "TREC: …", ("run", "qrels"), (".txt",), sniffing.is_trec, read, write))

Installed packages add formats under the entry point group `rankgauge.formats`. An entry point names a
`Format`, or a module that registers one. These formats are tried after the ones listed here, and are
found by name and by extension like them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import IO, TYPE_CHECKING

from rankgauge.errors import OptionError
from rankgauge.formats.problems import HOLDS
from rankgauge.formats.source import Source, suffixes
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.registry import Registry

if TYPE_CHECKING:
    from rankgauge.formats.columns import Columns


class Request(Frozen):
    """What to read from a file."""

    kind: str  # run or qrels
    columns: Mapping[str, str] | None = None  # see `columns.choose`
    keep: int | None = None  # problems of each kind to report one by one; None: reading stops at the first


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
    assumed: str = ""  # what detecting this format takes for granted: see `assumptions`


# The order of the modules is the order in which formats are tried on the first bytes of a file.
FORMATS: Registry[Format] = Registry(
    "rankgauge.formats",
    "format",
    [
        f"rankgauge.formats.{name}"
        for name in ("arrow", "json", "trec", "ntcir", "delimited", "msmarco", "triples")
    ],
)


def register(format: Format) -> Format:
    """Add a format to the registry and return it."""
    # A `functools.partial` has no module of its own.
    FORMATS.add(format.name, format, getattr(format.read, "func", format.read))
    return format


def own_first() -> Iterator[Format]:
    """All formats in order; those of other packages are loaded only if none of ours will do."""
    own = dict(FORMATS.own())
    yield from own.values()
    yield from (format for name, format in FORMATS.items() if name not in own)


def by_name(name: str, kind: str) -> Format:
    """The format with this name; an error if there is none or it cannot hold this kind."""
    format = FORMATS.find(name)
    if kind not in format.kinds:
        suitable = ", ".join(f.name for f in FORMATS.values() if kind in f.kinds)
        raise OptionError(f"{format.name} files cannot hold {HOLDS[kind]}; use one of {suitable}")
    return format


def by_extension(path: str, kind: str) -> Format | None:
    """The format that the extension of a path belongs to, if any."""
    extension = suffixes(path)[0]
    if not extension:
        return None
    return next((f for f in own_first() if extension in f.extensions and kind in f.kinds), None)
