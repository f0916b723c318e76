"""Studies: questions about measures, topics and judgments, answered with all runs of a campaign.

    campaign = Campaign("qrels.txt", "runs/*.gz")      reads each run once
    power(campaign, measures="AP nDCG@10", seed=7)     a study returns Findings: sentences and tables
    Campaign.of_scores(scores)                         for studies that need only scores
    across({"A": one, "B": other}, "power", seed=7)    a study on several collections, side by side

A study is a function of a campaign with the decorator `study`; `rankgauge study` lists them all.
"""

from typing import TYPE_CHECKING, Any

from rankgauge.campaigns.registry import STUDIES, Study, study
from rankgauge.schema.lazy import lazy_names

if TYPE_CHECKING:
    from rankgauge.campaigns.campaign import Campaign
    from rankgauge.campaigns.collections import across
    from rankgauge.campaigns.findings import Findings

__all__ = ["STUDIES", "Campaign", "Findings", "Study", "across", "study"]

_lazy = lazy_names(
    __name__,
    {
        "Campaign": "rankgauge.campaigns.campaign",
        "Findings": "rankgauge.campaigns.findings",
        "across": "rankgauge.campaigns.collections",
    },
)


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and (entry := STUDIES.get(name.replace("_", "-"))):
        return entry.call
    return _lazy(name)


def __dir__() -> list[str]:
    return sorted([*__all__, *(name.replace("-", "_") for name in STUDIES)])
