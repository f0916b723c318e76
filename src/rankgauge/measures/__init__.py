"""Measures: their language, their registry, and one module per family.

Every measure is an attribute, by any of its names: `from rankgauge.measures import nDCG`, then `nDCG @ 10`.
"""

from rankgauge.errors import MeasureError
from rankgauge.measures import (  # noqa: F401
    cumulated,  # importing a family registers its measures
    ranked,
)
from rankgauge.measures.language import find, named, named_set, parse, parse_all, set_names
from rankgauge.measures.settings import Measure
from rankgauge.measures.spec import MEASURES, Laws, Names, Needs, Shown, Spec, measure
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
    "named",
    "named_set",
    "parse",
    "parse_all",
    "set_names",
]


def __getattr__(name: str) -> Measure:
    from importlib.util import find_spec

    # families and other modules are imported when they are needed: a measure must not take their place
    if name.startswith("__") or find_spec(f"{__name__}.{name}") is not None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return named(name)
    except MeasureError as error:
        raise AttributeError(str(error), name=name) from None


def __dir__() -> list[str]:
    return sorted({*__all__, *MEASURES})
