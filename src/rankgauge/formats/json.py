"""JSON: `{topic: {document: number}}`, or one object per row, in a list (json) or one per line (jsonl)."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from typing import IO, Any

from rankgauge.errors import InputError
from rankgauge.formats import frames, mapping, text_files
from rankgauge.formats.columns import Columns, choose, guess, order_of
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.objects import is_columns
from rankgauge.formats.problems import MALFORMED, MISSING, VALUE, missing, quote
from rankgauge.formats.row_reader import RowCollector, identifier, number_or_text
from rankgauge.formats.shapes import described, is_topic
from rankgauge.formats.source import Source, suffixes
from rankgauge.formats.text_files import content_lines, line_problem
from rankgauge.formats.topics import Topics, by_place, names_in, topics_of, unwrapped
from rankgauge.schema.options import setting
from rankgauge.schema.text import brief, repeated

LONGEST = 1 << 26  # bytes of a line, which may hold all results of a topic with their texts


def _loads(text: str) -> Any:
    """The value of a JSON text; objects that repeat a name are an error."""
    return json.loads(text, object_pairs_hook=unique_names)


def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; a ValueError if a name occurs twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = repeated(name for name, _ in pairs)[0]
        raise ValueError(f"{quote(twice)} occurs twice in one object; give each name once")
    return values


def sniff_lines(source: Source, kind: str) -> bool:
    """Whether the first line is an object, and a row rather than a topic."""
    if not text_files.is_json(source, kind):
        return False
    line, _, rest = source.head.lstrip().partition(b"\n")
    try:
        row = _loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return False
    if not isinstance(row, dict) or all(isinstance(value, (dict, list)) for value in row.values()):
        return False
    named = all(guess(list(row), role) for role in ("topic", "doc")) and not is_topic(row)
    return named or rest.lstrip().startswith(b"{") or suffixes(source.path)[0] in JSONL.extensions


def names(source: Source) -> list[str]:
    """The names in the first row, as far as it was sniffed."""
    text = source.head.decode("utf-8", "surrogateescape").lstrip().removeprefix("[").lstrip()
    try:
        row, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return []
    return names_in(row) or (list(row) if isinstance(row, dict) else [])


def read(source: Source, request: Request) -> Columns:
    """The columns of a JSON file."""
    # What does not begin like JSON is not read to its end, which it may not have.
    chunks = source.chunks() if source.head.lstrip()[:1] in (b"", b"{", b"[") else [source.head]
    text = b"".join(chunks).decode("utf-8", "surrogateescape")
    try:
        value = _loads(text) if text.strip() else {}
    except RecursionError:
        raise InputError("the JSON is nested too deeply", path=source.path) from None
    except ValueError as error:  # a JSONDecodeError has a line; the error for 5000 digits does not
        line = getattr(error, "lineno", None)
        reason = getattr(error, "msg", error)
        if reason == "Extra data" and text[getattr(error, "pos", 0) :].startswith("{"):
            return read_lines(source, request)  # whose first line is longer than what was sniffed
        hint = ""
        if line is not None:
            place = getattr(error, "pos", 0)
            other = setting("format", "csv", kind=request.kind)
            shown = quote(text[place : place + 40])
            hint = f" {shown}; is the file truncated? If it is not JSON, name its format, such as {other}"
        raise InputError(f"invalid JSON: {reason}{hint}", path=source.path, line=line) from None
    try:
        if isinstance(value, dict) and is_columns(value, request.columns):
            return replace(frames.read(value, request.kind, request.columns), files=((0, source.path),))
        if found := _read_described(value, source, request):
            return found
        lists = by_place(value)
    except InputError as error:  # what is in memory has no path
        raise InputError(str(error), path=source.path) from None
    if lists:
        return mapping.read_lists(lists, request.kind, source.path)
    value, whole = unwrapped(value, request.kind), value
    topics = topics_of(value, request.kind)
    if topics is None and isinstance(value, dict):
        return mapping.read(value, request.kind, source.path)
    if topics is None and not isinstance(value, list):
        raise InputError(
            f"unexpected JSON {quote(text, 40)}; use {{topic: {{document: {VALUE[request.kind]}}}}} "
            "or a list of objects, one per row",
            path=source.path,
        )
    rows = RowCollector(request.kind, request.keep, in_lines=False)
    if topics is None:
        _add_rows(rows.until_full(enumerate(value)), rows, source, request)
        return rows.columns(source.path, len(value))
    _add_topics(rows.until_full(enumerate(topics)), rows, source, request, alone=topics[0] is whole)
    return rows.columns(source.path, len(topics))


def _read_described(value: Any, source: Source, request: Request) -> Columns | None:
    """The columns of hits that the names of columns describe; None if these are for something else."""
    found = described(value, request.columns, request.kind, source.path)
    if found is None:
        return None
    columns = mapping.read(found[0], request.kind, source.path)
    return replace(columns, assumed=f"{found[1]} {columns.assumed}".strip())


def read_lines(source: Source, request: Request) -> Columns:
    """The columns of a JSONL file."""
    rows, lines = RowCollector(request.kind, request.keep), 0

    def objects() -> Iterator[tuple[int, Any]]:
        nonlocal lines
        for lines, line in rows.until_full(content_lines(source, LONGEST)):
            if code := line_problem(line, LONGEST):
                rows.problem(code, lines, line)
            else:
                try:
                    yield lines, _loads(line.decode("utf-8", "surrogateescape"))
                except (ValueError, RecursionError) as error:
                    reason = getattr(error, "msg", error)
                    rows.problem(MALFORMED, lines, line, f"invalid JSON ({reason}): {quote(line)}")

    found = objects()
    first = next(found, None)
    every = found if first is None else chain([first], found)
    if request.columns and first is not None and ("hits" in request.columns or is_topic(first[1])):
        values = [value for _, value in every]
        if columns := _read_described(values, source, request):
            return columns
        raise InputError(
            "column names of topics with their results are paths within a result, such as doc=meta.url, and "
            "these lead to nothing",
            path=source.path,
        )
    add = _add_topics if first is not None and is_topic(first[1]) else _add_rows
    add(every, rows, source, request)
    return rows.columns(source.path, lines)


def object_lines(source: Source) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of each line of a JSONL file."""
    for number, line in content_lines(source, LONGEST):
        try:
            row = _loads(line.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError) as error:
            message = f"invalid JSON ({getattr(error, 'msg', error)}): {quote(line)}"
            message += "; write one object per line; is the file truncated?"
            raise InputError(message, path=source.path, line=number) from None
        if not isinstance(row, dict):
            message = f"expected an object: {quote(line)}; write one per line"
            raise InputError(message, path=source.path, line=number)
        yield number, row


def _add_topics(
    topics: Iterable[tuple[int, Any]],
    rows: RowCollector,
    source: Source,
    request: Request,
    alone: bool = False,
) -> None:
    Topics(rows, source.path).add_all(topics, alone)


def _add_rows(
    objects: Iterable[tuple[int, Any]], rows: RowCollector, source: Source, request: Request
) -> None:
    chosen: dict[str, str] = {}
    for line, row in objects:
        if not isinstance(row, dict):
            text = quote(brief(row))
            rows.problem(MALFORMED, line, text.encode(), f"expected an object such as {{…}}, found {text}")
            continue
        if not chosen:
            chosen = choose(list(row), request.kind, request.columns, source.path)
            rows.order = order_of(chosen, request.kind)
            if (chosen["topic"], chosen["doc"]) == ("query", "passage") and " " in str(row["passage"]):
                raise InputError(
                    "these records have the texts of queries and passages, as umbrela writes them, and no "
                    "ids; add query_id and doc_id to each, in the order of the requests, or use the qrels "
                    "that umbrela writes",
                    path=source.path,
                )
        _add(rows, line, row, chosen)


def _add(rows: RowCollector, line: int, row: dict[str, Any], chosen: dict[str, str]) -> None:
    topic, doc = identifier(row.get(chosen["topic"])), identifier(row.get(chosen["doc"]))
    value = row.get(chosen["value"])
    if topic is None or doc is None or value is None:
        role = "topic" if topic is None else "document" if doc is None else VALUE[rows.kind]
        text, hint = brief(row), ""
        if "assessor" in row and value is None:
            hint = "; `rankgauge convert JOURNAL QRELS` writes the judgments of a journal"
        rows.problem(MISSING, line, text.encode("utf-8", "replace"), missing(rows.kind, role, text) + hint)
        return
    label = identifier(row.get(chosen["label"])) or b"" if "label" in chosen else None
    rank = number_or_text(row.get(chosen["rank"])) if "rank" in chosen else None
    rows.add(line, topic, doc, number_or_text(value), brief(value).encode("utf-8", "replace"), rank, label)


def _dumps(value: Any) -> bytes:
    """A value as JSON; infinity is 1e999, which is valid."""
    if value in (math.inf, -math.inf):
        return b"1e999" if value > 0 else b"-1e999"
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogateescape")
    except ValueError:
        return (
            b"{" + b", ".join(b"%b: %b" % (_dumps(key), _dumps(each)) for key, each in value.items()) + b"}"
        )


def write(columns: Columns, out: IO[bytes]) -> None:
    """Write `{topic: {document: number}}`, one topic per line."""
    numbers, topics = columns.topic.encode()
    nested: list[dict[str, int | float]] = [{} for _ in range(len(topics))]
    rows = zip(numbers.tolist(), columns.doc.texts(), columns.numbers(), strict=True)
    for topic, doc, value in rows:
        nested[topic][doc] = value
    if sum(map(len, nested)) < len(columns):
        raise InputError(
            "a document occurs more than once in a topic (perhaps for several subtopics); "
            "json, {topic: {document: number}}, cannot hold that: write jsonl"
        )
    lines = map(b"%b: %b".__mod__, zip(map(_dumps, topics.texts()), map(_dumps, nested), strict=True))
    out.write(b"{" + b",\n ".join(lines) + b"}\n")


def write_lines(columns: Columns, out: IO[bytes]) -> None:
    """Write one object per line."""
    named = columns.named()
    for row in zip(*named.values(), strict=True):
        out.write(_dumps(dict(zip(named, row, strict=True))) + b"\n")


JSONL = register(
    Format(
        "jsonl",
        "JSON Lines: one object per line, with names such as query_id, doc_id, score or relevance; "
        "or a topic with its results per line, such as responses of search engines and vector stores",
        ("run", "qrels"),
        (".jsonl", ".ndjson"),
        sniff_lines,
        read_lines,
        write_lines,
        names=names,
    )
)
JSON = register(
    Format(
        "json",
        "JSON: {topic: {document: number}}; can be read too: {topic: [document, …]} by rank, a list of "
        "objects, one per row or topic, columns, responses of search engines and vector stores",
        ("run", "qrels"),
        (".json",),
        text_files.is_json,
        read,
        write,
        names=names,
        keeps=("value",),
    )
)
