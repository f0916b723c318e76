"""What if: rankings whose unjudged documents were judged, and rankings without one of their hits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from rankgauge.measures.rankings.array_types import Floats, Ints
from rankgauge.measures.rankings.arrays.curves import Ranking
from rankgauge.measures.rankings.arrays.judged_rankings import JudgedRankings
from rankgauge.measures.rankings.arrays.pools import BLOCK, Pool
from rankgauge.measures.rankings.arrays.ties import TieGroups, Ties


def suppose_best(j: JudgedRankings) -> JudgedRankings:
    """The rankings as if every unjudged document retrieved had been judged, with the highest grade."""
    return suppose_judged(j, float(j.pool.levels[-1]))


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


def without_each(j: JudgedRankings) -> Iterator[JudgedRankings]:
    """The ranking of one topic with an unjudged document in the place of a hit, for each hit in turn.

    The rankings are topics of blocks, so that memory does not grow with the square of a long ranking.
    """
    hits = len(j.rank)
    several = max(1, BLOCK // (hits + len(j.pool.grades)))
    for first in range(0, hits, several):
        places = np.arange(first, min(first + several, hits))
        count = len(places)
        kept = np.arange(hits) != places[:, None]
        hit = np.nonzero(kept)[1]  # the hits of each ranking, by their number in this one
        ties = j.ties and replace(j.ties.only(hit), squares=np.repeat(j.ties.squares, count, axis=0))
        yield j._view(
            starts=np.arange(count + 1) * (hits - 1),
            rank=j.rank[hit],
            grade=j.grade[hit],
            retrieved=np.repeat(j.retrieved, count, axis=0),
            pool=j.pool.repeated(count),
            ties=ties,
            doc=j._docs(hit),
        )


def move_each(j: JudgedRankings, rank: Ints, place: Ints) -> Iterator[JudgedRankings]:
    """The ranking of one topic with the hit at a rank moved to another place, for each pair in turn."""
    for some in _some_of(place, j):
        to, from_ = place[some, None], rank[some, None]
        ranks = np.where(j.rank == from_, to, j.rank + ((j.rank >= to) & (j.rank < from_)))
        ranks = np.where((j.rank > from_) & (j.rank <= to), j.rank - 1, ranks)
        yield _copies(j, ranks, np.broadcast_to(j.grade, ranks.shape), j.doc, 0)


def insert_each(j: JudgedRankings, place: Ints, grade: Floats, doc: Ints) -> Iterator[JudgedRankings]:
    """The ranking of one topic with one more of its judged documents, at a place, for each in turn.

    `doc` is its number among the judged documents of the topic.
    """
    for some in _some_of(place, j):
        to = place[some, None]
        ranks = np.concatenate((j.rank + (j.rank >= to), to), axis=1)
        grades = np.concatenate(
            (np.broadcast_to(j.grade, (len(to), len(j.grade))), grade[some, None]), axis=1
        )
        docs = j.doc
        if docs is not None:
            docs = np.concatenate((np.broadcast_to(docs, (len(to), len(docs))), doc[some, None]), axis=1)
        yield _copies(j, ranks, grades, docs, 1)


def _some_of(places: Ints, j: JudgedRankings) -> Iterator[slice]:
    """Slices, so that memory does not grow with the square of a long ranking."""
    several = max(1, BLOCK // (len(j.rank) + len(j.pool.grades) + 1))
    return (slice(first, first + several) for first in range(0, len(places), several))


def _copies(j: JudgedRankings, ranks: Ints, grades: Floats, docs: Ints | None, more: int) -> JudgedRankings:
    """Copies of a ranking with hits at other ranks (copies, hits), each with so many more documents."""
    count, hits = ranks.shape
    order = np.argsort(ranks, axis=1)
    return j._view(
        starts=np.arange(count + 1) * hits,
        rank=np.take_along_axis(ranks, order, axis=1).ravel(),
        grade=np.take_along_axis(grades, order, axis=1).ravel(),
        retrieved=np.repeat(j.retrieved + more, count, axis=0),
        pool=j.pool.repeated(count),
        longest=max(j.longest, int(j.retrieved[0, 0]) + more),
        doc=None
        if docs is None
        else np.take_along_axis(np.broadcast_to(docs, ranks.shape), order, axis=1).ravel(),
    )
