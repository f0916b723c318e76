"""Scores in files: JSON for people and other programs, Parquet for many of them.

The JSON document has the structure of `Scores.mean()` and `Scores.to_dict()`; the Parquet file is the long
table, with the rest as JSON in its metadata. What is damaged or incomplete is an error, never another value.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.core.ids import to_bytes, to_text
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.json import unique_names
from rankgauge.formats.target import writing
from rankgauge.model.provenance import Provenance
from rankgauge.model.rules import TopicRules
from rankgauge.model.score_values import KIND, header, json_text
from rankgauge.schema.json_text import to_json
from rankgauge.schema.lazy import optional_module
from rankgauge.schema.options import choice, expect

Fields = dict[str, Any]  # of `Scores`

EXTENSIONS = (".parquet", ".json")
PARQUET_TYPES = [
    ("measure", "BYTE_ARRAY"),
    ("run", "BYTE_ARRAY"),
    ("topic", "BYTE_ARRAY"),
    ("value", "DOUBLE"),
]
LABELS = ("run", "measure", "topic")  # of a value, in the order of the axes of `Scores.values`
FREE = 1 << 27  # bytes that the values of any file may take
EXPANSION = 1000  # bytes of values for each byte of a larger file; real files have about 10


def save(scores: Any, path: str | os.PathLike[str]) -> None:
    """Write scores to a .parquet or .json file."""
    extension = choice("the extension of a file of scores", Path(path).suffix.lower(), EXTENSIONS)
    if extension == ".json":
        with writing(path) as stream:
            stream.write(f"{json_text(scores)}\n".encode())
        return
    parquet = _parquet()
    described = to_json(header(scores), ascii_only=True)
    table = scores.to_arrow().replace_schema_metadata({"rankgauge": described})
    with writing(path) as stream:
        parquet.write_table(table, stream, compression="zstd")


def load(path: str | os.PathLike[str]) -> Fields:
    """The fields of the scores in a .parquet or .json file."""
    name = os.fspath(path)
    extension = choice("the extension of a file of scores", Path(path).suffix.lower(), EXTENSIONS)
    try:
        return _load_json(name) if extension == ".json" else _load_parquet(name)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    except RecursionError:
        problem = "it is nested too deeply"
    except (ValueError, InputError, OptionError) as error:
        if getattr(error, "path", None) is not None:
            raise
        problem = str(error)
    raise InputError(
        f"is not a file of scores, or is damaged: {problem}; expected a file written by Scores.save",
        path=name,
    )


def _load_json(path: str) -> Fields:
    document = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=unique_names)
    fields = _fields(document, path)
    if "scores" not in document:
        raise InputError("has means only; write it with all topics (evaluate -q --format json)", path=path)
    runs, measures, topics = fields["runs"], fields["measures"], fields["topics"]
    _check_size(len(runs) * len(measures) * len(topics), path)
    places = {topic: place for place, topic in enumerate(topics)}
    by_run = _objects_of(document["scores"], {*runs}, "the scores", all_of_them=True)
    rows, known = [], {*measures}
    for run in runs:
        by_measure = _objects_of(by_run[run], known, f"the scores of {run!r}", all_of_them=True)
        rows += [_objects_of(by_measure[m], places, f"the values of {m} for {run!r}") for m in measures]
    cells = [row * len(topics) + places[topic] for row, by_topic in enumerate(rows) for topic in by_topic]
    values = _numbers([value for by_topic in rows for value in by_topic.values()])
    return _filled(fields, np.array(cells, dtype=np.int64), values, document)


def _load_parquet(path: str) -> Fields:
    parquet = _parquet()
    metadata = parquet.read_metadata(path)
    header = json.loads((metadata.metadata or {}).get(b"rankgauge", b"null"), object_pairs_hook=unique_names)
    fields = _fields(header, path)
    columns = [metadata.schema.column(place) for place in range(metadata.num_columns)]
    types = sorted((c.path, c.physical_type) for c in columns if not c.max_repetition_level)
    expect(types == PARQUET_TYPES and len(columns) == len(types), "the columns", str(PARQUET_TYPES), types)
    names = [fields[f"{label}s"] for label in LABELS]
    room = math.prod(map(len, names))
    expect(metadata.num_rows <= room, "the number of rows", f"at most {room}", metadata.num_rows)
    _check_size(room, path)
    table = _parquet_table(path)
    expect(not any(column.null_count for column in table.columns), "every cell", "filled", "an empty one")
    values = table.column("value").to_numpy()
    expect(values.dtype == np.float64, "the values", "of type double", values.dtype)
    run, measure, topic = (_places(table.column(label), of) for label, of in zip(LABELS, names, strict=True))
    return _filled(fields, (run * len(names[1]) + measure) * len(names[2]) + topic, values, header)


def _parquet_table(path: str) -> Any:
    import pyarrow

    try:
        # As dictionaries, names do not take memory in every row.
        with _parquet().ParquetFile(path, read_dictionary=LABELS) as file:
            table = file.read()
        table.validate(full=True)  # Arrow does not check the codes of dictionaries while it reads them
        return table
    except pyarrow.ArrowException as error:  # of many kinds
        raise ValueError(str(error)) from None


def _fields(header: Any, path: str) -> Fields:
    kind = header.get("kind") if isinstance(header, dict) else None
    if kind != KIND:
        problem = f"is {kind!r}" if kind else "holds no scores"
        raise InputError(f"{problem}; expected a file written by Scores.save ({KIND!r})", path=path)
    runs, measures, topics = (_names(header.get(name), name) for name in ("runs", "measures", "topics"))
    provenance = Provenance.from_dict(header.get("provenance"))
    _objects_of(provenance.runs, {*runs}, "the provenance of runs")
    _objects_of(provenance.measures, {*measures}, "the provenance of measures")
    weights = _objects_of(header.get("weights", {}), {*measures}, "the weights")
    for measure in measures:
        if provenance.measure(measure).average == "micro":
            expect(measure in weights, "the weights", f"those of {measure}, too", [*weights])
    return {
        "runs": runs,
        "topics": topics,
        "measures": measures,
        "rules": TopicRules(**_objects_of(header.get("rules"), TopicRules._defaults, "the rules")),
        "provenance": provenance,
        "weights": {measure: _matrix(rows, len(runs), len(topics)) for measure, rows in weights.items()},
    }


def _filled(fields: Fields, cells: Any, values: Any, header: Any) -> Fields:
    """The fields with the values, of which none may be lost."""
    shape = tuple(len(fields[f"{label}s"]) for label in LABELS)
    table, present = np.full(math.prod(shape), np.nan), np.zeros(math.prod(shape), dtype=np.bool_)
    table[cells], present[cells] = values, True
    expect(present.sum() == len(cells), "every value", "there once", "some twice")
    counted = present.reshape(shape).any(axis=1)
    # A topic is left out with all its values.
    expected = shape[1] * (counted.sum() if fields["rules"].missing == "skip" else counted.size)
    expected = header.get("values", expected)  # which files of older versions do not have
    complete = len(cells) == expected == shape[1] * counted.sum()
    expect(complete, "the number of values", str(expected), len(cells))
    return {**fields, "values": table.reshape(shape), "counted": counted}


def _check_size(cells: int, path: str) -> None:
    """Refuse a small file whose values would fill the memory."""
    size = Path(path).stat().st_size
    expect(cells * 8 <= max(FREE, size * EXPANSION), "a file of its size", "of fewer values", cells)


def _objects_of(
    value: Any, known: Set[str] | Mapping[str, Any], what: str, *, all_of_them: bool = False
) -> Any:
    """The value, if it is an object with these names, or at least no others."""
    expect(isinstance(value, dict), what, "an object", value)
    expect(all(name in known for name in value), what, "an object with the names in the header", [*value])
    expect(not all_of_them or len(value) == len(known), what, f"{len(known)} objects", [*value])
    return value


def _names(value: Any, what: str) -> tuple[str, ...]:
    expect(isinstance(value, list) and value, what, "a list of names", value)
    expect(all(isinstance(name, str) for name in value), what, "names", value)
    expect(len({*map(to_bytes, value)}) == len(value), what, "different names", value)
    return tuple(value)


def _numbers(values: Sequence[Any]) -> Any:
    if not {*map(type, values)} <= {float, int}:
        words: dict[Any, Any] = {None: math.nan, "inf": math.inf, "-inf": -math.inf}
        values = [words.get(v, v) if v is None or isinstance(v, str) else v for v in values]
        wrong = [value for value in values if type(value) not in (float, int)]
        expect(not wrong, "values", 'numbers, null, "inf" or "-inf"', wrong)
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError as error:
        raise ValueError(f"a value is too large: {error}") from None


def _matrix(rows: Any, height: int, width: int) -> Any:
    expect(isinstance(rows, list) and len(rows) == height, "weights", "a list for every run", rows)
    expect(
        all(isinstance(row, list) and len(row) == width for row in rows),
        "weights",
        "a number for every topic",
        rows,
    )
    return np.array([_numbers(row) for row in rows])


def _places(column: Any, names: tuple[str, ...]) -> Any:
    places = {name: place for place, name in enumerate(names)}
    encoded = column.unify_dictionaries().combine_chunks()
    expect(hasattr(encoded, "dictionary"), "the labels of values", "texts", column.type)
    texts = [to_text(n) if isinstance(n, bytes) else n for n in encoded.dictionary.to_pylist()]
    unknown = [text for text in texts if text not in places]
    expect(not unknown, "the labels of values", "those in the header", unknown)
    return np.array([places[text] for text in texts], dtype=np.int64)[encoded.indices.to_numpy()]


def _parquet() -> Any:
    return optional_module("pyarrow.parquet", "a Parquet file of scores", "arrow", "pyarrow")
