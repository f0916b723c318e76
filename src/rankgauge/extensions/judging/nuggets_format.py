"""Nuggets, the facts that an answer should contain, and assessments of which text supports them.

An object per line for each answer, or for each retrieved document, as nuggetizer and TREC RAG write them:

    {"qid": ..., "run_id": ..., "answer_text": ...,
     "nuggets": [{"text": ..., "importance": "vital", "assignment": "support"}, ...]}

Or a row for each nugget, as JSON or in a CSV or TSV file with the names of `NAMES`. Rows may also be
citations: a sentence, a document that it cites, and whether this supports it. Assessments of documents are
judgments by subtopic: each nugget of a topic is one, numbered from 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.errors import InputError
from rankgauge.formats import columns
from rankgauge.formats.columns import Columns, guess
from rankgauge.formats.files import Format, Request, register
from rankgauge.formats.json import names as json_names
from rankgauge.formats.json import object_lines
from rankgauge.formats.problems import quote
from rankgauge.formats.row_reader import RowCollector, identifier, number_or_text
from rankgauge.formats.source import Source, expand
from rankgauge.formats.text_files import delimited_rows, first_line
from rankgauge.schema.text import brief, repeated

NAMES = {
    "topic": columns.NAMES["topic"],
    "run": columns.NAMES["tag"],
    "doc": "docid doc_id docno document_id passage_id segment_id",
    "nugget": "nugget nugget_text nugget_id",
    "importance": "importance",
    "assignment": "assignment",
    "answer": "answer_text answer",
    "length": "length",
    "sentence": "sentence sentence_id",
    "citation": "citation cited reference docid doc_id",
    "support": "support",
}
IMPORTANCE = {"vital": True, "okay": False}
PARTIAL, FULL = 1, 2  # support, as grades of judgments
SUPPORT = {
    "support": FULL, "full_support": FULL, "partial_support": PARTIAL, "not_support": 0, "no_support": 0,
    "failed": 0,  # where nuggetizer got no label from its model
}  # fmt: skip


class Nugget(NamedTuple):
    """A nugget, and how far a text supports it."""

    text: str
    vital: bool
    support: int


class Citation(NamedTuple):
    """A sentence and what it cites, perhaps nothing."""

    sentence: str
    cited: str
    support: int


class Assessment(NamedTuple):
    """The contents of a record on an answer or a retrieved document."""

    topic: str
    run: str | None
    doc: str | None
    nuggets: tuple[Nugget, ...]
    length: int | None  # of the answer, in characters without whitespace
    citation: Citation | None
    failed: bool  # whether nuggetizer did not get a label
    path: str | None
    line: int

    def error(self, message: str) -> InputError:
        """An error about the record."""
        return record_error(message, self.path, self.line)


def record_error(message: str, path: str | None, line: int) -> InputError:
    """An error about a line of a file, or a record in memory, counted from 1."""
    return InputError(message, path=path, line=line) if path else InputError(f"record {line}: {message}")


def read_assessments(source: Source) -> Iterator[Assessment]:
    """The assessments in a file of JSON lines, CSV or TSV."""
    is_json = first_line(source.head)[:1] in (b"{", b"[")
    for line, record in object_lines(source) if is_json else _rows(source):
        yield assessment(record, line, source.path)


def _rows(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    header: list[str] = []
    for number, cells in delimited_rows(source, by_line=False):
        if header and len(cells) != len(header):
            message = f"expected the {len(header)} columns of the header, found {len(cells)}"
            raise InputError(f"{message}: {quote(','.join(cells))}", path=source.path, line=number)
        if header:
            yield number, {name: cell for name, cell in zip(header, cells, strict=True) if cell.strip()}
            continue
        header = [cell.strip() for cell in cells]
        if twice := repeated(filter(None, header)):
            raise InputError(f"two columns are named {quote(twice[0])}", path=source.path, line=number)


@cache
def _roles(names: tuple[str, ...]) -> dict[str, str]:
    found = {role: guess(names, role, NAMES) for role in NAMES}
    return {role: name for role, name in found.items() if name is not None}


def assessment(record: Any, line: int, path: str | None = None) -> Assessment:
    """The assessment in a record, checked; `line` is its place in a file or list."""
    if not isinstance(record, Mapping):
        raise record_error(f"expected an object with names, found {quote(brief(record))}", path, line)
    roles = _roles(tuple(name for name in record if isinstance(name, str)))
    return _Fields({role: record[name] for role, name in roles.items()}, record, path, line).read()


class _Fields(NamedTuple):
    """The values of a record by their roles."""

    values: Mapping[str, Any]
    record: Mapping[str, Any]
    path: str | None
    line: int

    def read(self) -> Assessment:
        nested = self.record.get("nuggets")
        if nested is None and not {"nugget", "sentence"} & self.values.keys():
            raise self.error(
                f"neither nuggets nor citations: {quote(', '.join(map(str, self.record)))}; expected qid and "
                "a list of nuggets, or columns such as qid, nugget, importance and assignment, or qid, "
                "sentence, citation and support"
            )
        if nested is not None and not (
            isinstance(nested, list) and all(isinstance(each, Mapping) for each in nested)
        ):
            raise self.error(f"nuggets are {quote(brief(nested))}; expected a list of objects")
        if self.values.get("support") is not None and (nested or "nugget" in self.values):
            raise self.error("nuggets and the support of a citation in one record; write one for each")
        rows = [self._replace(values={**each, "nugget": each.get("text")}) for each in nested or ()]
        if nested is None and "nugget" in self.values:
            rows = [self]
        topic = self.id("topic")
        nuggets = tuple(Nugget(row.id("nugget"), row.importance(), row.support("assignment")) for row in rows)
        labels = [self.values.get("support"), *(row.values.get("assignment") for row in rows)]
        return Assessment(
            topic,
            self.id("run", optional=True) or None,
            self.id("doc", optional=True) or None,
            nuggets,
            self.length(),
            self.citation() if nested is None and "nugget" not in self.values else None,
            "failed" in labels,
            self.path,
            self.line,
        )

    def id(self, role: str, *, optional: bool = False) -> str:
        """The id or text with a role; empty if optional and absent."""
        value = self.values.get(role)
        if optional and value is None:
            return ""
        name = identifier(value)
        if not name or not name.strip():
            wanted = f"call it {' or '.join(NAMES[role].split()[:2])}, a text or a whole number"
            raise self.error(f"the {role} is missing: {quote(brief(dict(self.record)))}; {wanted}")
        return to_text(name)

    def importance(self) -> bool:
        return bool(self.label("importance", IMPORTANCE))

    def support(self, role: str) -> int:
        return self.label(role, SUPPORT)

    def label(self, role: str, known: Mapping[str, int]) -> int:
        """The meaning of a label."""
        label = self.values.get(role)
        if not isinstance(label, str) or label.strip() not in known:
            found = "is missing" if label is None else f"is {quote(str(label))}"
            raise self.error(f"the {role} {found}; expected one of {', '.join(known)}")
        return known[label.strip()]

    def length(self) -> int | None:
        """The length of the answer in characters without whitespace, if known."""
        text, length = self.values.get("answer"), self.values.get("length")
        if isinstance(text, str):
            return sum(map(len, text.split()))
        if length is None:
            return None
        number = number_or_text(length)
        if number is None or number < 0 or not number.is_integer():
            raise self.error(
                f"the length of the answer is {quote(str(length))}; expected its number of characters"
            )
        return int(number)

    def citation(self) -> Citation:
        """The sentence and what it cites."""
        cited = self.id("citation", optional=True)
        if not cited and self.values.get("support") is not None:
            raise self.error("there is a label of support, and no citation; name the document that is cited")
        return Citation(self.id("sentence"), cited, self.support("support") if cited else 0)

    def error(self, message: str) -> InputError:
        return record_error(message, self.path, self.line)


def sniff(source: Source, _kind: str) -> bool:
    """Whether the first record has nuggets."""
    names = _names(source)
    return "nuggets" in names or {"nugget", "assignment"} <= _roles(names).keys()


def holds_answers(path: str) -> bool:
    """Whether the first record of a file assesses an answer: its nuggets, or a sentence."""
    if path == "-":
        return True  # which nobody else reads alone
    source = Source(expand(path)[0])
    roles = _roles(_names(source)).keys()
    return "sentence" in roles or (sniff(source, "qrels") and "doc" not in roles)


def _names(source: Source) -> tuple[str, ...]:
    """The names in the first record, as far as it was read."""
    line = first_line(source.head)
    if line[:1] not in (b"{", b"["):
        return tuple(name.strip(' "') for name in to_text(line).replace("\t", ",").split(","))
    known = ("nuggets", *NAMES["doc"].split())
    return tuple(json_names(source)) or tuple(name for name in known if b'"%s"' % name.encode() in line)


def read(source: Source, request: Request) -> Columns:
    """Assessments of documents as judgments by subtopic: grade 2 for support, 1 for partial support."""
    if request.columns:
        raise InputError(
            "the columns of nuggets cannot be named; leave the column names out, and call them qid, docid, "
            "nugget, importance and assignment",
            path=source.path,
        )
    rows, line = RowCollector(request.kind, request.keep), 0
    numbers: dict[str, dict[str, int]] = {}  # {topic: {nugget: its number}}
    for each in read_assessments(source):
        line = each.line
        if each.doc is None:
            raise each.error(
                "these nuggets are assessed in an answer, not in a document (docid); "
                "`rankgauge evaluate FILE...` scores answers"
            )
        known = numbers.setdefault(each.topic, {})
        for nugget in each.nuggets:
            number = known.setdefault(nugget.text, len(known) + 1)
            topic, doc = map(to_bytes, (each.topic, each.doc))
            rows.add(line, topic, doc, float(nugget.support), label=b"%d" % number)
    return rows.columns(source.path, line)


register(
    Format(
        "nuggets",
        "which documents support which nuggets, as nuggetizer writes it, or rows such as qid, docid, nugget, "
        "importance and assignment: judgments by subtopic, 2 for support and 1 for partial_support",
        ("qrels",),
        (),
        sniff,
        read,
        is_special=True,
        samples={
            "qrels": "qid,docid,nugget,importance,assignment\n"
            "301,d7,in 1991,vital,support\n301,d2,in 1991,vital,not_support\n"
        },
    )
)
