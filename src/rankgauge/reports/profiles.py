"""Profiles: the usual measures for a kind of campaign."""

from __future__ import annotations

from dataclasses import dataclass

from rankgauge.schema.checks import choice


@dataclass(frozen=True)
class Profile:
    """What a report shows by default."""

    title: str
    measures: str  # runs are ordered and compared by the first
    curves: str  # measures to show by rank
    depth: int


PROFILES = {
    "adhoc": Profile("ad hoc search, judged in depth", "AP nDCG@10 P@10 RR Bpref R@1000", "nDCG P R", 100),
    "web": Profile(
        "web search, graded judgments, early precision", "nDCG@10 ERR@20 RBP P@10 RR Judged@10", "nDCG P", 20
    ),
    "diversity": Profile(
        "web search with subtopics", "alpha_nDCG@20 ERR_IA@20 StRecall@20 nDCG@10", "alpha_nDCG", 20
    ),
    "passage": Profile(
        "passages for question answering and retrieval-augmented generation",
        "RR@10 nDCG@10 R@100 R@1000 Success@5 Judged@10",
        "R nDCG",
        100,
    ),
}


def profile_of(name: str) -> Profile:
    """The profile of this name."""
    return PROFILES[choice("profile", name, PROFILES)]
