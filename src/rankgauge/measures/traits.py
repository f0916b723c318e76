"""Traits of a measure that follow from its settings.

They are which grades count and what they are worth, how deep a ranking is read, and the laws that hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rankgauge.measures.rankings.discounts import Discount, discount_of
from rankgauge.measures.rankings.gains import LINEAR, Gains
from rankgauge.measures.spec import REL, Spec
from rankgauge.schema.frozen import Frozen

if TYPE_CHECKING:
    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.measures.rankings.arrays import Pool
    from rankgauge.measures.rankings.arrays.curves import Ints


class Traits(Frozen, eq=False):
    """A specification with settings; `Measure` adds its text, composition and values."""

    spec: Spec
    settings: Mapping[str, Any]  # only what differs from the defaults, in declared order
    cutoff: int | None = None

    @property
    def inner(self) -> Self | None:
        """The inner measure, if there is one."""
        inner: Self | None = self.settings.get(self.spec.names.inner)
        return inner

    @cached_property
    def gains(self) -> Gains:
        """The gains of grades."""
        declared = (p.default for p in self.spec.parameters if p.name == "gains")
        gains: Gains = self.settings.get("gains", next(declared, LINEAR))
        floor = None if self.spec.binary else self.settings.get("rel")
        return gains if floor is None else gains._replace(floor=floor)

    @property
    def of_collection(self) -> bool:
        """Whether a topic's value depends on the judgments of other topics, by the grades of all."""
        if self.inner is not None:
            return self.inner.of_collection
        if self.gains.scheme == "levels":
            return True
        scaled = any(p.name == "max_rel" for p in self.spec.parameters) and "max_rel" not in self.settings
        return scaled and self.gains.scheme in ("linear", "exp2")

    @property
    def bounds(self) -> tuple[float, float]:
        """The range of its values; those of gains below 0 have no lower bound."""
        (low, high), laws = self.spec.bounds, self.spec.laws
        unbounded = self.settings.get(laws.varies) in laws.unbounded.split()
        return (-math.inf if self.gains.signed else low), (math.inf if unbounded else high)

    @property
    def of_lists(self) -> bool:
        """Whether a value depends on the lists of other topics and runs, by the length of the longest."""
        return self.spec.needs.pads_to_longest and "N" not in self.settings

    @property
    def discount(self) -> Discount | None:
        """The discount of gains; None if the measure has no such parameter."""
        if not self.spec.has("discount"):
            return None
        return discount_of(
            self.settings.get("discount", self.spec.parameter("discount").default), self.settings.get("base")
        )

    @cached_property
    def _relevant_from(self) -> float:
        """The smallest grade of a relevant document, or of one with a gain above 0."""
        if not self.spec.binary:
            return self.gains.least
        only: float | None = self.settings.get("grade")
        return self.rel if only is None else only

    @cached_property
    def rel(self) -> float:
        """The smallest relevant grade: `rel`, or its default."""
        if self.spec.least_relevant is not None and "rel" not in self.settings:
            return self.spec.least_relevant(self.settings)
        least: float = self.settings.get("rel", REL.default)
        return least

    @cached_property
    def counted_from(self) -> float:
        """The smallest grade of a relevant document, or of one with a gain, above 0 or below."""
        return self._relevant_from if self.spec.binary else self.gains.lowest

    @property
    def lowest_grade(self) -> float:
        """The lowest grade that the measure distinguishes from unjudged."""
        whole = self.spec.needs.strata or self.settings.get("judged_only")
        if self.inner is not None and not whole:
            return self.inner.lowest_grade
        if self.spec.depends_on != "relevant" or self.settings.get("judged_only"):
            return -math.inf
        return self.counted_from

    def recall_base(self, pool: Pool) -> Ints:
        """(topics, 1): how many judged documents are relevant, or have a gain."""
        only = self.settings.get("grade")
        return pool.count(self._relevant_from) if only is None else pool.exactly(only).count(1.0)

    def worth(self, grade: float, levels: Iterable[float]) -> float:
        """The gain of a document of this grade; to binary measures, non-relevant documents have none.

        `levels` are the grades of the judgments.
        """
        gains = self.gains.above(self._relevant_from) if self.spec.binary else self.gains
        return gains.worth(grade, levels)

    def without_gain(self, levels: Iterable[float]) -> list[float]:
        """The grades above 0 that get none of the gains, since they are below the default of rel.

        None if rel or grade is set, which excludes grades on purpose.
        """
        chosen = not self.settings.keys().isdisjoint(("rel", "grade"))
        if chosen or not (self.spec.binary and self.spec.has("gains")) or self.gains.scheme == "binary":
            return []
        return [level for level in levels if 0 < level < self._relevant_from]

    def is_relevant(self, grade: float) -> bool:
        """Whether a document of this grade is relevant, or to graded measures, has a gain."""
        only = self.settings.get("grade")
        if only is not None:
            return bool(grade == only)
        return grade >= self._relevant_from if self.spec.binary else self.gains.worth(grade) > 0

    @property
    def negatives(self) -> str:
        """The status of documents graded below 0: "unjudged" or "nonrelevant"."""
        negatives: str = self.settings.get("negatives", self.spec.parameter("negatives").default)
        return negatives

    @property
    def by_gain(self) -> bool:
        """Whether the value depends on gains, and not on relevance alone."""
        return not self.spec.binary or self.spec.has("gains")

    @property
    def is_linear(self) -> bool:
        """Whether the value is a sum of one term per rank, which does not depend on other ranks."""
        linear = self.spec.laws.linear
        holds = linear == "always" or (linear == "uncut" and self.cutoff is None)
        return holds and self.spec.laws.varies not in self.settings

    @property
    def is_monotone(self) -> bool:
        """Whether moving a better document up never makes the value worse."""
        return self.spec.laws.monotone and self.spec.laws.varies not in self.settings

    @property
    def reach(self) -> int | None:
        """The deepest rank that the value depends on; None if it depends on all."""
        return None if self.spec.needs.whole_ranking else self.cutoff

    @property
    def average(self) -> str:
        """The kind of average over topics."""
        average: str = self.settings.get("average", self.spec.average)
        return average

    @property
    def is_weighed(self) -> bool:
        """Whether the average needs the `weight` of each topic."""
        return self.average == "micro"
