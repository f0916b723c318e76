"""The options of dense retrieval; functions take them as keywords, such as `**options: Unpack[Options]`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict

from rankgauge.errors import OptionError
from rankgauge.model.rules import Judging
from rankgauge.schema.text import unknown_option

Exclude = Mapping[str, Iterable[str]]
Progress = Callable[[int, int | None], None]  # documents counted, and how many there are


class CommonOptions(TypedDict, total=False):
    """How queries and documents are scored; an option that is left out has its default."""

    query_ids: Any  # of the rows of queries: a list, an array or a file; else they are numbered from 0
    similarity: str  # "dot", "cosine" or "euclidean" (minus the squared distance)
    exclude: Exclude | None  # {query: documents that are left out of its ranking}
    name: str  # of the run
    device: Any  # of torch


class SearchOptions(CommonOptions, total=False):
    """The same for documents that are gone through here."""

    doc_ids: Any  # of the rows of documents
    block: int | None  # documents at once; else by the memory that is free
    progress: Progress | None


class RetrieveOptions(SearchOptions, total=False):
    """The options of `dense.retrieve`."""

    ties: str
    score_precision: str


class EvaluationOptions(Judging, total=False):
    """What is evaluated, and how."""

    depth: int | None  # documents of each query that are evaluated; else all
    names: str  # under which results have measures


class Options(SearchOptions, EvaluationOptions, total=False):
    """The options of `dense.evaluate`, `dense.count` and `dense.distributed.evaluate`."""


class SparkOptions(CommonOptions, EvaluationOptions, total=False):
    """The options of `dense.spark.evaluate`."""


DEFAULTS: SearchOptions = {
    "query_ids": None,
    "doc_ids": None,
    "similarity": "dot",
    "exclude": None,
    "name": "run",
    "device": None,
    "block": None,
    "progress": None,
}


def split_options(verb: str, options: Any, kind: Any = Options) -> tuple[SearchOptions, dict[str, Any]]:
    """(options on the search, with their defaults; the others); an unknown one is an error."""
    known = kind.__annotations__
    for name in options.keys() - known.keys():
        raise OptionError(unknown_option(verb, "option", name, known))
    search: Any = {**DEFAULTS, **{name: options[name] for name in options if name in DEFAULTS}}
    return search, {name: options[name] for name in options if name not in DEFAULTS}
