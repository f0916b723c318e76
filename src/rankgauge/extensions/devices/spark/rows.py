"""Rows of workers, columns with fixed names and types: of a DataFrame, and of Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.errors import InputError
from rankgauge.extensions.devices.spark.library import failures, functions
from rankgauge.formats import frames, problems
from rankgauge.formats.columns import Columns, choose, order_of
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Recoding
from rankgauge.model.rules import DocumentOrder

RESULT, JUDGMENT, PLACEHOLDER = 0, 1, 2  # kinds of rows; a placeholder is a topic without results in a run
PROBLEM = "problem"  # column of `read_trec`: what is wrong with a line, or null

IDS = ("run", "topic", "doc")
WHOLE = ("tinyint", "smallint", "int", "bigint")
NUMBERS = (*WHOLE, "float", "double")


def result_rows(frame: Any, columns: Mapping[str, str] | None = None, *, ranks: bool = False) -> Any:
    """The rows of runs: topic, doc, value; run, if there is a column for it; rank, if requested.

    Ids stay text: Spark takes half as long again to bring the same bytes to Python as binary.
    """
    f, types = functions(), dict(frame.dtypes)
    roles = choose([name for name in frame.columns if name != PROBLEM], "run", columns)
    rank = _whole(roles["rank"], types) if "rank" in roles else f.lit(None).cast("bigint")
    order = order_of(roles)
    value = rank.cast("double") if order == "rank" else _number(roles["value"], types)
    kept = {
        "run": _id(roles["label"], types) if "label" in roles else None,
        "topic": _id(roles["topic"], types),
        "doc": _id(roles["doc"], types),
        "value": value if order == "score" else -value,
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
    """Judgments with other grades; an error if the recoding changes nothing or leaves nothing."""
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
    """Rows for pairs of run and topic without results."""
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
    """The column of any name."""
    return functions().col(f"`{name.replace('`', '``')}`")


def id_column(name: str, types: Mapping[str, str]) -> Any:
    """Ids as bytes, never reinterpreted or validated as text."""
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
    """Whole ranks small enough to be exact; null for others."""
    f, column = functions(), column_of(name)
    if types[name] not in NUMBERS:
        return f.lit(None).cast("bigint")
    exact = column.between(-codes.LARGE_RANK + 1, codes.LARGE_RANK - 1)
    return f.when(exact & (column == f.floor(column)), column.cast("bigint"))


def batch_with_binary_ids(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch with ids as bytes, not copied or validated."""
    binary = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary()}
    columns = [
        column.view(binary[column.type]) if name in IDS and column.type in binary else column
        for name, column in zip(batch.schema.names, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


class Rows:
    """Rows of a partition, as columns."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        if "problem" in table.column_names and table["problem"].null_count < len(table):
            raise InputError(min(table["problem"].drop_null().to_pylist()))

    def __len__(self) -> int:
        return len(self._table)

    def are(self, *kinds: int) -> Bools:
        """(rows,): whether each is of these kinds; without a column for it, all are results."""
        if "kind" not in self._table.column_names:
            return np.full(len(self), RESULT in kinds)
        return np.isin(self._table["kind"].to_numpy(), kinds)

    def select(self, *kinds: int) -> Rows:
        """The rows of these kinds."""
        kept = self.are(*kinds)
        return self if kept.all() else Rows(self._table.filter(pa.array(kept)))

    def ids(self, name: str) -> Ids:
        """A column of ids."""
        self._refuse_nulls(name, {"doc": "document", "label": "subtopic"}.get(name, name))
        return frames.ids(self._table.select([name]), name)

    def numbered_ids(self, name: str) -> tuple[Ints, Ids]:
        """(the number of each row's id, the distinct ids); no dictionary has a null entry."""
        if not pa.types.is_dictionary(self._table.schema.field(name).type):
            return self.ids(name).encode()
        self._refuse_nulls(name, name)
        column = self._table.select([name]).unify_dictionaries().column(0).combine_chunks()
        present, number = numbered(column.indices.to_numpy(), len(column.dictionary))
        ids = frames.ids(type(self._table).from_arrays([column.dictionary], [name]), name)
        code, distinct = ids.take(present).encode()  # an entry may be there twice
        return (number, distinct) if len(distinct) == len(present) else (code[number], distinct)

    def runs(self, name: str) -> tuple[Ints, Ids]:
        """(number of each row's run, the runs); without a column, all rows are of the run `name`."""
        if "run" in self._table.column_names:
            return self.numbered_ids("run")
        return np.zeros(len(self), dtype=np.int64), Ids.of([name])

    def batches(self) -> Iterator[tuple[slice, Rows]]:
        """(which rows, these rows) in the pieces that are in memory."""
        begin = 0
        for batch in self._table.to_batches():
            yield slice(begin, begin + len(batch)), Rows(type(self._table).from_batches([batch]))
            begin += len(batch)

    def labels(self) -> Ids | None:
        """The subtopics, if there is a column for them."""
        return self.ids("label") if "label" in self._table.column_names else None

    def grades(self) -> Floats:
        """The grades."""
        return self._numbers("grade")

    def scores(self) -> Floats:
        """The scores; NaN is an error."""
        scores = self._numbers("score")
        bad = np.isnan(scores)
        if bad.any():
            sentence = problems.sentence(codes.NOT_A_NUMBER, b"nan", "run")
            raise InputError(f"{self._place(int(bad.argmax()))}: {sentence}")
        return scores

    def ranks(self, order: DocumentOrder) -> Ints | None:
        """The ranks, if the document order needs them."""
        if not order.needs_ranks:
            return None
        if self._table["rank"].null_count:
            raise order.no_ranks()
        ranks: Ints = self._table["rank"].to_numpy()
        return ranks

    def _numbers(self, what: str) -> Floats:
        self._refuse_nulls("value", what)
        numbers: Floats = self._table["value"].to_numpy()
        return numbers

    def _refuse_nulls(self, name: str, what: str) -> None:
        if self._table[name].null_count:
            row = int(np.argmax(self._table[name].is_null().to_numpy()))
            raise InputError(f"{self._place(row)}: the {what} is null; fill it or leave the row out")

    def _place(self, row: int) -> str:
        names = {"run": "run", "topic": "topic", "doc": "document"}
        ids = {names[n]: self._table[n][row].as_py() for n in names if n in self._table.column_names}
        return ", ".join(f"{what} {problems.quote(id)}" for what, id in ids.items() if id) or "a row"


def judgments_of(rows: Rows, duplicates: str, kind: type[Qrels] = Qrels) -> Qrels | None:
    """The judgments in these rows; None if there are none."""
    if not len(rows):
        return None
    ids, grades, labels = (rows.ids("topic"), rows.ids("doc")), rows.grades(), rows.labels()
    columns = Columns("qrels", *ids, grades, label=labels, first=None)  # a DataFrame has no order of rows
    return kind.from_columns(columns, duplicates=duplicates)


def numbered(keys: Ints, size: int) -> tuple[Ints, Ints]:
    """(the distinct keys, ascending; the index of each key); keys are below `size`."""
    if size > 8 * len(keys) + 1024:
        present, number = np.unique(keys, return_inverse=True)
        return present.astype(np.int64), number.astype(np.int64)
    is_key = np.zeros(size, dtype=bool)
    is_key[keys] = True
    return np.flatnonzero(is_key), keys if is_key.all() else (np.cumsum(is_key) - 1)[keys]
