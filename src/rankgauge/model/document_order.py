"""The only place that decides the order of documents.

By default scores descend, and documents with equal scores are ordered by id, descending as bytes, as in
trec_eval 10. The core gets rows together with a `DocumentOrder` and returns ranks; no measure orders
documents again. (A run without ranks is written with those of the default order: `formats.trec`.)
"""

from __future__ import annotations

from rankgauge.errors import OptionError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import Option

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
    },
)
OPTIONS = (ORDER, TIES, SCORE_PRECISION, DUPLICATES)


class DocumentOrder(Frozen):
    """The rules by which documents are ordered."""

    order: str = ORDER.default
    ties: str = TIES.default
    score_precision: str = SCORE_PRECISION.default
    duplicates: str = DUPLICATES.default

    def __post_init__(self) -> None:
        for option in OPTIONS:
            option.check(getattr(self, option.name))

    @property
    def needs_ranks(self) -> bool:
        """Whether the rank column is used."""
        return "rank" in (self.order, self.ties)

    @property
    def over_orders(self) -> bool:
        """Whether values are computed over all orders of tied documents instead of one."""
        return self.ties in OVER_ORDERS

    def require_one_order(self, what: str) -> DocumentOrder:
        """These rules; an error that begins with `what` if they consider several orders of documents."""
        if self.over_orders:
            rules = ", ".join(rule for rule in TIES.rules if rule not in OVER_ORDERS)
            raise OptionError(
                f"{what} one order of documents, and {TIES.set_to(self.ties)} considers several; "
                f"use one of {rules}"
            )
        return self

    def no_ranks(self) -> OptionError:
        """The error for a run without ranks, if these rules need them."""
        rule = (ORDER if self.order == "rank" else TIES).set_to("rank")
        return OptionError(
            f"{rule} needs a rank for every result, and this run lacks some or all of them; ranks are whole "
            "numbers below 2^53; use another rule"
        )

    def core_rules(self) -> tuple[str, str, str]:
        """The rules as arguments of the core: order, ties, score precision."""
        return self.order, TIES.default if self.over_orders else self.ties, self.score_precision

    def as_dict(self) -> dict[str, str]:
        """The rules by name, as in a provenance."""
        return self._asdict()
