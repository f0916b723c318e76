"""Archetypes: the shapes that CRP curves have (Ferro et al., section "Run archetypes")."""

from __future__ import annotations

import numpy as np

from rankgauge.measures.effort.misplacing import misplaced
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.arrays.curves import Bools, Floats, Ints
from rankgauge.measures.rankings.arrays.misplacement import Misplacement
from rankgauge.measures.rankings.gains import BINARY

ARCHETYPES = {
    "ideal": "every document is where the ideal ranking has one of its degree",
    "worst": "nothing relevant was retrieved",
    "full-scale": "all relevant documents come last, the least relevant first",
    "excellent-A": "CRP is back by rank R and stays, and the first R documents are all relevant",
    "excellent-B": "CRP is back by rank R and stays, and some of the first R documents are not relevant",
    "ups-and-downs": "CRP is back by rank R, and below 0 again at rank R or earlier",
    "typical-A": "CRP is back after rank R",
    "typical-B": "CRP never comes back",
}
CONFLATED = {"excellent-A": "excellent", "excellent-B": "excellent", "ups-and-downs": "excellent"}
NAMES = tuple(ARCHETYPES)
NO_ARCHETYPE = -1  # of a topic without relevant documents


def archetype_of(
    j: JudgedRankings, *, N: int | None = None, crossing: str = "return", rel: float = 1.0
) -> Ints:
    """(topics,): the number of the archetype of each ranking, in ARCHETYPES; -1 where nothing is relevant.

    `crossing` defines what "back" means, as for Twist. By the printed definition, a run whose first document
    is in its place is back at once, and excellent; the paper's own table holds for `crossing=return`.
    """
    m = misplaced(j.at_level(rel), N, BINARY, "none")
    base, back = m.base[:, 0], m.crossing(crossing)[:, 0]
    early = back <= base
    # The first condition that holds decides.
    shapes = {
        "ideal": m.is_ideal[:, 0],
        "worst": m.hits.sizes == 0,
        "full-scale": _is_full_scale(m),
        "typical-B": np.isinf(back),
        "typical-A": ~early,
        "ups-and-downs": _falls_again(m, back),
        "excellent-A": _within(m, base) == base,
        "excellent-B": early,
    }
    numbers = [NAMES.index(name) for name in shapes]
    chosen: Ints = np.select(list(shapes.values()), numbers, NO_ARCHETYPE)
    return np.where(base > 0, chosen, NO_ARCHETYPE)


def _within(m: Misplacement, depth: Ints) -> Ints:
    """(topics,): the number of relevant documents among the first `depth` of each."""
    j = m.hits
    return np.bincount(j.topic[j.rank <= depth[j.topic]], minlength=len(depth))


def _is_full_scale(m: Misplacement) -> Bools:
    """(topics,): whether the list is the ideal one reversed: relevant documents last, in ascending degree."""
    j, base = m.hits, m.base[:, 0]
    last = m.full_length[:, 0] - base
    first = m.interval[0]  # the better the degree, the earlier
    wrong = (j.rank != last[j.topic] + j.nth) | (first > j.previous(first, np.iinfo(np.int64).max))
    full: Bools = (j.sizes == base) & (np.bincount(j.topic[wrong], minlength=len(base)) == 0)
    return full


def _falls_again(m: Misplacement, back: Floats) -> Bools:
    """(topics,): whether CRP is below 0 at a rank after the crossing and not after R.

    Between hits it never rises, so it is enough to check the ranks of hits, the ranks before them, and R.
    """
    j, base = m.hits, m.base[:, 0]
    before, at = m.around
    after, until = back[j.topic] + 1, base[j.topic]
    below = (at < 0) & (j.rank >= after) & (j.rank <= until)
    below |= (before < 0) & (j.rank - 1 >= after) & (j.rank - 1 <= until)
    at_base = j.at(m.cumulated, m.base)[:, 0]
    return (np.bincount(j.topic[below], minlength=len(base)) > 0) | ((at_base < 0) & (base > back))
