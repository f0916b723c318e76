"""Scores in files: JSON for people and other programs, Parquet for many of them.

Both are complete, and other tools can read either. The JSON document has the structure of `Scores.mean()` and
`Scores.to_dict()`, with null for undefined and "inf" for infinite values. The Parquet file is the long table
(run, topic, measure, value), with the rest as JSON in its metadata.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError, MissingDependency
from rankgauge.formats.target import writing
from rankgauge.model.provenance import Provenance
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.checks import choice
from rankgauge.schema.json_text import to_json

Fields = dict[str, Any]  # of `Scores`

KIND = "rankgauge scores 2"  # the number changes when older versions could not read the file
EXTENSIONS = (".parquet", ".json")


def json_text(scores: Any, *, topics: bool = True, indent: int | None = None) -> str:
    """Scores as JSON text; without topics, only the means."""
    values = {"scores": scores.to_dict()} if topics else {}
    return to_json({**_header(scores), "mean": scores.mean(), **values}, indent, infinity="text")


def _header(scores: Any) -> dict[str, Any]:
    return {
        "kind": KIND,
        "runs": scores.runs,
        "measures": scores.measures,
        "topics": scores.topics,
        "rules": scores.rules.as_dict(),
        "provenance": scores.provenance.as_dict(),
        **({"weights": {m: w.tolist() for m, w in scores.weights.items()}} if scores.weights else {}),
    }


def save(scores: Any, path: str | os.PathLike[str]) -> None:
    """Write scores to a .parquet or .json file."""
    extension = choice("the extension of a file of scores", Path(path).suffix.lower(), EXTENSIONS)
    if extension == ".json":
        with writing(path) as stream:
            stream.write(f"{json_text(scores)}\n".encode())
        return
    parquet = _parquet()
    header = to_json(_header(scores), ascii_only=True)
    table = scores.to_arrow().replace_schema_metadata({"rankgauge": header})
    with writing(path) as stream:
        parquet.write_table(table, stream, compression="zstd")


def load(path: str | os.PathLike[str]) -> Fields:
    """The fields of the scores in a .parquet or .json file."""
    extension = choice("the extension of a file of scores", Path(path).suffix.lower(), EXTENSIONS)
    try:
        return _load_json(path) if extension == ".json" else _load_parquet(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=os.fspath(path)) from None
    except (
        AttributeError,
        KeyError,
        TypeError,
        ValueError,
        IndexError,
        OverflowError,
        RecursionError,
    ) as error:
        raise InputError(
            f"is not a file of scores, or is damaged ({type(error).__name__}: {error}); "
            "expected a file written by Scores.save",
            path=os.fspath(path),
        ) from None


def _load_json(path: str | os.PathLike[str]) -> Fields:
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    fields = _empty(document, path)
    if "scores" not in document:
        raise InputError(
            "has means only; write it with all topics (evaluate -q --format json)", path=os.fspath(path)
        )
    places = {topic: place for place, topic in enumerate(fields["topics"])}
    for r, run in enumerate(fields["runs"]):
        for m, measure in enumerate(fields["measures"]):
            by_topic = document["scores"][run][measure]
            at = [places[topic] for topic in by_topic]
            fields["values"][r, m, at] = [math.nan if v is None else float(v) for v in by_topic.values()]
            fields["counted"][r, at] = True
    return fields


def _load_parquet(path: str | os.PathLike[str]) -> Fields:
    table = _parquet().read_table(path)
    metadata = (table.schema.metadata or {}).get(b"rankgauge", b"null")
    fields = _empty(json.loads(metadata), path)
    names = {"run": fields["runs"], "topic": fields["topics"], "measure": fields["measures"]}
    run, topic, measure = (_places(table.column(column), names[column]) for column in names)
    fields["values"][run, measure, topic] = table.column("value").to_numpy()
    fields["counted"][run, topic] = True
    return fields


def _empty(header: Any, path: str | os.PathLike[str]) -> Fields:
    """The fields, with values yet to be filled in."""
    kind = header.get("kind") if isinstance(header, dict) else None
    if kind != KIND:
        problem = f"is {kind!r}" if kind else "holds no scores"
        raise InputError(
            f"{problem}; expected a file written by Scores.save ({KIND!r})", path=os.fspath(path)
        )
    runs, measures, topics = (tuple(header[name]) for name in ("runs", "measures", "topics"))
    return {
        "runs": runs,
        "topics": topics,
        "measures": measures,
        "values": np.full((len(runs), len(measures), len(topics)), np.nan),
        "counted": np.zeros((len(runs), len(topics)), dtype=np.bool_),
        "rules": TopicRules(**header["rules"]),
        "provenance": Provenance.from_dict(header["provenance"]),
        "weights": {measure: np.array(weights) for measure, weights in header.get("weights", {}).items()},
    }


def _places(column: Any, names: tuple[str, ...]) -> Any:
    """The index of each value of a column among these names."""
    places = {name: place for place, name in enumerate(names)}
    encoded = column.combine_chunks().dictionary_encode()
    texts = [to_text(n) if isinstance(n, bytes) else n for n in encoded.dictionary.to_pylist()]
    return np.array([places[text] for text in texts], dtype=np.int64)[encoded.indices.to_numpy()]


def _parquet() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        raise MissingDependency("a Parquet file of scores", "pyarrow", "arrow") from None
    return pyarrow.parquet
