"""The parameters of a simulated campaign, and its topics: their documents, relevance and difficulty."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from rankgauge.errors import OptionError
from rankgauge.studies.simulation.streams import INDEX_BITS, Floats, Ints, Kind, Streams

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
        """The numbers of the topics, in batches that fit into the processor's cache."""
        step = max(1, _BATCH // (self.depth + int(self.judged) + 1))
        return (range(start, min(start + step, self.topics)) for start in range(0, self.topics, step))

    def topic_id(self, number: int) -> str:
        """The id of a topic: three digits in a small campaign, seven in a large one."""
        return str((101 if self.topics < 900 else 1_000_001) + number)


class Topics:
    """The properties of some topics that do not depend on a system, one row per topic.

    The documents of a topic are numbered from 0: first the judged relevant ones, then the unjudged relevant
    ones, then the non-relevant ones. Rows are as wide as the topic with the most documents; columns beyond a
    topic's own documents are not used.
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
