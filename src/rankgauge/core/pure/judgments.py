"""Judgments in order, and to look documents up in."""

from __future__ import annotations

from array import array
from itertools import pairwise
from typing import Any

from rankgauge.core.buffers import column, numbers, offsets, strings


def sort_judgments(
    topic_data: Any, topic_offsets: Any, topic: Any, doc_data: Any, doc_offsets: Any
) -> dict[str, Any]:
    """Judgments by topic and then by document, both ascending as bytes.

    `topic` is the number of each row's topic among the distinct topics. Returns the `topics` in
    order, the `starts` of their rows, and the `rows`: of each judgment in order, its row in the input.
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

    Documents of a grade below `least` are left out: no measure that reads the hits distinguishes
    them from unjudged ones.
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
