"""The kinds of result that figures draw, and how each is computed from a campaign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign

Options = Mapping[str, Any]


@dataclass(frozen=True)
class Input:
    """A kind of result that figures draw."""

    description: str
    options: tuple[str, ...] = ()  # the options it is computed by
    compute: Callable[[Campaign, Options], Any] | None = None  # None: it is read from a file


def _curves(campaign: Campaign, options: Options) -> Any:
    return campaign.curves(options["measures"], depth=options["depth"])


def _scores(campaign: Campaign, options: Options) -> Any:
    campaign.require_topics("this figure")
    return campaign.scores(options["measures"])


def _findings(campaign: Campaign, options: Options) -> Any:
    from rankgauge.studies import STUDIES

    return STUDIES[options["study"]].call(campaign, **options["settings"])


INPUTS = {
    "curves": Input("curves, as `rankgauge.curves` returns them", ("measures", "depth"), _curves),
    "scores": Input("scores, as `rankgauge.evaluate` returns them", ("measures",), _scores),
    "findings": Input("the findings of a study of `rankgauge.studies`", ("study",), _findings),
    "nothing": Input("made-up results, which need no data", (), lambda campaign, options: None),
    "table": Input(
        "a `rankgauge.model.output.tables.Table`; or a .csv, .tsv, .json or .jsonl file with named columns"
    ),
}
