"""Measures: their language, their registry, and one module per family."""

from rankgauge.measures import cumulated, ranked  # noqa: F401  (importing a family registers it)
from rankgauge.measures.language import find, named_set, parse, parse_all, set_names
from rankgauge.measures.registry import REGISTRY, measure, specs
from rankgauge.measures.spec import Measure, Parameter, Spec

REGISTRY.complete = False  # the other families are imported when they are asked for

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
