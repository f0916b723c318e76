"""TREC text files on whatever file system Spark reads, parsed by the core, nothing dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_text
from rankgauge.engines.local.topic_batches import as_array
from rankgauge.engines.spark.library import functions
from rankgauge.formats import frames
from rankgauge.formats.columns import KINDS, Problem
from rankgauge.formats.sniffing import TREC_FIELDS
from rankgauge.formats.source import run_name
from rankgauge.schema.checks import choice

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMAS = {
    "run": "run string, topic string, doc string, rank bigint, score double, problem string",
    "qrels": "topic string, iteration string, doc string, grade double, problem string",
}


def read_trec(spark: Any, path: str | list[str], kind: str = "run") -> Any:
    """TREC files, directories or patterns as a DataFrame: run, topic, doc, rank, score; or qrels likewise.

    The run is the name of the file. A line that is not as it has to be is a row with `problem`, which says
    what is wrong with it and in which file; of all others `problem` is null. `evaluate` refuses a frame
    with such a line, `where("problem is not null")` lists them all.
    """
    f = functions()
    choice("kind", kind, KINDS)
    # Lines end as they do for the core: a carriage return is a blank.
    lines = spark.read.text(path, lineSep="\n").select(
        f.col("_metadata.file_path").cast("binary").alias("file"),
        f.concat(f.col("value"), f.lit("\n")).cast("binary").alias("line"),
    )

    def parse(batches: Any) -> Any:
        return (_parsed(batch, kind) for batch in batches)

    return lines.mapInArrow(parse, SCHEMAS[kind])


def _parsed(batch: pa.RecordBatch, kind: str) -> pa.RecordBatch:
    """The rows of some lines, and after them those that tell of a problem."""
    import pyarrow as pa

    rows = pa.Table.from_batches([batch])
    file, files = frames.ids(rows, "file").encode()
    lines = frames.ids(rows, "line")
    table = core.Table(TREC_FIELDS[kind], len(lines) + 1)
    table.feed(memoryview(lines.data)[lines.offsets[0] : lines.offsets[-1]])
    found = table.finish()
    bad = [Problem(code, line, bytes(text)) for code, line, text in found["problems"]]

    def of_file(line: int) -> str:
        return to_text(files[int(file[line - 1])])

    said = [f"{of_file(problem.line)}: {problem.sentence(kind)}" for problem in bad]
    value = np.frombuffer(found["value"], dtype=np.float64)

    def numbers(values: Any, absent: Any = None) -> pa.Array:
        return pa.concat_arrays(
            [pa.array(values, mask=absent), pa.nulls(len(bad), pa.array(values[:0]).type)]
        )

    def texts(ids: Ids) -> pa.Array:
        return pa.concat_arrays([as_array(ids, text=True), pa.nulls(len(bad), pa.string())])

    def column(name: str) -> pa.Array:
        data, offsets = found[name]
        return texts(Ids(data, np.frombuffer(offsets, dtype=np.int64)))

    told = {
        "topic": column("topic"),
        "doc": column("doc"),
        "problem": pa.array([None] * len(value) + said, pa.string()),
    }
    if kind == "qrels":
        told |= {"iteration": column("label"), "grade": numbers(value)}
    else:
        rank = np.frombuffer(found["rank"], dtype=np.int64)
        names = Ids.of([run_name(to_text(path)) for path in files])
        line = np.frombuffer(found["line"], dtype=np.int64)
        runs = texts(names.take(file[line - 1]) if len(line) else Ids.of([]))
        told |= {"run": runs, "rank": numbers(rank, rank == codes.NO_RANK), "score": numbers(value)}
    names_in_order = [field.split()[0] for field in SCHEMAS[kind].split(", ")]
    return pa.RecordBatch.from_pydict({name: told[name] for name in names_in_order})
