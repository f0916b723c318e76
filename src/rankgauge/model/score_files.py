"""Scores in files: JSON for people and other programs, Parquet for many of them.

Both hold everything. The JSON document reads like `Scores.mean()` and `Scores.to_dict()`, with
null for undefined and "inf" for infinite; the Parquet file is the long table (run, topic, measure,
value), with the rest as JSON in its metadata, so that any tool can read either.
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
from rankgauge.model.scores import Scores
from rankgauge.model.tables import in_json, to_json
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.checks import choice

KIND = "rankgauge scores 1"  # the number changes when older versions could not read the file
EXTENSIONS = (".parquet", ".json")


def document(scores: Scores, *, topics: bool = True) -> dict[str, Any]:
    """Scores as one JSON document; without topics it holds the means only."""
    means = {
        run: {measure: in_json(value) for measure, value in mean.items()}
        for run, mean in scores.mean().items()
    }
    values = {
        run: {m: {t: in_json(v) for t, v in by_topic.items()} for m, by_topic in by_measure.items()}
        for run, by_measure in (scores.to_dict().items() if topics else ())
    }
    return {**_header(scores), "mean": means, **({"scores": values} if topics else {})}


def _header(scores: Scores) -> dict[str, Any]:
    return {
        "kind": KIND,
        "runs": scores.runs,
        "measures": scores.measures,
        "topics": scores.topics,
        "rules": scores.rules.as_dict(),
        "provenance": scores.provenance.as_dict(),
        **({"weights": {m: w.tolist() for m, w in scores.weights.items()}} if scores.weights else {}),
    }


def save(scores: Scores, path: str | os.PathLike[str]) -> None:
    """Write scores to a .parquet or .json file."""
    extension = choice("the extension of a file of scores", Path(path).suffix.lower(), EXTENSIONS)
    if extension == ".json":
        with writing(path) as stream:
            stream.write(f"{to_json(document(scores))}\n".encode())
        return
    parquet = _parquet()
    table = scores.to_arrow().replace_schema_metadata({"rankgauge": json.dumps(_header(scores))})
    with writing(path) as stream:
        parquet.write_table(table, stream, compression="zstd")


def load(path: str | os.PathLike[str]) -> Scores:
    """The scores in a .parquet or .json file."""
    extension = choice("the extension of a file of scores", Path(path).suffix.lower(), EXTENSIONS)
    try:
        return _load_json(path) if extension == ".json" else _load_parquet(path)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=os.fspath(path)) from None
    except (KeyError, TypeError, ValueError, IndexError, OverflowError, RecursionError) as error:
        raise InputError(
            f"is no file of scores, or a damaged one ({type(error).__name__}: {error}); "
            "expected what Scores.save wrote",
            path=os.fspath(path),
        ) from None


def _load_json(path: str | os.PathLike[str]) -> Scores:
    record = json.loads(Path(path).read_text(encoding="utf-8"))
    scores = _empty(record, path)
    if "scores" not in record:
        raise InputError(
            "has means only; write it with all topics (evaluate -q --format json)", path=os.fspath(path)
        )
    places = {topic: place for place, topic in enumerate(scores.topics)}
    for r, run in enumerate(scores.runs):
        for m, measure in enumerate(scores.measures):
            by_topic = record["scores"][run][measure]
            at = [places[topic] for topic in by_topic]
            scores.values[r, m, at] = [math.nan if v is None else float(v) for v in by_topic.values()]
            scores.counted[r, at] = True
    return scores


def _load_parquet(path: str | os.PathLike[str]) -> Scores:
    table = _parquet().read_table(path)
    metadata = (table.schema.metadata or {}).get(b"rankgauge", b"null")
    scores = _empty(json.loads(metadata), path)
    names = {"run": scores.runs, "topic": scores.topics, "measure": scores.measures}
    run, topic, measure = (_places(table.column(column), names[column]) for column in names)
    scores.values[run, measure, topic] = table.column("value").to_numpy()
    scores.counted[run, topic] = True
    return scores


def _empty(record: Any, path: str | os.PathLike[str]) -> Scores:
    """Scores with all that a file says of them but the values, which are to be filled in."""
    kind = record.get("kind") if isinstance(record, dict) else None
    if kind != KIND:
        found = f"is {kind!r}" if kind else "holds no scores"
        raise InputError(f"{found}; expected a file that Scores.save wrote ({KIND!r})", path=os.fspath(path))
    runs, measures, topics = (tuple(record[name]) for name in ("runs", "measures", "topics"))
    return Scores(
        runs,
        topics,
        measures,
        np.full((len(runs), len(measures), len(topics)), np.nan),
        np.zeros((len(runs), len(topics)), dtype=np.bool_),
        TopicRules(**record["rules"]),
        Provenance.from_dict(record["provenance"]),
        {measure: np.array(weights) for measure, weights in record.get("weights", {}).items()},
    )


def _places(column: Any, names: tuple[str, ...]) -> Any:
    """The place of each of a column's names among these names."""
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
