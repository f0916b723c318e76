"""Judged rankings of runs that are dicts, such as the results of one query, run after run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from rankgauge.core.ids import to_text
from rankgauge.engines.assembly import assemble, longest, numbers_in_topics
from rankgauge.engines.local.engine import LocalEngine
from rankgauge.formats.row_reader import identifier
from rankgauge.measures.rankings.arrays import JudgedRankings, Pool


class DictRankings:
    """The judged rankings of runs {topic: {document: score}}, without judgments below `lowest_grade`.

    `blocks` are those of its topics.
    """

    def __init__(
        self, engine: LocalEngine, lowest_grade: float, blocks: Sequence[tuple[int, int, Pool]]
    ) -> None:
        self._engine, self._blocks = engine, blocks
        self._docs = numbers_in_topics(engine.qrels, lowest_grade)
        self._numbers = {topic: number for number, topic in enumerate(engine.qrels.sorted_topics)}

    def judged(self, run: Mapping[Any, Any]) -> dict[Any, int]:
        """{topic: its number} for the judged topics of a run."""
        known = self._numbers
        if {*map(type, run)} <= {str}:
            return {topic: known[topic] for topic in run if topic in known}
        ids = {topic: identifier(topic) for topic in run}
        texts = {topic: to_text(id) for topic, id in ids.items() if id is not None}
        return {topic: known[text] for topic, text in texts.items() if text in known}

    def of(self, run: Any, topics: Sequence[int]) -> Iterator[JudgedRankings]:
        """The judged rankings of some topics, by ascending numbers, in parts."""
        retrieved, wanted = self._engine.retrieve(run), np.array(topics, dtype=np.int64)
        for first, last, pool in self._blocks:
            begin, end = np.searchsorted(wanted, (first, last))
            if begin < end:
                grades, most = self._engine.qrels.sorted_grades, longest([retrieved])
                judged = assemble([retrieved], first, last, grades, pool, most, self._docs)
                if end - begin < last - first:
                    judged = judged.of_topics(wanted[begin:end] - first)
                yield judged
                judged.forget()
                if judged.pool is not pool:
                    judged.pool.forget()
