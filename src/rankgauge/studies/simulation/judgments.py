"""The judgments of topics: the pool, and its subtopics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankgauge.studies.simulation.results import ranking
from rankgauge.studies.simulation.streams import Ints, Kind, Streams, lowest_first
from rankgauge.studies.simulation.systems import STYLES, system
from rankgauge.studies.simulation.topics import Topics


@dataclass(frozen=True)
class Judgments:
    """Judged documents, topic after topic."""

    rows: Ints  # the topic of each
    subtopics: Ints  # from 1, or 0 for the topic as a whole
    documents: Ints
    grades: Ints


def judgments(topics: Topics) -> Judgments:
    """The judged documents by topic and id: relevant ones, and others that systems rank near the top."""
    rows, documents = np.nonzero(_first(topics.relevant))
    grades = topics.grades[rows, documents]
    if topics.nonrelevant.any():
        taken = _first(topics.nonrelevant)
        pool = _pool(topics)[:, : taken.shape[1]][taken]
        rows = np.concatenate((rows, np.nonzero(taken)[0]))
        documents = np.concatenate((documents, pool))
        grades = np.concatenate((grades, np.zeros_like(pool)))
    order = np.lexsort((topics.names(rows, documents), rows))
    return Judgments(rows[order], np.zeros_like(rows), documents[order], grades[order])


def _first(counts: Ints) -> npt.NDArray[np.bool_]:
    """(topics, largest count) true for the first `counts` columns of each row."""
    return np.arange(counts.max(initial=0)) < counts[:, None]


def _pool(topics: Topics) -> Ints:
    """(topics, width) non-relevant documents, by the best rank that any system gives them.

    The pool is made from one system of each style, whichever runs are generated, so more systems change
    neither the judgments nor each other. Documents that the pool overlooks come last.
    """
    sizes, width = topics.sizes, topics.width
    best = np.full((len(topics.numbers), width), width, dtype=np.int64)
    ranks = np.arange(width, dtype=np.int64)
    for number in range(len(STYLES)):
        order = ranking(topics, system(number, sizes.seed))
        np.put_along_axis(best, order, np.minimum(np.take_along_axis(best, order, axis=1), ranks), axis=1)
    overlooked = Streams(sizes.seed, Kind.POOL, topics.numbers).uniform(width) < sizes.unjudged
    best[overlooked] += width
    relevant_or_none = (ranks < topics.wanted[:, None]) | (ranks >= topics.documents[:, None])
    best[relevant_or_none] = 2 * width
    return lowest_first(best)


def subtopic_judgments(topics: Topics) -> Judgments:
    """The judgments by topic, document and subtopic: a document has a grade for every subtopic of its topic.

    A relevant document has its grade for one subtopic, low-numbered ones being the most popular, and for
    each other subtopic, with probability 0.2, some grade up to that.
    """
    judged, most = judgments(topics), topics.sizes.subtopics
    streams = Streams(topics.sizes.seed, Kind.SUBTOPICS, topics.numbers)
    fewest = (most + 1) // 2
    counts = fewest + (streams.uniform(1)[:, 0] * (most - fewest + 1)).astype(np.int64)
    sizes = np.bincount(judged.rows, minlength=len(topics.numbers))
    chances = streams.uniform(int(sizes.max()) * (most + 1)).reshape(len(sizes), -1, most + 1)
    popularity, chance = np.split(chances[_first(sizes)], [1], axis=1)  # a row for each judged document
    main = (popularity[:, 0] * popularity[:, 0] * counts[judged.rows]).astype(np.int64)
    some = 1 + (5.0 * chance * judged.grades[:, None]).astype(np.int64)
    grades = np.where((chance < 0.2) & (judged.grades > 0)[:, None], some, 0)
    grades[np.arange(len(main)), main] = judged.grades
    which, subtopics = np.nonzero(np.arange(most) < counts[judged.rows][:, None])
    return Judgments(judged.rows[which], subtopics + 1, judged.documents[which], grades[which, subtopics])
