"""The parameters that measures have from the framework: `rel` or `grade`, `judged_only`, `average`, ..."""

from __future__ import annotations

from rankgauge.schema.options import AVERAGES
from rankgauge.schema.parameters import Flag, Number, Parameter, Word

REL = Parameter("rel", Number(), "the smallest grade that counts as relevant", 1.0)
# For measures of gains alone: by default, the gains decide.
REL_OF_GAINS = Parameter("rel", Number(), "the smallest grade that has a gain", None)
GRADE = Parameter("grade", Number(), "the only grade that counts as relevant, instead of rel", None)
JUDGED_ONLY = Parameter("judged_only", Flag(), "condense the ranking to its judged documents first", False)
NEGATIVES = Parameter(
    "negatives",
    Word(("unjudged", "nonrelevant")),
    "how judged_only counts documents graded below 0",
    "unjudged",
)


def average_parameter(default: str = "mean", ratio: bool = False) -> Parameter:
    """The parameter `average`; micro is for ratios of counts."""
    allowed = tuple(name for name in AVERAGES if ratio or name != "micro")
    return Parameter("average", Word(allowed), "how the values of all topics are averaged", default)
