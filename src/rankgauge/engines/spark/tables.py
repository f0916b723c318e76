"""Arrow tables from Spark as columns; invalid rows are reported."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from pyarrow import types

from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.engines.spark.rows import IDS, RESULT
from rankgauge.errors import InputError
from rankgauge.formats import frames, problems
from rankgauge.formats.columns import Columns
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import DocumentOrder


def with_binary_ids(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch, with ids as bytes; nothing is copied, and text is not validated."""
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
        """(rows,): whether each is of one of these kinds; without a column for it, all are results."""
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
        """(the number of each row's id, the distinct ids) of a column; no dictionary has a null entry."""
        if not types.is_dictionary(self._table.schema.field(name).type):
            return self.ids(name).encode()
        self._refuse_nulls(name, name)
        column = self._table.select([name]).unify_dictionaries().column(0).combine_chunks()
        present, number = numbered(column.indices.to_numpy(), len(column.dictionary))
        ids = frames.ids(type(self._table).from_arrays([column.dictionary], [name]), name)
        code, distinct = ids.take(present).encode()  # an entry may be there twice
        return (number, distinct) if len(distinct) == len(present) else (code[number], distinct)

    def runs(self, name: str) -> tuple[Ints, Ids]:
        """(number of each row's run, the runs); without a column for it, all rows are of the run `name`."""
        if "run" in self._table.column_names:
            return self.numbered_ids("run")
        return np.zeros(len(self), dtype=np.int64), Ids.of([name])

    def batches(self) -> Iterator[tuple[slice, Rows]]:
        """(which rows, these rows) in the pieces in which they are in memory."""
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
        """The scores, none of which is NaN."""
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
    """The judgments in these rows; None if there are no rows."""
    if not len(rows):
        return None
    ids, grades, labels = (rows.ids("topic"), rows.ids("doc")), rows.grades(), rows.labels()
    columns = Columns("qrels", *ids, grades, label=labels, first=None)  # a DataFrame has no order of rows
    return kind.from_columns(columns, duplicates=duplicates)


def numbered(keys: Ints, size: int) -> tuple[Ints, Ints]:
    """(the distinct keys, ascending; the index of each key among them); keys are below `size`."""
    if size > 8 * len(keys) + 1024:
        present, number = np.unique(keys, return_inverse=True)
        return present.astype(np.int64), number.astype(np.int64)
    is_key = np.zeros(size, dtype=bool)
    is_key[keys] = True
    return np.flatnonzero(is_key), keys if is_key.all() else (np.cumsum(is_key) - 1)[keys]
