"""The experiment, and the measures as the paper sets them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgauge.measures.effort import CITE
from rankgauge.reports.papers.registry import experiment

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores
    from rankgauge.studies.campaign import Campaign

EXPERIMENT = experiment(
    "twist",
    title="The Twist measure: tables 1 to 4 and figures 7 to 14 of its paper",
    cite=CITE,
    help="Archetypes of effort, effort beside gain, and how Twist, AP, bpref, RBP and nDCG agree, resist "
    "incomplete judgments and tell runs apart. Grades from 1 are relevant. Correlations, robustness and "
    "power are of the best three quarters of the runs by MAP, the rest of all runs.",
    module="rankgauge.reports.papers.catalogue.twist",
)
NAMES = ("Twist", "AP", "bpref", "RBP", "nDCG")
GAINS = {"AP": "7", "bpref": "8", "RBP": "9", "nDCG": "10"}  # {measure of gain: its figure}
COLLECTIONS = ("TREC 10", "TREC 14", "TREC 20", "TREC 21")


def measures_of(campaign: Campaign) -> dict[str, str]:
    """The measures as the paper sets them, by its names; gains go by the order of grades."""
    from rankgauge.measures import parse_all

    length = campaign.longest
    texts = f"Twist(N={length}) AP Bpref RBP(p=0.8) nDCG(base=10,gains=levels)@{length}"
    return dict(zip(NAMES, map(str, parse_all(texts)), strict=True))


def labels_of(campaign: Campaign) -> dict[str, str]:
    """{measure: its name in the paper}, for figures."""
    return {text: name for name, text in measures_of(campaign).items()}


def scores_of(campaign: Campaign, *names: str) -> Scores:
    """The scores of all runs, by some of these measures or by all of them."""
    measures = measures_of(campaign)
    return campaign.scores([measures[name] for name in names or NAMES])
