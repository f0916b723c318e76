"""The systems of a simulated campaign, their results, and the judgments pooled from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rankgauge.extensions.studies.simulation.topics import (
    Floats,
    Ints,
    Kind,
    Streams,
    Topics,
    best_first,
    lowest_first,
)

MICRO = 1_000_000  # scores are whole millionths, so that printed scores are exact


@dataclass(frozen=True)
class SecondStage:
    """Re-ranking of the first documents of a list."""

    depth: int
    signal: float
    noise: float


@dataclass(frozen=True)
class Style:
    """A kind of retrieval system.

    A system scores a document by a lexical and a semantic match, shared with other systems, and an error of
    its own. `signal` is how far it raises a relevant document, in standard deviations, and `mood` how much
    the signal varies between topics.
    """

    name: str
    lexical: float  # weight of the lexical match; the rest is semantic
    signal: float
    noise: float
    mood: float
    best: float  # scores of a typical first and last document
    last: float
    second: SecondStage | None = None


STYLES = (
    Style("bm25", lexical=1.0, signal=2.8, noise=0.3, mood=0.1, best=24.0, last=7.5),
    Style("dense", lexical=0.1, signal=3.1, noise=0.4, mood=0.2, best=0.86, last=0.58),
    Style("hybrid", lexical=0.5, signal=3.0, noise=0.4, mood=0.1, best=0.97, last=0.35),
    # Strong at the top: logits of a cross-encoder over the first documents of a lexical list.
    Style(
        "rerank",
        lexical=0.8,
        signal=2.9,
        noise=0.3,
        mood=0.1,
        best=9.0,
        last=-10.5,
        second=SecondStage(100, signal=2.3, noise=0.7),
    ),
    # High recall, weak at the top: an expanded query finds more and discriminates less.
    Style(
        "rm3",
        lexical=0.7,
        signal=3.4,
        noise=0.2,
        mood=0.1,
        best=-4.2,
        last=-8.1,
        second=SecondStage(40, signal=0.9, noise=1.0),
    ),
    # Erratic: a rewritten query helps one topic and misses the next.
    Style("rewrite", lexical=0.3, signal=2.9, noise=0.4, mood=0.6, best=88.0, last=64.0),
)


@dataclass(frozen=True)
class System:
    """One system of a campaign."""

    number: int
    name: str
    style: Style
    skill: float  # factor of the style's signal


def system(number: int, seed: int) -> System:
    """The system of this number: bm25, dense, …, rewrite, then bm25-2, dense-2, …"""
    variant, place = divmod(number, len(STYLES))
    style = STYLES[place]
    if variant == 0:
        return System(number, style.name, style, skill=1.0)
    skill = 1.0 + 0.12 * float(Streams(seed, Kind.SYSTEM, [number]).normal(1)[0, 0])
    return System(number, f"{style.name}-{variant + 1}", style, skill)


@dataclass(frozen=True)
class Results:
    """The documents retrieved for each topic, best first, with scores in millionths."""

    documents: Ints  # (topics, depth)
    scores: Ints  # (topics, depth)
    lengths: Ints  # (topics,) number of documents retrieved

    @property
    def returned(self) -> npt.NDArray[np.bool_]:
        """(topics, depth) whether a document was retrieved at this rank."""
        return np.arange(self.documents.shape[1]) < self.lengths[:, None]


def results(topics: Topics, system: System) -> Results:
    """The results of the system; fewer than the depth for a short topic, none for a missing one."""
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


@dataclass(frozen=True)
class Judgments:
    """Judged documents, topic after topic."""

    rows: Ints  # the topic of each
    subtopics: Ints  # from 1, or 0 for the topic as a whole
    documents: Ints
    grades: Ints


def judgments(topics: Topics) -> Judgments:
    """Judged documents by topic and id: relevant ones, and others that systems rank near the top."""
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

    One system of each style makes the pool, so more systems change neither the judgments nor each other.
    Documents that the pool overlooks come last.
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

    A relevant document has its grade for one subtopic, low-numbered ones being the most popular, and for each
    other subtopic, with probability 0.2, some grade up to that.
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
