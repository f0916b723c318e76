"""Hits: where the judged documents of a run ended up, for all judged topics in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.curve import Floats, Ints
from rankgauge.judged import Judged, Pool


@dataclass(frozen=True)
class Hits:
    """The judged documents one run retrieved. Topics are those of the judgments, sorted."""

    retrieved: Ints  # (topics,) 0 for a topic without results
    tied: Ints  # (topics,) documents that tie with a judged one
    decisive: Ints  # (topics,) ties that could change a score
    starts: Ints  # (topics + 1,)
    rank: Ints  # (hits,) ascending within a topic
    judgment: Ints  # (hits,) number of the judgment
    unjudged_topics: int  # topics of the run that have no judgments
    dropped: int = 0  # duplicates left out

    def judged(self, first: int, last: int, grades: Floats, pool: Pool) -> Judged:
        """The judged rankings of a block of topics; grades are those of all judgments."""
        begin, end = self.starts[first], self.starts[last]
        return Judged(
            starts=self.starts[first : last + 1] - begin,
            rank=self.rank[begin:end],
            grade=grades[self.judgment[begin:end]],
            retrieved=self.retrieved[first:last, None],
            pool=pool,
        )


def gathered(parts: Sequence[Mapping[str, Any]], topics: int) -> Hits | None:
    """The hits of a run read in parts; None if a topic was in more than one of them."""
    numbers = {
        name: np.concatenate([np.frombuffer(part[name], dtype=np.int64) for part in parts])
        for name in ("topic", "retrieved", "tied", "decisive", "rank", "judgment")
    }
    topic = numbers["topic"]
    if (np.bincount(topic, minlength=topics) > 1).any():
        return None
    sizes = np.concatenate([np.diff(np.frombuffer(part["starts"], dtype=np.int64)) for part in parts])

    def by_topic(values: Ints) -> Ints:
        placed = np.zeros(topics, dtype=np.int64)
        placed[topic] = values
        return placed

    starts = np.concatenate(([0], np.cumsum(by_topic(sizes))))
    rank, judgment = numbers["rank"], numbers["judgment"]
    if (np.diff(topic) < 0).any():  # topics of the file come in another order than ours
        place = np.arange(len(rank)) + np.repeat(starts[topic] - (np.cumsum(sizes) - sizes), sizes)
        rank, judgment = _scattered(rank, place), _scattered(judgment, place)
    return Hits(
        retrieved=by_topic(numbers["retrieved"]),
        tied=by_topic(numbers["tied"]),
        decisive=by_topic(numbers["decisive"]),
        starts=starts,
        rank=rank,
        judgment=judgment,
        unjudged_topics=sum(part["unjudged_topics"] for part in parts),
        dropped=sum(part["dropped"] for part in parts),
    )


def _scattered(values: Ints, places: Ints) -> Ints:
    moved = np.empty_like(values)
    moved[places] = values
    return moved
