"""Objects in memory, as columns: the one place that decides what an object is.

    {topic: {document: number}}         scores of a run, grades of judgments (`mapping`)
    {topic: [document, ...]}            a run, best first; as judgments the relevant ones
    {topic: {document, ...}}            a set: relevant documents; no run, since it has no order
    {topic: [(document, number), ...]}  the same as {topic: {document: number}}; also records without a topic
    {column: values}                    columns, if two keys are usual names, or names are given (`frames`)
    frames, Arrow, structured arrays    columns with names (`frames`)
    named tuples, dicts, dataclasses    one per row, in any iterable (`frames`)
    (topic, document, number)           plain tuples or lists, one per row, with documents as text (`frames`)
    two-dimensional arrays              a row per topic, a column per document (`matrices`)
    two such arrays, scores and ids     as FAISS returns them, (D, I): one run (`matrices`)
    records with lists of documents     one per topic, with its results (`topics`)
    responses in an object, as JSON     one per topic (`topics`)
    what columns describe               responses and hits of other shapes (`shapes`)
    lists of documents or hits          by their place, topics 0, 1, 2, ... (`topics`)
    objects of other packages           ranx, Hugging Face, ir_datasets; {topic: response} (`topics`)

Several runs come in a list or by name, {name: run}. Whether a list or a dict is one run or several, and of
which shape, is decided by its first item that is not empty: keys are names if the first value is a run by
itself. A dict whose first value is a list of documents is one run.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from itertools import chain
from numbers import Integral, Real
from threading import Lock
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats import frames, mapping, matrices, shapes, topics
from rankgauge.formats.columns import ROLES, WRITTEN, Columns, guess
from rankgauge.formats.mapping import SHAPES
from rankgauge.formats.problems import HOLDS, looks_like, quote
from rankgauge.formats.row_reader import is_scalar
from rankgauge.schema.text import described

READING = Lock()  # relations of a connection to DuckDB are read one at a time
FEW = 20  # names at most beside topics or rows, so that all topics of a run need not be looked at
_PATTERN = re.compile(r"[*?\[]|://|^-$|\.gz$")  # what stands for other files, or is none


def read(
    value: Any, kind: str, columns: Mapping[str, str] | None = None, judged: mapping.Judged | None = None
) -> Columns:
    """The columns of a run or judgments in memory; `judged` helps to read integers."""
    if columns and "topics" in columns:
        names = {role: name for role, name in columns.items() if role != "topics"}
        rows = read(value, kind, names or None, judged)
        return topics.with_topics(rows, columns["topics"], by_place=isinstance(value, tuple))
    if hasattr(value, "toPandas") and not isinstance(value, type):
        raise InputError(
            "this is a frame of Spark; rankgauge.spark.evaluate(qrels, runs, measures) takes it, and "
            "frame.toArrow() brings it here"
        )
    if not isinstance(value, type):  # a class has the methods of its objects
        if columns and not is_columns(value, columns) and (found := shapes.described(value, columns, kind)):
            read_hits = mapping.read(found[0], kind, judged=judged)
            return replace(read_hits, assumed=f"{found[1]} {read_hits.assumed}".strip())
        if columns and "hits" in columns and isinstance(value, Mapping) and not is_results(value):
            raise InputError(f"there is no list at {columns['hits']}; name the path from each response on")
        value = unwrap(value, kind)
        for matches, reader in READERS:
            if matches(value, columns):
                return reader(value, kind, columns, judged)
    raise refused(value, kind)


def _read_rows(rows: Any, kind: str, columns: Mapping[str, str] | None, _: Any) -> Columns:
    rest = iter(rows)
    for first in rest:
        rows = chain([first], rest)
        if shapes.is_topic(first):
            return read([*rows], kind, columns) if columns else topics.read(rows, kind).checked()
        break
    return frames.read_records(rows, kind, columns)


def refused(value: Any, kind: str) -> InputError:
    """The error for what is no run, or no judgments."""
    if hasattr(value, "readlines"):
        return InputError("this is an open file; pass its path")
    single = ", a single record," if hasattr(value, "_fields") else ""
    return InputError(
        f"{described(value)}{single} is not {HOLDS[kind]}; pass the path of a file, {SHAPES[kind]}, a list "
        f"of records with fields such as query_id, doc_id and {WRITTEN[kind]['value']}, a frame, or an array "
        "with a row per topic"
    )


def _is_iterable(value: Any) -> bool:
    """Whether this has items that may be rows."""
    return not (is_scalar(value) or hasattr(value, "_fields") or hasattr(value, "readlines"))


def is_columns(value: Any, columns: Mapping[str, str] | None = None) -> bool:
    """Whether this is a dict of columns."""
    if (
        not isinstance(value, Mapping)
        or not value
        or not all(_is_column(column) for column in value.values())
    ):
        return False
    names = [name for name in value if isinstance(name, str)]
    if columns and any(name in names for name in columns.values()):
        return True
    roles = {role for kind in ROLES.values() for role in kind.values()} - {"tag", "iteration"}
    return len({guess(names, role) for role in roles} - {None}) > 1


def _is_around(value: Any) -> bool:
    """Whether topics or rows are inside this object, as in {"responses": [...]}."""
    body = shapes.body_of(value)
    few = isinstance(body, Mapping) and len(body) <= FEW
    return few and topics.unwrapped(body, "run") is not body


def _is_column(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or hasattr(value, "dtype")


def is_results(value: Mapping[Any, Any]) -> bool:
    """Whether this is one run, {topic: {document: score}}."""
    if is_known(value):
        return False
    for results in value.values():
        if not isinstance(results, Mapping):
            return False
        for score in results.values():  # the first is enough: a single value is a score, even a wrong one
            return isinstance(score, Real) or (is_scalar(score) and shapes.hits(score) is None)
    return bool(value)  # topics, none of which has results


def names_of_table(value: Any) -> list[str]:
    """The names of columns of a table that can be read twice; none for anything else."""
    if isinstance(value, (list, tuple)):
        return frames.field_names(value[0]) if value and frames.is_row(value[0]) else []
    if isinstance(value, Mapping):
        return [*value] if is_columns(value) else []
    if not frames.is_frame(value):
        return []
    names: Any = frames.names_of(value)
    return [name for name in names if isinstance(name, str)]


def name_of(value: Any) -> str | None:
    """The name that an object, such as a run of ranx, has for itself."""
    name = getattr(value, "name", None) if isinstance(value, Mapping) or is_known(value) else None
    return name if isinstance(name, str) and name else None


def separate(runs: Any, columns: Mapping[str, str] | None = None) -> list[tuple[str | None, Any]]:
    """(name, run) for each of several runs, or of a single one."""
    if isinstance(runs, Mapping):
        if _is_one(runs, columns):
            return [(None, runs)]
        return [(_name(name, run), run) for name, run in runs.items()]
    if hasattr(runs, "__arrow_c_stream__"):  # a table, or an iterator of its batches
        return [(None, runs)]
    if isinstance(runs, (list, tuple)) and not hasattr(runs, "_fields"):
        one = runs and (matrices.is_search(runs) or topics.by_place(runs) or not _is_run(runs[0]))
        described = columns and shapes.is_described(runs, columns)
        return [(None, runs)] if one or described else _several(runs)
    if isinstance(runs, Iterator) and _is_iterable(runs):
        for first in runs:
            every = chain([first], runs)
            return _several(every) if _is_run(first) else [(None, every)]
    return [(None, runs)]


def _several(runs: Iterable[Any]) -> list[tuple[str | None, Any]]:
    runs = [*runs]
    if any(hasattr(run, "__arrow_c_array__") and hasattr(run, "num_rows") for run in runs):
        raise InputError(
            "record batches are parts of one run, and may cut a topic in two; pass "
            "pyarrow.Table.from_batches(batches), or the reader that they come from"
        )
    return [(None, run) for run in runs]


def _name(key: Any, run: Any) -> str:
    """The name of a run; an error if the key could as well be a topic."""
    if isinstance(run, str) and not _PATTERN.search(run) and not os.path.exists(run):  # noqa: PTH110
        raise InputError(
            f"{run}: no such file; {{{key!r}: {run!r}}} is a run by its name, in a file; for a topic with "
            f"one document, pass {{{key!r}: [{run!r}]}}"
        )
    if isinstance(key, Integral) and _dimensions(run) == 2 and run.shape[1] == 2:
        raise InputError(
            f"{key} with an array of two columns could be a run by its name, or a topic with (document, "
            "score); for a run, pass the name as text; for a topic, array.tolist()"
        )
    return str(key)


def _is_one(runs: Mapping[Any, Any], columns: Mapping[str, str] | None) -> bool:
    if not runs:
        return False
    if is_results(runs) or is_known(runs) or is_columns(runs, columns):
        return True
    if columns and (shapes.is_described(runs, columns) or "hits" in columns):
        return shapes.is_described(runs, columns)
    first = next((held for held in runs.values() if not _is_empty(held)), None)
    return _is_of_topic(first)


def _is_empty(held: Any) -> bool:
    """Whether nothing can be seen of what this is."""
    return not is_scalar(held) and hasattr(held, "__len__") and not len(held) and not frames.is_frame(held)


def _is_of_topic(held: Any) -> bool:
    if isinstance(held, (Set, Real)) or held is None:
        return True
    if isinstance(held, (list, tuple, deque)) and not (hasattr(held, "_fields") or matrices.is_search(held)):
        first = next(iter(held), "")
        is_plain = isinstance(first, (list, tuple)) and not hasattr(first, "_fields")
        if frames.is_row(first):
            return not frames.has_topic(first)
        if is_plain and (len(first) == 2 or isinstance(next(iter(first), None), (str, bytes))):
            return True  # a pair, or something else that begins with a document
        return is_scalar(first) and not _is_run(first, paths=False)
    return _dimensions(held) == 1


def _is_run(value: Any, *, paths: bool = True) -> bool:
    if isinstance(value, (str, os.PathLike)):
        return paths
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return bool(value) and (frames.is_row(value[0]) or matrices.is_array(value))
    if shapes.is_topic(value) and shapes.topic_name(value):
        return False
    if is_known(value) or frames.is_frame(value):
        return True
    if isinstance(value, (bytes, Set, Real)) or value is None or frames.is_row(value):
        return False
    return _dimensions(value) in (None, 2)


def _dimensions(value: Any) -> int | None:
    is_array = hasattr(value, "dtype") and hasattr(value, "shape") and not hasattr(value, "columns")
    return len(value.shape) if is_array and getattr(value.dtype, "names", None) is None else None


def is_known(value: Any) -> bool:
    """Whether another package's object holds a run or judgments."""
    return _is_around(value) or any(matches(value, "run") for matches, _ in PACKAGES)


def unwrap(value: Any, kind: str) -> Any:
    """The content of another package's object; anything else as it is."""
    return next((content(value, kind) for matches, content in PACKAGES if matches(value, kind)), value)


def _has(value: Any, *names: str) -> bool:
    return all(hasattr(type(value), name) for name in names)


def _only_split(splits: Mapping[str, Any], kind: str) -> Any:
    if len(splits) != 1:
        names = ", ".join(map(quote, splits))
        example = next(iter(splits), "test")
        raise InputError(f"the dataset has {len(splits)} splits, {names}; pass one: dataset[{example!r}]")
    return unwrap(next(iter(splits.values())), kind)


def _nested(value: Any, kind: str) -> dict[Any, Any]:
    """`{topic: {document: number}}` of ranx's dicts of Numba."""
    if not hasattr(value, kind) and any(hasattr(value, other) for other in HOLDS):
        raise InputError(f"expected {HOLDS[kind]}, not ranx's {type(value).__name__}; judgments come first")
    return {topic: dict(documents) for topic, documents in value.to_dict().items()}


def _table(dataset: Any, _: str) -> Any:
    """The rows of a dataset, as selected and sorted, in an Arrow table."""
    return dataset.with_format("arrow")[:] if hasattr(dataset, "__len__") else dataset


def _is_collection(value: Any, _: str) -> bool:
    # Its class has `has_qrels`; an instance has these methods where there is something to iterate over.
    names = ("qrels_iter", "scoreddocs_iter")
    return _has(value, "has_qrels") or any(callable(getattr(value, name, None)) for name in names)


def _rows(collection: Any, kind: str) -> Any:
    method = {"run": "scoreddocs_iter", "qrels": "qrels_iter"}[kind]
    if not hasattr(collection, method):
        raise InputError(f"the dataset does not hold {HOLDS[kind]}: it has no {method}(); pass another one")
    return getattr(collection, method)()


def _refuse_response(_: Any, __: str) -> Any:
    raise InputError("this is the response to one query, without its topic; pass {topic: response}")


def _are_responses(value: Any, _: str) -> bool:
    first = next(iter(value.values()), None) if isinstance(value, Mapping) else None
    return shapes.hits(first) is not None or bool(shapes.lacking(first))


def _results(responses: Mapping[Any, Any], kind: str) -> dict[Any, Any]:
    if kind == "qrels":
        raise InputError(looks_like("run"))
    lists = {}
    for topic, response in responses.items():
        lists[topic] = shapes.hits(response)
        if lists[topic] is None:
            problem = shapes.lacking(response) or "there are no results here, unlike in others; search again"
            raise InputError(f"topic {mapping.shown(topic)}: {problem}")
    return lists


# Objects of other packages: (whether an object is one, its content), both by the kind of what it holds.
PACKAGES: tuple[tuple[Callable[[Any, str], bool], Callable[[Any, str], Any]], ...] = (
    (lambda value, _: isinstance(value, dict) and _has(value, "with_format"), _only_split),  # Hugging Face
    (lambda value, _: _has(value, "to_dict", "get_doc_ids_and_scores"), _nested),  # ranx
    (lambda value, _: _has(value, "with_format", "column_names"), _table),  # Hugging Face
    (_is_collection, _rows),  # ir_datasets
    (lambda value, kind: shapes.hits(value, kind) is not None, _refuse_response),  # search engines
    (_are_responses, _results),
)
# What else an object may be, tried in this order: (whether it is that, its reader). Readers get the value,
# its kind, names of columns, and judgments.
READERS: tuple[tuple[Callable[[Any, Any], Any], Callable[[Any, str, Any, Any], Columns]], ...] = (
    (
        lambda value, _: topics.by_place(value),
        lambda value, kind, *_: mapping.read_lists(topics.by_place(value) or (), kind),
    ),
    (is_columns, lambda value, kind, columns, _: frames.read(value, kind, columns)),
    (
        lambda value, _: _is_around(value),
        lambda value, kind, *others: read(topics.unwrapped(shapes.body_of(value), kind), kind, *others),
    ),
    (
        lambda value, _: isinstance(value, Mapping),
        lambda value, kind, _, judged: mapping.read(value, kind, judged=judged),
    ),
    (
        lambda value, _: frames.is_frame(value),
        lambda value, kind, columns, _: frames.read(value, kind, columns),
    ),
    (lambda value, _: matrices.is_search(value), lambda value, kind, *_: matrices.read_search(value, kind)),
    (
        lambda value, _: matrices.is_array(value),
        lambda value, kind, _, judged: matrices.read(value, kind, judged),
    ),
    (lambda value, _: _is_iterable(value), _read_rows),
)
