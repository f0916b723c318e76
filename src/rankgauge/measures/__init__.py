"""Measures: their language, their registry, and one module per family."""

from rankgauge.measures import (  # noqa: F401
    cumulated,  # importing a family registers its measures
    directions,  # lets scores from other tools find the direction of a measure
    ranked,
)
from rankgauge.measures.language import find, named_set, parse, parse_all, set_names
from rankgauge.measures.registry import MEASURES, measure
from rankgauge.measures.settings import Measure
from rankgauge.measures.spec import Laws, Names, Needs, Shown, Spec
from rankgauge.schema.parameters import Parameter

__all__ = [
    "MEASURES",
    "Laws",
    "Measure",
    "Names",
    "Needs",
    "Parameter",
    "Shown",
    "Spec",
    "find",
    "measure",
    "named_set",
    "parse",
    "parse_all",
    "set_names",
]
