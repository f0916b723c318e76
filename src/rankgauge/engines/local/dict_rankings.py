"""Judged rankings of runs that are dicts, such as the results of one query, run after run.

For a few topics, they are made of Python's own numbers: NumPy's calls on arrays of some documents would take
most of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge.core.buffers import numbers
from rankgauge.core.ids import to_text
from rankgauge.engines.assembly import assemble, gather_retrieved, longest, numbers_in_topics
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.formats.row_reader import identifier
from rankgauge.measures.rankings import arrays, scalars
from rankgauge.measures.rankings.vector import Vector

# Up to so many hits, measuring topics one by one is faster than NumPy. A topic costs as much as some hits.
FEW_HITS = 500
HITS_PER_TOPIC = 150


class DictRankings:
    """The judged rankings of runs {topic: {document: score}}, without judgments below `lowest_grade`.

    `blocks` are those of its topics. With `scalar`, those of a few topics are of the back end `scalars`, a
    topic each.
    """

    def __init__(
        self,
        engine: LocalEngine,
        lowest_grade: float,
        blocks: Sequence[tuple[int, int, arrays.Pool]],
        *,
        scalar: bool = True,
    ) -> None:
        self._engine, self._lowest, self.scalar = engine, lowest_grade, scalar
        self._blocks = blocks
        self._grades = np.ascontiguousarray(engine.qrels.sorted_grades).data
        self._levels = Vector(engine.qrels.levels.tolist())
        self._docs = numbers_in_topics(engine.qrels, lowest_grade)
        self._numbers = {topic: number for number, topic in enumerate(engine.qrels.sorted_topics)}
        self._pools: dict[int, scalars.Pool] = {}

    def judged(self, run: Mapping[Any, Any]) -> dict[Any, int]:
        """{topic: its number} for the judged topics of a run."""
        known = self._numbers
        if {*map(type, run)} <= {str}:
            return {topic: known[topic] for topic in run if topic in known}
        ids = {topic: identifier(topic) for topic in run}
        texts = {topic: to_text(id) for topic, id in ids.items() if id is not None}
        return {topic: known[text] for topic, text in texts.items() if text in known}

    def of(self, run: Any, topics: Sequence[int]) -> Iterable[Any]:
        """The judged rankings of some topics, by ascending numbers, in parts."""
        retrieved, columns = None, self._engine.hits(run)
        if columns is None:
            retrieved = self._engine.retrieve(run)
            found = np.array(topics, dtype=np.int64)  # no other topic has hits
            starts = np.append(retrieved.starts[found], len(retrieved.rank))
            of_found = {"topic": found, "starts": starts, "retrieved": retrieved.retrieved[found]}
            columns = {**vars(retrieved), **of_found}
        hits = memoryview(columns["rank"]).nbytes // 8
        if self.scalar and hits + HITS_PER_TOPIC * len(topics) <= FEW_HITS:
            return self._one_by_one(columns, topics)
        if retrieved is None:
            retrieved = gather_retrieved([columns], len(self._engine.qrels.sorted_topics))
        assert retrieved is not None  # the topics of a dict are whole
        return self._in_blocks(retrieved, np.array(topics))

    def _one_by_one(self, columns: Mapping[str, Any], topics: Sequence[int]) -> list[scalars.JudgedRankings]:
        names = "topic", "starts", "retrieved", "rank", "judgment"
        found, starts, retrieved, rank, judgment = [numbers(columns[name], "q") for name in names]
        places = dict(zip(found, range(len(found)), strict=True))
        rankings = []
        for topic in topics:
            place = places.get(topic)  # None if there are no results
            begin, end = (0, 0) if place is None else (starts[place], starts[place + 1])
            rankings.append(
                scalars.JudgedRankings(
                    starts=[0, end - begin],
                    rank=Vector(rank[begin:end]),
                    grade=Vector(map(self._grades.__getitem__, judgment[begin:end])),
                    retrieved=Vector((0 if place is None else retrieved[place],)),
                    pool=self._pools.get(topic) or self._pool(topic),
                )
            )
        return rankings

    def _pool(self, topic: int) -> scalars.Pool:
        begin, end = self._engine.qrels.starts[topic : topic + 2].tolist()
        used = Vector(grade for grade in self._grades[begin:end] if grade >= self._lowest)
        pool = self._pools[topic] = scalars.Pool(used, [0, len(used)], self._levels)
        return pool

    def _in_blocks(self, retrieved: RetrievedJudgments, topics: Any) -> Iterator[arrays.JudgedRankings]:
        for first, last, pool in self._blocks:
            begin, end = np.searchsorted(topics, (first, last))
            if begin < end:
                grades, most = self._engine.qrels.sorted_grades, longest([retrieved])
                judged = assemble([retrieved], first, last, grades, pool, most, self._docs)
                if end - begin < last - first:
                    judged = judged.of_topics(topics[begin:end] - first)
                yield judged
                judged.forget()
                if judged.pool is not pool:
                    judged.pool.forget()
