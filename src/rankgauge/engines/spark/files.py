"""Runs and judgments by path, on whatever file system Spark reads; the road of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from rankgauge.engines.run_inputs import RunInput, with_unique_names
from rankgauge.engines.spark import rows
from rankgauge.engines.spark.evaluation import evaluated, unordered
from rankgauge.engines.spark.library import functions, session
from rankgauge.engines.spark.text import read_trec
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.source import run_name
from rankgauge.measures import parse_all
from rankgauge.model import document_order
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.scores import Scores
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.checks import choice

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
    **rules: Any,
) -> Scores:
    """The scores of runs in files and directories; each path is a run, unless a column tells (tag=NAME).

    A directory is what Spark writes: the parts of one run, or a table of many. `qrels` is a path, too, or
    judgments that were read before.
    """
    asked = parse_all(measures)
    documents = unordered(
        DocumentOrder(**{option.name: rules.pop(option.name) for option in document_order.OPTIONS})
    )
    spark = session(master)
    paths = [path for run in runs for path in _expanded(spark, run)]
    given = with_unique_names([RunInput(run_name(path), path) for path in paths])
    by_column = "tag" in (run_columns or {})
    parts = [
        rows.of_runs(_read(spark, g.source, "run", run_format), run_columns, ranks=documents.needs_ranks)
        for g in given
    ]
    if not by_column:
        lit = functions().lit
        named = [
            part.withColumn("run", lit(g.name).cast("binary")) for part, g in zip(parts, given, strict=True)
        ]
        parts = named if len(named) > 1 else [parts[0].drop("run")]
    frame = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    source = None
    if isinstance(qrels, str):
        judgments = [_read(spark, path, "qrels", qrels_format) for path in _expanded(spark, qrels)]
        source, qrels = qrels, reduce(lambda one, other: one.unionByName(other), judgments)
    else:
        qrels_columns = None
    found = evaluated(
        frame,
        qrels,
        asked,
        documents,
        TopicRules(**rules),
        qrels_columns=qrels_columns,
        name=given[0].name,
        sources={} if by_column else {g.name: g.source for g in given},
        qrels_source=source,
    )
    try:
        return found.scores(None if by_column else [g.name for g in given])
    finally:
        found.unpersist()


def _files(spark: Any, path: str) -> tuple[Any, Any]:
    """(the file system that has this path, the path as it names it)."""
    named = spark._jvm.org.apache.hadoop.fs.Path(path)
    return named.getFileSystem(spark._jsc.hadoopConfiguration()), named


def _expanded(spark: Any, path: str) -> list[str]:
    """The files and directories that a path or pattern names, sorted."""
    if path == "-":
        raise OptionError("Spark cannot read standard input; give a file, or leave --engine spark out")
    try:
        system, named = _files(spark, path)
        found = system.globStatus(named)
    except Exception as error:
        reason = str(getattr(error, "java_exception", error)).strip().splitlines()[0]
        raise InputError(f"Spark cannot open it: {reason}", path=path) from None
    if not found:
        raise InputError("there is no such file or directory", path=path)
    if not any(c in path for c in "*?[{"):
        return [path]
    return sorted(status.getPath().toString() for status in found)


def _read(spark: Any, path: str, kind: str, format: str | None) -> Any:
    """What is in a file or directory."""
    found = choice("format (on Spark)", format, FORMATS) if format else _format(spark, path)
    try:
        return read_trec(spark, path, kind) if found == "trec" else spark.read.format(found).load(path)
    except Exception as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"Spark cannot read it as {found}: {reason}", path=path) from None


def _format(spark: Any, path: str) -> str:
    """The format of a file, by its name; of a directory, by what is in it."""
    system, named = _files(spark, path)
    names = [path.rstrip("/").rsplit("/", 1)[-1].lower()]
    if system.getFileStatus(named).isDirectory():
        names = [status.getPath().getName().lower() for status in system.listStatus(named)]
        if "_delta_log" in names:  # its files are more than the table has: only Delta knows which count
            return "delta"
        names = [name for name in names if not name.startswith(("_", "."))]
        if any("=" in name for name in names):  # parted by the values of a column
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
