"""DataFrames in the form that workers expect: columns with fixed names and types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from rankgauge.core import codes
from rankgauge.engines.spark.library import failures, functions
from rankgauge.errors import InputError
from rankgauge.formats.columns import choose
from rankgauge.model.recoding import Recoding

RESULT, JUDGMENT, PLACEHOLDER = 0, 1, 2  # kinds of rows; a placeholder is a topic without results in a run
PROBLEM = "problem"  # column of `read_trec`: what is wrong with a line, or null

IDS = ("run", "topic", "doc")
WHOLE = ("tinyint", "smallint", "int", "bigint")
NUMBERS = (*WHOLE, "float", "double")


def result_rows(frame: Any, columns: Mapping[str, str] | None = None, *, ranks: bool = False) -> Any:
    """The rows of runs: topic, doc, value; run, if there is a column for it; rank, if requested.

    Ids are text where they were: Spark takes half as long again to bring the same bytes to Python as binary.
    """
    f, types = functions(), dict(frame.dtypes)
    roles = choose([name for name in frame.columns if name != PROBLEM], "run", columns)
    rank = _whole(roles["rank"], types) if "rank" in roles else f.lit(None).cast("bigint")
    by_rank = roles["value"] == roles.get("rank")
    kept = {
        "run": _id(roles["label"], types) if "label" in roles else None,
        "topic": _id(roles["topic"], types),
        "doc": _id(roles["doc"], types),
        "value": -rank.cast("double") if by_rank else _number(roles["value"], types),
        "rank": rank if ranks else None,
        PROBLEM: f.col(PROBLEM) if PROBLEM in frame.columns else None,
    }
    return frame.select(*(column.alias(name) for name, column in kept.items() if column is not None))


def judgment_rows(frame: Any, columns: Mapping[str, str] | None = None, *, labels: bool = False) -> Any:
    """The rows of judgments: topic, doc, value; label (the subtopic), if requested and there is one."""
    types = dict(frame.dtypes)
    roles = choose([name for name in frame.columns if name != PROBLEM], "qrels", columns)
    return frame.select(
        id_column(roles["topic"], types).alias("topic"),
        id_column(roles["doc"], types).alias("doc"),
        _number(roles["value"], types).alias("value"),
        *([id_column(roles["label"], types).alias("label")] if labels and "label" in roles else []),
        *([PROBLEM] if PROBLEM in frame.columns else []),
    )


def recoded(judgments: Any, recoding: Recoding) -> Any:
    """Rows of judgments with other grades; an error if the recoding changes nothing, or leaves nothing."""
    f, value = functions(), functions().col("value")
    with failures():
        # A row without a grade is an error, too, which is raised when rows are read.
        present = judgments.where(value.isNull() | value.isin(recoding.grades)).head(1)
        levels = [] if present else [row[0] for row in judgments.select(value).distinct().head(1000)]
    recoding.require_some(bool(present), levels)
    new = value
    for grade, other in recoding.table:
        if other is not None:
            new = f.when(value == grade, f.lit(other)).otherwise(new)
    if recoding.unjudged:
        judgments = judgments.where(value.isNull() | ~value.isin(recoding.unjudged))
        with failures():
            recoding.require_left(bool(judgments.head(1)))
    return judgments.withColumn("value", new)


def placeholder_rows(pairs: Any) -> Any:
    """Rows for (run, topic) pairs without results."""
    empty = ("cast(null as binary) doc", "cast(null as double) value", "cast(null as bigint) rank")
    return pairs.selectExpr("run", "topic", *empty, f"{PLACEHOLDER} kind")


def placeholder_table(pairs: Sequence[tuple[bytes, bytes]]) -> pa.Table:
    """The same rows in memory."""
    columns = {
        "run": pa.array([run for run, _ in pairs], pa.binary()),
        "topic": pa.array([topic for _, topic in pairs], pa.binary()),
        "doc": pa.nulls(len(pairs), pa.binary()),
        "value": pa.nulls(len(pairs), pa.float64()),
        "rank": pa.nulls(len(pairs), pa.int64()),
        "kind": pa.array([PLACEHOLDER] * len(pairs), pa.int32()),
    }
    return pa.table(columns)


def with_judgments(rows: Any, judgments: Any) -> Any:
    """Rows of runs and of judgments in one frame, to be partitioned by topic."""
    lit = functions().lit
    rows = rows if "kind" in rows.columns else rows.withColumn("kind", lit(RESULT))
    rows = with_binary_ids(rows)
    return rows.unionByName(judgments.withColumn("kind", lit(JUDGMENT)), allowMissingColumns=True)


def column_of(name: str) -> Any:
    """The column of this name, whatever characters it has."""
    return functions().col(f"`{name.replace('`', '``')}`")


def id_column(name: str, types: Mapping[str, str]) -> Any:
    """Ids as bytes: never reinterpreted, never validated as text."""
    return _id(name, types).cast("binary")


def with_binary_ids(frame: Any) -> Any:
    """The rows, with ids as bytes."""
    binary = {name: column_of(name).cast("binary") for name in IDS if name in frame.columns}
    return frame.withColumns(binary)


def _id(name: str, types: Mapping[str, str]) -> Any:
    if types[name] not in ("string", "binary", *WHOLE):
        raise InputError(f"the column {name!r} holds {types[name]}; ids are strings, binary or whole numbers")
    column = column_of(name)
    return column.cast("string") if types[name] in WHOLE else column


def _number(name: str, types: Mapping[str, str]) -> Any:
    if types[name] not in NUMBERS and not types[name].startswith("decimal"):
        raise InputError(f"the column {name!r} holds {types[name]}; cast it to integers or floats")
    return column_of(name).cast("double")


def _whole(name: str, types: Mapping[str, str]) -> Any:
    """Ranks; null for anything but a whole number, and for those too large to be exact."""
    f, column = functions(), column_of(name)
    if types[name] not in NUMBERS:
        return f.lit(None).cast("bigint")
    exact = column.between(-codes.LARGE_RANK + 1, codes.LARGE_RANK - 1)
    return f.when(exact & (column == f.floor(column)), column.cast("bigint"))
