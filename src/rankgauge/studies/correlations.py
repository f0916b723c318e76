"""How alike measures put systems in order."""

from typing import TYPE_CHECKING

from rankgauge.studies.parameters import Measures
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings


@study(
    "correlation",
    title="Rank correlation of measures",
    cite="Kendall 1948; Sakai 2006; Yilmaz, Aslam and Robertson 2008; Webber, Moffat and Zobel 2010",
    example='qrels.txt runs/*.run -m "AP nDCG@10 RR"',
)
def correlation(campaign: "Campaign", *, measures: Measures = None) -> "Findings":
    """How alike measures put the runs in order: Kendall's τ between each two of them."""
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.working.matrices import oriented_means
    from rankgauge.studies.working.rank_correlation import taus
    from rankgauge.tables import Table

    scores = campaign.scores(measures)
    found = taus(oriented_means(scores))
    rows = [[name, *row] for name, row in zip(scores.measures, found.tolist(), strict=True)]
    return Findings(tables={"tau_b": Table(("measure", *scores.measures), rows)})
