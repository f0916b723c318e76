"""Errors that are also of the types that ranx raises, for code that catches them."""

from __future__ import annotations

from rankgauge.errors import InputError, MeasureError, OptionError


class UnsupportedMetric(MeasureError, ValueError):
    """A metric that ranx does not have, or parameters that its metric does not take."""


class DifferentTopics(InputError, AssertionError):
    """A run with other topics than the judgments, which is not to be made comparable."""


class UnsupportedTest(OptionError, NotImplementedError):
    """A statistical test that ranx does not have."""
