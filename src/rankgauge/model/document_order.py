"""The only place that decides the order of documents.

Scores descend; equal scores are decided by the document id, descending as bytes. This is
trec_eval 10. Every reader hands its rows to the core together with an `DocumentOrder`, and what the
core returns is ranks: no measure ever orders documents again. (Writing a run that has no ranks
gives it those of the default order: `formats.ranking`.)
"""

from __future__ import annotations

from rankgauge.errors import OptionError
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import Option

ORDER = Option(
    "order",
    "what puts documents in order",
    {
        "score": "the score, highest first; the rank column is ignored, as trec_eval does",
        "rank": "the rank column, lowest first; the score is ignored, as ndeval does",
    },
)
TIES = Option(
    "ties",
    "what decides between documents that are otherwise equal",
    {
        "docid_desc": "document id, descending bytes, as trec_eval does",
        "docid_asc": "document id, ascending bytes",
        "input": "the order of the lines",
        "rank": "the rank column, lowest first, then document id descending",
        "average": "nothing: a value is the mean over all their orders",
        "best": "the measure: the order that is best for its value",
        "worst": "the measure: the order that is worst for its value",
    },
)
OVER_ORDERS = ("average", "best", "worst")  # rules for ties that look at all orders of tied documents
SCORE_PRECISION = Option(
    "score_precision",
    "how exactly scores are compared",
    {
        "double": "as 64-bit numbers, as trec_eval 10 does",
        "single": "as 32-bit numbers, as trec_eval 9 does; NIST's figures up to 2025 were made so",
    },
)
DUPLICATES = Option(
    "duplicates",
    "a document twice in one topic",
    {
        "error": "is refused",
        "first": "the first line counts",
        "max": "the highest score (or grade) counts",
    },
)
OPTIONS = (ORDER, TIES, SCORE_PRECISION, DUPLICATES)


class DocumentOrder(Frozen):
    """The rules by which documents are put in order."""

    order: str = ORDER.default
    ties: str = TIES.default
    score_precision: str = SCORE_PRECISION.default
    duplicates: str = DUPLICATES.default

    def __post_init__(self) -> None:
        for option in OPTIONS:
            option.check(getattr(self, option.name))

    @property
    def needs_ranks(self) -> bool:
        """Whether the rank column is read at all."""
        return "rank" in (self.order, self.ties)

    @property
    def over_orders(self) -> bool:
        """Whether a value comes from all orders of tied documents instead of one."""
        return self.ties in OVER_ORDERS

    def decided(self, what: str) -> DocumentOrder:
        """These rules, for what needs one order of documents; an error if they look at several."""
        if self.over_orders:
            rules = ", ".join(rule for rule in TIES.rules if rule not in OVER_ORDERS)
            raise OptionError(
                f"{what} one order of documents, and ties={self.ties} looks at several; choose one of {rules}"
            )
        return self

    def rankless(self) -> OptionError:
        """The error for a run without ranks, if these rules look at them."""
        rule = "order=rank" if self.order == "rank" else "ties=rank"
        return OptionError(
            f"{rule} needs the rank of every result, which this run has not; choose another rule"
        )

    def core_rules(self) -> tuple[str, str, str]:
        """The rules that order documents, as the core takes them: order, ties, precision."""
        return self.order, TIES.default if self.over_orders else self.ties, self.score_precision

    def as_dict(self) -> dict[str, str]:
        """The rules by name, as results carry them."""
        return self._asdict()
