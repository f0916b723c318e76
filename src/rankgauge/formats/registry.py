"""What a format is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import IO, NamedTuple

from rankgauge.formats.columns import KEEP, Columns
from rankgauge.formats.source import Source


class Request(NamedTuple):
    """What a reader is asked for."""

    kind: str  # run or qrels
    columns: Mapping[str, str] | None = None  # see `columns.choose`
    keep: int = KEEP  # problems of each kind to remember


class Format(NamedTuple):
    """A way to keep runs or judgments in a file: one record, read by reading, writing, help and tests."""

    name: str
    title: str
    kinds: tuple[str, ...]  # what it can hold
    extensions: tuple[str, ...]  # the first is the usual one
    sniff: Callable[[Source, str], bool]  # whether this is surely such a file, holding this kind
    read: Callable[[Source, Request], Columns]
    write: Callable[[Columns, IO[bytes]], None] | None = None
    names: Callable[[Source], list[str]] | None = None  # of the columns, where they have names
    keeps: tuple[str, ...] = ("value", "rank", "label")  # what survives writing and reading back
