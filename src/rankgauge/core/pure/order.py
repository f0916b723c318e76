"""The order of documents within a topic: the one place of this core that decides it."""

from __future__ import annotations

from array import array

ORDERS = ("score", "rank")
TIES = ("docid_desc", "docid_asc", "input", "rank")
PRECISIONS = ("double", "single")


def check_rule(name: str, rules: tuple[str, ...]) -> str:
    """The name of a rule; an error if there is no such rule."""
    if name not in rules:
        raise ValueError(f"no such rule: {name}")
    return name


class DocumentOrder:
    """The rules that order documents: the highest key comes first, then the rule for ties decides."""

    def __init__(self, order: str, ties: str, precision: str) -> None:
        self.by_rank = check_rule(order, ORDERS) == "rank"  # the rank column orders, not the score
        self.ties = check_rule(ties, TIES)
        self.single = check_rule(precision, PRECISIONS) == "single"  # scores are compared in single precision
        self.needs_rank = self.by_rank or ties == "rank"

    def keys(self, scores: list[float], ranks: list[int]) -> list[float]:
        """The keys of documents with these scores and ranks."""
        if self.by_rank:
            return [-float(rank) for rank in ranks]
        return list(array("f", scores)) if self.single else scores

    def sort_tied(self, rows: list[int], docs: list[bytes], ranks: list[int]) -> None:
        """Sort rows of equal keys, which are in input order; equal ids stay in it."""
        if self.ties != "input":
            rows.sort(key=docs.__getitem__, reverse=self.ties != "docid_asc")
        if self.ties == "rank":
            rows.sort(key=ranks.__getitem__)
