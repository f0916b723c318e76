"""Errors that are also of the types that pytrec_eval raises, for code that catches them."""

from __future__ import annotations

from rankgauge.errors import InputError, MeasureError


class UnsupportedMeasure(MeasureError, ValueError):
    """A measure that pytrec_eval does not have, or parameters that its measure does not take."""


class UnusableInput(InputError, TypeError):
    """Judgments, a run or an argument that cannot be used as it is."""


class UnreadableLine(InputError, ValueError):
    """A line of a run or of judgments that cannot be read."""
