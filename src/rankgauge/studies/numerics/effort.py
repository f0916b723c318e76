"""Archetypes and effort/gain quadrants of all runs and topics of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.measures import Measure
from rankgauge.model.scores import Scores
from rankgauge.model.tables import Cell, Table
from rankgauge.rankings.arrays.curves import Ints
from rankgauge.studies.effort.archetypes import ARCHETYPES, CONFLATED, NAMES, NONE, archetype_of
from rankgauge.studies.effort.gain_plots import EFFORTS, GAINS, Quadrants, quadrants

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign

TABLE_2 = ("ideal", "worst", "full-scale", "typical-A", "typical-B", "excellent")  # the paper's columns
Rows = list[list[Cell]]


def archetypes(campaign: Campaign, N: int | None, crossing: str, rel: float) -> Ints:
    """(runs, topics): the number of each one's archetype; -1 where it has none, or does not count."""
    found = np.full((len(campaign.runs), len(campaign.topics)), NONE)
    for runs, topics, rankings in campaign.rankings():
        place = found[runs, topics]
        place[:] = archetype_of(rankings, N=N, crossing=crossing, rel=rel).reshape(place.shape)
        place[~campaign.rules.counts(rankings.retrieved).reshape(place.shape)] = NONE
    return found


def shares(numbers: Ints) -> Table:
    """How often each archetype is there."""
    total = int(np.count_nonzero(numbers != NONE))
    counts = {name: int(np.count_nonzero(numbers == n)) for n, name in enumerate(NAMES)}
    rows: Rows = [[name, counts[name], 100 * counts[name] / total, ARCHETYPES[name]] for name in NAMES]
    return Table(("archetype", "count", "percent", "what it is"), rows)


def table_2(numbers: Ints, names: Sequence[str] = ()) -> Table:
    """The paper's table 2, per cent, excellent and ups-and-downs together: of all, and of each named."""
    labels = [CONFLATED.get(name, name) for name in NAMES]
    rows: Rows = []
    for name, of in [("all", numbers), *zip(names, numbers, strict=False)]:
        total = int(np.count_nonzero(of != NONE))
        counts = np.bincount(of[of != NONE], minlength=len(NAMES)).tolist()
        by_label = dict.fromkeys(TABLE_2, 0)
        for label, count in zip(labels, counts, strict=True):
            by_label[label] += count
        rows.append([name, total, *(100 * n / total if total else float("nan") for n in by_label.values())])
    return Table(("run", "total", *TABLE_2), rows)


def placed(scores: Scores, effort: Measure, gain: Measure, method: str) -> Quadrants:
    """The quadrants of all runs and topics, one run's topics after the other's; some may not count."""
    values = (scores.values[:, scores.measures.index(str(m))] for m in (effort, gain))
    x, y = (np.where(scores.counted, each, np.nan) for each in values)
    return quadrants(x, y, method=method)


def quadrant_rows(gain: Measure, found: Quadrants) -> Rows:
    """The shares of the sixteen quadrants, the highest gain first, as the plots have it."""
    cuts = [None, *found.cuts, None]
    percent = (100 * found.shares).tolist()
    return [[str(gain), GAINS[row], cuts[row], cuts[row + 1], *percent[row]] for row in (3, 2, 1, 0)]


QUADRANT_HEADERS = ("measure", "gain", "above", "up to", *(f"{effort} effort" for effort in EFFORTS))
SHARE_HEADERS = ("measure", "points", "undefined", "diagonal", "high-high")


def share_row(gain: Measure, found: Quadrants) -> list[Cell]:
    """How many points there are, and the shares on the diagonal and in the high-high quadrants."""
    undefined = len(found.row) - found.placed
    return [str(gain), found.placed, undefined, 100 * found.diagonal, 100 * found.high_high]


def point_rows(scores: Scores, gain: Measure, found: Quadrants) -> Rows:
    """(measure, run, topic, Twist, gain, its quadrant) of every point."""
    pairs = [(run, topic) for run in scores.runs for topic in scores.topics]
    values = zip(pairs, found.effort.tolist(), found.gain.tolist(), found.cells, strict=True)
    return [[str(gain), *pair, x, y, *cell] for pair, x, y, cell in values if cell is not None]


POINT_HEADERS = ("measure", "run", "topic", "effort value", "gain value", "gain", "effort")
