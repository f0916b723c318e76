"""Errors that are also of the types that ir_measures raises, for code that catches them."""

from __future__ import annotations

from rankgauge.errors import MeasureError


class UnknownMeasure(MeasureError, NameError):
    """A name that no measure of ir_measures has."""


class UnreadableMeasure(MeasureError, ValueError):
    """A text that is no measure, or one of trec_eval's names for which ir_measures has none."""


class UnsupportedParameter(MeasureError, AssertionError):
    """A parameter that a measure does not have, or lacks, or with a value that is not allowed."""
