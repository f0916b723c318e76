"""Objects of other packages, in a shape that is read here; none of these packages is imported.

ranx's `Qrels` and `Run`, datasets of Hugging Face, those of ir_datasets, and `{topic: response}` of
Elasticsearch or OpenSearch are recognised by what they offer. ranx keeps dicts of Numba; its own `to_dict`
is the fastest way to read them, at microseconds per item.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats.problems import HOLDS, looks_like, quote


def is_known(value: Any) -> bool:
    """Whether this is an object of another package that holds a run or judgments."""
    return (
        _is_ranx(value)
        or _is_dataset(value)
        or _is_splits(value)
        or _is_collection(value)
        or _is_responses(value)
    )


def unwrap(value: Any, kind: str) -> Any:
    """What an object of another package holds; anything else as it is."""
    if _is_splits(value):
        value = _only_split(value)
    if _is_ranx(value):
        return _nested(value, kind)
    if _is_dataset(value) and hasattr(value, "__len__"):  # others are read row by row
        return value.with_format("arrow")[:]  # its rows, as selected and sorted, in an Arrow table
    if _is_collection(value):
        return _rows(value, kind)
    if _hits(value) is not None:
        raise InputError("this is the response to one query, without its topic; pass {topic: response}")
    if _is_responses(value):
        return _results(value, kind)
    return value


def _is_ranx(value: Any) -> bool:
    return hasattr(type(value), "to_dict") and hasattr(type(value), "get_doc_ids_and_scores")


def _nested(value: Any, kind: str) -> dict[Any, Any]:
    """`{topic: {document: number}}` of ranx's objects."""
    if not hasattr(value, kind) and any(hasattr(value, other) for other in HOLDS):
        raise InputError(f"expected {HOLDS[kind]}, not ranx's {type(value).__name__}; judgments come first")
    return {topic: dict(documents) for topic, documents in value.to_dict().items()}


def _is_dataset(value: Any) -> bool:
    return hasattr(type(value), "with_format") and hasattr(type(value), "column_names")


def _is_splits(value: Any) -> bool:
    return isinstance(value, dict) and hasattr(type(value), "with_format")


def _only_split(splits: Mapping[str, Any]) -> Any:
    if len(splits) != 1:
        names = ", ".join(map(quote, splits))
        example = next(iter(splits), "test")
        raise InputError(f"the dataset has {len(splits)} splits, {names}; pass one: dataset[{example!r}]")
    return next(iter(splits.values()))


def _is_collection(value: Any) -> bool:
    # Its class has `has_qrels`; an instance has these methods where there is something to iterate over.
    names = ("qrels_iter", "scoreddocs_iter")
    return hasattr(type(value), "has_qrels") or any(callable(getattr(value, name, None)) for name in names)


def _rows(collection: Any, kind: str) -> Any:
    """The records of a dataset of ir_datasets."""
    method = {"run": "scoreddocs_iter", "qrels": "qrels_iter"}[kind]
    if not hasattr(collection, method):
        raise InputError(f"the dataset does not hold {HOLDS[kind]}: it has no {method}(); pass another one")
    return getattr(collection, method)()


def _hits(response: Any) -> Any:
    """The list of results in a response of Elasticsearch or OpenSearch; None if this is none."""
    body = getattr(response, "body", response)  # where their clients return an object
    hits = body.get("hits") if isinstance(body, Mapping) else None
    listed = hits.get("hits") if isinstance(hits, Mapping) else None
    return listed if isinstance(listed, list) and all(isinstance(hit, Mapping) for hit in listed) else None


def _is_responses(value: Any) -> bool:
    """Whether these are responses by topic, or one alone, which is refused later."""
    if _hits(value) is not None:
        return True
    first = next(iter(value.values()), None) if isinstance(value, Mapping) else None
    return _hits(first) is not None


def _results(responses: Mapping[Any, Any], kind: str) -> dict[Any, Any]:
    """`{topic: hits}`: records with `_id` and, unless the search sorted by something else, `_score`."""
    if kind == "qrels":
        raise InputError(looks_like("run"))
    lists = {topic: _hits(response) for topic, response in responses.items()}
    for topic, hits in lists.items():
        if hits is None:
            raise InputError(f"topic {quote(str(topic))} has no hits.hits, unlike others; search again")
    return lists
