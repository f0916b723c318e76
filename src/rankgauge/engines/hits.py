"""Hits: where the judged documents of a run ended up, for all judged topics in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.curve import Floats, Ints
from rankgauge.judged import BLOCK, Judged, Pool


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

    def within(self, first: int, last: int) -> slice:
        """The hits of a block of topics."""
        return slice(int(self.starts[first]), int(self.starts[last]))


def judged(runs: Sequence[Hits], first: int, last: int, grades: Floats, pool: Pool) -> Judged:
    """The rankings of runs on a block of topics, one run after the other; grades: of all judgments."""
    cuts = [run.within(first, last) for run in runs]
    begins = np.cumsum([0] + [cut.stop - cut.start for cut in cuts])
    starts = [run.starts[first:last] - cut.start for run, cut in zip(runs, cuts, strict=True)]
    judgments = _joined([run.judgment[cut] for run, cut in zip(runs, cuts, strict=True)])
    return Judged(
        starts=np.append((np.array(starts) + begins[:-1, None]).ravel(), begins[-1]),
        rank=_joined([run.rank[cut] for run, cut in zip(runs, cuts, strict=True)]),
        grade=grades[judgments],
        retrieved=_joined([run.retrieved[first:last] for run in runs])[:, None],
        pool=pool.repeated(len(runs)),
    )


def batches(runs: Sequence[Hits], first: int, last: int, pool: Pool) -> Iterator[slice]:
    """Runs in batches to be measured at once: most of a NumPy call on a small array is the call itself."""
    cuts = (run.within(first, last) for run in runs)
    most = max(len(pool.grades), *(cut.stop - cut.start for cut in cuts), 1)
    size = max(1, BLOCK // most)
    return (slice(begin, begin + size) for begin in range(0, len(runs), size))


def _joined(parts: Sequence[Ints]) -> Ints:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


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
