"""JSON: `{topic: {document: number}}`, or rows as objects in a list (json) or one a line (jsonl)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

from rankgauge.errors import InputError
from rankgauge.formats import mapping, sniffing
from rankgauge.formats.columns import Columns, choose, guess
from rankgauge.formats.lines import filled, unreadable
from rankgauge.formats.problems import MALFORMED, MISSING, VALUE, missing, quote
from rankgauge.formats.registry import Format, Request
from rankgauge.formats.row_reader import Rows, identifier, number
from rankgauge.formats.source import Source, suffixes


def _loads(text: str) -> Any:
    """The value of a JSON text; an object with a name twice is refused, for one of the two would be lost."""
    import json

    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        again = next(name for name in found if names.count(name) > 1)
        raise ValueError(f"{quote(again)} is there twice in one object")
    return found


def sniff_lines(source: Source, kind: str) -> bool:
    """Whether the first line is an object of its own: a row, not a topic with its documents."""
    if not sniffing.json(source, kind):
        return False
    line, _, rest = source.head.lstrip().partition(b"\n")
    try:
        row = _loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict) or all(isinstance(value, dict) for value in row.values()):
        return False
    named = all(guess(list(row), role) for role in ("topic", "doc"))
    return named or rest.lstrip().startswith(b"{") or suffixes(source.path)[0] in JSONL.extensions


def names(source: Source) -> list[str]:
    """The names in the first row; none if there are no rows, or it does not lie in the first bytes."""
    import json

    text = source.head.decode("utf-8", "surrogateescape").lstrip().removeprefix("[").lstrip()
    try:
        row, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return []
    return list(row) if isinstance(row, dict) else []


def read(source: Source, request: Request) -> Columns:
    """The columns of a JSON file."""
    text = b"".join(source.chunks()).decode("utf-8", "surrogateescape")
    try:
        found = _loads(text) if text.strip() else {}
    except RecursionError:
        raise InputError("the JSON is nested too deeply", path=source.path) from None
    except ValueError as error:  # a JSONDecodeError has a line, a number of 5000 digits has none
        line = getattr(error, "lineno", None)
        reason = getattr(error, "msg", error)
        raise InputError(f"this is no JSON that can be read: {reason}", path=source.path, line=line) from None
    if isinstance(found, dict):
        return mapping.read(found, request.kind, source.path)
    if not isinstance(found, list):
        raise InputError(
            f"this JSON is {quote(text, 40)}; {{topic: {{document: {VALUE[request.kind]}}}}} is read, "
            "or a list of objects, one for each row",
            path=source.path,
        )
    rows = Rows(request.kind, request.keep, in_lines=False)
    return _taken(enumerate(found), rows, source, request).columns(source.path, len(found))


def read_lines(source: Source, request: Request) -> Columns:
    """The columns of a JSONL file."""
    rows, lines = Rows(request.kind, request.keep), 0

    def objects() -> Iterable[tuple[int, Any]]:
        nonlocal lines
        for lines, line in filled(source):
            if code := unreadable(line):
                rows.problem(code, lines, line)
            else:
                try:
                    yield lines, _loads(line.decode("utf-8", "surrogateescape"))
                except (ValueError, RecursionError) as error:
                    reason = getattr(error, "msg", error)
                    rows.problem(MALFORMED, lines, line, f"this is no JSON ({reason}): {quote(line)}")

    return _taken(objects(), rows, source, request).columns(source.path, lines)


def _taken(objects: Iterable[tuple[int, Any]], rows: Rows, source: Source, request: Request) -> Rows:
    """The rows with all these objects taken in; the first object says what the columns are called."""
    chosen: dict[str, str] = {}
    for line, row in objects:
        if not isinstance(row, dict):
            found = quote(repr(row))
            rows.problem(MALFORMED, line, found.encode(), f"expected an object such as {{…}}, found {found}")
            continue
        if not chosen:
            chosen = choose(list(row), request.kind, request.columns, source.path)
            rows.ranked = chosen["value"] == chosen.get("rank")
        _add(rows, line, row, chosen)
    return rows


def _add(rows: Rows, line: int, row: dict[str, Any], chosen: dict[str, str]) -> None:
    topic, doc = identifier(row.get(chosen["topic"])), identifier(row.get(chosen["doc"]))
    value = row.get(chosen["value"])
    if topic is None or doc is None or value is None:
        role = "topic" if topic is None else "document" if doc is None else VALUE[rows.kind]
        found = repr(row)
        rows.problem(MISSING, line, found.encode("utf-8", "replace"), missing(rows.kind, role, found))
        return
    label = identifier(row.get(chosen["label"])) or b"" if "label" in chosen else None
    rank = number(row.get(chosen["rank"])) if "rank" in chosen else None
    rows.add(line, topic, doc, number(value), repr(value).encode("utf-8", "replace"), rank, label)


def _dumps(value: Any) -> bytes:
    import json

    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogateescape")


def write(columns: Columns, out: IO[bytes]) -> None:
    """Write `{topic: {document: number}}`, a topic a line."""
    numbers, topics = columns.topic.encode()
    nested: list[dict[str, int | float]] = [{} for _ in range(len(topics))]
    rows = zip(numbers.tolist(), columns.doc.texts(), columns.numbers(), strict=True)
    for topic, doc, value in rows:
        nested[topic][doc] = value
    if sum(map(len, nested)) < len(columns):
        raise InputError(
            "a document is in a topic more than once (such as for several subtopics), "
            "which json, {topic: {document: number}}, cannot hold; write jsonl"
        )
    lines = map(b"%b: %b".__mod__, zip(map(_dumps, topics.texts()), map(_dumps, nested), strict=True))
    out.write(b"{" + b",\n ".join(lines) + b"}\n")


def write_lines(columns: Columns, out: IO[bytes]) -> None:
    """Write an object a line."""
    named = columns.named()
    for row in zip(*named.values(), strict=True):
        out.write(_dumps(dict(zip(named, row, strict=True))) + b"\n")


JSONL = Format(
    "jsonl",
    "JSON, an object a line, with names such as query_id, doc_id, score or relevance",
    ("run", "qrels"),
    (".jsonl", ".ndjson"),
    sniff_lines,
    read_lines,
    write_lines,
    names=names,
)
JSON = Format(
    "json",
    "JSON: {topic: {document: number}}; a list of objects, one for each row, is read, too",
    ("run", "qrels"),
    (".json",),
    sniffing.json,
    read,
    write,
    names=names,
    keeps=("value",),
)
