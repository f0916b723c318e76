"""The bounds of propositions 1 to 3 of the Twist paper, for the topics of a collection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.model.qrels import Qrels
from rankgauge.studies.effort.references import list_length, relevant


@dataclass(frozen=True)
class Bounds:
    """The bounds of one topic, which its full-scale run reaches."""

    topic: str
    base: int  # R, the number of relevant documents
    N: int
    least_rp: int  # of any document of any run (proposition 1)
    most_rp: int
    least_crp: int  # of any run at any rank (proposition 2)
    most_crp: int  # that of the full-scale run at N
    most_crp_holds: bool  # whether no run can exceed it: for N ≥ 3 R - 1; below that, some may
    most_recovery: float | None  # of the full-scale run (proposition 3, with ≤); None unless N ≥ 3 R


def bounds(qrels: Any, N: int | None = None, *, rel: float = 1.0) -> list[Bounds]:
    """The bounds of RP, CRP and of the full-scale run's recovery ratio, for topics with relevant documents.

    N is at least, and by default, twice the largest number of relevant documents of a topic.

    >>> bounds({"q": {"a": 1, "b": 2}}, 6)[0].most_crp
    5
    """
    judged = Qrels.of(qrels)
    places = relevant(judged, rel)
    length = list_length(places, N, 2, "a full-scale run")
    rows = []
    for topic, documents in zip(judged.sorted_topics, places, strict=True):
        base = len(documents)
        if not base:
            continue
        _, counts = np.unique(-judged.sorted_grades[documents], return_counts=True)  # the best degree first
        last = np.cumsum(counts)  # the last rank of each degree in the ideal ranking
        rows.append(
            Bounds(
                topic,
                base,
                length,
                least_rp=-base,
                most_rp=length - int(last[0]),
                least_crp=-base * (base + 1) // 2,
                most_crp=base * (length - base) - int((counts * last).sum()),
                most_crp_holds=length >= 3 * base - 1,
                most_recovery=0.5 if length >= 3 * base else None,
            )
        )
    return rows
