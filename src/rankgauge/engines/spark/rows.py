"""DataFrames as the workers take them: columns of known names and types, whatever they were called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankgauge.engines.spark.library import functions
from rankgauge.errors import InputError
from rankgauge.formats.columns import choose

RESULT, JUDGMENT, NOTHING = 0, 1, 2  # kinds of rows; the last says only that a run is to have this topic
PROBLEM = "problem"  # a column of `read_trec`: what is wrong with a line, null if nothing is

WHOLE = ("tinyint", "smallint", "int", "bigint")
NUMBERS = (*WHOLE, "float", "double")


def of_runs(frame: Any, columns: Mapping[str, str] | None = None, *, ranks: bool = False) -> Any:
    """The rows of runs: topic, doc, value; run, if a column tells runs apart; rank, if asked for."""
    f, types = functions(), dict(frame.dtypes)
    chosen = choose([name for name in frame.columns if name != PROBLEM], "run", columns)
    rank = _whole(chosen["rank"], types) if "rank" in chosen else f.lit(None).cast("bigint")
    by_rank = chosen["value"] == chosen.get("rank")
    kept = {
        "run": _ids(chosen["label"], types) if "label" in chosen else None,
        "topic": _ids(chosen["topic"], types),
        "doc": _ids(chosen["doc"], types),
        "value": -rank.cast("double") if by_rank else _number(chosen["value"], types),
        "rank": rank if ranks else None,
        PROBLEM: f.col(PROBLEM) if PROBLEM in frame.columns else None,
    }
    return frame.select(*(column.alias(name) for name, column in kept.items() if column is not None))


def of_judgments(frame: Any, columns: Mapping[str, str] | None = None, *, labels: bool = False) -> Any:
    """The rows of judgments: topic, doc, value; label, the subtopic, if asked for and there is one."""
    types = dict(frame.dtypes)
    chosen = choose([name for name in frame.columns if name != PROBLEM], "qrels", columns)
    return frame.select(
        _ids(chosen["topic"], types).alias("topic"),
        _ids(chosen["doc"], types).alias("doc"),
        _number(chosen["value"], types).alias("value"),
        *([_ids(chosen["label"], types).alias("label")] if labels and "label" in chosen else []),
        *([PROBLEM] if PROBLEM in frame.columns else []),
    )


def of_nothing(pairs: Any) -> Any:
    """Rows that say only that these runs are to have these topics."""
    empty = ("cast(null as binary) doc", "cast(null as double) value", "cast(null as bigint) rank")
    return pairs.selectExpr("run", "topic", *empty, f"{NOTHING} kind")


def together(rows: Any, judgments: Any) -> Any:
    """Rows of runs with judgments among them, to be parted by topic."""
    lit = functions().lit
    rows = rows if "kind" in rows.columns else rows.withColumn("kind", lit(RESULT))
    return rows.unionByName(judgments.withColumn("kind", lit(JUDGMENT)), allowMissingColumns=True)


def _column(name: str) -> Any:
    return functions().col(f"`{name.replace('`', '``')}`")


def _ids(name: str, types: Mapping[str, str]) -> Any:
    """Ids as bytes: never reinterpreted, never validated as text."""
    if types[name] not in ("string", "binary", *WHOLE):
        raise InputError(f"the column {name!r} holds {types[name]}; ids are strings, binary or whole numbers")
    column = _column(name)
    return (column.cast("string") if types[name] in WHOLE else column).cast("binary")


def _number(name: str, types: Mapping[str, str]) -> Any:
    if types[name] not in NUMBERS and not types[name].startswith("decimal"):
        raise InputError(f"the column {name!r} holds {types[name]}; cast it to integers or floats")
    return _column(name).cast("double")


def _whole(name: str, types: Mapping[str, str]) -> Any:
    """Ranks; null for what is no whole number."""
    f, column = functions(), _column(name)
    if types[name] in WHOLE:
        return column.cast("bigint")
    if types[name] not in NUMBERS:
        return f.lit(None).cast("bigint")
    return f.when(column == f.floor(column), column.cast("bigint"))
