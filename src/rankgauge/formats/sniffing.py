"""What a file is, as far as its first bytes tell without a doubt."""

from __future__ import annotations

from rankgauge.formats.lines import first_line, parsed
from rankgauge.formats.source import Source

TREC_FIELDS = {"run": 6, "qrels": 4}


def parquet(source: Source, _kind: str) -> bool:
    """Whether the data begins as a Parquet file does."""
    return source.head.startswith(b"PAR1")


def arrow(source: Source, _kind: str) -> bool:
    """Whether the data begins as an Arrow file or stream does."""
    return source.head.startswith((b"ARROW1", b"\xff\xff\xff\xff"))


def json(source: Source, _kind: str) -> bool:
    """Whether the data begins as a JSON object or a list of objects does."""
    text = source.head.lstrip()
    return text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"{", b"}", b"]")


def trec(source: Source, kind: str) -> bool:
    """Whether the first line has the right number of columns, with a number where the value is."""
    fields = first_line(source.head).split()
    return len(fields) == TREC_FIELDS[kind] and parsed(fields[4 if kind == "run" else 3]) is not None


def first_trec(source: Source, kind: str) -> bool:
    """Whether this is a TREC file to the catalogue, which asks for these others first."""
    return trec(source, kind) and not any(other(source, kind) for other in (parquet, arrow, json))
