"""Pieces of files that tasks read without Spark: row groups, record batches, ranges of lines.

Rows have the columns of `rows.result_rows`, so values are the same. Files that Spark would read otherwise are
`Unreadable`, and left to its reader.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_text
from rankgauge.engines.local.topic_batches import as_array
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.extensions.devices.spark.library import functions
from rankgauge.formats import frames
from rankgauge.formats.arrow import Groups
from rankgauge.formats.columns import Problem
from rankgauge.formats.problems import KINDS
from rankgauge.formats.source import BOM, run_name
from rankgauge.formats.text_files import TREC_FIELDS
from rankgauge.schema.options import choice

TABLES = ("parquet", "arrow")
COMPRESSED = (".gz", ".bz2", ".zst")  # text that is one piece; pyarrow decompresses it, by this suffix
FOREIGN = (".deflate", ".snappy", ".lz4")  # text that only Hadoop decompresses
BATCH = 1 << 17  # rows read at once
URI = "%/:?#[]@!$&'()*+,;=~"
TEXT = 1 << 25  # bytes of text in a piece
LINE = 50  # bytes of a line, about


class Unreadable(Exception):
    """Why tasks cannot read these files."""


@dataclass(frozen=True)
class File:
    """A file of results."""

    path: str  # a URI
    format: str  # parquet, arrow or trec
    roles: Mapping[str, str]  # {role: column}; empty for text
    run: bytes | None = None  # the run that its rows are of, if no column names it and there are several


class Piece(NamedTuple):
    """Rows of a file that can be read by themselves."""

    file: File
    first: int  # row group or record batch; for text, the byte from which on lines begin
    last: int  # after the last
    rows: int  # about
    topics: tuple[bytes, bytes] | None = None  # of which none is below the first or above the second


@contextmanager
def _opened(path: str) -> Iterator[Any]:
    from pyarrow import fs

    # Java leaves letters as they are that a URI does not have.
    system, name = fs.FileSystem.from_uri(quote(path.replace("s3a://", "s3://", 1), safe=URI))
    with system.open_input_file(name) as file:
        yield file


@contextmanager
def _reasons(path: str) -> Iterator[None]:
    try:
        yield
    except RankgaugeError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, ImportError) as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise Unreadable(f"{path}: {reason}") from None


def pieces(file: File) -> list[Piece]:
    """The smallest pieces of a file."""
    with _reasons(file.path), _opened(file.path) as opened:
        if file.format in TABLES:
            groups = Groups(opened, file.format == "parquet")
            _require_known(groups.schema, file)
            each = zip(groups.sizes(), groups.bounds(file.roles["topic"]), strict=True)
            return [Piece(file, n, n + 1, rows, topics) for n, (rows, topics) in enumerate(each)]
        size = opened.size()
        if file.path.endswith(FOREIGN):
            raise Unreadable(f"{file.path}: only Spark decompresses it")
        if file.path.endswith(COMPRESSED):
            return [Piece(file, 0, size, 4 * size // LINE)]
        ends = ((begin, min(begin + TEXT, size)) for begin in range(0, size, TEXT))
        return [Piece(file, begin, end, (end - begin) // LINE) for begin, end in ends]


def topic_bounds(some: Sequence[Piece]) -> tuple[bytes, bytes] | None:
    """Bounds of the topics in these pieces; None if not known."""
    bounds = [piece.topics for piece in some if piece.topics is not None]
    if len(bounds) < len(some):
        return None
    return min(low for low, _ in bounds), max(high for _, high in bounds)


def column_names(path: str) -> list[str]:
    """The names of the columns of an Arrow file."""
    with _reasons(path), _opened(path) as opened:
        names: list[str] = Groups(opened, is_parquet=False).schema.names
        return names


def _require_known(schema: pa.Schema, file: File) -> None:
    """Refuse types that pyarrow might convert otherwise than Spark."""
    are_text = (
        types.is_string,
        types.is_large_string,
        types.is_string_view,
        types.is_binary,
        types.is_large_binary,
        types.is_binary_view,
    )

    for role, name in file.roles.items():
        kind = schema.field(name).type
        kind = kind.value_type if types.is_dictionary(kind) else kind
        whole = types.is_integer(kind) and kind != "uint64"
        texts = any(is_text(kind) for is_text in are_text)
        numbers = whole or types.is_float32(kind) or types.is_float64(kind)
        known = numbers if role == "value" else numbers or texts if role == "rank" else whole or texts
        if not known:
            raise Unreadable(f"{file.path}: the column {name!r} holds {kind}")


def batches_of(some: Iterable[Piece], *, ranks: bool = False) -> Iterator[pa.RecordBatch]:
    """The rows of pieces, in batches: topic, doc, value; rank, if requested; run, if there are several.

    Topics and runs are in dictionaries. An invalid line is an InputError.
    """
    return _batches(some, ("run", "topic", "doc", "value", *(["rank"] if ranks else [])))


def decoded(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch without dictionaries."""
    return pa.RecordBatch.from_arrays([*map(_values, batch)], batch.schema.names)


def _values(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if hasattr(column, "dictionary_decode") else column


def pairs_of(some: Iterable[Piece]) -> Iterator[pa.RecordBatch]:
    """The pairs of topic and run in pieces, in batches, each at least once."""
    return _batches(some, ("run", "topic"))


def _batches(some: Iterable[Piece], wanted: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    wrong = []
    for piece in some:
        read = _of_table if piece.file.format in TABLES else _of_text
        try:
            with _reasons(piece.file.path), _opened(piece.file.path) as opened:
                for columns in read(opened, piece, wanted):
                    yield _batch(piece.file, {name: columns[name] for name in wanted})
        except InputError as error:
            wrong.append(error)
    if wrong:
        raise min(wrong, key=str)  # whichever pieces are read together


def _batch(file: File, columns: dict[str, Any]) -> pa.RecordBatch:
    size = len(columns["topic"])
    if "run" in columns and file.run is not None:
        columns["run"] = pa.DictionaryArray.from_arrays(
            np.zeros(size, dtype=np.int32), pa.array([file.run], pa.binary())
        )
    if "rank" in columns and columns["rank"] is None:
        columns["rank"] = pa.nulls(size, pa.int64())
    return pa.RecordBatch.from_pydict({name: each for name, each in columns.items() if each is not None})


def _of_table(opened: Any, piece: Piece, wanted: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    roles, is_parquet = piece.file.roles, piece.file.format == "parquet"
    of_role = {"run": roles.get("label")} | {part: roles.get(part) for part in wanted if part != "run"}
    names = sorted({name for part, name in of_role.items() if name is not None and part in wanted})

    def column(batch: pa.RecordBatch, part: str) -> pa.Array | None:
        name = of_role[part]
        if name is None:
            return None
        if part == "value" and name == roles.get("rank"):  # without scores, ranks order the documents
            return pc.negate(_ranks(batch.column(name)).cast("float64", safe=False))
        return TO_ARRAY[part](batch.column(name))

    is_one = len(names) == 1  # the topics: each is looked at once
    # Topics and runs recur, and are decoded in a fraction of the time as a dictionary.
    recurring = [name for name in (roles["topic"], roles.get("label")) if name in names]
    for batch in Groups(opened, is_parquet, recurring).batches(piece.first, piece.last, names, BATCH):
        if not is_parquet:
            batch.validate(full=True)  # offsets in a file may point anywhere; Parquet has none
        some = pa.RecordBatch.from_arrays([batch.column(0).unique()], names) if is_one else batch
        yield {part: column(some, part) for part in wanted}


def _of_text(opened: Any, piece: Piece, _: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    for lines in _texts(opened, piece):
        found = parsed(lines, "run")
        refuse(found, "run", piece.file.path.replace("file:///", "file:/", 1))  # as Spark names it
        rank = np.frombuffer(found["rank"], dtype=np.int64)
        columns = {
            "run": None,
            "topic": _recurring_ids(as_array(ids_of(found, "topic"))),
            "doc": as_array(ids_of(found, "doc")),
            "value": pa.array(np.frombuffer(found["value"], dtype=np.float64)),
            "rank": pa.array(rank, mask=rank == codes.NO_RANK),
        }
        yield columns


def _ids(column: pa.Array) -> pa.Array:
    column = _values(column)
    if types.is_integer(column.type):
        column = column.cast(pa.string())
    return column.cast(pa.binary())


def _recurring_ids(column: pa.Array) -> pa.Array:
    """Ids in a dictionary without null entries, with 32-bit numbers."""
    if not types.is_dictionary(column.type) or column.dictionary.null_count:  # which pyarrow does not unify
        return _ids(column).dictionary_encode()
    return pa.DictionaryArray.from_arrays(column.indices.cast(pa.int32()), _ids(column.dictionary))


def _floats(column: pa.Array) -> pa.Array:
    return _values(column).cast("float64", safe=False)  # as Spark: whole numbers are rounded to the nearest


def _ranks(column: pa.Array) -> pa.Array:
    """Whole ranks small enough to be exact; null for others."""
    column = _values(column)
    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        return pa.nulls(len(column), pa.int64())
    exact = pc.less(pc.abs(_floats(column)), float(codes.LARGE_RANK))
    if types.is_floating(column.type):
        exact = pc.and_(exact, pc.equal(column, pc.floor(column)))
    return pc.if_else(exact, column, pa.scalar(None, column.type)).cast("int64", safe=False)


TO_ARRAY = {
    "run": _recurring_ids,
    "topic": _recurring_ids,
    "doc": _ids,
    "value": _floats,
    "rank": _ranks,
}


def _texts(opened: Any, piece: Piece) -> Iterator[bytes]:
    """The lines that begin within a piece; of a compressed file, all lines, in parts."""
    if not piece.file.path.endswith(COMPRESSED):
        lines = _lines(opened, piece.first, piece.last)
        yield lines if piece.first else lines.removeprefix(BOM)
        return
    with pa.CompressedInputStream(opened, pa.Codec.detect(piece.file.path).name) as stream:
        rest, begun = b"", False
        while chunk := stream.read(TEXT):
            rest += chunk if begun else chunk.removeprefix(BOM)
            begun, end = True, rest.rfind(b"\n") + 1
            yield rest[:end]
            rest = rest[end:]
        yield rest


def _lines(opened: Any, begin: int, end: int) -> bytes:
    before = min(1, begin)  # a line begins at the first byte if a line ends just before it
    opened.seek(begin - before)
    lines: bytes = opened.read(end - begin + before)
    if before:
        start = lines.find(b"\n") + 1
        lines = lines[start:] if start else b""
    while lines and not lines.endswith(b"\n"):
        more = opened.read(1 << 16)
        cut = more.find(b"\n") + 1
        lines += more[: cut or None]
        if cut or not more:
            break
    return lines


def parts(some: list[Piece], rows: int) -> list[list[Piece]]:
    """The pieces, in order, in parts of about as many rows, one per task."""
    found: list[list[Piece]] = []
    filled = math.inf
    for piece in some:
        if filled + piece.rows / 2 > rows:
            found.append([])
            filled = 0.0
        last = found[-1][-1] if found[-1] else None
        if last is not None and last.file is piece.file and last.last == piece.first:
            topics = topic_bounds([last, piece])
            found[-1][-1] = last._replace(last=piece.last, rows=last.rows + piece.rows, topics=topics)
        else:
            found[-1].append(piece)
        filled += piece.rows
    return found


ALL = (1 << 31) - 1  # problems are returned
SCHEMAS = {
    "run": "run string, topic string, doc string, rank bigint, score double, problem string",
    "qrels": "topic string, iteration string, doc string, grade double, problem string",
}


def read_trec(spark: Any, path: str | list[str], kind: str = "run") -> Any:
    """TREC files, directories or patterns as a DataFrame: run, topic, doc, rank, score; or those of qrels.

    The run is the name of the file. An invalid line becomes a row whose `problem` names the file and what is
    wrong; for valid lines it is null. `evaluate` refuses a frame with an invalid line;
    `where("problem is not null")` lists them all.
    """
    f = functions()
    choice("kind", kind, KINDS)
    # Lines end as they do for the core: a carriage return is whitespace.
    lines = spark.read.text(path, lineSep="\n").select(
        f.col("_metadata.file_path").cast("binary").alias("file"),
        f.concat(f.col("value"), f.lit("\n")).cast("binary").alias("line"),
    )

    def parse(batches: Any) -> Any:
        return (_parse(batch, kind) for batch in batches)

    return lines.mapInArrow(parse, SCHEMAS[kind])


def parsed(lines: Any, kind: str) -> Mapping[str, Any]:
    """The columns of lines, as the core returns them, with all problems."""
    table = core.Table(TREC_FIELDS[kind], ALL)
    table.feed(lines)
    found: Mapping[str, Any] = table.finish()
    return found


def ids_of(found: Mapping[str, Any], name: str) -> Ids:
    """A column of ids of the parsed lines."""
    data, offsets = found[name]
    return Ids(data, np.frombuffer(offsets, dtype=np.int64))


def problems_of(found: Mapping[str, Any]) -> list[Problem]:
    """Errors in the parsed lines."""
    return [Problem(code, line, bytes(text)) for code, line, text in found["problems"]]


def refuse(found: Mapping[str, Any], kind: str, path: str) -> None:
    """Raise an error if a line is invalid: the one whose problem comes first."""
    if found["problems"]:
        raise InputError(min(f"{path}: {problem.sentence(kind)}" for problem in problems_of(found)))


def _parse(batch: pa.RecordBatch, kind: str) -> pa.RecordBatch:
    """The rows of valid lines, then a row per invalid line."""
    rows = pa.Table.from_batches([batch])
    file, files = frames.ids(rows, "file").encode()
    lines = frames.ids(rows, "line")
    found = parsed(memoryview(lines.data)[lines.offsets[0] : lines.offsets[-1]], kind)
    bad = problems_of(found)

    def path_of(line: int) -> str:
        return to_text(files[int(file[line - 1])])

    messages = [f"{path_of(problem.line)}: {problem.sentence(kind)}" for problem in bad]
    value = np.frombuffer(found["value"], dtype=np.float64)

    def numbers(values: Any, absent: Any = None) -> pa.Array:
        return pa.concat_arrays(
            [pa.array(values, mask=absent), pa.nulls(len(bad), pa.array(values[:0]).type)]
        )

    def texts(ids: Ids) -> pa.Array:
        return pa.concat_arrays([as_array(ids, text=True), pa.nulls(len(bad), pa.string())])

    def column(name: str) -> pa.Array:
        return texts(ids_of(found, name))

    columns = {
        "topic": column("topic"),
        "doc": column("doc"),
        "problem": pa.array([None] * len(value) + messages, pa.string()),
    }
    if kind == "qrels":
        columns |= {"iteration": column("label"), "grade": numbers(value)}
    else:
        rank = np.frombuffer(found["rank"], dtype=np.int64)
        names = Ids.of([run_name(to_text(path)) for path in files])
        line = np.frombuffer(found["line"], dtype=np.int64)
        runs = texts(names.take(file[line - 1]) if len(line) else Ids.of([]))
        columns |= {"run": runs, "rank": numbers(rank, rank == codes.NO_RANK), "score": numbers(value)}
    names_in_order = [field.split()[0] for field in SCHEMAS[kind].split(", ")]
    return pa.RecordBatch.from_pydict({name: columns[name] for name in names_in_order})
