"""Judged rankings, assembled from judgments and the retrieved judgments of runs in blocks of topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import BLOCK, JudgedRankings, Pool, Subtopics, Ties, pools
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels, read_judgments


def longest(runs: Sequence[RetrievedJudgments]) -> int:
    """The length of the longest list in any of these runs."""
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
    """The judged rankings of runs on a block of topics, one run after the other.

    `grades` has the grade of every judgment, `longest` the length of the longest list if other runs are
    evaluated as well, and `docs` the index of each judgment within its topic (`numbers_in_topics`).
    """
    cuts = [run.within(first, last) for run in runs]
    begins = np.cumsum([0] + [cut.stop - cut.start for cut in cuts])
    starts = [run.starts[first:last] - cut.start for run, cut in zip(runs, cuts, strict=True)]
    judgments = _joined([run.judgment[cut] for run, cut in zip(runs, cuts, strict=True)])
    return JudgedRankings(
        starts=np.append((np.array(starts) + begins[:-1, None]).ravel(), begins[-1]),
        rank=_widened([run.rank[cut] for run, cut in zip(runs, cuts, strict=True)]),
        grade=grades[judgments],
        retrieved=_joined([run.retrieved[first:last] for run in runs])[:, None],
        pool=pool.repeated(len(runs)),
        ties=_ties(runs, cuts, slice(first, last)),
        longest=longest,
        doc=None if docs is None else docs[judgments],
    )


def _ties(runs: Sequence[RetrievedJudgments], cuts: Sequence[slice], topics: slice) -> Ties | None:
    ties = [run.ties for run in runs if run.ties is not None]
    if len(ties) < len(runs):
        return None
    parts = list(zip(ties, cuts, strict=True))
    return Ties(
        _widened([part.first[cut] for part, cut in parts]),
        _widened([part.last[cut] for part, cut in parts]),
        _joined([part.score[cut] for part, cut in parts]),
        _joined([part.squares[topics] for part in ties])[:, None],
    )


def batches(runs: Sequence[RetrievedJudgments], first: int, last: int, pool: Pool) -> Iterator[slice]:
    """Batches of runs to measure at once, so that NumPy's calls are worth it."""
    cuts = (run.within(first, last) for run in runs)
    most = max(len(pool.grades), *(cut.stop - cut.start for cut in cuts), 1)
    size = max(1, BLOCK // most)
    return (slice(begin, begin + size) for begin in range(0, len(runs), size))


def _joined(parts: Sequence[Any]) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _widened(parts: Sequence[Ints]) -> Ints:
    if len(parts) == 1:
        return parts[0].astype(np.int64, copy=False)
    return np.concatenate(parts, dtype=np.int64)


def gather_retrieved(parts: Sequence[Mapping[str, Any]], topics: int) -> RetrievedJudgments | None:
    """The retrieved judgments of a run read in parts; None if parts share a topic."""
    columns = core.gather_hits([*parts], topics)
    if columns is None:
        return None

    def ints(column: Any) -> Ints:
        return np.frombuffer(column, dtype=np.int64)

    ties = None
    if "first" in columns:
        score, squares = (np.frombuffer(columns[name], dtype=np.float64) for name in ("score", "squares"))
        ties = Ties(ints(columns["first"]), ints(columns["last"]), score, squares)
    return RetrievedJudgments.of(columns, ints, ties)


def judgments_for(measures: Iterable[Measure], qrels: Any, **reading: Any) -> Qrels:
    """The judgments, by subtopic if any measure needs that."""
    by_subtopic = any(measure.spec.needs.subtopics for measure in measures)
    return read_judgments(qrels, by_subtopic=by_subtopic, **reading)


def blocks(qrels: Qrels, lowest: float = -math.inf, block: int = BLOCK) -> Iterator[tuple[int, int, Pool]]:
    """(first topic, last + 1, pool) of blocks of topics, of judgments graded `lowest` or higher."""
    grades, starts, kept = qrels.sorted_grades, qrels.starts, qrels.sorted_grades >= lowest
    subtopics = Subtopics(**qrels.by_subtopic).only(kept) if isinstance(qrels, SubtopicQrels) else None
    if not kept.all():
        grades, starts = grades[kept], np.concatenate(([0], np.cumsum(kept)))[starts]
    return pools(grades, starts, qrels.levels, block, subtopics)


def numbers_in_topics(qrels: Qrels, lowest: float = -math.inf) -> Ints | None:
    """(judgments,): the index of each within its topic; None without subtopics."""
    if not isinstance(qrels, SubtopicQrels):
        return None
    before: Ints = np.concatenate(([0], np.cumsum(qrels.sorted_grades >= lowest)))
    return before[:-1] - np.repeat(before[qrels.starts[:-1]], np.diff(qrels.starts))


def pool_of_topic(qrels: Qrels, place: int) -> Pool:
    """The pool of one judged topic, by its index."""
    subtopics = Subtopics(**qrels.by_subtopic) if isinstance(qrels, SubtopicQrels) else None
    return Pool(qrels.sorted_grades, qrels.starts, qrels.levels, subtopics).only(place)
