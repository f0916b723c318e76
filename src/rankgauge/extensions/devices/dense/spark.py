"""Evaluation of vectors in a Spark DataFrame: a row has the id and the vector of a document.

    scores = rankgauge.dense.spark.evaluate(qrels, queries, frame, "nDCG@10", query_ids=ids)

Vectors of judged documents and of queries are sent along with the job; Spark adds up the counts of
partitions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from rankgauge.errors import InputError, RankgaugeError
from rankgauge.evaluation.evaluator import Evaluator, Measures
from rankgauge.extensions.devices.dense import arrays
from rankgauge.extensions.devices.dense.counts import Counts, JudgedVectors, judged_among
from rankgauge.extensions.devices.dense.documents import Documents, Options, Queries, split_options
from rankgauge.extensions.devices.dense.evaluation import count
from rankgauge.extensions.devices.dense.sources import VECTORS, list_array
from rankgauge.extensions.devices.spark.evaluation import require_no_line_order
from rankgauge.extensions.devices.spark.library import failures, functions, is_frame, plain_frame
from rankgauge.extensions.devices.spark.rows import NUMBERS, column_of, id_column
from rankgauge.formats.columns import guess
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.model.rules import Rules
from rankgauge.model.scores import Scores
from rankgauge.schema.text import described

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

SCHEMA = "place bigint, value bigint, problem string"  # a count other than 0, or an error


def evaluate(
    qrels: Any,
    queries: Any,
    documents: Any,
    measures: Measures = SEVERAL,
    *,
    doc_columns: Mapping[str, str] | None = None,
    depth: int | None = None,
    **options: Unpack[Options],
) -> Scores:
    """The scores of `dense.evaluate` for the documents of a Spark DataFrame.

    It has a column of ids and one of vectors, arrays of numbers; both are known by their names, or named:
    `doc_columns={"doc": "my_id", "vector": "my_vector"}`. Other arguments and options are those of
    `dense.evaluate`, but for `block` and `progress`; ties="input" is refused, since a DataFrame has no order.
    """
    allowed = [name for name in Options.__annotations__ if name not in ("doc_ids", "block", "progress")]
    search, others = split_options("dense.spark.evaluate", options, allowed)
    f = functions()
    frame = plain_frame(documents)
    if not is_frame(frame):
        raise InputError(
            f"documents must be a Spark DataFrame, not {described(documents)}; for other vectors use "
            "rankgauge.dense.evaluate"
        )
    frame = _rows(frame, doc_columns)
    if is_frame(plain_frame(qrels)):
        with failures():
            qrels = plain_frame(qrels).toArrow()
    evaluator = Evaluator(qrels, measures, **others)
    require_no_line_order(evaluator.order)
    searched = Queries.of(queries, search["query_ids"])
    searched = Queries(searched.ids, arrays.restored(*arrays.stored(searched.vectors)))
    known = _judged(frame, evaluator, searched)
    judgments, texts = evaluator.qrels, tuple(map(str, evaluator.measures))
    counting: Any = {
        **{name: search[name] for name in ("similarity", "exclude", "name", "device")},
        **{name: rule for name, rule in others.items() if name in Rules.__annotations__},
        "depth": depth,
    }

    def counted(blocks: Iterable[tuple[Any, Any]]) -> Counts:
        """The counts of documents in blocks; everything it names is pickled and sent to workers."""
        return count(judgments, searched, iter(blocks), texts, judged=known, **counting)

    def counts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return _nonzero_counts(batches, counted)

    # What parts have in common, with the evaluator of this call; their sums replace these.
    whole = counted([_some_documents(known)])._replace(evaluator=evaluator, corpus=None)
    added = frame.mapInArrow(counts_of, SCHEMA).groupBy("place").agg(f.sum("value"), f.min("problem"))
    with failures():
        rows = added.collect()
    problem = min((row[2] for row in rows if row[2] is not None), default=None)
    if problem is not None:
        raise InputError(problem)
    if not rows:
        raise InputError("there are no documents: the DataFrame has no rows")
    sums = np.zeros_like(whole.sums)
    for place, value, _ in rows:
        sums[place] = value
    return whole.with_sums(sums).scores()


def _nonzero_counts(
    batches: Iterable[pa.RecordBatch], counted: Callable[[Iterable[tuple[Any, Any]]], Counts]
) -> Iterator[pa.RecordBatch]:
    """The counts of a partition other than 0, by place; or a row with an error."""
    sums, problems = np.zeros(0, dtype=np.int64), []
    filled = (batch for batch in batches if batch.num_rows)
    first = next(filled, None)
    if first is None:
        return
    blocks = (
        (batch.column("doc"), list_array(batch.column("vector"), "vector", 0, None))
        for batch in itertools.chain([first], filled)
    )
    try:
        sums = counted(blocks).sums
    except RankgaugeError as error:
        problems = [str(error)]
    places = np.flatnonzero(sums)
    columns = [
        pa.array([*places.tolist(), *(None for _ in problems)], pa.int64()),
        pa.array([*sums[places].tolist(), *(None for _ in problems)], pa.int64()),
        pa.array([*(None for _ in places), *problems], pa.string()),
    ]
    yield pa.RecordBatch.from_arrays(columns, ["place", "value", "problem"])


def _rows(frame: Any, columns: Mapping[str, str] | None) -> Any:
    """The frame with ids as bytes (doc) and vectors (vector)."""
    types, columns = dict(frame.dtypes), columns or {}
    for role, chosen in columns.items():
        if role not in ("doc", "vector") or chosen not in types:
            raise InputError(
                f"doc_columns names the columns for doc and vector, and not {role!r}: {chosen!r}; there are "
                f"{', '.join(types)}"
            )
    lists = [name for name, kind in types.items() if kind.startswith("array<")]
    named = [name for known in VECTORS for name in lists if name.casefold() == known]
    vector = columns.get("vector") or next(iter(named or lists), None)
    doc = columns.get("doc") or guess([name for name in types if name != vector], "doc")
    if doc is None or vector is None:
        lacking = "vectors: arrays of numbers" if vector is None else "ids"
        raise InputError(
            f"no column for the {lacking}; there are {', '.join(f'{n} ({t})' for n, t in types.items())}; "
            'name it: doc_columns={"doc": ..., "vector": ...}. Vectors of Spark ML are made arrays by '
            "pyspark.ml.functions.vector_to_array"
        )
    if types[vector] not in {f"array<{kind}>" for kind in NUMBERS}:
        raise InputError(f"the column {vector!r} holds {types[vector]}; vectors are arrays of numbers")
    return frame.select(id_column(doc, types).alias("doc"), column_of(vector).alias("vector"))


def _judged(frame: Any, evaluator: Evaluator, queries: Queries) -> JudgedVectors:
    f, wanted = functions(), {*evaluator.qrels.sorted_docs}
    sought = frame.sparkSession.createDataFrame([(doc,) for doc in sorted(wanted)], "doc binary")
    with failures():
        table = frame.join(f.broadcast(sought), "doc").toArrow()
    if not table.num_rows:
        return JudgedVectors((), np.empty((0, queries.vectors.shape[1]), dtype=np.float32))
    return judged_among(evaluator, Documents.of(table))._replace(corpus=None)


def _some_documents(judged: JudgedVectors) -> tuple[Any, Any]:
    if judged.ids:
        return list(judged.ids), judged.vectors
    return ["0"], np.zeros((1, judged.vectors.shape[1]), dtype=judged.vectors.dtype)
