"""What figures draw, and how it is made of a campaign: one entry for each word that a figure may need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign

Made = Mapping[str, Any]


@dataclass(frozen=True)
class Need:
    """Results that figures draw."""

    words: str
    options: tuple[str, ...] = ()  # what has to be known to make them
    make: Callable[[Campaign, Made], Any] | None = None  # None: they are read from a file as they are


def _curves(campaign: Campaign, made: Made) -> Any:
    return campaign.curves(made["measures"], depth=made["depth"])


def _scores(campaign: Campaign, made: Made) -> Any:
    return campaign.scores(made["measures"])


def _findings(campaign: Campaign, made: Made) -> Any:
    from rankgauge.studies import STUDIES

    return STUDIES[made["study"]].call(campaign, **made["settings"])


NEEDS = {
    "curves": Need("measures at every rank, as `rankgauge.curves` has them", ("measures", "depth"), _curves),
    "scores": Need("scores, as `rankgauge.evaluate` has them", ("measures",), _scores),
    "findings": Need("what a study found, as `rankgauge.studies` has it", ("study",), _findings),
    "table": Need(
        "a `rankgauge.model.tables.Table`; or a .csv, .tsv, .json or .jsonl file with named columns"
    ),
}
