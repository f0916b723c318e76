"""Hits: where the judged documents of a run ended up, for all judged topics in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.curve import Bools, Floats, Ints
from rankgauge.judged import BLOCK, Judged, Pool, Ties


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
    ties: Ties | None = None  # of these hits, where they were asked for; squares are (topics,)

    def within(self, first: int, last: int) -> slice:
        """The hits of a block of topics."""
        return slice(int(self.starts[first]), int(self.starts[last]))

    def only(self, kept: Bools, number: Ints | None = None) -> Hits:
        """Some of the hits, as if the other documents were unjudged; their ranks stay.

        `number` is what judgments are numbered by then, where some of them are left out as well.
        What is known of ties between judged documents stays as it was.
        """
        if kept.all() and number is None:
            return self
        judgment = self.judgment[kept]
        return replace(
            self,
            starts=np.concatenate(([0], np.cumsum(kept)))[self.starts],
            rank=self.rank[kept],
            judgment=judgment if number is None else number[judgment],
            ties=self.ties and self.ties.only(kept),
        )


def longest(runs: Sequence[Hits]) -> int:
    """How many documents the longest list of all these runs has."""
    return max((int(run.retrieved.max(initial=0)) for run in runs), default=0)


def judged(
    runs: Sequence[Hits],
    first: int,
    last: int,
    grades: Floats,
    pool: Pool,
    longest: int | None = None,
    docs: Ints | None = None,
) -> Judged:
    """The rankings of runs on a block of topics, one run after the other; grades: of all judgments.

    `longest` is that of all lists that are evaluated together, where there are more than these.
    Docs: the number of each judgment among those of its topic that are told, for pools with subtopics.
    """
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
        ties=_ties(runs, cuts, slice(first, last)),
        longest=longest,
        doc=None if docs is None else docs[judgments],
    )


def _ties(runs: Sequence[Hits], cuts: Sequence[slice], topics: slice) -> Ties | None:
    told = [run.ties for run in runs if run.ties is not None]
    if len(told) < len(runs):
        return None
    within = list(zip(told, cuts, strict=True))
    return Ties(
        _joined([ties.first[cut] for ties, cut in within]),
        _joined([ties.last[cut] for ties, cut in within]),
        _joined([ties.score[cut] for ties, cut in within]),
        _joined([ties.squares[topics] for ties in told])[:, None],
    )


def batches(runs: Sequence[Hits], first: int, last: int, pool: Pool) -> Iterator[slice]:
    """Runs in batches to be measured at once: most of a NumPy call on a small array is the call itself."""
    cuts = (run.within(first, last) for run in runs)
    most = max(len(pool.grades), *(cut.stop - cut.start for cut in cuts), 1)
    size = max(1, BLOCK // most)
    return (slice(begin, begin + size) for begin in range(0, len(runs), size))


def _joined(parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def gathered(parts: Sequence[Mapping[str, Any]], topics: int) -> Hits | None:
    """The hits of a run read in parts; None if a topic was in more than one of them."""
    columns = core.gather_hits([*parts], topics)
    if columns is None:
        return None

    def ints(name: str) -> Ints:
        return np.frombuffer(columns[name], dtype=np.int64)

    def floats(name: str) -> Floats:
        return np.frombuffer(columns[name], dtype=np.float64)

    ties = None
    if "first" in columns:
        ties = Ties(ints("first"), ints("last"), floats("score"), floats("squares"))
    return Hits(
        retrieved=ints("retrieved"),
        tied=ints("tied"),
        decisive=ints("decisive"),
        starts=ints("starts"),
        rank=ints("rank"),
        judgment=ints("judgment"),
        unjudged_topics=columns["unjudged_topics"],
        dropped=columns["dropped"],
        ties=ties,
    )
