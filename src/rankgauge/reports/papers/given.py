"""What a part of an experiment is given: the collections, the number of samples and the seed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from rankgauge.schema.text import format_number
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.collections import errors_naming

T = TypeVar("T")


class Given:
    """The collections of an experiment by name, each read when it is first needed, and its settings."""

    def __init__(
        self,
        collections: Mapping[str, Campaign | Callable[[], Campaign]],
        *,
        samples: int = 1000,
        seed: int = 1,
    ) -> None:
        self._collections = collections
        self.samples, self.seed = samples, seed

    @cached_property
    def campaigns(self) -> dict[str, Campaign]:
        """The collections, with their runs read."""
        campaigns = {}
        for name, source in self._collections.items():
            with errors_naming(name):
                campaigns[name] = source() if callable(source) else source
        return campaigns

    def read(self) -> None:
        """Read the collections."""
        self.campaigns  # noqa: B018

    def each(self, compute: Callable[[Campaign], T]) -> dict[str, T]:
        """{collection: what is computed from it}; an error names the collection."""
        computed = {}
        for name, campaign in self.campaigns.items():
            with errors_naming(name):
                computed[name] = compute(campaign)
        return computed


def gains_of(campaign: Campaign, weights: Sequence[int]) -> str:
    """The weights of a document for the grades of a collection, as the setting `gains` of a measure.

    A document has a weight for each of its grades above 0. With fewer grades, a collection gets the highest
    weights; with more, all grades beyond weigh as much as the document's highest.
    """
    grades = sorted({grade for grade in campaign.qrels.sorted_grades.tolist() if grade > 0})
    skipped = max(0, len(weights) - len(grades))
    pairs = (
        f"{format_number(grade)}:{weights[min(skipped + place, len(weights) - 1)]}"
        for place, grade in enumerate(grades)
    )
    return f"{{{','.join(pairs)}}}"
