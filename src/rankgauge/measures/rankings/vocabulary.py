"""The vocabulary of measures: the quantities, curves and views of judged rankings.

This module defines everything about judged rankings (`Vocabulary`) and judgments (`PoolVocabulary`) that
follows from a few primitives. These have two readings: `arrays` computes with NumPy, a block of topics at a
time; `recorded` writes programs, which the compiled core runs. Both give the same values, bit for bit.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from rankgauge.errors import MeasureError

if TYPE_CHECKING:
    # Numbers are annotated as NumPy arrays; to formulas, recorded ones behave like them.
    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.measures.rankings.array_types import Bools, Floats, Ints
    from rankgauge.measures.rankings.gains import Gains

T = TypeVar("T")
_NOT_MADE: Any = object()
# A rank below all others: where a curve that never ends is read.
ENDLESS = 1 << 62


def _operator(combine: Callable[[Any, Any], Any], *, reflected: bool = False) -> Callable[[Any, Any], Curve]:
    """The method for `curve ∘ other`, or reflected for `other ∘ curve`."""

    def method(self: Curve, other: Any) -> Curve:
        def read(reading: Any) -> Any:
            theirs = other.at(reading) if isinstance(other, Curve) else reading.broadcast(other)
            return combine(theirs, self.at(reading)) if reflected else combine(self.at(reading), theirs)

        return Curve(read)

    return method


class Curve:
    """A value at every rank of every topic, read at the ranks of a reading.

    Curves combine with +, -, * and / with each other, with numbers, and with one number per topic.
    """

    __array_ufunc__ = None  # makes NumPy leave array / curve to the curve

    at: Callable[[Any], Any]  # the values at the ranks of a reading, in its shape

    def __init__(self, at: Callable[[Any], Any]) -> None:
        self.at = at

    def at_most(self, limit: Any) -> Curve:
        """The smaller of curve and limit."""
        return Curve(lambda reading: reading.smaller(self.at(reading), _values(limit, reading)))

    def at_least(self, limit: Any) -> Curve:
        """The larger of curve and limit."""
        return Curve(lambda reading: reading.larger(self.at(reading), _values(limit, reading)))

    def weighing(self, over: Curve) -> Quotient:
        """The same as a ratio with denominator `over`, the weight of a topic."""
        return Quotient(self.at, over)

    def map(self, function: Callable[[Any], Any]) -> Curve:
        """A function of the values."""
        return Curve(lambda reading: function(self.at(reading)))

    def zip_with(self, other: Any, function: Callable[[Any, Any], Any]) -> Curve:
        """A function of the values of two curves, rank by rank."""
        return Curve(lambda reading: function(self.at(reading), _values(other, reading)))

    __add__, __radd__ = _operator(operator.add), _operator(operator.add, reflected=True)
    __sub__, __rsub__ = _operator(operator.sub), _operator(operator.sub, reflected=True)
    __mul__, __rmul__ = _operator(operator.mul), _operator(operator.mul, reflected=True)
    __rtruediv__ = _operator(operator.truediv, reflected=True)

    def __truediv__(self, other: Any) -> Quotient:
        def read(reading: Any) -> Any:
            over = other.at(reading) if isinstance(other, Curve) else reading.broadcast(other)
            return self.at(reading) / over

        return Quotient(read, other)


def _values(of: Any, reading: Any) -> Any:
    return of.at(reading) if isinstance(of, Curve) else reading.broadcast(of)


class Quotient(Curve):
    """A curve divided by another, or by a number, which it keeps."""

    def __init__(self, at: Callable[[Any], Any], over: Any) -> None:
        self.at, self._over = at, over

    @property
    def over(self) -> Curve:
        """The denominator."""
        return self._over if isinstance(self._over, Curve) else Curve(lambda r: r.broadcast(self._over))


class RunningTotal(Curve, ABC):
    """The sum of the values of hits down to a rank."""

    @property
    @abstractmethod
    def total(self) -> Floats:
        """(topics, 1): the sum over all hits."""


POSITION = Curve(lambda reading: reading.ranks)


class Memoizing:
    """An object that never changes, and remembers what was computed from it."""

    def __init__(self) -> None:
        self._memo: dict[Hashable, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_memo": {}}

    def memo(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, called once per key."""
        made: T = self._memo.get(key, _NOT_MADE)
        if made is _NOT_MADE:
            made = self._memo[key] = make()
        return made

    def forget(self) -> None:
        """Drop what was computed; it is computed again if needed.

        Curves and views refer to their rankings, which remember them. Without this, their arrays are freed
        only when Python looks for cycles, which it does by the number of objects, not by their size.
        """
        names = [name for name in vars(self) if isinstance(getattr(type(self), name, None), cached_property)]
        computed = [*self._memo.values(), *(vars(self).pop(name, None) for name in names)]
        self._memo.clear()
        for each in computed:
            if isinstance(each, Memoizing):
                each.forget()


class PoolVocabulary(Memoizing, ABC):
    """The grades of all judged documents of some topics."""

    levels: Any  # distinct grades of the whole collection, ascending
    sizes: Any  # (topics, 1) how many documents are judged
    rankings: ClassVar[Callable[..., Any]]  # the back end's class of judged rankings, which sets it

    @abstractmethod
    def count(self, level: float) -> Ints:
        """(topics, 1): the number of judged documents graded `level` or higher."""

    def ideal(self, gains: Gains) -> Any:
        """The ideal ranking: all judged documents with a gain, the largest gain first.

        Among equal gains the highest grade comes first, which some measures depend on. Gains with a level of
        relevance include every relevant document, even without a gain.
        """
        make = type(self).rankings
        return self.memo(("ideal", _ideal_key(gains)), lambda: make(pool=self, **self.best_first(gains)))

    def best_first(self, gains: Gains) -> Mapping[str, Any]:
        """The arguments of the ideal ranking."""
        return self.memo(("best first", _ideal_key(gains)), lambda: self._best_first(gains))

    @abstractmethod
    def _best_first(self, gains: Gains) -> Mapping[str, Any]:
        """Compute the arguments."""


class Vocabulary(Memoizing, ABC):
    """Judged rankings: the judged documents that a run retrieved for some topics, in rank order.

    A *hit* is a judged document that was retrieved. Quantities per hit are arrays (hits,), those per topic
    arrays (topics, 1). Views are judged rankings again.
    """

    grade: Floats  # (hits,) the grade of the document
    nth: Any  # (hits,) its number among the topic's hits, from 1
    count: Any  # (topics, 1) how many hits the topic has
    retrieved: Ints  # (topics, 1) how many documents the run returned
    pool: PoolVocabulary  # all judgments of the topics
    level: float  # the smallest grade that counts as relevant

    @abstractmethod
    def __init__(self, **attributes: Any) -> None:
        super().__init__()

    @abstractmethod
    def applied(self, function: Callable[..., Any], settings: Mapping[str, Any]) -> Any:
        """A measure's function of these rankings, without warnings."""

    @abstractmethod
    def keeping(self, least: float) -> Self:
        """A view of documents graded `least` or higher, at their ranks."""

    @abstractmethod
    def _only(self, kept: Bools) -> Self:
        """A view that keeps some hits, at their ranks; kept (hits,)."""

    @abstractmethod
    def _view(self, **changes: Any) -> Self:
        """A view with some attributes changed."""

    @abstractmethod
    def _condensed(self) -> Self:
        """A view in which the hits are the only documents."""

    @abstractmethod
    def cumulate(self, values: Any, where: Bools | None = None) -> RunningTotal:
        """The curve that adds values up over the hits, in rank order.

        Values are an array (hits,), or a curve; `where` (hits,) selects hits.
        """

    @abstractmethod
    def chosen(self, condition: Any, then: Any, otherwise: float) -> Any:
        """`then` where the condition holds."""

    @abstractmethod
    def previous(self, values: Any, first: Any) -> Any:
        """(hits,): the value at the hit before in the topic, or `first`."""

    @abstractmethod
    def products(self, factors: Floats) -> Floats:
        """(hits,): the product of the factors down to each hit of the topic."""

    @abstractmethod
    def last_value(self, values: Any, before: float) -> Curve:
        """The curve of the value at the last hit; `before` above the first."""

    def survival(self, factors: Floats) -> tuple[Floats, Curve]:
        """The users left if hits keep a factor of them: (hits,) before each, and a curve."""
        after = self.products(factors)
        return self.previous(after, 1.0), self.last_value(after, 1.0)

    @cached_property
    def relevant(self) -> Bools:
        """(hits,): whether the document is relevant."""
        return self.grade >= self.level

    @cached_property
    def recall_base(self) -> Ints:
        """(topics, 1): R, the number of relevant judged documents."""
        return self.pool.count(self.level)

    @cached_property
    def has_relevant(self) -> Bools:
        """(topics, 1): whether one is relevant; divided by it, 0 is undefined where none is."""
        return self.recall_base > 0

    def gain(self, gains: Gains) -> Floats:
        """(hits,): the gain of each document."""
        return self.memo(("gain", gains), lambda: gains.of(self.grade, self.pool.levels))

    def share(self, gains: Gains, max_rel: float | None) -> Floats:
        """(hits,): gains as shares of the scale's largest."""
        return self.gain(gains) / (gains.top(self.pool.levels, max_rel) or 1.0)

    def nonrelevant_base(self, negatives: str = "unjudged") -> Ints:
        """(topics, 1): judged documents that are not relevant."""
        judged = self.pool.sizes if negatives == "nonrelevant" else self.pool.count(min(0.0, self.level))
        return judged - self.recall_base

    def nonrelevant_of(self, docs: float) -> Floats:
        """(topics, 1): how many of `docs` are not relevant."""
        others: Floats = (docs - self.recall_base).astype(float)
        if (others < self.retrieved - self.found.count).any():
            raise _too_few(docs)
        return others

    @cached_property
    def found(self) -> Self:
        """A view of the relevant documents, at their ranks."""
        return self.keeping(self.level)

    @cached_property
    def first_relevant(self) -> Self:
        """A view of the first relevant document."""
        return self.found._only(self.found.nth == 1)

    @cached_property
    def hits(self) -> Curve:
        """Relevant documents among the first k."""
        return self._counting(self.found)

    def judged_so_far(self, negatives: str = "unjudged") -> Curve:
        """Judged documents among the first k."""
        return self._counting(self.assessed(negatives))

    def nonrelevant(self, negatives: str = "unjudged") -> Curve:
        """Documents among the first k judged as not relevant."""
        return self.judged_so_far(negatives) - self.hits

    @staticmethod
    def _counting(view: Vocabulary) -> Curve:
        return Curve(lambda reading: reading.count_at(view))

    position = POSITION  # the curve k -> k

    @cached_property
    def seen(self) -> Curve:
        """Documents among the first k: k, until the ranking ends."""
        return POSITION.at_most(self.retrieved)

    def collection(self, docs: int | None) -> Curve:
        """The collection's size: `docs`, or what is judged or seen."""
        known: Curve = self.seen + (self.pool.sizes - self.last_value(self.nth, before=0))
        if docs is None:
            return known
        if (docs < self.retrieved + self.pool.sizes - self.count).any():
            raise _too_few(docs)
        return Curve(lambda reading: docs)

    def total(self, values: Any) -> Floats:
        """(topics, 1): values or a curve added up over hits."""
        return self.cumulate(values).total

    def ideal(self, gains: Gains) -> Self:
        """The ideal ranking."""
        ideal: Self = self.pool.ideal(gains)
        return ideal

    def at_level(self, level: float) -> Self:
        """A view in which `level` is the smallest relevant grade."""
        if level == self.level:
            return self
        return self.memo(("level", level), lambda: self._view(level=level))

    def judged_only(self, negatives: str = "unjudged") -> Self:
        """The rankings condensed to judged documents.

        Documents graded below 0 count as unjudged, as in trec_eval, unless `negatives` is "nonrelevant".
        """
        return self.memo(("judged_only", negatives), lambda: self.assessed(negatives)._condensed())

    def assessed(self, negatives: str = "unjudged") -> Self:
        """A view of what `judged_only` keeps, at their ranks."""
        return self if negatives == "nonrelevant" else self.keeping(min(0.0, self.level))


def _ideal_key(gains: Gains) -> Hashable:
    """Equal for gains with the same ideal: named gains all rise with the grade."""
    return ("by grade", gains.level) if gains.by_grade else gains


def _too_few(docs: float) -> MeasureError:
    return MeasureError(
        f"docs={docs:.0f} cannot be the number of documents in the collection: "
        "more documents than that were judged or retrieved"
    )
