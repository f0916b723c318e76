"""Studies: questions about measures, topics and judgments, asked of the runs of a whole campaign.

    campaign = Campaign("qrels.txt", "runs/*.gz")      each run is read once
    power(campaign, measures="AP nDCG@10", seed=7)     a study: what it found, with tables
    Campaign.of_scores(scores)                         for studies that need only scores

A study is a function of a campaign with the decorator `study`; `rankgauge study` lists them all.
"""

import contextlib
from typing import TYPE_CHECKING, Any

from rankgauge.studies.registry import Study, studies, study

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

__all__ = ["Campaign", "Findings", "Study", "studies", "study"]


def __getattr__(name: str) -> Any:
    import importlib

    if name in ("Campaign", "Findings"):
        return getattr(importlib.import_module(f"rankgauge.studies.{name.lower()}"), name)
    if not name.startswith("_"):
        with contextlib.suppress(KeyError):
            return studies()[name].call
    raise AttributeError(f"module 'rankgauge.studies' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, *(name.replace("-", "_") for name in studies())])
