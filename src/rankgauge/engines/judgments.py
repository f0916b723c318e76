"""Judgments prepared for evaluation: by subtopic if a measure needs them, and in blocks of topics."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rankgauge.core.ids import to_text
from rankgauge.errors import InputError
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import BLOCK, Pool, Subtopics, pools
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.qrels import Qrels
from rankgauge.model.subtopics import SubtopicQrels, read_judgments
from rankgauge.schema.text import unknown_name


def judgments_for(measures: Iterable[Measure], qrels: Any, **reading: Any) -> Qrels:
    """The judgments, by subtopic if any measure needs that."""
    by_subtopic = any(measure.spec.needs_subtopics for measure in measures)
    return read_judgments(qrels, by_subtopic=by_subtopic, **reading)


def blocks(qrels: Qrels, lowest: float = -math.inf, block: int = BLOCK) -> Iterator[tuple[int, int, Pool]]:
    """(first topic, last + 1, pool) for each block of topics, with judgments graded `lowest` or higher."""
    grades, starts, kept = qrels.sorted_grades, qrels.starts, qrels.sorted_grades >= lowest
    subtopics = Subtopics(**qrels.by_subtopic).only(kept) if isinstance(qrels, SubtopicQrels) else None
    if not kept.all():
        grades, starts = grades[kept], np.concatenate(([0], np.cumsum(kept)))[starts]
    return pools(grades, starts, qrels.levels, block, subtopics)


def numbers_in_topics(qrels: Qrels, lowest: float = -math.inf) -> Ints | None:
    """(judgments,): the index of each among those of its topic in `blocks`; None without subtopics."""
    if not isinstance(qrels, SubtopicQrels):
        return None
    before: Ints = np.concatenate(([0], np.cumsum(qrels.sorted_grades >= lowest)))
    return before[:-1] - np.repeat(before[qrels.starts[:-1]], np.diff(qrels.starts))


def pool_of_topic(qrels: Qrels, place: int) -> Pool:
    """The pool of one topic, by its index among the judged ones."""
    subtopics = Subtopics(**qrels.by_subtopic) if isinstance(qrels, SubtopicQrels) else None
    return Pool(qrels.sorted_grades, qrels.starts, qrels.levels, subtopics).only(place)


def place_of_topic(topic: Any, qrels: Qrels) -> int:
    """The index of a topic among the judged ones; an error if it is none of them."""
    name = to_text(topic) if isinstance(topic, bytes) else str(topic)
    known = qrels.sorted_topics
    if name not in known:
        raise InputError(unknown_name("topic of the judgments", name, known))
    return known.index(name)
