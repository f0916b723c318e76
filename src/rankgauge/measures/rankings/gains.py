"""Gains: the worth of a document by its grade, by the name of a scheme or by a map."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import MeasureError
from rankgauge.formats.problems import LARGEST_GRADE
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.parameters import Number, Refused, is_number
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.measures.rankings.array_types import Floats

MAX_DOUBLINGS = math.log2(LARGEST_GRADE)
SCHEMES = {
    "linear": "the grade itself",
    "exp2": "2^grade - 1",
    "binary": "1 for every positive grade",
    "levels": "1, 2, 3, ... for the positive grades that the judgments have, in ascending order",
}


class Gains(Frozen):
    """The gain of each grade. Grades up to 0 have no gain, unless a map gives them one."""

    scheme: str = "linear"
    table: tuple[tuple[float, float], ...] = ()  # (grade, gain), by grade; only for scheme "map"
    level: float | None = None  # the smallest relevant grade, for measures that also look at relevance
    floor: float | None = None  # the smallest grade that has a gain, for measures that look at gains alone

    def __str__(self) -> str:
        return GAINS.write(self)

    def above(self, level: float) -> Gains:
        """The same for grades from `level` on, and none for others."""
        return self._replace(level=level)

    @property
    def by_grade(self) -> bool:
        """Whether every grade above 0 has a gain, and gains never fall."""
        return self.scheme != "map" and self.floor is None

    def top(self, levels: Floats, max_rel: float | None) -> float:
        """The largest gain of the scale."""
        if self.scheme == "map":
            return max(gain for _, gain in self.table)
        highest = float(levels[-1])
        if max_rel is not None and highest > max_rel:
            raise MeasureError(
                f"the judgments have grade {format_number(highest)}, above max_rel={format_number(max_rel)}; "
                f"give the highest grade of their scale, max_rel={format_number(highest)} or more"
            )
        return self.worth(highest if max_rel is None else max_rel, levels.tolist())

    @property
    def least(self) -> float:
        """The lowest grade that can have a gain above 0."""
        mapped = [grade for grade, gain in self.table if gain > 0]
        return max(min([*mapped, math.ulp(0.0)]), self._floor)  # the smallest number above 0

    @property
    def lowest(self) -> float:
        """The lowest grade that can have a gain, above 0 or below."""
        return max(min([self.least, *(grade for grade, gain in self.table if gain)]), self._floor)

    @property
    def _floor(self) -> float:
        return -math.inf if self.floor is None else self.floor

    @property
    def signed(self) -> bool:
        """Whether a gain is below 0."""
        return any(gain < 0 for _, gain in self.table)

    def worth(self, grade: float, levels: Iterable[float] = ()) -> float:
        """The gain of one grade among the `levels` of the judgments."""
        if grade < self._floor:
            return 0.0
        if self.level is not None and (grade < self.level or self.scheme == "binary"):
            return float(grade >= self.level)
        if self.scheme == "map":
            table = dict(self.table)
            if grade > 0 and grade not in table:
                raise MeasureError(
                    f"the judgments have grade {format_number(grade)}, which gains={GAINS.write(self)} "
                    f"does not map; add {format_number(grade)}:GAIN to the map"
                )
            return table.get(grade, 0.0)
        if grade <= 0:
            return 0.0
        if self.scheme == "exp2":
            if grade > MAX_DOUBLINGS:
                raise MeasureError(f"gains=exp2 of grade {format_number(grade)} is too large a number")
            return math.pow(2, grade) - 1
        if self.scheme == "levels":
            return 1.0 + sum(0 < level < grade for level in levels)
        return grade if self.scheme == "linear" else 1.0

    def of(self, grade: Floats, levels: Floats) -> Floats:
        """The gains of grades; `levels` are all distinct ones, ascending."""
        unbounded = self.level is None and self.floor is None
        if unbounded and self.scheme == "linear":
            linear: Floats = grade.clip(min=0.0)
            return linear
        if unbounded and self.scheme == "binary":
            return (grade > 0).astype("float64")
        if hasattr(grade, "look_up"):  # a formula is being recorded
            recorded: Floats = grade.look_up(levels, self.worths(levels.tolist()))
            return recorded
        import numpy as np

        gain: Floats = np.array(self.worths(levels.tolist()))[np.searchsorted(levels, grade)]
        return gain

    def worths(self, levels: list[float]) -> list[float]:
        """The gains of the levels, which ascend."""
        if self.scheme != "levels":
            return [self.worth(level) for level in levels]
        # counted here, since there may be many different grades
        least = max(0.0, self.level or 0.0, self._floor)
        places = accumulate(level > 0 for level in levels)
        return [
            float(place) if level > 0 and level >= least else 0.0
            for level, place in zip(levels, places, strict=True)
        ]


class GainsKind:
    """A gain scheme by name, or a map {grade: gain}; gains below 0 only where they have a meaning."""

    def __init__(self, *, signed: bool = False) -> None:
        self.signed = signed

    @property
    def words(self) -> str:
        example, low = ("{0:-1,1:1,2:10}", f"{-LARGEST_GRADE:g}") if self.signed else ("{1:1,2:10}", "0")
        return (
            f"one of {', '.join(SCHEMES)}, or a map such as {example} from grade to gain "
            f"({low} to {LARGEST_GRADE:g})"
        )

    def read(self, value: Any) -> Gains:
        gains = value if isinstance(value, Gains) else self._read(value)
        if gains.signed and not self.signed:
            raise Refused(
                "gains below 0 are for CG, DCG, ACG and ADCG alone: the ideal ranking has no such "
                "document, so a share of its gain would have no lower bound"
            )
        return gains

    def _read(self, value: Any) -> Gains:
        if isinstance(value, Mapping):
            pairs = sorted(value.items())
            for grade, gain in pairs:
                if not (is_number(grade) and is_number(gain) and math.isfinite(grade)):
                    raise ValueError
                if not abs(gain) <= LARGEST_GRADE:
                    raise ValueError
            if not pairs:
                raise ValueError
            return Gains("map", tuple((float(grade), float(gain) + 0.0) for grade, gain in pairs))  # not -0
        if value not in SCHEMES:
            raise ValueError
        return Gains(value)

    def write(self, value: Gains) -> str:
        if value.scheme != "map":
            return value.scheme
        return (
            "{"
            + ",".join(f"{format_number(grade)}:{format_number(gain)}" for grade, gain in value.table)
            + "}"
        )


GAINS, SIGNED_GAINS = GainsKind(), GainsKind(signed=True)
LINEAR, EXP2, BINARY = Gains(), Gains("exp2"), Gains("binary")
GainsOf = Annotated[Gains, GAINS, "the gain of each grade"]
SignedGainsOf = Annotated[Gains, SIGNED_GAINS, "the gain of each grade, which may be below 0"]


class HighestGrade(Number):
    """The highest grade of a scale."""

    @property
    def words(self) -> str:
        return "a number above 0 that no grade exceeds"


MaxRel = Annotated[
    float, HighestGrade(0, above=True), "the highest grade of the scale; by default that of all judgments"
]


def check_scale(settings: dict[str, Any]) -> dict[str, Any]:
    """Refuse `max_rel` with a map of gains, which has its own top."""
    gains = settings.get("gains")
    if "max_rel" in settings and gains is not None and gains.scheme == "map":
        raise MeasureError(
            f"max_rel={format_number(settings['max_rel'])} has no meaning with gains={GAINS.write(gains)}: "
            "the largest gain of the map is the top of the scale; leave max_rel out, or map that grade"
        )
    return settings
