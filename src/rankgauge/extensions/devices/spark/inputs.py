"""Runs in DataFrames or at paths of any file system that Spark reads: their rows, and files with these."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any
from urllib.parse import unquote, urlsplit

from rankgauge.core.ids import to_bytes
from rankgauge.engines.run_inputs import RunInput, with_unique_names
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.devices.spark import rows
from rankgauge.extensions.devices.spark.files import Files
from rankgauge.extensions.devices.spark.library import functions, is_frame, is_held, session
from rankgauge.extensions.devices.spark.pieces import File, Unreadable, column_names, read_trec
from rankgauge.formats.columns import choose, guess
from rankgauge.formats.source import NamedPath, one_named, run_name
from rankgauge.schema.options import choice

FORMATS = ("trec", "parquet", "delta", "arrow")
ARROW = (".arrow", ".feather", ".ipc")
NO_VALUE = "__HIVE_DEFAULT_PARTITION__"  # in the name of a directory


@dataclass(frozen=True)
class Runs:
    """The runs of an evaluation."""

    frame: Any  # the rows, as `rows.result_rows` returns them
    files: Callable[[], Files]  # the files that hold these rows; `Unreadable` if tasks cannot read them
    name: str  # that of the run, if no column distinguishes several
    sources: Mapping[str, str] = field(default_factory=dict)  # {run: path}, in the order given
    is_held: bool = False  # whether Spark has the rows in memory or on its disks already

    @property
    def spark(self) -> Any:
        """The session."""
        return self.frame.sparkSession


def runs_of(
    given: Any,
    columns: Mapping[str, str] | None,
    name: str,
    *,
    ranks: bool,
    partitions: int | None = None,
) -> Runs:
    """The runs in a DataFrame or at paths."""
    if is_frame(given):
        return _of_frame(given, columns, name, ranks, partitions)
    paths = [given] if isinstance(given, (str, os.PathLike)) else given
    if not isinstance(paths, (list, tuple)) or not all(isinstance(p, (str, os.PathLike)) for p in paths):
        raise InputError(
            f"runs must be a Spark DataFrame or paths, not {type(given).__name__}; judgments come first: "
            "evaluate(qrels, runs, measures)"
        )
    texts = [path if isinstance(path, str) else os.fspath(path) for path in paths]
    return runs_at(session(), texts, None, columns, ranks=ranks, partitions=partitions)


def _of_frame(
    frame: Any, columns: Mapping[str, str] | None, name: str, ranks: bool, partitions: int | None
) -> Runs:
    results = rows.result_rows(frame, columns, ranks=ranks)

    def files() -> Files:
        try:
            plan = frame._jdf.queryExecution().analyzed()
            kinds = plan.getClass().getSimpleName(), plan.relation().fileFormat().getClass().getSimpleName()
            paths = list(plan.relation().location().inputFiles())
        except Exception:  # any other plan, or a session without Java
            kinds, paths = ("", ""), []
        if kinds != ("LogicalRelation", "ParquetFileFormat"):  # others may not have all rows of their files
            raise Unreadable("the runs are a DataFrame, and not just read from Parquet files")
        return Files(frame.sparkSession, _parquet_files(frame, paths, columns), partitions)

    return Runs(results, files, name, is_held=is_held(frame))


def _parquet_files(frame: Any, paths: Sequence[str], columns: Mapping[str, str] | None) -> list[File]:
    """The files that Spark reads as this frame; a directory may name a run: run=bm25/part-0."""
    types, roles = dict(frame.dtypes), choose(frame.columns, "run", columns)
    if types[roles["value"]].startswith("decimal"):
        raise Unreadable(f"the column {roles['value']!r} holds {types[roles['value']]}")
    directories = [(path, _named_directories(path)) for path in sorted(paths)]
    named = {*roles.values()} & {name for _, values in directories for name in values}
    if named:  # a directory above the table may have any name
        named &= {*_partition_columns(frame)}
    if not named:
        return [File(path, "parquet", roles) for path, _ in directories]
    key = roles.get("label", "")
    if named != {key}:
        raise Unreadable(f"directories name {', '.join(sorted(named))}, and not only the runs")
    others, found = {role: name for role, name in roles.items() if role != "label"}, []
    for path, values in directories:
        if types[key] != "string" or values.get(key, NO_VALUE) == NO_VALUE:
            raise Unreadable(f"the names of directories are {types[key]}, and not text")
        found.append(File(path, "parquet", others, to_bytes(values[key])))
    return found


def _named_directories(path: str) -> dict[str, str]:
    parts = (unquote(part).partition("=") for part in path.split("/")[:-1])
    return {unquote(name): unquote(value) for name, sign, value in parts if sign}  # Spark escapes them, too


def _partition_columns(frame: Any) -> list[str]:
    try:
        return list(frame._jdf.queryExecution().analyzed().relation().partitionSchema().fieldNames())
    except Exception:  # a session without Java
        raise Unreadable("Spark does not tell which columns are the names of directories") from None


@dataclass(frozen=True)
class _Path:
    spark: Any
    run: RunInput
    format: str
    frame: Any  # None for Arrow, which Spark does not read

    def files(self, columns: Mapping[str, str]) -> list[File]:
        if self.format == "delta":
            raise Unreadable(f"{self.run.source}: only Delta knows which of its files are current")
        if self.format == "parquet":
            return _parquet_files(self.frame, self.frame.inputFiles(), columns)
        if self.format == "trec":
            paths = sorted(self.frame.inputFiles())
            return [File(path, "trec", {}, to_bytes(run_name(path))) for path in paths]
        return [
            File(path, "arrow", choose(column_names(path), "run", columns))
            for path in _arrow_files(self.spark, self.run.source)
        ]

    def rows(self, columns: Mapping[str, str], ranks: bool) -> Any:
        if self.frame is not None:
            return rows.with_binary_ids(rows.result_rows(self.frame, columns, ranks=ranks))
        try:
            return Files(self.spark, self.files(columns)).frame(ranks=ranks)
        except Unreadable as reason:
            raise InputError(f"Arrow files are read by rankgauge, which cannot read {reason}") from None


def runs_at(
    spark: Any,
    runs: Sequence[str],
    format: str | None,
    columns: Mapping[str, str] | None,
    *,
    ranks: bool,
    partitions: int | None = None,
) -> Runs:
    """The runs at paths and patterns; each path is a run, unless a column names it (tag=NAME)."""
    paths = [path for run in runs for path in _expand(spark, run)]
    inputs = with_unique_names([RunInput(run_name(path), path) for path in paths])
    given = [_Path(spark, run, *_read(spark, run.source, "run", format)) for run in inputs]
    key = _partitioned_by(given)
    chosen = {**({"tag": key} if key else {}), **(columns or {})}
    by_column = "tag" in chosen

    def named(file: File, run: RunInput) -> File:
        roles = {role: name for role, name in file.roles.items() if role != "label"}
        return replace(file, roles=roles, run=to_bytes(run.name) if len(inputs) > 1 else None)

    def files() -> Files:
        found = [(file, path.run) for path in given for file in path.files(chosen)]
        return Files(spark, [file if by_column else named(file, run) for file, run in found], partitions)

    parts = [path.rows(chosen, ranks) for path in given]
    if not by_column:
        lit = functions().lit
        parts = [
            part.withColumn("run", lit(run.name).cast("binary")) if len(inputs) > 1 else part.drop("run")
            for part, run in zip(parts, inputs, strict=True)
        ]
    frame = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), parts)
    sources = {} if by_column else {run.name: run.source for run in inputs}
    return Runs(frame, files, inputs[0].name, sources)


def read_judgments(spark: Any, path: str, format: str | None) -> Any:
    """The DataFrame of judgments at a path or pattern."""
    parts = [_read(spark, each, "qrels", format)[1] for each in _expand(spark, path)]
    return reduce(lambda one, other: one.unionByName(other), parts)


def _partitioned_by(given: Sequence[_Path]) -> str | None:
    """The key of a directory partitioned by run: `run` in run=bm25/part-0.parquet."""
    for run, frame in ((path.run, path.frame) for path in given if path.frame is not None):
        folder = urlsplit(run.source).path.rstrip("/") + "/"
        below = [unquote(urlsplit(file).path).partition(folder)[2] for file in frame.inputFiles()[:1]]
        keys = [part.partition("=")[0] for path in below for part in path.split("/")[:-1] if "=" in part]
        key: str | None = next((key for key in keys if guess([key], "tag") and key in frame.columns), None)
        if key is not None and (len(given) > 1 or isinstance(run.source, NamedPath)):
            raise InputError(
                "this directory is partitioned by run; pass it alone and without a name, or pass its "
                "directories one by one",
                path=run.source,
            )
        if key is not None:
            return key
    return None


def _file_system(spark: Any, path: str) -> tuple[Any, Any]:
    hadoop_path = spark._jvm.org.apache.hadoop.fs.Path(path)
    return hadoop_path.getFileSystem(spark._jsc.hadoopConfiguration()), hadoop_path


def _expand(spark: Any, path: str) -> list[str]:
    """The sorted files and directories that a path or pattern matches; also a path that looks named."""
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


def _read(spark: Any, path: str, kind: str, format: str | None) -> tuple[str, Any]:
    """(format, DataFrame) at a path; there is no DataFrame of a run in Arrow files."""
    name = choice("format (on Spark)", format, FORMATS) if format else _format(spark, path)
    if name == "arrow":
        if kind == "qrels":
            raise InputError("Spark does not read judgments in Arrow files; use Parquet", path=path)
        return name, None
    try:
        return name, read_trec(spark, path, kind) if name == "trec" else spark.read.format(name).load(path)
    except Exception as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"Spark cannot read it as {name}: {reason}", path=path) from None


def _arrow_files(spark: Any, path: str) -> list[str]:
    system, hadoop_path = _file_system(spark, path)
    if not system.getFileStatus(hadoop_path).isDirectory():
        return [system.makeQualified(hadoop_path).toUri().toString()]
    found = [status.getPath() for status in system.listStatus(hadoop_path)]
    return sorted(each.toUri().toString() for each in found if each.getName().lower().endswith(ARROW))


def _format(spark: Any, path: str) -> str:
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
    if any(name.endswith(ARROW) for name in names):
        return "arrow"
    other = next((n for n in names if n.endswith((".csv", ".tsv", ".json", ".jsonl"))), None)
    if other:
        raise InputError(
            f"Spark reads TREC text, Parquet, Arrow and Delta here, not {other.rsplit('.', 1)[-1]}; "
            "rankgauge convert writes Parquet",
            path=path,
        )
    return "trec"
