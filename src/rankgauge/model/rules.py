"""The rules of an evaluation: how documents are ordered, which topics count, and how values are averaged.

By default scores descend, and documents with equal scores are ordered by id, descending as bytes, as in
trec_eval 10. No measure orders documents again. Functions take rules as keywords, `**options:
Unpack[Inputs]`; inside, they are one `Reading`.
"""

# Without `from __future__ import annotations`: a TypedDict compiles annotations that are texts, and the first
# thing that a program compiles takes 2 ms.

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from rankgauge.errors import OptionError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.lazy import required_module
from rankgauge.schema.options import Option, choice
from rankgauge.schema.text import unknown_option

ORDER = Option(
    "order",
    "what documents are ordered by",
    {
        "score": "the score, highest first; the rank column is ignored, as trec_eval does",
        "rank": "the rank column, lowest first; the score is ignored, as ndeval does",
    },
)
TIES = Option(
    "ties",
    "how tied documents are ordered",
    {
        "docid_desc": "document id, descending bytes, as trec_eval does",
        "docid_asc": "document id, ascending bytes",
        "input": "the order of lines in the input",
        "rank": "the rank column, lowest first, then document id descending",
        "average": "in all possible orders; a value is the mean over them",
        "best": "in the order that gives the best value of each measure",
        "worst": "in the order that gives the worst value of each measure",
    },
)
WITHOUT_RANKS = ("docid_desc", "docid_asc", "input")  # rules for ties that score lists and vectors know
OVER_ORDERS = ("average", "best", "worst")  # rules for ties that consider all orders of tied documents
SCORE_PRECISION = Option(
    "score_precision",
    "the precision in which scores are compared",
    {
        "double": "as 64-bit numbers, as trec_eval 10 does",
        "single": "as 32-bit numbers, as trec_eval 9 does; NIST's results up to 2025 were computed that way",
    },
)
DUPLICATES = Option(
    "duplicates",
    "a document that occurs twice in a topic",
    {
        "error": "is refused",
        "first": "the first line counts",
        "max": "the highest score (or grade) counts",
        "majority": "the grade given most often counts, of several the lowest; refused in runs",
        "median": "the median of its grades counts; refused in runs",
        "mean": "the mean of its grades counts; refused in runs",
    },
)
MISSING = Option(
    "missing",
    "a judged topic for which a run has no results",
    {
        "zero": "counts as an empty result, as trec_eval -c does",
        "skip": "is left out, as trec_eval without -c does",
    },
)
UNDEFINED = Option(
    "undefined",
    "an undefined value, such as recall without relevant documents",
    {
        "zero": "counts as 0 in the mean, as in trec_eval and published tables (if higher is better)",
        "skip": "is left out of the mean",
    },
)
ORDER_OPTIONS = (ORDER, TIES, SCORE_PRECISION, DUPLICATES)
TOPIC_OPTIONS = (MISSING, UNDEFINED)
OPTIONS = (*ORDER_OPTIONS, *TOPIC_OPTIONS)
_BY_NAME = {option.name: option for option in OPTIONS}
NORMALISE = Option(
    "normalise",
    "curves as shares of the ideal curve",
    {
        "no": "curves are not normalised",
        "topics": "the curve of each topic is divided by its ideal curve, then averaged",
        "averages": "the average curve is divided by the average ideal curve, as in the figures of "
        "Järvelin and Kekäläinen (2002)",
    },
)
ESTIMATOR = Option(
    "estimator",
    "how human judgments correct means by LLM judgments",
    {
        "power-tuned": "values by LLM judgments weighted by how well they predict those by human judgments; "
        "for a single run below 15 topics with human judgments, as difference",
        "difference": "the mean difference on topics with human judgments is added to the mean of all topics",
    },
)
TARGET = Option(
    "target",
    "the topics that corrected means are estimates for",
    {
        "like-these": "all topics like these, of which these are a sample",
        "these": "these topics alone, as if humans had judged all of them",
    },
)
CORRECTION_OPTIONS = (ESTIMATOR, TARGET)
# How callers pass a recoding of grades: {grade: new grade or None}, or a text.
Grades = Mapping[float, float | None] | str | None
ALL = "all"  # the topic under which a mean is listed, as in trec_eval
MEANS = (ALL, "average", "mean", "amean", "gmean")  # the same in tables of other tools
ROW = "row"  # the column that tells means from topics if a topic is called so


UNBOUNDED = (-math.inf, math.inf)
MIN_TOPICS = 3  # for the interval of a mean: on two topics it is nearly as wide as the range of values
LEAST_OF_GEOMETRIC = 1e-5  # trec_eval's MIN_GEO_MEAN; a single 0 would make the mean 0


def is_mean(topic: str) -> bool:
    """Whether a topic is called like a mean over all."""
    return topic.casefold() in MEANS


def refuse_correction(human_topics: Any, estimator: str, target: str) -> None:
    """Raise an error if an option on human judgments is set without these."""
    if human_topics is not None or (estimator, target) != (ESTIMATOR.default, TARGET.default):
        raise OptionError("human_topics, estimator and target are for human_qrels; add these judgments")


# The rules again, for editors and type checkers; a test compares them with those above.
Order = Literal["score", "rank"]
Ties = Literal["docid_desc", "docid_asc", "input", "rank", "average", "best", "worst"]
ScorePrecision = Literal["double", "single"]
Duplicates = Literal["error", "first", "max", "majority", "median", "mean"]
Missing = Literal["zero", "skip"]
Undefined = Literal["zero", "skip"]
Estimator = Literal["power-tuned", "difference"]
Target = Literal["like-these", "these"]


class OfOrder(TypedDict, total=False):
    """Rules for the order of documents."""

    order: Order
    ties: Ties
    score_precision: ScorePrecision
    duplicates: Duplicates


class OfTopics(TypedDict, total=False):
    """Rules for the topics that count."""

    missing: Missing
    undefined: Undefined


class OfQrels(TypedDict, total=False):
    """How files or frames of judgments are read."""

    qrels_format: str | None
    qrels_columns: Mapping[str, str] | None
    grades: Grades


class OfRuns(TypedDict, total=False):
    """How files or frames of runs are read."""

    run_format: str | None
    run_columns: Mapping[str, str] | None
    collapse: Any


class OfHumans(TypedDict, total=False):
    """Human judgments of some topics, which correct means by LLM judgments."""

    human_qrels: Any
    human_topics: Any
    estimator: Estimator
    target: Target


class Rules(OfOrder, OfTopics, total=False):
    """All rules."""


class Judging(Rules, OfQrels, total=False):
    """All rules, and how judgments are read."""


class OrderInputs(OfOrder, OfRuns, total=False):
    """Rules for the order of documents, and how runs are read."""


class RunInputs(Rules, OfRuns, total=False):
    """All rules, and how runs are read."""


class Inputs(Judging, OfRuns, total=False):
    """All rules, and how judgments and runs are read."""


class CorrectedInputs(Inputs, OfHumans, total=False):
    """All of these, and human judgments."""


class Choices(Frozen):
    """Rules by the names of their options."""

    def __post_init__(self) -> None:
        for name, rule in self._asdict().items():
            _BY_NAME[name].check(rule)

    def as_dict(self) -> dict[str, str]:
        """The rules by name, as in a provenance."""
        return self._asdict()


class DocumentOrder(Choices):
    """The rules by which documents are ordered."""

    order: Order = ORDER.default
    ties: Ties = TIES.default
    score_precision: ScorePrecision = SCORE_PRECISION.default
    duplicates: Duplicates = DUPLICATES.default

    @property
    def needs_ranks(self) -> bool:
        """Whether the rank column is used."""
        return "rank" in (self.order, self.ties)

    @property
    def run_duplicates(self) -> Duplicates:
        """The rule for duplicates in runs, which cannot be combined."""
        return DUPLICATES.default if self.duplicates in COMBINE else self.duplicates

    @property
    def over_orders(self) -> bool:
        """Whether values are computed over all orders of tied documents."""
        return self.ties in OVER_ORDERS

    @property
    def tie_rule(self) -> str:
        """The rule for equal scores, where there are no written ranks."""
        return choice("ties", self.core_rules()[1], WITHOUT_RANKS)

    def require_one_order(self, what: str) -> "DocumentOrder":
        """These rules; an error if they consider several orders."""
        if self.over_orders:
            rules = ", ".join(rule for rule in TIES.rules if rule not in OVER_ORDERS)
            raise OptionError(
                f"{what} one order of documents, and {TIES.set_to(self.ties)} considers several; "
                f"use one of {rules}"
            )
        return self

    def no_ranks(self) -> OptionError:
        """The error for a run without ranks."""
        rule = (ORDER if self.order == "rank" else TIES).set_to("rank")
        return OptionError(
            f"{rule} needs a rank for every result, and this run lacks some or all of them; ranks are whole "
            "numbers below 2^53; use another rule"
        )

    def core_rules(self) -> tuple[str, str, str]:
        """The rules as arguments of the core: order, ties, score precision."""
        return self.order, TIES.default if self.over_orders else self.ties, self.score_precision


class TopicRules(Choices):
    """The topics that count in a mean, and their values."""

    missing: Missing = MISSING.default
    undefined: Undefined = UNDEFINED.default

    def counts(self, retrieved: Any) -> Any:
        """Whether topics with these numbers of results count."""
        return (retrieved > 0) | (self.missing == "zero")

    def average(
        self,
        values: Sequence[float],
        kind: str = "mean",
        *,
        weights: Sequence[float] = (),
        direction: int = 1,
    ) -> float:
        """The average of the values of topics that count, of a kind in `AVERAGES`; NaN is an undefined value.

        Where lower is better (`direction`), 0 would be the best value, so undefined values are left out under
        either rule. `weights` are for the micro average, in which an undefined value adds nothing but its
        weight.
        """
        if kind == "micro":
            total = _total(weights)
            parts = (v * w for v, w in zip(values, weights, strict=True) if not math.isnan(v))
            return _total([*parts]) / total if total else math.nan
        values = self.known(values, direction)
        return _AVERAGE[kind](values) if values else math.nan

    def averages(self, table: Any, kind: str = "mean", direction: int = 1) -> Any:
        """The `average` of each column (topics, columns), for drawings: last digits may differ."""
        import numpy as np

        if kind != "mean":
            return np.array([self.average(column, kind, direction=direction) for column in table.T.tolist()])
        unknown = np.isnan(table)
        counts_all = self.undefined == "zero" and direction >= 0
        counts = len(table) if counts_all else len(table) - unknown.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):  # of no topics, or of infinite values
            return np.where(unknown, 0.0, table).sum(axis=0) / counts

    def known(self, values: Sequence[float], direction: int = 1) -> Sequence[float]:
        """The values that count: undefined ones are 0 or left out."""
        if not math.isnan(sum(values)):  # which is cheap, and tells in nearly all cases
            return values
        if self.undefined == "zero" and direction >= 0:
            return [v if v == v else 0.0 for v in values]  # an undefined value does not equal itself
        return [v for v in values if v == v]

    def interval(
        self,
        values: Sequence[float],
        level: float = 0.95,
        *,
        direction: int = 1,
        bounds: tuple[float, float] = UNBOUNDED,
    ) -> tuple[float, float]:
        """The confidence interval of the mean of the values of topics that count, by Student's t.

        Between finite bounds, t is that of the logit of the mean; a single bound cuts the interval. Fewer
        than `MIN_TOPICS` topics, infinite values, values beyond the bounds and equal values have no interval.
        """
        import numpy as np

        stdtrit = required_module("scipy.special").stdtrit
        check_level(level)
        known = np.array(self.known(values, direction))
        size, (low, high) = len(known), bounds
        if size < MIN_TOPICS or not np.isfinite(known).all() or known.min() == known.max():
            return math.nan, math.nan
        centre = self.average(known.tolist())
        half = -float(stdtrit(size - 1, (1 - level) / 2)) * float(known.std(ddof=1)) / size**0.5
        if known.min() < low or known.max() > high:
            return centre - half, centre + half
        if centre in bounds:  # but for rounding, all values are the same
            return math.nan, math.nan
        return bounded(centre, half, bounds)


def check_level(level: float) -> None:
    """Refuse what is no level of an interval."""
    if not 0 < level < 1:
        raise OptionError(f"the level of an interval must be between 0 and 1, such as 0.95, not {level!r}")


def bounded(centre: float, half: float, bounds: tuple[float, float]) -> tuple[float, float]:
    """The interval centre ± half within bounds: on the logit scale between finite ones, otherwise cut."""
    special = required_module("scipy.special")
    low, high = bounds
    if math.isinf(high - low) or not low < centre < high:
        return max(low, centre - half), min(high, centre + half)
    share = (centre - low) / (high - low)
    reach = half / (high - low) / (share * (1 - share))
    first, last = (float(special.expit(special.logit(share) + way * reach)) for way in (-1, 1))
    return low + first * (high - low), low + last * (high - low)


class Reading(Frozen):
    """The options of `evaluate`: rules, and how judgments and runs are read."""

    order: DocumentOrder = DocumentOrder()
    topics: TopicRules = TopicRules()
    run_format: str | None = None
    run_columns: Mapping[str, str] | None = None
    collapse: Any = None
    qrels_format: str | None = None
    qrels_columns: Mapping[str, str] | None = None
    grades: Grades = None

    @classmethod
    def of(cls, options: Mapping[str, Any], known: type = Inputs) -> "Reading":
        """The record of options; `known` are those that may be among them."""
        others = dict(options)
        for name in others.keys() - known.__annotations__.keys():
            raise OptionError(
                unknown_option("an evaluation", "option", name, ("measures", *known.__annotations__))
            )
        orders, topics = (
            {option.name: others.pop(option.name) for option in chosen if option.name in others}
            for chosen in (ORDER_OPTIONS, TOPIC_OPTIONS)
        )
        return cls(DocumentOrder(**orders), TopicRules(**topics), **others)

    @property
    def of_qrels(self) -> dict[str, Any]:
        """The options as arguments of `Qrels.of`."""
        return {
            "format": self.qrels_format,
            "columns": self.qrels_columns,
            "duplicates": self.order.duplicates,
            "grades": self.grades,
        }

    @property
    def is_inferred(self) -> bool:
        """Whether files are read in the format that is detected."""
        return not any(getattr(self, name) for name in (*OfRuns.__annotations__, *OfQrels.__annotations__))


def split_rules(rules: Mapping[str, Any]) -> tuple[DocumentOrder, TopicRules]:
    """The order of documents and the rules for topics from `Rules`."""
    reading = Reading.of(rules, Rules)
    return reading.order, reading.topics


def _total(values: Sequence[float]) -> float:
    """The sum; `math.fsum` rounds once, so the order of topics, partitions and threads is invisible.

    It is infinite if no number is as large, and undefined if values are infinite either way.
    """
    try:
        return math.fsum(values)
    except OverflowError:
        return _total([math.ldexp(value, -64) for value in values]) * 2.0**64
    except ValueError:
        return math.nan


def _mean(values: Sequence[float]) -> float:
    total = _total(values)
    if math.isinf(total) and not any(map(math.isinf, values)):  # the sum is too large, the mean is not
        return _total([value / len(values) for value in values])
    return total / len(values)


def _geometric(values: Sequence[float]) -> float:
    return math.exp(_mean([math.log(max(value, LEAST_OF_GEOMETRIC)) for value in values]))


def _median(values: Sequence[float]) -> float:
    from statistics import median  # takes longer to import than all else here

    return median(values)


def majority(values: Sequence[float]) -> float:
    """The most frequent value; of several such values, the lowest."""
    counts: dict[float, int] = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return min(counts, key=lambda value: (-counts[value], value))


# How the rules for duplicates combine the grades of a document.
COMBINE: dict[str, Callable[[Sequence[float]], float]] = {
    "majority": majority,
    "median": _median,
    "mean": _mean,
}
_AVERAGE: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": _mean,
    "geometric": _geometric,
    "median": _median,
    "sum": _total,
}
