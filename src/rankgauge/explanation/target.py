"""A number that somebody printed, and the values that it may be a rounding of."""

from __future__ import annotations

import math
from decimal import Decimal, InvalidOperation
from numbers import Real
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.measures import Measure
from rankgauge.schema.frozen import Frozen

SLACK = 1e-9  # of half a digit: tools round a value in the middle either way
MOST_DIGITS = 30  # after the point; no value has as many


class Target(Frozen):
    """A printed number: 0.3421 may be any value from 0.34205 to 0.34215."""

    text: str
    number: float
    half: float  # half a unit of its last digit
    percent: bool = False  # whether it was written with a percent sign

    @classmethod
    def of(cls, given: Any) -> Target:
        """The number of a text such as `0.3421` or `34.21%`, whose digits count, or of a float."""
        is_number = isinstance(given, (Real, Decimal)) and not isinstance(given, bool)
        text = str(given if isinstance(given, (int, Decimal)) else float(given)) if is_number else given
        if not isinstance(text, str):
            raise OptionError(f"target must be a number such as 0.3421, or its text, not {given!r}")
        digits = text.strip()
        percent = digits.endswith("%")
        try:
            if "_" in digits:
                raise InvalidOperation
            number = Decimal(digits.removesuffix("%").strip())
        except InvalidOperation:
            number = Decimal("nan")
        exponent = number.as_tuple().exponent
        if not isinstance(exponent, int) or abs(exponent) > MOST_DIGITS or not math.isfinite(float(number)):
            raise OptionError(f"target must be a finite number such as 0.3421 or 34.21%, not {given!r}")
        return cls(digits, float(number), float(Decimal(5).scaleb(exponent - 1)), percent)

    @property
    def decimals(self) -> int:
        """The number of decimals that a value needs: for 34.21%, as for 0.3421, these are four."""
        return max(0, -round(math.log10(2 * self.half))) + 2 * (self.percent or self.number > 1)

    def as_value_of(self, measure: Measure) -> tuple[float, float]:
        """(number, half a unit of its last digit) on the scale of a measure: 34.21 is a percentage of P."""
        above = measure.spec.bounds[1] <= 1 and measure.average != "sum" and self.number - self.half > 1
        scale = 100 if self.percent or above else 1
        return self.number / scale, self.half / scale

    def difference(self, value: float, measure: Measure) -> float:
        """How much a value of a measure is above the target."""
        return value - self.as_value_of(measure)[0]

    def matches(self, value: float, measure: Measure) -> bool:
        """Whether the value of a measure is printed like this."""
        number, half = self.as_value_of(measure)
        return abs(value - number) <= half * (1 + SLACK)

    def is_possible(self, measure: Measure) -> bool:
        """Whether the measure has values like this."""
        number, half = self.as_value_of(measure)
        low, high = measure.bounds
        return measure.average == "sum" or low - half <= number <= high + half
