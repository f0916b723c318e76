"""From the retrieved judgments of runs to judged rankings, a block of topics at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.rankings.arrays import BLOCK, JudgedRankings, Pool, Ties
from rankgauge.rankings.arrays.curves import Floats, Ints


def longest(runs: Sequence[RetrievedJudgments]) -> int:
    """How many documents the longest list of all these runs has."""
    return max((int(run.retrieved.max(initial=0)) for run in runs), default=0)


def assemble(
    runs: Sequence[RetrievedJudgments],
    first: int,
    last: int,
    grades: Floats,
    pool: Pool,
    longest: int | None = None,
    docs: Ints | None = None,
) -> JudgedRankings:
    """The rankings of runs on a block of topics, one run after the other; grades: of all judgments.

    `longest` is that of all lists that are evaluated together, where there are more than these.
    Docs: the number of each judgment among those of its topic that are told, for pools with subtopics.
    """
    cuts = [run.within(first, last) for run in runs]
    begins = np.cumsum([0] + [cut.stop - cut.start for cut in cuts])
    starts = [run.starts[first:last] - cut.start for run, cut in zip(runs, cuts, strict=True)]
    judgments = _joined([run.judgment[cut] for run, cut in zip(runs, cuts, strict=True)])
    return JudgedRankings(
        starts=np.append((np.array(starts) + begins[:-1, None]).ravel(), begins[-1]),
        rank=_joined([run.rank[cut] for run, cut in zip(runs, cuts, strict=True)]),
        grade=grades[judgments],
        retrieved=_joined([run.retrieved[first:last] for run in runs])[:, None],
        pool=pool.repeated(len(runs)),
        ties=_ties(runs, cuts, slice(first, last)),
        longest=longest,
        doc=None if docs is None else docs[judgments],
    )


def _ties(runs: Sequence[RetrievedJudgments], cuts: Sequence[slice], topics: slice) -> Ties | None:
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


def batches(runs: Sequence[RetrievedJudgments], first: int, last: int, pool: Pool) -> Iterator[slice]:
    """Runs in batches to be measured at once: most of a NumPy call on a small array is the call itself."""
    cuts = (run.within(first, last) for run in runs)
    most = max(len(pool.grades), *(cut.stop - cut.start for cut in cuts), 1)
    size = max(1, BLOCK // most)
    return (slice(begin, begin + size) for begin in range(0, len(runs), size))


def _joined(parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def gather_retrieved(parts: Sequence[Mapping[str, Any]], topics: int) -> RetrievedJudgments | None:
    """The retrieved judgments of a run read in parts; None if a topic was in more than one of them."""
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
    return RetrievedJudgments(
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
