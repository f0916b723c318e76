"""The parameters of a simulated campaign, its topics, and the random numbers it is made from.

Random numbers are the same on every machine and with every version of NumPy: they use only the raw bits of
PCG64 and arithmetic whose rounding IEEE 754 defines: no logarithms, no powers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.random.bit_generator import ISeedSequence

from rankgauge.errors import OptionError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]

INDEX_BITS = 24  # log2 of the number of documents a topic can have
_INDEX = np.uint64(2**INDEX_BITS - 1)
_BYTES = np.uint64(0x00FF00FF_00FF00FF)
_PAIRS = np.uint64(0x0000FFFF_0000FFFF)


class Kind(IntEnum):
    """The purpose of a stream."""

    TOPIC = 0
    LOOKS = 1
    SYSTEM = 2
    RANKING = 3
    SCORES = 4
    POOL = 5
    SUBTOPICS = 6
    LINES = 7
    BUCKETS = 8


class _Place(ISeedSequence):
    """Seeds a generator with a hash of its place; NumPy's SeedSequence is ten times slower."""

    def __init__(self, *place: int) -> None:
        text = ",".join(map(str, place)).encode()
        self._state = np.frombuffer(hashlib.blake2b(text, digest_size=32).digest(), dtype="<u8")

    def generate_state(self, n_words: int, dtype: object = np.uint64) -> Bits:
        """The four words of state that PCG64 needs."""
        return self._state.astype(np.uint64)


class Streams:
    """Random numbers for several places (usually topics), one row each.

    The stream of a place depends on the seed, the kind and the place. The beginning of a row does not depend
    on how many numbers are drawn, so rows of unequal length can be drawn to the longest, if nothing is drawn
    after that.
    """

    def __init__(self, seed: int, kind: Kind, places: Iterable[int], *within: int) -> None:
        # NumPy's annotations allow only SeedSequence, its documentation any ISeedSequence.
        seeds: list[Any] = [_Place(seed, int(kind), *within, place) for place in places]
        self._rows = [np.random.PCG64(place) for place in seeds]

    def bits(self, count: int) -> Bits:
        """(places, count) numbers of 64 random bits."""
        bits = np.empty((len(self._rows), count), dtype=np.uint64)
        for row, generator in zip(bits, self._rows, strict=True):
            row[:] = generator.random_raw(count)
        return bits

    def uniform(self, count: int) -> Floats:
        """(places, count) numbers from 0 to below 1."""
        return _halves(self.bits((count + 1) // 2))[:, :count].astype(np.float64) * 2.0**-32

    def normal(self, count: int) -> Floats:
        """(places, count) nearly normal numbers with mean 0 and variance 1, all within ±3.46."""
        bits = self.bits((count + 1) // 2)
        twos = (bits & _BYTES) + ((bits >> np.uint64(8)) & _BYTES)
        fours = (twos & _PAIRS) + ((twos >> np.uint64(16)) & _PAIRS)
        # The sum of four numbers from 0 to 255 has mean 510 and variance 4·(256² − 1)/12.
        normal = _halves(fours)[:, :count].astype(np.float64)
        normal -= 510.0
        normal *= 1.0 / 147.801
        return normal

    def permutation(self, count: int) -> Ints:
        """(places, count) the numbers from 0 to count − 1, in random order."""
        keys: Bits = self.bits(count) & ~_INDEX
        keys |= np.arange(count, dtype=np.uint64)
        keys.sort(axis=1)
        keys &= _INDEX
        return keys.astype(np.int64)


def _halves(bits: Bits) -> npt.NDArray[np.uint32]:
    """32-bit numbers, two from each of 64 bits, low before high on every machine."""
    return bits.astype("<u8", copy=False).view("<u4")


def lowest_first(values: Ints) -> Ints:
    """(rows, columns) the indices that sort each row, lowest first.

    The index is in the low bits of the key: all keys differ, and any sorting algorithm gives the same order.
    """
    keys = values << INDEX_BITS
    keys |= np.arange(values.shape[1], dtype=np.int64)
    keys.sort(axis=1)
    keys &= np.int64(_INDEX)
    return keys


def best_first(values: Floats) -> Ints:
    """(rows, columns) the indices that sort each row, highest first."""
    return lowest_first((values * -65536.0).astype(np.int64))


FULL_POOL = 200.0
LIMITS: dict[str, tuple[str, float, float]] = {
    "topics": ("a whole number", 1, 5_000_000),
    "depth": ("a whole number", 1, 1_000_000),
    "systems": ("a whole number", 1, 10_000),
    "grades": ("a whole number", 1, 9),
    "subtopics": ("a whole number", 0, 99),
    "seed": ("a whole number", 0, 2**63 - 1),
    "judged": ("a number", 0.1, 100_000),
    "ties": ("a number", 0, 1),
    "missing": ("a number", 0, 1),
    "short": ("a number", 0, 1),
    "unjudged": ("a number", 0, 0.9),  # with everything unjudged, nothing could be evaluated
}
_BATCH = 40_000  # documents
_COLLECTION = np.uint32(2**INDEX_BITS - 1)


@dataclass(frozen=True)
class Sizes:
    """The parameters of a campaign, documented in `simulate`."""

    topics: int
    depth: int
    systems: int
    judged: float
    grades: int
    ties: float
    subtopics: int
    missing: float
    short: float
    unjudged: float
    seed: int

    def __post_init__(self) -> None:
        for name, (kind, least, most) in LIMITS.items():
            value = getattr(self, name)
            types = int if kind == "a whole number" else (int, float)
            if isinstance(value, bool) or not isinstance(value, types) or not least <= value <= most:
                raise OptionError(f"{name} must be {kind} from {least:,} to {most:,}, not {value!r}")

    @property
    def relevant(self) -> float:
        """The mean number of relevant documents per topic.

        A few judgments are all of relevant documents, as in MS MARCO. The deeper the pool, the smaller their
        share: of 200 judged documents 32 are relevant, of 1000, 71.
        """
        return min(self.judged, math.sqrt(5.0 * self.judged))

    def batches(self) -> Iterator[range]:
        """The numbers of the topics, in batches that fit into the cache."""
        step = max(1, _BATCH // (self.depth + int(self.judged) + 1))
        return (range(start, min(start + step, self.topics)) for start in range(0, self.topics, step))

    def topic_id(self, number: int) -> str:
        """The id of a topic: three digits in a small campaign, seven in a large one."""
        return str((101 if self.topics < 900 else 1_000_001) + number)


class Topics:
    """Properties of topics that do not depend on a system, one row per topic.

    Documents are numbered from 0: judged relevant, unjudged relevant, then others. Rows are as wide as the
    topic with most documents; columns beyond a topic's own are not used.
    """

    def __init__(self, sizes: Sizes, numbers: range) -> None:
        self.sizes = sizes
        self.numbers = numbers
        self.ids = [sizes.topic_id(number) for number in numbers]
        streams = Streams(sizes.seed, Kind.TOPIC, numbers)
        skew, spread, ease, lean = streams.normal(4).T
        chance = streams.uniform(4).T
        self.relevant = _relevant(sizes.relevant, skew, chance[0])  # (topics,) judged
        share = max(0.0, sizes.judged - sizes.relevant)
        self.nonrelevant = (share * (1.0 + 0.25 * spread) + chance[1]).astype(np.int64)
        overlooked = self.relevant * (sizes.unjudged / (1.0 - sizes.unjudged))
        self.wanted = self.relevant + (overlooked + chance[2]).astype(np.int64)  # relevant, judged or not
        self.documents = self.wanted + self.nonrelevant + sizes.depth + sizes.depth // 2
        self.ease = np.maximum(0.2, 1.0 + 0.3 * ease)
        self.lean = 0.2 * lean  # above 0: lexical matching helps more than semantic matching
        self._first = (chance[3] * 2**INDEX_BITS).astype(np.uint32)
        chances = streams.uniform(2 * self.wanted.max(initial=0)).reshape(len(numbers), -1, 2)
        self.grades = _grades(chances[:, :, 0], sizes.grades)  # (topics, most wanted)
        self.grades[np.arange(self.grades.shape[1]) >= self.wanted[:, None]] = 0
        self.worth = _worth(chances[:, :, 1], self.grades / sizes.grades)

    @property
    def width(self) -> int:
        """The largest number of documents of a topic."""
        return int(self.documents.max())

    @cached_property
    def looks(self) -> tuple[Floats, Floats]:
        """The lexical and the semantic match of each document with its topic, apart from relevance."""
        pairs = Streams(self.sizes.seed, Kind.LOOKS, self.numbers).normal(2 * self.width)
        return pairs[:, ::2], pairs[:, 1::2]

    def names(self, rows: Ints, documents: Ints) -> Ints:
        """The numbers of documents in the collection, in an order that reveals nothing.

        Each step is invertible, which keeps the documents of a topic distinct without storing any.
        """
        name: npt.NDArray[np.uint32] = documents.astype(np.uint32) + self._first[rows]
        name &= _COLLECTION
        name *= np.uint32(0x9E3779B1)
        name &= _COLLECTION
        name ^= name >> np.uint32(11)
        name *= np.uint32(0x85EBCA6B)
        name &= _COLLECTION
        name ^= name >> np.uint32(13)
        return name.astype(np.int64)


def _relevant(mean: float, skew: Floats, chance: Floats) -> Ints:
    """Skewed numbers of relevant documents with this mean; at least 1 if the mean is."""
    # (1 + z/4)^4 is nearly e^z, and 1.3855 its mean over our normal numbers.
    square = (1.0 + skew / 4.0) * (1.0 + skew / 4.0)
    lognormal = square * square / 1.3855
    least = min(1.0, mean)
    return (least + (mean - least) * lognormal + chance).astype(np.int64)


def _grades(chance: Floats, highest: int) -> Ints:
    """A grade from 1 to the highest for each chance; 40 % of those of a grade are raised to the next."""
    grades = np.ones(chance.shape, dtype=np.int64)
    limit = 1.0
    for _ in range(1, highest):
        limit *= 0.4
        grades += chance < limit
    return grades


def _worth(chance: Floats, grade: Floats) -> Floats:
    """The gain of each document in match by its relevance: more for a higher grade, none for one in ten.

    Relevant documents that match the topic in no way keep recall below 1.
    """
    worth: Floats = (0.5 + 0.5 * grade) * (1.2 - 1.5 * chance * chance)
    return np.where(grade > 0, worth, 0.0)
