"""The runs that bound all others: the ideal, the worst and the full-scale run of each topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import OptionError
from rankgauge.formats.columns import Columns
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.rankings.arrays.curves import Ints
from rankgauge.schema.checks import whole_number

FILLER = "nonrelevant"  # what documents are called that are there to be not relevant


def ideal_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The run that has all relevant documents of each topic, the best first, and then others, N in all.

    Documents that are not relevant are made up, and called so that no judged one is. N is at least the number
    of relevant documents of any topic; if it is not given, twice that.

    >>> ideal_run({"q": {"a": 1, "b": 2}}, 3).to_dict()
    {'q': {'b': 3.0, 'a': 2.0, 'nonrelevant-3': 1.0}}
    """
    return _run("ideal", qrels, N, rel, 1, lambda place, length: place)


def worst_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The run that has no relevant document. N is as for the ideal run, as the paper has it (definition 13).

    >>> worst_run({"q": {"a": 1, "b": 2}}, 2).to_dict()
    {'q': {'nonrelevant-1': 2.0, 'nonrelevant-2': 1.0}}
    """
    return _run("worst", qrels, N, rel, 1, lambda place, length: place + length)


def full_scale_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The ideal run from its end: all relevant documents of each topic, last and in the wrong order.

    N is at least twice the number of relevant documents of any topic: otherwise there is no such run.

    >>> full_scale_run({"q": {"a": 1, "b": 2}}, 4).to_dict()
    {'q': {'nonrelevant-1': 4.0, 'nonrelevant-2': 3.0, 'a': 2.0, 'b': 1.0}}
    """
    return _run("full-scale", qrels, N, rel, 2, lambda place, length: length + 1 - place)


def _run(
    name: str, qrels: Any, N: int | None, rel: float, times: int, rank_of: Callable[[int, int], int]
) -> Run:
    """The run with the document of each place of the ideal ranking at some rank; past N it is not there."""
    judged = Qrels.of(qrels)
    places = relevant(judged, rel)
    length = list_length(places, N, times, f"the {name} run")
    filler, known = _unused(judged), judged.sorted_docs
    docs: list[bytes] = []
    for found in places:
        row = [f"{filler}-{rank}".encode() for rank in range(1, length + 1)]
        for place, document in enumerate(found.tolist(), 1):
            if (rank := rank_of(place, length)) <= length:
                row[rank - 1] = known[document]
        docs += row
    ranks = np.tile(np.arange(1, length + 1), len(places))
    topics = [to_bytes(topic) for topic in judged.sorted_topics for _ in range(length)]
    columns = Columns("run", Ids.of(topics), Ids.of(docs), (length + 1 - ranks).astype(np.float64), ranks)
    return Run.from_columns(columns, name)


def list_length(places: Sequence[Ints], N: int | None, times: int, what: str) -> int:
    """N, or twice as much as the most relevant documents of a topic; too small a number is an error."""
    most = max(map(len, places), default=0)
    length = max(1, 2 * most) if N is None else whole_number("N", N)
    if length < times * most:
        said = f"{'twice ' * (times == 2)}the most relevant documents that a topic has"
        raise OptionError(f"{what} needs an N of at least {times * most}, {said}; {length} is too small")
    return length


def relevant(judged: Qrels, rel: float) -> list[Ints]:
    """For each topic, the numbers of its relevant judgments, the best first and then by document."""
    found = []
    for begin, end in zip(judged.starts[:-1].tolist(), judged.starts[1:].tolist(), strict=True):
        grades = judged.sorted_grades[begin:end]
        order = np.argsort(-grades, kind="stable")
        found.append(begin + order[grades[order] >= rel])
    return found


def _unused(judged: Qrels) -> str:
    """A name that no judged document begins with."""
    name = FILLER
    while any(doc.startswith(name.encode()) for doc in judged.docs):
        name += "_"
    return name
