"""What tasks return to the driver: columns, and errors as text."""

from __future__ import annotations

from collections.abc import Mapping

from rankgauge import errors
from rankgauge.errors import InputError, RankgaugeError


def schema(columns: Mapping[str, str]) -> str:
    """Names and types of columns, as Spark takes them."""
    return ", ".join(f"{name} {kind}" for name, kind in columns.items())


def problem_text(error: RankgaugeError) -> str:
    """An error as text, for `error_from`."""
    return f"{type(error).__name__}: {error}"


def error_from(problem: str) -> RankgaugeError:
    """The error that a worker reported."""
    name, _, message = problem.partition(": ")
    kind = getattr(errors, name, InputError)
    return kind(message) if issubclass(kind, RankgaugeError) else InputError(message)
