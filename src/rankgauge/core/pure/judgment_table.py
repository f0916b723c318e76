"""Judgments in order, to look documents up in, and the hits of several joins in that order."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from rankgauge.core.buffers import column, numbers, offsets, strings


def sort_judgments(
    topic_data: Any, topic_offsets: Any, topic: Any, doc_data: Any, doc_offsets: Any
) -> dict[str, Any]:
    """Judgments by topic and then by document, both ascending as bytes.

    `topic` is the number of each row's topic among the distinct topics. Returns the `topics` in order, the
    `starts` of their rows, and the `rows`: the row in the input of each judgment in order.
    """
    names, docs = strings(topic_data, topic_offsets), strings(doc_data, doc_offsets)
    by_topic: list[list[int]] = [[] for _ in names]
    for row, (number, _) in enumerate(zip(numbers(topic, "q"), docs, strict=True)):
        if not 0 <= number < len(names):
            raise ValueError("a row of no topic")
        by_topic[number].append(row)
    order = sorted(range(len(names)), key=names.__getitem__)
    rows = array("q")
    for number in order:
        rows.extend(sorted(by_topic[number], key=docs.__getitem__))
    return {
        "topics": column([names[number] for number in order]),
        "starts": offsets(len(by_topic[number]) for number in order),
        "rows": rows,
    }


class Judgments:
    """Judgments to look documents up in: topic -> document -> number of the judgment.

    Documents graded below `least` are left out: to measures that read the hits they are like unjudged ones.
    """

    def __init__(
        self,
        topic_data: Any,
        topic_offsets: Any,
        starts: Any,
        doc_data: Any,
        doc_offsets: Any,
        grades: Any,
        least: float,
    ) -> None:
        topics, docs = strings(topic_data, topic_offsets), strings(doc_data, doc_offsets)
        begins = numbers(starts, "q")
        self.grades = numbers(grades, "d")
        self.numbers = {topic: number for number, topic in enumerate(topics)}
        self.documents = [
            {docs[n]: n for n in range(begin, end) if self.grades[n] >= least}
            for begin, end in pairwise(begins)
        ]

    def lookup(self, topic: Any, doc_data: Any, doc_offsets: Any) -> array[int]:
        """The number of each document's judgment in its topic, or -1."""
        rows = zip(numbers(topic, "q"), strings(doc_data, doc_offsets), strict=True)
        return array("q", [self.documents[t].get(doc, -1) if t >= 0 else -1 for t, doc in rows])


# The columns that joins return, and the type code of each.
TOPIC_COLUMNS: dict[str, Any] = {"retrieved": "q", "tied": "q", "decisive": "q", "squares": "d"}
HIT_COLUMNS: dict[str, Any] = {"rank": "q", "judgment": "q", "first": "q", "last": "q", "score": "d"}
DETAIL = ("squares", "first", "last", "score")  # only in the results of joins with detail
TOTALS = ("unjudged_topics", "rows", "dropped")


def gather_hits(results: Sequence[Mapping[str, Any]], topics: int) -> dict[str, Any] | None:
    """The hits that several joins returned, for all topics in order; None if a topic is in several of them.

    Topics without results have 0 in every column and no hits.
    """
    codes = {
        name: code
        for name, code in (TOPIC_COLUMNS | HIT_COLUMNS).items()
        if name not in DETAIL or (results and name in results[0])
    }
    if len(results) > 1 and _has_unjudged_twice(results):
        return None
    places: list[tuple[dict[str, Any], int, slice] | None] = [None] * topics  # columns, topic and hits there
    for part in results:
        columns = {name: memoryview(part[name]).cast("B").cast(code) for name, code in codes.items()}
        starts = numbers(part["starts"], "q")
        for n, topic in enumerate(numbers(part["topic"], "q")):
            if not 0 <= topic < topics:
                raise ValueError("hits of no topic")
            if places[topic] is not None:
                return None
            places[topic] = columns, n, slice(starts[n], starts[n + 1])
    gathered: dict[str, Any] = {name: array(code) for name, code in codes.items()}
    for name in codes.keys() & TOPIC_COLUMNS.keys():
        gathered[name].extend(place[0][name][place[1]] if place else 0 for place in places)
    for name in codes.keys() & HIT_COLUMNS.keys():
        for columns, _, hits in filter(None, places):
            gathered[name].frombytes(columns[name][hits].tobytes())
    gathered["starts"] = offsets(place[2].stop - place[2].start if place else 0 for place in places)
    return gathered | {name: sum(part[name] for part in results) for name in TOTALS}


def _has_unjudged_twice(results: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a topic without judgments is in several parts; equal hashes are taken for equal topics."""
    seen: set[int] = set()
    for part in results:
        hashes = numbers(part["unjudged_hashes"], "q")
        if not seen.isdisjoint(hashes):
            return True
        seen.update(hashes)
    return False
