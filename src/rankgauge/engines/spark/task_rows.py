"""Rows that tasks return to the driver: their columns, and errors among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankgauge import errors
from rankgauge.errors import InputError, RankgaugeError

if TYPE_CHECKING:
    import pyarrow as pa

ARROW = {"bigint": "int64", "int": "int32", "boolean": "bool"}  # names of types, where Spark has others


def schema(columns: Mapping[str, str]) -> str:
    """Names and types of columns, as Spark takes them."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def with_columns(given: pa.RecordBatch | Mapping[str, Any], columns: Mapping[str, str]) -> pa.RecordBatch:
    """A batch with these columns, {name: type}; those that are not given are null."""
    import pyarrow as pa

    batch = given if isinstance(given, pa.RecordBatch) else pa.RecordBatch.from_pydict(dict(given))

    def null(kind: str) -> pa.Array:
        inner = kind.removeprefix("array<").removesuffix(">")
        element = pa.type_for_alias(ARROW.get(inner, inner))
        return pa.nulls(len(batch), element if inner == kind else pa.list_(element))

    present = set(batch.schema.names)
    return pa.RecordBatch.from_pydict(
        {name: batch.column(name) if name in present else null(kind) for name, kind in columns.items()}
    )


def problem_text(error: RankgaugeError) -> str:
    """An error as text, for `error_from`: the driver raises it, and Spark does not retry the task."""
    return f"{type(error).__name__}: {error}"


def error_from(problem: str) -> RankgaugeError:
    """The error that a worker reported."""
    name, _, message = problem.partition(": ")
    kind = getattr(errors, name, InputError)
    return kind(message) if issubclass(kind, RankgaugeError) else InputError(message)
