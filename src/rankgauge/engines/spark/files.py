"""Evaluating files and directories on any file system that Spark reads, for the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import reduce
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from rankgauge.engines.run_inputs import RunInput, with_unique_names
from rankgauge.engines.spark import rows
from rankgauge.engines.spark.evaluation import evaluate_rows, require_no_line_order
from rankgauge.engines.spark.library import functions, session
from rankgauge.engines.spark.text import read_trec
from rankgauge.errors import InputError, OptionError
from rankgauge.formats import problems
from rankgauge.formats.columns import guess
from rankgauge.formats.source import NamedPath, one_named, run_name
from rankgauge.measures import parse_all
from rankgauge.model.recoding import Grades
from rankgauge.model.rules import Rules, split_rules
from rankgauge.model.scores import Scores
from rankgauge.schema.checks import choice

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

FORMATS = ("trec", "parquet", "delta")


def evaluate_files(
    qrels: Any,
    runs: Sequence[str],
    measures: Any,
    *,
    master: str | None = None,
    run_format: str | None = None,
    qrels_format: str | None = None,
    run_columns: Mapping[str, str] | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **rules: Unpack[Rules],
) -> Scores:
    """The scores of runs in files and directories; each path is a run, unless a column names it (tag=NAME).

    A directory is what Spark writes: the parts of one run, or of a table of many. One that is partitioned by
    run (run=bm25/part-0.parquet) holds several. `qrels` is a path as well, or judgments in memory.
    """
    parsed = parse_all(measures)
    order, topic_rules = split_rules(rules)
    require_no_line_order(order)
    spark = session(master)
    paths = [path for run in runs for path in _expand(spark, run)]
    inputs = with_unique_names([RunInput(run_name(path), path) for path in paths])
    frames = [_read(spark, run.source, "run", run_format) for run in inputs]
    key = _partitioned_by(inputs, frames)
    run_columns = {**({"tag": key} if key else {}), **(run_columns or {})}
    by_column = "tag" in run_columns
    parts = [rows.result_rows(frame, run_columns, ranks=order.needs_ranks) for frame in frames]
    if not by_column:
        lit = functions().lit
        named = [
            part.withColumn("run", lit(run.name).cast("binary"))
            for part, run in zip(parts, inputs, strict=True)
        ]
        parts = named if len(named) > 1 else [parts[0].drop("run")]
    frame = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    source = None
    if isinstance(qrels, str):
        judgments = [_read(spark, path, "qrels", qrels_format) for path in _expand(spark, qrels)]
        source, qrels = qrels, reduce(lambda one, other: one.unionByName(other), judgments)
    else:
        qrels_columns = None
    evaluation = evaluate_rows(
        qrels,
        frame,
        parsed,
        order,
        topic_rules,
        qrels_columns=qrels_columns,
        grades=grades,
        name=inputs[0].name,
        sources={} if by_column else {run.name: run.source for run in inputs},
        qrels_source=source,
    )
    try:
        for run in () if by_column else inputs:
            if run.name not in evaluation.provenance.runs:
                raise InputError(problems.empty("run"), path=run.source)
        return evaluation.scores(None if by_column else [run.name for run in inputs])
    finally:
        evaluation.unpersist()


def _partitioned_by(inputs: Sequence[RunInput], frames: Sequence[Any]) -> str | None:
    """The key of the directory if it is partitioned by run: `run` in run=bm25/part-0.parquet."""
    for run, frame in zip(inputs, frames, strict=True):
        folder = urlsplit(run.source).path.rstrip("/") + "/"
        below = [unquote(urlsplit(file).path).partition(folder)[2] for file in frame.inputFiles()[:1]]
        keys = [part.partition("=")[0] for path in below for part in path.split("/")[:-1] if "=" in part]
        key: str | None = next((key for key in keys if guess([key], "tag") and key in frame.columns), None)
        if key is not None and (len(inputs) > 1 or isinstance(run.source, NamedPath)):
            raise InputError(
                "this directory is partitioned by run; pass it alone and without a name, or pass its "
                "directories one by one",
                path=run.source,
            )
        if key is not None:
            return key
    return None


def _file_system(spark: Any, path: str) -> tuple[Any, Any]:
    """(the file system of a path, the path as an object of Hadoop)."""
    hadoop_path = spark._jvm.org.apache.hadoop.fs.Path(path)
    return hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration()), hadoop_path


def _expand(spark: Any, path: str) -> list[str]:
    """The files and directories that a path or pattern matches, sorted; also a path that looks named."""
    if isinstance(path, NamedPath):
        with suppress(InputError):
            if _matches(spark, path.given):  # such as run=bm25/part-0.parquet
                path = path.given
    if path == "-":
        raise OptionError("Spark cannot read standard input; name a file, or leave out --engine spark")
    matches = _matches(spark, path)
    if not matches:
        raise InputError("there is no such file or directory", path=path)
    if not any(c in path for c in "*?[{"):
        return [path]
    return one_named(path, sorted(status.getPath().toString() for status in matches))


def _matches(spark: Any, path: str) -> Any:
    try:
        system, pattern = _file_system(spark, path)
        return system.globStatus(pattern)
    except Exception as error:
        reason = str(getattr(error, "java_exception", error)).strip().splitlines()[0]
        raise InputError(f"Spark cannot open it: {reason}", path=path) from None


def _read(spark: Any, path: str, kind: str, format: str | None) -> Any:
    """The DataFrame of a file or directory."""
    name = choice("format (on Spark)", format, FORMATS) if format else _format(spark, path)
    try:
        return read_trec(spark, path, kind) if name == "trec" else spark.read.format(name).load(path)
    except Exception as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"Spark cannot read it as {name}: {reason}", path=path) from None


def _format(spark: Any, path: str) -> str:
    """The format of a file by its name, of a directory by the files in it."""
    system, hadoop_path = _file_system(spark, path)
    names = [path.rstrip("/").rsplit("/", 1)[-1].lower()]
    if system.getFileStatus(hadoop_path).isDirectory():
        names = [status.getPath().getName().lower() for status in system.listStatus(hadoop_path)]
        if "_delta_log" in names:  # not all of its files are current: only Delta knows which
            return "delta"
        names = [name for name in names if not name.startswith(("_", "."))]
        if any("=" in name for name in names):  # partitioned by the values of a column
            return "parquet"
    if any(name.endswith((".parquet", ".pq")) for name in names):
        return "parquet"
    other = next(
        (n for n in names if n.endswith((".csv", ".tsv", ".json", ".jsonl", ".arrow", ".feather"))), None
    )
    if other:
        raise InputError(
            f"Spark reads TREC text, Parquet and Delta here, not {other.rsplit('.', 1)[-1]}; "
            "rankgauge convert writes Parquet",
            path=path,
        )
    return "trec"
