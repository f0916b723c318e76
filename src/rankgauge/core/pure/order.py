"""The order of documents within a topic: the one place of this core that decides it."""

from __future__ import annotations

from array import array
from typing import Any

from rankgauge.core.buffers import numbers, strings

ORDERS = ("score", "rank")
TIES = ("docid_desc", "docid_asc", "input", "rank")
PRECISIONS = ("double", "single")


def check_rule(name: str, rules: tuple[str, ...]) -> str:
    """The name of a rule; an error if there is no such rule."""
    if name not in rules:
        raise ValueError(f"no such rule: {name}")
    return name


class DocumentOrder:
    """The rules that order documents: the highest key comes first, then the rule for ties decides."""

    def __init__(self, order: str, ties: str, precision: str) -> None:
        self.by_rank = check_rule(order, ORDERS) == "rank"  # the rank column orders, not the score
        self.ties = check_rule(ties, TIES)
        self.single = check_rule(precision, PRECISIONS) == "single"  # scores are compared in single precision
        self.needs_rank = self.by_rank or ties == "rank"

    def keys(self, scores: list[float], ranks: list[int]) -> list[float]:
        """The keys of documents with these scores and ranks."""
        if self.by_rank:
            return [-float(rank) for rank in ranks]
        return list(array("f", scores)) if self.single else scores

    def sort_tied(self, rows: list[int], docs: list[bytes], ranks: list[int]) -> None:
        """Sort rows of equal keys, which are in input order; equal ids stay in it."""
        if self.ties != "input":
            rows.sort(key=docs.__getitem__, reverse=self.ties != "docid_asc")
        if self.ties == "rank":
            rows.sort(key=ranks.__getitem__)


def ranks(
    topic: Any,
    doc_data: Any,
    doc_offsets: Any,
    scores: Any,
    ranks: Any,
    order: str,
    ties: str,
    precision: str,
) -> array[int]:
    """The rank of every row within its topic: rows of equal numbers are a topic, interleaved or not.

    `ranks` is the rank column, or None where the rules do not need it. Rows whose score is NaN come
    last, in input order.
    """
    rules = DocumentOrder(order, ties, precision)
    if ranks is None and rules.needs_rank:
        raise ValueError("these rules need ranks")
    topics, docs, values = numbers(topic, "q"), strings(doc_data, doc_offsets), numbers(scores, "d")
    places = [0] * len(docs) if ranks is None else numbers(ranks, "q")
    if not len(topics) == len(docs) == len(values) == len(places):
        raise ValueError("columns of different lengths")
    keys = rules.keys(values, places)
    rows = [row for row, key in enumerate(keys) if key == key]
    rules.sort_tied(rows, docs, places)  # as if all were tied
    rows.sort(key=keys.__getitem__, reverse=True)
    rows += [row for row, key in enumerate(keys) if key != key]
    result, seen = array("q", bytes(8 * len(rows))), dict.fromkeys(topics, 0)
    for row in rows:
        seen[topics[row]] += 1
        result[row] = seen[topics[row]]
    return result
