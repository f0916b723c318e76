"""The columns that every reader returns and every writer takes, and the names of columns in the input."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import problems as trouble
from rankgauge.schema.options import setting
from rankgauge.schema.text import joined, nearest, unknown_name

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

# Known names of each column, best first: if several match, the first of these is used (PyTerrier's frames
# have docno beside an internal docid, and the text of a query beside its qid). Case, spaces, dots, dashes
# and underscores are ignored. A recommender's ratings are grades, and its predictions scores; the user is
# the topic. An id alone is that of a document. Distances stand in for scores: the smallest is best.
NAMES = {
    "topic": "query_id qid topic_id topic_no topic query_no question_id query question q user_input "
    "search_term user_id uid user query_text",
    "doc": "docno doc_id document_id corpus_id passage_id chunk_id node_id pid did doc document passage d "
    "item_id iid item product_id sku movie_id file_id url id uuid",
    "score": "score sim similarity rsv relevance_score cosine cosine_similarity certainty logit logits "
    "prediction est",
    "distance": "distance dist cosine_distance l2_distance",
    "grade": "relevance label relevance_label rel is_relevant grade judgment judgement rating r_ui score",
    "rank": "rank position pos doc_position",
    "tag": "tag run_id run run_tag run_name system",
    "iteration": "subtopic subtopic_id intent stratum iteration iter q0 judge assessor annotator",
    # Lists of documents within a topic, in JSON: those that a system found, and those that were judged.
    "results": "results hits docs documents passages retrieved retrieved_docs ctxs candidates items "
    "recommendations ranking response retrieved_context_ids",
    "judged": "judged relevant ratings judgments judgements qrels relevant_docs relevant_documents "
    "relevant_ids positives positive_passages positive_ctxs reference_context_ids",
}
ROLES = {
    "run": {"topic": "topic", "doc": "doc", "value": "score", "rank": "rank", "label": "tag"},
    "qrels": {"topic": "topic", "doc": "doc", "value": "grade", "label": "iteration"},
}
WRITTEN = {
    "run": {"topic": "query_id", "doc": "doc_id", "value": "score", "rank": "rank", "label": "tag"},
    "qrels": {"topic": "query_id", "doc": "doc_id", "value": "relevance", "label": "iteration"},
}


class Problem(NamedTuple):
    """Something wrong with one line; `message` replaces the usual message for the code."""

    code: int
    line: int
    text: bytes  # the offending text
    message: str = ""

    def sentence(self, kind: str) -> str:
        """The message for this problem."""
        return self.message or trouble.sentence(self.code, self.text, kind)


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """The rows of a run or of judgments, as columns, with the problems found while reading."""

    kind: str  # run or qrels
    topic: Ids
    doc: Ids
    value: Floats  # (n,) score or grade
    rank: Ints | None = None  # (n,) codes.NO_RANK where it is not a whole number below codes.LARGE_RANK
    label: Ids | None = None  # tag of a run; iteration or subtopic of judgments
    line: Ints | None = None  # (n,) line number, for files with lines
    problems: tuple[Problem, ...] = ()  # the first few of each kind, by line
    counts: Mapping[int, int] = field(default_factory=dict)  # {code: number of problems}
    lines: int = 0  # number of lines of the file
    files: tuple[tuple[int, str], ...] = ()  # (first row, path) of each file
    assumed: str = ""  # what reading took for granted: see `problems.assumption`
    # The number of the first row, for messages: above 0 in a later batch of a file, None if rows have none.
    first: int | None = 0
    # Of the array that the rows come from, (topics, documents); lists have no number of documents.
    shape: tuple[int, int | None] | None = None
    dropped: int = 0  # duplicates that were left out while reading

    def __len__(self) -> int:
        return len(self.value)

    def path(self, row: int) -> str | None:
        """The file a row comes from."""
        return self._file(row)[1] if self.files else None

    def _file(self, row: int) -> tuple[int, str]:
        return self.files[bisect.bisect_right(self.files, row, key=lambda file: file[0]) - 1]

    def _number(self, row: int) -> int | None:
        begin = self._file(row)[0] if self.files else 0
        return None if self.first is None else self.first + row - begin

    def error(self, message: str, row: int) -> InputError:
        """An error about one row, with its place."""
        if self.line is not None:
            return InputError(message, path=self.path(row), line=int(self.line[row]))
        place = f"topic {trouble.quote(self.topic[row])}, document {trouble.quote(self.doc[row])}"
        number = self._number(row)
        place += "" if number is None else f" (row {number}, counted from 0)"
        return InputError(f"{place}: {message}", path=self.path(row))

    def where(self, row: int, seen_from: int) -> str:
        """The place of a row, for a message about another row."""
        number, path = self._number(row), self.path(row)
        if self.line is None and number is None:
            return ""
        place = f"in row {number}" if self.line is None else f"on line {self.line[row]}"
        return place if path == self.path(seen_from) else f"{place} of {path}"

    def checked(self) -> Columns:
        """These columns if they have no problem; otherwise raise an InputError about the first one."""
        path = self.files[0][1] if self.files else None
        if self.problems:
            first = min(self.problems, key=lambda p: p.line)
            raise InputError(first.sentence(self.kind), path=path, line=first.line or None)
        if not len(self):
            raise InputError(trouble.empty(self.kind), path=path)
        bad = self.bad_values()
        if bad.any():
            row = int(bad.argmax())
            value = float(self.value[row])
            if np.isfinite(value):
                raise self.error(trouble.too_large(value), row)
            code = codes.NOT_A_NUMBER if np.isnan(value) else codes.BAD_GRADE
            raise self.error(trouble.sentence(code, str(value).encode(), self.kind), row)
        return self

    def cut_short(self) -> Columns:
        """These columns with a problem in the end: the rest of the file was not read."""
        unread = Problem(trouble.UNREAD, self.lines, b"")
        return replace(self, problems=(*self.problems, unread), counts={**self.counts, unread.code: 1})

    def bad_values(self) -> npt.NDArray[np.bool_]:
        """(rows,): whether a score is NaN, or a grade not in range."""
        if self.kind == "run":
            return np.isnan(self.value)
        return ~(np.abs(self.value) <= trouble.LARGEST_GRADE)

    def ranks_known(self) -> bool:
        """Whether every row has a rank."""
        return self.rank is not None and not (self.rank == codes.NO_RANK).any()

    def numbers(self) -> list[int | float]:
        """Scores or grades as they are written: whole grades as integers, as long as these are exact."""
        values: list[int | float] = self.value.tolist()
        if self.kind == "run":
            return values
        return [int(v) if v % 1 == 0 and abs(v) < 1 << 53 else v for v in values]

    def uniform(self) -> Floats | Ints:
        """Scores or grades as an array, of integers if they are grades and all whole."""
        whole = self.kind == "qrels" and all(isinstance(number, int) for number in self.numbers())
        return self.value.astype(np.int64) if whole else self.value

    def named(self) -> dict[str, list[Any]]:
        """{name: values} of the columns that are present, with the names used for writing."""
        columns: dict[str, list[Any]] = {
            "topic": self.topic.texts(),
            "doc": self.doc.texts(),
            "value": self.numbers(),
        }
        if self.rank is not None and self.ranks_known():
            columns["rank"] = self.rank.tolist()
        if self.label is not None:
            columns["label"] = self.label.texts()
        return {WRITTEN[self.kind][part]: column for part, column in columns.items()}

    def with_values(self, value: Floats, kept: npt.NDArray[np.bool_]) -> Columns:
        """The rows that are kept, with other scores or grades; messages still name their files and lines."""
        if kept.all():
            return replace(self, value=value)
        before = np.concatenate(([0], np.cumsum(kept)))
        files = tuple((int(before[first]), path) for first, path in self.files)
        return replace(replace(self, value=value).take(np.flatnonzero(kept)), files=files)

    def take(self, rows: Ints) -> Columns:
        """These rows, in this order, without their files."""
        return replace(
            self,
            topic=self.topic.take(rows),
            doc=self.doc.take(rows),
            value=self.value[rows],
            rank=None if self.rank is None else self.rank[rows],
            label=None if self.label is None else self.label.take(rows),
            line=None if self.line is None else self.line[rows],
            files=(),
        )


def is_text(ids: Ids) -> bool:
    """Whether all ids are UTF-8: all bytes together are, and no id begins inside a character."""
    try:
        str(memoryview(ids.data)[ids.offsets[0] : ids.offsets[-1]], "utf-8")
    except UnicodeDecodeError:
        return False
    begins = ids.offsets[:-1][np.diff(ids.offsets) > 0]
    return not (np.frombuffer(ids.data, dtype=np.uint8)[begins] & 0xC0 == 0x80).any()


def joined_ids(parts: Sequence[Ids]) -> Ids:
    """One column of ids from several."""
    if len(parts) == 1:
        return parts[0]
    cuts = [(int(p.offsets[0]), int(p.offsets[-1])) for p in parts]
    data = b"".join(memoryview(p.data)[a:b] for p, (a, b) in zip(parts, cuts, strict=True))
    ends = np.cumsum([0] + [b - a for a, b in cuts])
    offsets = [np.zeros(1, np.int64)]
    offsets += [p.offsets[1:] - a + end for p, (a, _), end in zip(parts, cuts, ends, strict=False)]
    return Ids(data, np.concatenate(offsets))


def concatenated(parts: Sequence[Columns]) -> Columns:
    """The rows of several files as one; a problem in any of them is an error."""
    parts = [part.checked() for part in parts]
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0] + [len(p) for p in parts]).tolist()
    lines = [p.line for p in parts if p.line is not None]
    ranks = [p.rank for p in parts if p.rank is not None]
    labels = [p.label for p in parts if p.label is not None]
    return Columns(
        kind=parts[0].kind,
        topic=joined_ids([p.topic for p in parts]),
        doc=joined_ids([p.doc for p in parts]),
        value=np.concatenate([p.value for p in parts]),
        rank=np.concatenate(ranks) if len(ranks) == len(parts) else None,
        label=joined_ids(labels) if len(labels) == len(parts) else None,
        line=np.concatenate(lines) if len(lines) == len(parts) else None,
        files=tuple((s, p.files[0][1]) for s, p in zip(starts, parts, strict=False) if p.files),
        assumed=next((p.assumed for p in parts if p.assumed), ""),
        dropped=sum(p.dropped for p in parts),
    )


def _folded(name: str) -> str:
    folded = name.casefold()
    for ignored in " -_.":  # some times as fast as going through the characters of a long name
        folded = folded.replace(ignored, "")
    return folded


def guess(names: Sequence[str], role: str, known: Mapping[str, str] = NAMES) -> str | None:
    """The column that has this role by convention, or None."""
    by_folded = {_folded(name): name for name in reversed(names)}
    return next((by_folded[w] for w in map(_folded, known[role].split()) if w in by_folded), None)


def fits(names: Sequence[str], kind: str) -> bool:
    """Whether these are column names of a run, or of judgments."""
    values = ("score", "distance", "rank") if kind == "run" else ("grade",)
    return all(guess(names, role) for role in ("topic", "doc")) and any(guess(names, role) for role in values)


def choose(
    names: Sequence[str], kind: str, columns: Mapping[str, str] | None = None, path: str | None = None
) -> dict[str, str]:
    """{part: column name} for the parts topic, doc and value, and for rank and label if present.

    `columns` names columns that convention would miss: {"topic": "my_q", "doc": "my_d"}.
    """
    roles, columns = ROLES[kind], columns or {}
    for role, name in columns.items():
        if role not in roles.values():
            allowed = ", ".join(roles.values())
            raise OptionError(f"columns can name {allowed}, not {role!r}{nearest(role, roles.values())}")
        if name not in names:
            raise InputError(unknown_name("column", name, names, _existing(names)), path=path)
    chosen = {part: columns.get(role) or guess(names, role) for part, role in roles.items()}
    if chosen["value"] is None and kind == "run":
        chosen["value"] = guess(names, "distance") or chosen["rank"]  # without scores: see `order_of`
    missing = [roles[part] for part in ("topic", "doc", "value") if chosen[part] is None]
    if missing:
        one = len(missing) == 1
        usual = NAMES[missing[0]].split()[:5] if one else [NAMES[role].split()[0] for role in missing]
        raise InputError(
            f"no column for the {joined(missing)}; {_existing(names)}; call {'it' if one else 'them'} "
            f"{', '.join(usual) if one else joined(usual)}, or name {'it' if one else 'them'}: "
            f"{_naming(missing, kind)}{_other_kind(names, kind)}",
            path=path,
        )
    present = {part: name for part, name in chosen.items() if name is not None}
    for part, name in present.items():
        _refuse_rivals(name, names, kind, roles[part], path, named=roles[part] in columns)
    return present


def _refuse_rivals(
    name: str, names: Sequence[str], kind: str, role: str, path: str | None, *, named: bool
) -> None:
    if names.count(name) > 1:
        raise InputError(f"{names.count(name)} columns are named {name!r}; rename or remove one", path=path)
    rivals = [] if named else [other for other in names if _folded(other) == _folded(name)]
    if len(rivals) > 1:
        shown = " and ".join(map(repr, rivals))
        message = f"both {shown} could be the {role}; name one of them: {_naming([role], kind)}"
        raise InputError(message, path=path)


def _naming(roles: Sequence[str], kind: str) -> str:
    python = ", ".join(f'"{role}": NAME' for role in roles)
    return setting("columns", ",".join(f"{role}=NAME" for role in roles), kind=kind, python=f"{{{python}}}")


def _other_kind(names: Sequence[str], kind: str) -> str:
    other = next(each for each in ROLES if each != kind)
    return f" ({trouble.looks_like(other)})" if fits(names, other) else ""


def _existing(names: Sequence[str]) -> str:
    if not names:
        return "found no columns"
    shown = ", ".join(trouble.quote(name, 30) for name in names[:12])
    hint = ""
    if any(name.lstrip("-").replace(".", "", 1).isdecimal() for name in names):
        hint = " (is the header missing?)"
    elif len(names) == 1 and any(delimiter in names[0] for delimiter in ";|,\t "):
        hint = " (csv has commas between columns, tsv has tabs)"
    return f"found {shown}{', …' if len(names) > 12 else ''}{hint}"


def order_of(chosen: Mapping[str, Any], kind: str = "run") -> str:
    """The kind of the chosen value: a score or grade, or a rank or distance, lowest best."""
    if chosen["value"] == chosen.get("rank"):
        return "rank"
    return "distance" if kind == "run" and guess([chosen["value"]], "distance") else trouble.VALUE[kind]


def in_order_of(columns: Columns, order: str) -> Columns:
    """A run whose values are ranks or distances, which are negated; others as they are.

    Those of a search for neighbours, the nearest first ("search"), are distances if they rise. What a list of
    hits calls distances ("nearest") are similarities if they fall throughout: Milvus calls these so, too.
    Scores of an engine ("found") are distances if they rise throughout; where it is unknown which end is best
    ("open"), they are refused.
    """
    if order == "rank":
        return replace(columns, rank=columns.value.astype(np.int64), value=-columns.value)
    assumed = trouble.DISTANCES
    if order in ("search", "nearest", "found", "open"):
        topic, value = columns.topic.encode()[0], columns.value
        same, above, below = topic[1:] == topic[:-1], value[:-1], value[1:]
        rising, falling = same & (below > above), same & (below < above)
        if order == "nearest":
            similar = falling.any() and not rising.any()
            order, assumed = "distance", trouble.SIMILARITIES if similar else trouble.DISTANCES
        elif order in ("found", "open"):
            if order == "open" and rising.any() and not falling.any():
                best = setting("columns", "...,best=low", kind="run", python='{..., "best": "low"}')
                raise InputError(
                    f"scores rise from the first hit of each topic on; say which are best: {best} or high",
                    path=columns.path(0),
                )
            order = "distance" if rising.any() and not falling.any() else order
        elif rising.any() and falling.any():
            places = [trouble.quote(columns.topic[int(np.argmax(each))]) for each in (rising, falling)]
            raise InputError(
                f"the scores rise in some places (topic {places[0]}) and fall in others (topic {places[1]}); "
                "a search for neighbours has the best first, by falling scores or rising distances; for "
                "another order, pass {topic: {document: score}}",
                path=columns.path(0),
            )
        elif rising.any():
            order = "distance"
    if order == "distance":
        value = columns.value if assumed == trouble.SIMILARITIES else -columns.value
        return replace(columns, value=value, assumed=f"{columns.assumed} {assumed}".strip())
    return columns
