"""The results that a system retrieves for topics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rankgauge.studies.simulation.streams import Floats, Ints, Kind, Streams, best_first
from rankgauge.studies.simulation.systems import Style, System
from rankgauge.studies.simulation.topics import Topics

MICRO = 1_000_000  # scores are whole millionths, so that printed scores are exact


@dataclass(frozen=True)
class Results:
    """The documents retrieved for each topic, best first, with their scores in millionths."""

    documents: Ints  # (topics, depth)
    scores: Ints  # (topics, depth)
    lengths: Ints  # (topics,) number of documents retrieved

    @property
    def returned(self) -> npt.NDArray[np.bool_]:
        """(topics, depth) whether a document was retrieved at this rank."""
        return np.arange(self.documents.shape[1]) < self.lengths[:, None]


def results(topics: Topics, system: System) -> Results:
    """The results of the system: none for a missing topic, fewer than the depth for a short one."""
    sizes = topics.sizes
    streams = Streams(sizes.seed, Kind.SCORES, topics.numbers, system.number)
    missing, short, share = streams.uniform(3).T
    lengths = np.where(short < sizes.short, np.maximum(1.0, sizes.depth * share), sizes.depth)
    lengths[missing < sizes.missing] = 0
    return Results(
        ranking(topics, system)[:, : sizes.depth],
        _scores(system.style, sizes.depth, sizes.ties, streams),
        lengths.astype(np.int64),
    )


def ranking(topics: Topics, system: System) -> Ints:
    """(topics, width) all documents of each topic in the order of the system."""
    style = system.style
    streams = Streams(topics.sizes.seed, Kind.RANKING, topics.numbers, system.number)
    mood = 1.0 + style.mood * streams.normal(1)[:, 0]
    leaning = 1.0 + topics.lean * (2.0 * style.lexical - 1.0)
    skill = np.maximum(0.0, system.skill * topics.ease * leaning * mood)
    second = style.second
    again = None if second is None else second.noise * streams.normal(second.depth)
    words, meaning = topics.looks
    match = streams.normal(topics.width)
    match *= style.noise
    match += style.lexical * words
    match += (1.0 - style.lexical) * meaning
    match[:, : topics.worth.shape[1]] += (style.signal * skill)[:, None] * topics.worth
    # No match is as low as −100, so columns beyond a topic's own documents come last.
    match[np.arange(topics.width) >= topics.documents[:, None]] = -100.0
    order = best_first(match)
    if second is not None and again is not None:
        head = order[:, : second.depth]
        worth = np.zeros(match.shape)
        worth[:, : topics.worth.shape[1]] = topics.worth
        again = again[:, : head.shape[1]]
        again += (second.signal * skill)[:, None] * np.take_along_axis(worth, head, axis=1)
        order[:, : second.depth] = np.take_along_axis(head, best_first(again), axis=1)
    return order


def _scores(style: Style, depth: int, ties: float, streams: Streams) -> Ints:
    """(topics, depth) descending scores, falling quickly at first; equal ones are ties."""
    shift = streams.normal(1) * (0.1 * (style.best - style.last))
    chance = streams.uniform(depth)
    falls = (_falls(style, depth) * (0.5 + chance)).astype(np.int64)
    falls += 1
    falls[chance < ties] = 0
    falls[:, 0] = 0
    return ((style.best + shift) * MICRO).astype(np.int64) - np.cumsum(falls, axis=1)


@lru_cache(maxsize=16)
def _falls(style: Style, depth: int) -> Floats:
    """The mean decrease of the score at each rank, in millionths: a hyperbola from best to last."""
    bend = max(1.0, depth / 10.0)
    rank = np.arange(depth, dtype=np.float64)
    span = (style.best - style.last) * MICRO * (depth + bend) / depth
    return span * bend / ((rank + bend) * (rank + bend + 1.0))
