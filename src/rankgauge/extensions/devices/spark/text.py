"""TREC text files on any file system that Spark reads, parsed by the core; no line is dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_text
from rankgauge.engines.local.topic_batches import as_array
from rankgauge.errors import InputError
from rankgauge.extensions.devices.spark.library import functions
from rankgauge.formats import frames
from rankgauge.formats.columns import Problem
from rankgauge.formats.problems import KINDS
from rankgauge.formats.source import run_name
from rankgauge.formats.text_files import TREC_FIELDS
from rankgauge.schema.options import choice

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
    """Raise an error if a line is invalid, about the one that comes first by what is wrong."""
    if found["problems"]:
        raise InputError(min(f"{path}: {problem.sentence(kind)}" for problem in problems_of(found)))


def _parse(batch: pa.RecordBatch, kind: str) -> pa.RecordBatch:
    """The rows of the valid lines, followed by one row per invalid line."""
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
