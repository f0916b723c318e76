"""Measures: their language, their registry, and one module per family."""

from rankgauge.measures import (  # noqa: F401  (importing a family registers it)
    classical,
    cumulated,
    cwl,
    experimental,
    graded,
    incomplete,
    interpolated,
    ranked,
    sets,
    usermodels,
)
from rankgauge.measures.language import find, named_set, parse, parse_all, set_names
from rankgauge.measures.registry import REGISTRY, Measure, Parameter, Spec, measure, specs

__all__ = [
    "REGISTRY",
    "Measure",
    "Parameter",
    "Spec",
    "find",
    "measure",
    "named_set",
    "parse",
    "parse_all",
    "set_names",
    "specs",
]
