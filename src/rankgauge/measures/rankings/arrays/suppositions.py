"""Rankings as if their unjudged documents had been judged."""

from __future__ import annotations

import numpy as np

from rankgauge.measures.rankings.array_types import Ints
from rankgauge.measures.rankings.arrays.curves import Ranking
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.measures.rankings.arrays.pools import Pool
from rankgauge.measures.rankings.arrays.ties import TieGroups, Ties


def suppose_judged(j: JudgedRankings, grade: float, depth: int | None = None) -> JudgedRankings:
    """The rankings as if every unjudged document retrieved had been judged, with this grade.

    With a depth, only those among the first `depth` documents; the others stay unjudged.
    """
    retrieved = j.retrieved[:, 0] if depth is None else np.minimum(j.retrieved[:, 0], depth)
    judged = j._only(j.rank <= retrieved[j.topic])
    starts = np.concatenate(([0], np.cumsum(retrieved)))
    grades = np.full(int(starts[-1]), grade)
    grades[starts[judged.topic] + judged.rank - 1] = judged.grade
    rank = np.arange(1, len(grades) + 1) - np.repeat(starts[:-1], retrieved)
    topic = np.repeat(np.arange(len(retrieved)), retrieved)
    doc = _with_new_documents(judged, starts, topic)
    if len(judged.rank) < len(j.rank):  # hits below that depth stay where they are
        below = j.rank > retrieved[j.topic]
        order = np.argsort(np.concatenate((topic, j.topic[below])), kind="stable")
        rank = np.concatenate((rank, j.rank[below]))[order]
        grades = np.concatenate((grades, j.grade[below]))[order]
        if doc is not None and j.doc is not None:
            doc = np.concatenate((doc, j.doc[below]))[order]
        starts = starts + j.starts - judged.starts
    pool = _with_new_judgments(j.pool, retrieved - judged.sizes, grade)
    ties = j.ties and _ties_at(j, j.ties, Ranking(starts, rank))
    return j._view(starts=starts, rank=rank, grade=grades, pool=pool, ties=ties, doc=doc)


def _with_new_judgments(pool: Pool, added: Ints, grade: float) -> Pool:
    """The pool with more judgments of this grade after those of each topic; added (topics,)."""
    ends = np.repeat(pool.starts[1:], added)
    return Pool(
        np.insert(pool.grades, ends, grade),
        pool.starts + np.concatenate(([0], np.cumsum(added))),
        np.union1d(pool.levels, grade),
        pool.subtopics and pool.subtopics.supposing(ends, np.repeat(np.arange(len(added)), added), grade),
    )


def _with_new_documents(j: JudgedRankings, starts: Ints, topic: Ints) -> Ints | None:
    """(ranks,): the documents at all ranks of rankings; starts, topic: of these ranks.

    Documents that are not hits are new: their numbers follow those of the topic's judged documents.
    """
    if j.doc is None:
        return None
    new = np.ones(len(topic), dtype=np.bool_)
    new[starts[j.topic] + j.rank - 1] = False
    counted = np.concatenate(([0], np.cumsum(new)))
    doc: Ints = j.pool.sizes[topic, 0] + counted[:-1] - counted[starts[topic]]
    doc[~new] = j.doc
    return doc


def _ties_at(j: JudgedRankings, ties: Ties, ranking: Ranking) -> Ties:
    """The ties of a ranking with more documents; each new one ties with hits, or with no known document."""
    groups = TieGroups(j, ties)
    deepest = int(max(ranking.rank.max(initial=0), groups.last.max(initial=0))) + 1
    keys = ranking.rank + ranking.topic * deepest
    group = np.searchsorted(groups.first + groups.topic * deepest, keys, "right") - 1
    inside = (group >= 0) & (keys <= np.append(groups.last + groups.topic * deepest, -1)[group])
    score = np.full(len(keys), np.nan)  # the scores of the others are not known
    score[np.searchsorted(keys, j.rank + j.topic * deepest)] = ties.score
    first, last = (np.append(each, 0)[group] for each in (groups.first, groups.last))
    return Ties(
        np.where(inside, first, ranking.rank), np.where(inside, last, ranking.rank), score, ties.squares
    )
