"""TREC files: `topic Q0 document rank score tag` and `topic iteration document grade`.

Comments before a run may hold metadata, as YAML: T. Breuer, J. Keller, P. Schaer: ir_metadata: An Extensible
Metadata Schema for IR Experiments. SIGIR 2022.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from typing import IO, Any

import numpy as np

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.buffers import numbers, strings
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import text_files
from rankgauge.formats.columns import Columns, Ints, Problem, concatenated
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.problems import limits, quote, sentence, unnamed_columns
from rankgauge.formats.source import BOM, Source
from rankgauge.formats.text_files import text_chunks
from rankgauge.schema.json_text import json_value

AT_ONCE = 1 << 16  # rows that are written together
LEAST_THINNED = (
    1 << 23
)  # bytes of text, from which on duplicates do not wait for the end of a compressed file
DENSE = 50  # times the size of the compressed file: so little is in lines that most of them must be equal
LINE = 1 << 5  # bytes of a line, about
DEFAULT = {"run": b"rankgauge", "qrels": b"0"}  # the tag or iteration if there is none


def table(source: Source, request: Request, fields: int, chunks: Iterable[bytes] | None = None) -> Columns:
    """The columns of a file whose lines have this many fields, parsed by the core.

    `chunks` is the text to parse if that is not the whole file.
    """
    if request.columns:
        raise OptionError(unnamed_columns(request.kind))
    keep, most = limits(request.keep)
    reader = core.Table(fields, keep)
    thinned: list[Columns] = []
    stopped, read, limit = False, 0, LEAST_THINNED
    for chunk in text_chunks(source) if chunks is None else chunks:
        stopped = reader.feed(chunk) >= most
        if stopped:
            break
        read += len(chunk)
        if request.thin and read >= limit and not source.in_place and read > DENSE * source.size:
            thinned = [request.thin(_columns(reader.take(), source, request, thinned).checked())]
            limit = read + max(LEAST_THINNED, 2 * len(thinned[0]) * LINE)
    columns = _columns(reader.finish(), source, request, thinned)
    return columns.cut_short() if stopped else columns


def _columns(parsed: Mapping[str, Any], source: Source, request: Request, before: list[Columns]) -> Columns:
    def ids(name: str) -> Ids:
        data, offsets = parsed[name]
        return Ids(data, np.frombuffer(offsets, dtype=np.int64))

    rank = np.frombuffer(parsed["rank"], dtype=np.int64)
    columns = Columns(
        kind=request.kind,
        topic=ids("topic"),
        doc=ids("doc"),
        value=np.frombuffer(parsed["value"], dtype=np.float64),
        rank=None if (rank == codes.NO_RANK).all() else rank,
        label=ids("label"),
        line=np.frombuffer(parsed["line"], dtype=np.int64),
        problems=tuple(Problem(code, line, bytes(text)) for code, line, text in parsed["problems"]),
        counts=parsed["counts"],
        lines=parsed["lines"],
        files=((0, source.path),),
    )
    if not before or columns.problems:
        return columns
    if not len(columns):
        return replace(before[0], lines=columns.lines, files=columns.files)
    return replace(concatenated([*before, columns]), lines=columns.lines, files=columns.files)


def read(source: Source, request: Request) -> Columns:
    """The columns of a TREC file."""
    return table(source, request, text_files.TREC_FIELDS[request.kind])


def read_topic(source: Source, topic: bytes) -> Columns:
    """The columns of one topic of a run."""
    lines = ((text, *places) for text, _ in _whole_lines(source) for places in _places(text))
    return run_lines(source, (text[begin:end] for text, name, begin, end in lines if name == topic))


def run_lines(source: Source, chunks: Iterable[bytes]) -> Columns:
    """The columns of some lines of a run."""
    return table(source, Request("run"), text_files.TREC_FIELDS["run"], chunks)


def parts_of_topics(source: Source, size: int = 1 << 22) -> Iterator[Columns]:
    """The rows of a run, some whole topics at a time; a topic that comes again is an error."""
    known, last, waiting = set[bytes](), None, list[bytes]()
    for text, _ in _whole_lines(source, size):
        begin = 0  # of the last topic that begins here
        for topic, place, _ in _places(text):
            if topic != last:
                if topic in known:
                    raise InputError(f"topic {quote(topic)} comes again", path=source.path)
                last, begin = topic, place if known else 0
                known.add(topic)
        if begin:
            yield run_lines(source, [*waiting, text[:begin]])
            waiting.clear()
        waiting.append(text[begin:])
    yield run_lines(source, [*waiting[:-1], waiting[-1].removesuffix(b"\n")])


def topic_places(source: Source, size: int = 1 << 20) -> Iterator[tuple[bytes, int, int]]:
    """(topic, begin, end) of a topic's lines in an uncompressed run, which is read `size` bytes at a time."""
    for text, first in _whole_lines(source, size):
        yield from ((topic, first + begin, first + end) for topic, begin, end in _places(text))


def _whole_lines(source: Source, size: int = 1 << 20) -> Iterator[tuple[bytes, int]]:
    """(some lines, where they begin in the data)."""
    begin, rest = source.start, b""
    for chunk in source.chunks(size):
        text = rest + chunk
        end = text.rfind(b"\n") + 1
        yield text[:end], begin
        begin, rest = begin + end, text[end:]
        if len(rest) > codes.MAX_LINE:
            raise InputError(sentence(codes.LONG_LINE, rest[: codes.FOUND_BYTES], "run"), path=source.path)
    yield rest + b"\n", begin


def _places(text: bytes) -> Iterator[tuple[bytes, int, int]]:
    begins, ends, topics = core.topic_lines(text)
    for topic, begin, end in zip(strings(*topics), numbers(begins, "q"), numbers(ends, "q"), strict=True):
        if not topic.startswith(b"#"):
            yield topic, begin, end


def write(columns: Columns, out: IO[bytes]) -> None:
    """Write a TREC file with all digits, in trec_eval's order unless every rank is known."""
    columns, rank = ranked(columns) if columns.kind == "run" else (columns, None)
    refuse_unwritable(columns, "tag" if columns.kind == "run" else "iteration")
    label = columns.label or Ids.of([DEFAULT[columns.kind]] * len(columns))
    if rank is None:
        judgments = zip(columns.topic, label, columns.doc, columns.numbers(), strict=True)
        out.writelines(map(b"%b %b %b %a\n".__mod__, judgments))
        return
    rank, score = np.ascontiguousarray(rank, np.int64), np.ascontiguousarray(columns.value, np.float64)
    for begin in range(0, len(columns), AT_ONCE):
        some = slice(begin, min(begin + AT_ONCE, len(columns)))
        topic, doc, tag = (ids.part(some).buffers() for ids in (columns.topic, columns.doc, label))
        out.write(core.run_text(*topic, *doc, rank[some], score[some], *tag))


# Score descending, equal scores by document id, descending as bytes.
TREC_EVAL = ("score", "docid_desc", "double")


def in_order(columns: Columns) -> tuple[Ints, Ints]:
    """(rows by topic and rank, the rank of each), in trec_eval's order."""
    topic, topics = columns.topic.encode()
    score = np.ascontiguousarray(columns.value, dtype=np.float64)
    buffer = core.ranks(topic, columns.doc.data, columns.doc.offsets, score, None, *TREC_EVAL)
    rank = np.frombuffer(buffer, dtype=np.int64)
    ends = np.cumsum(np.bincount(topic, minlength=len(topics)))
    order = np.empty_like(rank)
    order[np.append(0, ends)[topic] + rank - 1] = np.arange(len(rank))
    return order, rank[order]


def ranked(columns: Columns) -> tuple[Columns, Ints]:
    """(rows, ranks), sorted in trec_eval's order unless ranks are known."""
    if columns.rank is not None and columns.ranks_known():
        return columns, columns.rank
    order, rank = in_order(columns)
    return columns.take(order), rank


SEPARATORS = b" \t\n\r\x0b\x0c\0"


def refuse_unwritable(columns: Columns, label: str = "") -> None:
    """Refuse ids that whitespace-separated columns cannot hold."""
    refuse_whitespace(columns.topic, "topic")
    refuse_whitespace(columns.doc, "document")
    refuse_comments(columns.topic)
    if label and columns.label is not None:
        refuse_whitespace(columns.label, label)


def refuse_whitespace(ids: Ids, what: str) -> None:
    """Raise an error about an id with whitespace."""
    bad = _first_with(SEPARATORS, ids)
    if bad is not None:
        problem = "contains whitespace or NUL" if bad else "is empty"
        raise InputError(
            f"the {what} {quote(bad)} {problem}; this format separates columns by whitespace and cannot hold "
            "it: write csv, tsv or jsonl"
        )


def refuse_empty(ids: Ids, what: str) -> None:
    """Refuse ids that are empty or contain NUL."""
    bad = _first_with(b"\0", ids)
    if bad is not None:
        problem = "contains NUL" if bad else "is empty"
        raise InputError(f"the {what} {quote(bad)} {problem}; this format cannot hold it: write jsonl")


def refuse_comments(topics: Ids) -> None:
    """Refuse topics with which a line would be read back as something else.

    A line that starts with # is a comment, and U+FEFF at the beginning of a file is its byte order mark.
    """
    bad = next((topic for topic in topics.encode()[1] if topic.startswith(b"#")), None)
    if bad is not None:
        raise InputError(f"a line starting with {quote(bad)} would be a comment; write csv, tsv or jsonl")
    if len(topics) and topics[0].startswith(BOM):
        raise InputError(
            f"the first line would start with {quote(topics[0])}, and its U+FEFF would be taken for a byte "
            "order mark; write csv, tsv or jsonl"
        )


def _first_with(unfit: bytes, ids: Ids) -> bytes | None:
    held = np.frombuffer(ids.data, dtype=np.uint8)[ids.offsets[0] : ids.offsets[-1]]
    if not np.isin(held, list(unfit)).any() and (np.diff(ids.offsets) > 0).all():
        return None
    return next(id for id in ids if not id or any(byte in unfit for byte in id))


FORMAT = register(
    Format(
        "trec",
        "TREC: topic Q0 document rank score tag; judgments: topic iteration document grade",
        ("run", "qrels"),
        (".txt", ".run", ".trec", ".qrels"),
        text_files.is_trec,
        read,
        write,
    )
)


_PLAIN = re.compile(
    r"(?!(?:y|n|yes|no|on|off|true|false|null)$)[a-z](?:[\w -]*\w)?", re.ASCII | re.IGNORECASE
)


def header(metadata: Mapping[str, Any]) -> bytes:
    """The lines before a run, from nested metadata."""
    content = json_value(metadata, other=_plain)
    lines = ["ir_metadata.start", *_yaml(content), "ir_metadata.end"]
    return "".join(f"# {line}\n" for line in lines).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    if not hasattr(value, "tolist"):
        kind = type(value).__name__
        raise OptionError(f"metadata have a {kind}, {value!r}; use text, numbers, dates, lists and dicts")
    return json_value(value.tolist())


def _yaml(content: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for key, value in content.items():
        name = f"{indent}{key if _PLAIN.fullmatch(key) else _flow(key)}:"
        if value and isinstance(value, Mapping):
            yield name
            yield from _yaml(value, f"{indent}  ")
        elif value and isinstance(value, list):
            yield name
            yield from (f"{indent}- {_flow(each)}" for each in value)
        else:
            yield f"{name} {_flow(value)}"


def _flow(value: Any) -> str:
    """A value on one line: JSON, but for code points that YAML escapes."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else f"\\U{ord(char):08x}" for char in text)
