"""The parameters that measures have from the framework: `rel` or `grade`, `judged_only`, `average`, ..."""

from __future__ import annotations

from rankgauge.model.topic_rules import AVERAGES
from rankgauge.schema.parameters import Flag, Number, Parameter, Word

REL = Parameter("rel", Number(), "the smallest grade that counts as relevant", 1.0)
GRADE = Parameter("grade", Number(), "the only grade that counts as relevant, instead of rel", None)
JUDGED_ONLY = Parameter("judged_only", Flag(), "condense the ranking to its judged documents first", False)
NEGATIVES = Parameter(
    "negatives",
    Word(("unjudged", "nonrelevant")),
    "what documents with a grade below 0 are to judged_only",
    "unjudged",
)


def average_parameter(default: str = "mean", ratio: bool = False) -> Parameter:
    """How the values of topics become one; micro is for ratios of counts."""
    ways = tuple(way for way in AVERAGES if ratio or way != "micro")
    return Parameter("average", Word(ways), "how the values of all topics become one", default)
