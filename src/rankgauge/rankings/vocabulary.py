"""The words that formulas are written in, whatever the numbers are made of.

Measures speak of judged rankings (`Vocabulary`) and of curves (`Curve`). What the words mean in the end,
two vocabularies say: `judged`, with NumPy, for blocks of topics of any size; and `plain`, without it,
for one topic at a time, where importing NumPy would take longer than evaluating. What can be said in
other words is said here, once for both.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from rankgauge.errors import MeasureError

if TYPE_CHECKING:
    # Types are those of NumPy; the numbers of `plain` behave as far like arrays as formulas ask.
    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.rankings.arrays import JudgedRankings, Pool
    from rankgauge.rankings.arrays.curves import Bools, Floats, Ints, Steps
    from rankgauge.rankings.gains import Gains

# A rank past all ranks: where a curve is read that has no last rank.
ENDLESS = 1 << 62

T = TypeVar("T")


class Curve:
    """A value at every rank of every topic.

    A reading says at which ranks it is read, and knows how its numbers are compared and divided.
    """

    __array_ufunc__ = None  # array / curve is for the curve to answer

    def __init__(self, read: Callable[[Any], Any]) -> None:
        self._read = read

    def at(self, reading: Any) -> Any:
        """The values there, in the shape of the reading."""
        return self._read(reading)

    def _with(self, other: Any, combine: Callable[[Any, Any], Any]) -> Curve:
        return Curve(lambda reading: self._combined(reading, other, combine))

    def _combined(self, reading: Any, other: Any, combine: Callable[[Any, Any], Any]) -> Any:
        right = other.at(reading) if isinstance(other, Curve) else reading.broadcast(other)
        with reading.errstate():
            return combine(self.at(reading), right)

    def at_most(self, limit: Any) -> Curve:
        """The curve, but never above the limit."""
        return Curve(lambda reading: self._combined(reading, limit, reading.smaller))

    def at_least(self, limit: Any) -> Curve:
        """The curve, but never below the limit."""
        return Curve(lambda reading: self._combined(reading, limit, reading.larger))

    def weighing(self, over: Curve) -> Quotient:
        """The same curve, as a ratio of counts over others than those it was divided by last."""
        return Quotient(self.at, over)

    def map(self, function: Callable[[Any], Any]) -> Curve:
        """The curve of a function of its values."""
        return Curve(lambda reading: function(self.at(reading)))

    def zip_with(self, other: Any, function: Callable[[Any, Any], Any]) -> Curve:
        """The curve of a function of its values and of another's."""
        return self._with(other, function)

    def __add__(self, other: Any) -> Curve:
        return self._with(other, operator.add)

    def __radd__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right + left)

    def __sub__(self, other: Any) -> Curve:
        return self._with(other, operator.sub)

    def __rsub__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right - left)

    def __mul__(self, other: Any) -> Curve:
        return self._with(other, operator.mul)

    def __rmul__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right * left)

    def __truediv__(self, other: Any) -> Quotient:
        over = other if isinstance(other, Curve) else Curve(lambda reading: reading.broadcast(other))
        return Quotient(self._with(other, operator.truediv).at, over)

    def __rtruediv__(self, other: Any) -> Curve:
        return self._with(other, lambda left, right: right / left)


class Quotient(Curve):
    """A curve that was divided by another, and remembers by which."""

    def __init__(self, read: Callable[[Any], Any], over: Curve) -> None:
        super().__init__(read)
        self.over = over


POSITION = Curve(lambda reading: reading.ranks)


class Memoizing:
    """What never changes, and so need not be worked out twice."""

    def __init__(self) -> None:
        self._memo: dict[Hashable, Any] = {}

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """What `make` returned the first time."""
        if key not in self._memo:
            self._memo[key] = make()
        made: T = self._memo[key]
        return made


class Vocabulary(Memoizing, ABC):
    """What is said of judged rankings in other words."""

    grade: Floats  # (hits,) of the judged documents retrieved
    nth: Any  # (hits,) how many hits a topic has had with this one
    count: Any  # (topics, 1) how many hits it has
    retrieved: Ints  # (topics, 1) how many documents the run returned
    pool: Pool
    level: float  # the smallest grade that counts as relevant

    @abstractmethod
    def keeping(self, least: float) -> Self:
        """The same rankings, of which only documents of at least this grade are told."""

    @abstractmethod
    def _only(self, kept: Bools) -> Self:
        """The rankings without the hits that are not kept; kept (hits,)."""

    @abstractmethod
    def _view(self, **changes: Any) -> Self:
        """The same rankings but for what changes."""

    @abstractmethod
    def cumulate(self, values: Any, where: Bools | None = None) -> Steps:
        """The curve that adds values up over the hits, in rank order.

        Values are given for each hit, or as a curve to be read there; `where` says which hits count.
        """

    @abstractmethod
    def previous(self, values: Any, first: Any) -> Any:
        """(hits,): the value at the topic's hit before; at its first hit, `first`."""

    @abstractmethod
    def products(self, factors: Floats) -> Floats:
        """(hits,): the factors multiplied up, in rank order, each topic from 1."""

    @abstractmethod
    def last_value(self, values: Any, before: float) -> Curve:
        """The curve of the value at the last hit so far; `before` says what it is before the first."""

    def survival(self, factors: Floats) -> tuple[Floats, Curve]:
        """Who is left: the factors of all earlier hits multiplied, (hits,) before each, and as a curve."""
        after = self.products(factors)
        return self.previous(after, 1.0), self.last_value(after, 1.0)

    @cached_property
    def relevant(self) -> Bools:
        """(hits,): whether the document is relevant."""
        return self.grade >= self.level

    @cached_property
    def recall_base(self) -> Ints:
        """(topics, 1): R, how many judged documents are relevant."""
        return self.pool.count(self.level)

    def gain(self, gains: Gains) -> Floats:
        """(hits,): what each document is worth."""
        return self.memo(("gain", gains), lambda: gains.of(self.grade, self.pool.levels))

    def share(self, gains: Gains, max_rel: float | None) -> Floats:
        """(hits,): what each document is worth, as a share of the most that one can be worth."""
        return self.gain(gains) / (gains.top(self.pool.levels, max_rel) or 1.0)

    def nonrelevant_base(self, negatives: str = "unjudged") -> Ints:
        """(topics, 1): how many judged documents are not relevant; see `judged_only` for negatives."""
        judged = self.pool.sizes if negatives == "nonrelevant" else self.pool.count(min(0.0, self.level))
        return judged - self.recall_base

    def nonrelevant_of(self, docs: float) -> Floats:
        """(topics, 1): how many documents of a collection of so many are not relevant, judged or not."""
        others: Floats = (docs - self.recall_base).astype(float)
        if (others < self.retrieved - self.found.count).any():
            raise MeasureError(
                f"docs={docs:.0f} cannot be the number of documents in the collection: "
                "there are more than that among the documents judged and retrieved"
            )
        return others

    @cached_property
    def found(self) -> Self:
        """The same rankings, of which only the relevant documents are told."""
        return self.keeping(self.level)

    @cached_property
    def first_relevant(self) -> Self:
        """The same rankings, of which only the first relevant document is told."""
        return self.found._only(self.found.nth == 1)

    @cached_property
    def hits(self) -> Curve:
        """The curve of relevant documents found so far."""
        return self._count_at(self.found)

    def judged_so_far(self, negatives: str = "unjudged") -> Curve:
        """The curve of judged documents found so far, relevant or not."""
        return self._count_at(self.assessed(negatives))

    def nonrelevant(self, negatives: str = "unjudged") -> Curve:
        """The curve of documents found so far that were judged and are not relevant."""
        return self.judged_so_far(negatives) - self.hits

    @staticmethod
    def _count_at(told: Vocabulary) -> Curve:
        return Curve(lambda reading: reading.count_at(told))

    position = POSITION  # the curve i -> i

    @cached_property
    def seen(self) -> Curve:
        """The curve of documents retrieved so far: i, until the ranking ends."""
        return POSITION.at_most(self.retrieved)

    def collection(self, docs: int | None) -> Curve:
        """The curve of how many documents there are: so many, or those retrieved so far or judged."""
        known = self.seen + (self.pool.sizes - self.last_value(self.nth, before=0))
        if docs is None:
            return known
        if (docs < self.retrieved + self.pool.sizes - self.count).any():
            raise MeasureError(
                f"docs={docs} cannot be the number of documents in the collection: "
                "there are more than that among the documents judged and retrieved"
            )
        return Curve(lambda reading: docs)

    def total(self, values: Any) -> Floats:
        """(topics, 1): values, or a curve, added up over all hits, in rank order."""
        return self.cumulate(values).total

    def ideal(self, gains: Gains) -> JudgedRankings:
        """The best ranking the pool allows, by gain."""
        return self.pool.ideal(gains)

    def at_level(self, level: float) -> Self:
        """The same rankings, with another smallest relevant grade."""
        if level == self.level:
            return self
        return self.memo(("level", level), lambda: self._view(level=level))

    def judged_only(self, negatives: str = "unjudged") -> Self:
        """The rankings condensed to judged documents; grades below 0 count as unjudged, as in trec_eval."""
        return self.memo(("judged_only", negatives), lambda: self.assessed(negatives)._condensed())

    @abstractmethod
    def _condensed(self) -> Self:
        """The rankings of these hits alone, one behind the other."""

    def assessed(self, negatives: str = "unjudged") -> Self:
        """The same rankings, of which only what `judged_only` keeps is told, at the ranks it has."""
        return self if negatives == "nonrelevant" else self.keeping(min(0.0, self.level))


class PoolVocabulary(Memoizing, ABC):
    """What is said of the grades of all judged documents in other words."""

    def ideal(self, gains: Gains) -> JudgedRankings:
        """The best ranking possible: every judged document with a gain, the largest gain first.

        Of equal gains the highest grade comes first, to which no gain minds, but some measures do.
        Gains that name a level of relevance ask for every relevant document, also if it has no gain.
        """
        # Named gains rise with the grade: one ideal serves all. With a level it has the relevant documents.
        key = gains if gains.scheme == "map" else ("by grade", gains.level)
        return self.memo(("ideal", key), lambda: self._best(gains))

    @abstractmethod
    def _best(self, gains: Gains) -> JudgedRankings:
        """The ideal, made."""
