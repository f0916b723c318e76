"""Detection of a file's format from its first bytes, or else from its extension.

The evaluation of small TREC files without NumPy uses `first_trec`, so this module must not import it.
"""

from __future__ import annotations

from rankgauge.formats.lines import first_line, parse_number
from rankgauge.formats.problems import KINDS
from rankgauge.formats.registry import FORMATS, Format, by_extension, by_name, own_first
from rankgauge.formats.source import Source

TREC_FIELDS = {"run": 6, "qrels": 4}


def detect(source: Source, kind: str, format: str | None = None) -> Format:
    """The format of a file: the named one, else by content, else by extension, else TREC."""
    if format is not None:
        return by_name(format, kind)
    by_content = (f for f in own_first() if kind in f.kinds and f.sniff(source, kind))
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
        from rankgauge.formats.columns import fits

        named = next((f.names for f in formats if f.names and f.sniff(source, "run")), None)
        names = named(source) if named else []
        kinds = [kind for kind in KINDS if fits(names, kind)]
    if len(kinds) == 1:
        return kinds[0]
    *_, folder, name = ["", *source.path.lower().replace("\\", "/").split("/")]
    return "qrels" if "qrel" in name or "judg" in name or folder == "qrels" else "run"


def _recognised(source: Source, formats: list[Format]) -> list[str]:
    """The kinds that some format recognises in a file."""
    return [kind for kind in KINDS if any(kind in f.kinds and f.sniff(source, kind) for f in formats)]


def is_parquet(source: Source, _kind: str) -> bool:
    """Whether the data starts like a Parquet file."""
    return source.head.startswith(b"PAR1")


def is_arrow(source: Source, _kind: str) -> bool:
    """Whether the data starts like an Arrow file or stream."""
    return source.head.startswith((b"ARROW1", b"\xff\xff\xff\xff"))


def is_json(source: Source, _kind: str) -> bool:
    """Whether the data starts like a JSON object or a list of objects."""
    text = source.head.lstrip()
    return text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"{", b"}", b"]")


def is_trec(source: Source, kind: str) -> bool:
    """Whether the first line has the number of columns of a TREC file, with a number as score or grade."""
    fields = first_line(source.head).split()
    return len(fields) == TREC_FIELDS[kind] and parse_number(fields[4 if kind == "run" else 3]) is not None


def first_trec(source: Source, kind: str) -> bool:
    """Whether `detect` recognises a TREC file by its content, without loading the formats.

    The other checks are those of the formats that come before TREC in the registry.
    """
    return is_trec(source, kind) and not any(check(source, kind) for check in (is_parquet, is_arrow, is_json))
