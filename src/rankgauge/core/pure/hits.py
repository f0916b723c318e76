"""Hits of several joins in the order of the judgments."""

from __future__ import annotations

from array import array
from typing import Any

from rankgauge.core.buffers import numbers, offsets

# The columns that joins return, and the type code of each.
TOPIC_COLUMNS: dict[str, Any] = {"retrieved": "q", "tied": "q", "decisive": "q", "squares": "d"}
HIT_COLUMNS: dict[str, Any] = {"rank": "q", "judgment": "q", "first": "q", "last": "q", "score": "d"}
DETAIL = ("squares", "first", "last", "score")  # only in the results of joins with detail
TOTALS = ("unjudged_topics", "rows", "dropped")


def gather_hits(results: list[dict[str, Any]], topics: int) -> dict[str, Any] | None:
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


def _has_unjudged_twice(results: list[dict[str, Any]]) -> bool:
    """Whether a topic without judgments is in several parts; equal hashes are taken for equal topics."""
    seen: set[int] = set()
    for part in results:
        hashes = numbers(part["unjudged_hashes"], "q")
        if not seen.isdisjoint(hashes):
            return True
        seen.update(hashes)
    return False
