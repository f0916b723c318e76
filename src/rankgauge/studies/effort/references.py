"""The runs that bound all others: the ideal, the worst and the full-scale run of each topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import OptionError
from rankgauge.formats.columns import Columns
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.schema.checks import whole_number

FILLER = "nonrelevant"  # the name of made-up documents


def ideal_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The run with all relevant documents of each topic, the best first, and then others, N in all.

    Non-relevant documents are made up, with names that no judged document has. N is at least the largest
    number of relevant documents of a topic; by default, twice that.

    >>> ideal_run({"q": {"a": 1, "b": 2}}, 3).to_dict()
    {'q': {'b': 3.0, 'a': 2.0, 'nonrelevant-3': 1.0}}
    """
    return _run("ideal", qrels, N, rel, 1, lambda place, length: place)


def worst_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The run without any relevant document. N is that of the ideal run, as in the paper (definition 13).

    >>> worst_run({"q": {"a": 1, "b": 2}}, 2).to_dict()
    {'q': {'nonrelevant-1': 2.0, 'nonrelevant-2': 1.0}}
    """
    return _run("worst", qrels, N, rel, 1, lambda place, length: place + length)


def full_scale_run(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> Run:
    """The ideal run reversed: all relevant documents of each topic come last, the best at the end.

    N is at least twice the largest number of relevant documents of a topic: otherwise there is no such run.

    >>> full_scale_run({"q": {"a": 1, "b": 2}}, 4).to_dict()
    {'q': {'nonrelevant-1': 4.0, 'nonrelevant-2': 3.0, 'a': 2.0, 'b': 1.0}}
    """
    return _run("full-scale", qrels, N, rel, 2, lambda place, length: length + 1 - place)


def _run(
    name: str, qrels: Any, N: int | None, rel: float, times: int, rank_of: Callable[[int, int], int]
) -> Run:
    """The run with the document at each place of the ideal ranking moved to a rank; left out beyond N."""
    judged = Qrels.of(qrels)
    places = relevant(judged, rel)
    length = list_length(places, N, times, f"the {name} run")
    filler, known = _unused(judged), judged.sorted_docs
    docs: list[bytes] = []
    for documents in places:
        row = [f"{filler}-{rank}".encode() for rank in range(1, length + 1)]
        for place, document in enumerate(documents.tolist(), 1):
            if (rank := rank_of(place, length)) <= length:
                row[rank - 1] = known[document]
        docs += row
    ranks = np.tile(np.arange(1, length + 1), len(places))
    topics = [to_bytes(topic) for topic in judged.sorted_topics for _ in range(length)]
    columns = Columns("run", Ids.of(topics), Ids.of(docs), (length + 1 - ranks).astype(np.float64), ranks)
    return Run.from_columns(columns, name)


def list_length(places: Sequence[Ints], N: int | None, times: int, what: str) -> int:
    """N, by default twice the largest number of relevant documents of a topic; too small an N is an error."""
    most = max(map(len, places), default=0)
    length = max(1, 2 * most) if N is None else whole_number("N", N)
    if length < times * most:
        reason = f"{'twice ' * (times == 2)}the largest number of relevant documents of a topic"
        raise OptionError(f"{what} needs an N of at least {times * most}, {reason}; {length} is too small")
    return length


def relevant(judged: Qrels, rel: float) -> list[Ints]:
    """For each topic, the numbers of its relevant judgments, the best grade first, then by document."""
    by_topic = []
    for begin, end in zip(judged.starts[:-1].tolist(), judged.starts[1:].tolist(), strict=True):
        grades = judged.sorted_grades[begin:end]
        order = np.argsort(-grades, kind="stable")
        by_topic.append(begin + order[grades[order] >= rel])
    return by_topic


def _unused(judged: Qrels) -> str:
    """A prefix that no judged document has."""
    name = FILLER
    while any(doc.startswith(name.encode()) for doc in judged.docs):
        name += "_"
    return name
