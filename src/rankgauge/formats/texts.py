"""Texts of documents and topics: how a line or an element of a file is read as (id, title, body).

Without a header, the id comes first, the text last, and its title before it, as in MS MARCO's files.
"""

from __future__ import annotations

import functools
import html
import io
import json
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import IO, Any, NamedTuple

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.formats import text_files
from rankgauge.formats.columns import guess
from rankgauge.formats.json import LONGEST
from rankgauge.formats.mapping import results_of
from rankgauge.formats.problems import quote
from rankgauge.formats.row_reader import identifier
from rankgauge.formats.shapes import TEXTS, list_inside, topic_name
from rankgauge.formats.source import BOM, Source
from rankgauge.formats.text_files import first_line
from rankgauge.formats.topics import topics_of, unwrapped
from rankgauge.schema.text import brief

NAMES = {  # of columns, best first, as in `columns`
    "id": "id docno pid doc_id document_id passage_id corpus_id query_id qid topic_id topic number",
    "title": "title name headline",
    "body": "text body contents content page_content passage abstract query question description",
}
INSIDE = ("_source", "fields", "payload", "metadata", "properties", "meta")  # of a result that hold its text
ALLOWED = (
    'use JSON lines ({"id": ..., "title": ..., "text": ...}), tab-separated values (id, title, text), '
    "Parquet, or TREC's topics"
)


class Text(NamedTuple):
    """The title and the body of a document or topic."""

    title: str
    body: str

    @property
    def heading(self) -> str:
        """The title, or else the body, on one line."""
        return " ".join((self.title or self.body).split())

    def cleaned(self) -> Text:
        """The same as valid Unicode."""
        return Text(*(re.sub("[\ud800-\udfff]", "�", part) for part in self))


class Place(NamedTuple):
    """Where a record is in a file."""

    begin: int
    end: int
    line: int


class Unreadable(Exception):
    """Why a record cannot be read."""


class TextFormat(ABC):
    """A text format of titles and texts."""

    kind: str

    @abstractmethod
    def record(self, data: bytes) -> tuple[bytes, Text]:
        """The id and the text of a record; Unreadable if it has none."""

    def places(self, file: IO[bytes], path: str) -> Iterator[tuple[Place, bytes]]:
        """(place, bytes) of the records of a file; by default, the lines that are not blank."""
        begin = number = 0
        while data := file.readline(LONGEST):
            number += 1
            if len(data) == LONGEST:
                message = f"is this a file of texts? a line has more than {LONGEST:,} bytes: {quote(data)}"
                raise InputError(message, path=path, line=number)
            end = begin + len(data)
            if data.strip():
                yield Place(begin, end, number), data.removeprefix(BOM) if number == 1 else data
            begin = end


class JsonLines(TextFormat):
    """One object per line."""

    kind = "jsonl"

    def record(self, data: bytes) -> tuple[bytes, Text]:
        try:
            row = json.loads(to_text(data))
        except (ValueError, RecursionError) as error:
            raise Unreadable(f"invalid JSON ({getattr(error, 'msg', error)}): {quote(data)}") from None
        if not isinstance(row, dict):
            raise Unreadable(f"expected an object: {quote(data)}")
        return text_of(row)


class Delimited(TextFormat):
    """Tab-separated values, with or without a header. Nothing is quoted."""

    kind = "tsv"

    def __init__(self, header: Sequence[str] | None) -> None:
        self._header = header

    def places(self, file: IO[bytes], path: str) -> Iterator[tuple[Place, bytes]]:
        records = super().places(file, path)
        if self._header:
            next(records, None)
        return records

    def record(self, data: bytes) -> tuple[bytes, Text]:
        fields = data.rstrip(b"\r\n").split(b"\t")
        if self._header:
            if len(fields) != len(self._header):
                columns = f"expected {len(self._header)} columns, found {len(fields)}"
                raise Unreadable(f"{columns}: {quote(data.strip())}; separate them by tabs")
            return text_of(dict(zip(self._header, map(to_text, fields), strict=True)))
        if len(fields) < 2 or not fields[0].strip():
            raise Unreadable(f"expected an id, a tab and a text: {quote(data.strip())}")
        title = fields[-2] if len(fields) > 2 else b""
        return fields[0].strip(), Text(to_text(title), to_text(fields[-1]))


class TrecTopics(TextFormat):
    """TREC's topics: `<top>` elements, or `<topic number="1">`."""

    kind = "trec"
    _ELEMENT = re.compile(rb"<(top|topic)(\s[^>]*)?>(.*?)(?=</?\1[\s>]|\Z)", re.DOTALL | re.IGNORECASE)
    _NUMBER = re.compile(r"<num>\s*(?:Number:)?\s*([^\s<]+)|\bnumber\s*=\s*[\"']([^\"']+)", re.IGNORECASE)
    _TITLE = re.compile(r"<(?:title|query)>\s*(?:Topic:)?(.*?)(?=<|\Z)", re.DOTALL | re.IGNORECASE)
    _BODY = re.compile(
        r"<(?:desc|description|question)>\s*(?:Description:?)?(.*?)(?=<|\Z)", re.DOTALL | re.IGNORECASE
    )

    def places(self, file: IO[bytes], path: str) -> Iterator[tuple[Place, bytes]]:
        data = file.read()
        line, seen = 1, 0
        for element in self._ELEMENT.finditer(data):
            line += data.count(b"\n", seen, element.start())
            seen = element.start()
            yield Place(*element.span(), line), element[0]

    def record(self, data: bytes) -> tuple[bytes, Text]:
        text = to_text(data)
        number = self._NUMBER.search(text)
        if number is None:
            raise Unreadable(f"the topic has no number: {quote(data)}; write <num> Number: 301")
        title, body = (
            " ".join(html.unescape(found[1]).split()) if (found := pattern.search(text)) else ""
            for pattern in (self._TITLE, self._BODY)
        )
        return (number[1] or number[2]).strip().encode("utf-8", "surrogateescape"), Text(title, body)


def detect(source: Source) -> TextFormat:
    """The text format of a file, by its first bytes."""
    head = source.head
    line = first_line(head)
    if text_files.is_arrow(source):
        raise InputError(f"Arrow files have no texts here; {ALLOWED}", path=source.path)
    if b"\0" in head:
        raise InputError(f"this is not text; {ALLOWED}", path=source.path)
    if head.lstrip()[:1] == b"{":
        return JsonLines()
    if head.lstrip()[:1] == b"[":
        raise InputError(f"this is one JSON list; write one object per line, or {ALLOWED}", path=source.path)
    if re.search(rb"<top(ic)?[\s>]", head, re.IGNORECASE) and line.startswith(b"<"):
        return TrecTopics()
    if b"\t" in line or not line:
        names = [to_text(name).strip() for name in line.split(b"\t")]
        has_names = guess(names, "id", NAMES) and (
            guess(names, "body", NAMES) or guess(names, "title", NAMES)
        )
        return Delimited(names if has_names else None)
    raise InputError(f"the format of these texts is not known: {quote(line)}; {ALLOWED}", path=source.path)


@functools.lru_cache(maxsize=256)
def roles(names: tuple[str, ...]) -> tuple[str | None, str | None, str | None]:
    """The names of (id, title, body), each if there is one."""
    taken = guess(names, "id", NAMES)
    others = [name for name in names if name != taken]
    return taken, guess(others, "title", NAMES), guess(others, "body", NAMES)


def no_id(names: Sequence[str]) -> str:
    """The message for names without that of an id."""
    usual = ", ".join(NAMES["id"].split()[:5])
    return f"no id among {', '.join(map(quote, names[:8])) or 'no names'}; call it {usual}"


def text_of(row: Mapping[str, Any]) -> tuple[bytes, Text]:
    """The id and the text in a row with names."""
    taken, title, body = roles(tuple(row))
    if taken is None:
        raise Unreadable(no_id(list(row)))
    found = identifier(row[taken])
    if not found:
        raise Unreadable(f"{quote(taken)} is no id: {quote(brief(row[taken]))}; use a text or a whole number")
    return found, Text(*(_words(row[name]) if name else "" for name in (title, body)))


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return "\n".join(map(_words, value))
    return "" if value is None else str(value)


def in_results(source: Source) -> tuple[dict[bytes, Text], dict[bytes, Text]]:
    """({document: text}, {topic: query}) in a JSON file of results."""
    documents: dict[bytes, Text] = {}
    queries: dict[bytes, Text] = {}
    if not text_files.is_json(source, "run"):
        return documents, queries
    try:
        value = json.loads(to_text(b"".join(source.chunks())))
    except ValueError:
        value = [json.loads(to_text(line)) for _, line in text_files.content_lines(source, LONGEST)]
    rows = topics_of(value) or unwrapped(value, "run")
    for row in rows if isinstance(rows, list) else ():
        if not isinstance(row, dict):
            continue
        name = topic_name(row)
        held = list_inside(row)
        results = held if isinstance(held, list) else [row]
        topic = identifier(row[name]) if name else None
        query = next((row[text] for text in TEXTS if text != name and isinstance(row.get(text), str)), "")
        if topic and query:
            queries.setdefault(topic, Text("", query))
        hits = [each[0] if isinstance(each, tuple) else each for each in results]  # beside their scores
        if hits and all(isinstance(each, dict) for each in hits):
            for given, result in zip(results_of(results, "run").documents, hits, strict=True):
                text = _text_in(result)
                if any(text) and (document := identifier(given)):
                    documents.setdefault(document, text)
    return documents, queries


def _text_in(result: Mapping[str, Any]) -> Text:
    title = body = ""
    for part in (result, *(result[name] for name in INSIDE if isinstance(result.get(name), dict))):
        own = tuple(name for name in part if name not in TEXTS)
        _, named, text = roles(own)
        title, body = title or _words(part.get(named)), body or _words(part.get(text))
    return Text(title, body)


def topic_ids(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """The ids of topics in a file: TSV, JSON lines, TREC's topics, or bare ids."""
    source = Source(path)
    data = b"".join(source.chunks()).removeprefix(BOM)
    fields = [line.split() for line in data.splitlines()]
    if all(len(line) <= 1 for line in fields) and not data.lstrip().startswith((b"<", b"{")):
        ids = [line[0] for line in fields if line]
    else:
        form = detect(source)
        ids = [form.record(record)[0] for _, record in form.places(io.BytesIO(data), source.path)]
    if not ids:
        raise InputError("has no topic; write one id per line, or a file of queries", path=source.path)
    return tuple(dict.fromkeys(map(to_text, ids)))
