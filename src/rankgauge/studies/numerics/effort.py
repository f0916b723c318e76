"""Archetypes and effort/gain quadrants of all runs and topics of a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.scores import Scores
from rankgauge.studies.effort.archetypes import ARCHETYPES, CONFLATED, NAMES, NO_ARCHETYPE, archetype_of
from rankgauge.studies.effort.gain_plots import EFFORTS, GAINS, Quadrants, quadrants

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign

TABLE_2 = ("ideal", "worst", "full-scale", "typical-A", "typical-B", "excellent")  # the paper's columns
Rows = list[list[Cell]]


def archetypes(campaign: Campaign, N: int | None, crossing: str, rel: float) -> Ints:
    """(runs, topics): the number of the archetype; -1 where there is none, or the topic does not count."""
    numbers = np.full((len(campaign.runs), len(campaign.topics)), NO_ARCHETYPE)
    for runs, topics, rankings in campaign.rankings():
        block = numbers[runs, topics]
        block[:] = archetype_of(rankings, N=N, crossing=crossing, rel=rel).reshape(block.shape)
        block[~campaign.rules.counts(rankings.retrieved).reshape(block.shape)] = NO_ARCHETYPE
    return numbers


def shares(numbers: Ints) -> Table:
    """How often each archetype occurs."""
    total = int(np.count_nonzero(numbers != NO_ARCHETYPE))
    counts = {name: int(np.count_nonzero(numbers == n)) for n, name in enumerate(NAMES)}
    rows: Rows = [[name, counts[name], 100 * counts[name] / total, ARCHETYPES[name]] for name in NAMES]
    return Table(("archetype", "count", "percent", "what it is"), rows)


def table_2(numbers: Ints, names: Sequence[str] = ()) -> Table:
    """The paper's table 2, in per cent, excellent with ups-and-downs: for all, and for each named run."""
    labels = [CONFLATED.get(name, name) for name in NAMES]
    rows: Rows = []
    for name, of in [("all", numbers), *zip(names, numbers, strict=False)]:
        total = int(np.count_nonzero(of != NO_ARCHETYPE))
        counts = np.bincount(of[of != NO_ARCHETYPE], minlength=len(NAMES)).tolist()
        by_label = dict.fromkeys(TABLE_2, 0)
        for label, count in zip(labels, counts, strict=True):
            by_label[label] += count
        rows.append([name, total, *(100 * n / total if total else float("nan") for n in by_label.values())])
    return Table(("run", "total", *TABLE_2), rows)


def list_length(scores: Scores, effort: Measure) -> int | None:
    """The number of documents that lists are filled up to, if the measure of effort fills them up."""
    length = scores.provenance.measure(str(effort)).N
    return length


def placed(scores: Scores, effort: Measure, gain: Measure, method: str) -> Quadrants:
    """The quadrants of all runs and topics, run by run; topics that do not count are undefined."""
    values = (scores.values[:, scores.measures.index(str(m))] for m in (effort, gain))
    x, y = (np.where(scores.counted, each, np.nan) for each in values)
    return quadrants(x, y, method=method)


def quadrant_rows(gain: Measure, quadrants: Quadrants) -> Rows:
    """The shares of the sixteen quadrants, the highest gain first, as in the plots."""
    cuts = [None, *quadrants.cuts, None]
    percent = (100 * quadrants.shares).tolist()
    return [[str(gain), GAINS[row], cuts[row], cuts[row + 1], *percent[row]] for row in (3, 2, 1, 0)]


QUADRANT_HEADERS = ("measure", "gain", "above", "up to", *(f"{effort} effort" for effort in EFFORTS))
SHARE_HEADERS = ("measure", "points", "undefined", "diagonal", "high-high")


def share_row(gain: Measure, quadrants: Quadrants) -> list[Cell]:
    """The number of points, and the shares on the diagonal and in the high-high quadrants."""
    undefined = len(quadrants.row) - quadrants.placed
    return [str(gain), quadrants.placed, undefined, 100 * quadrants.diagonal, 100 * quadrants.high_high]


def point_rows(scores: Scores, gain: Measure, quadrants: Quadrants) -> Rows:
    """(measure, run, topic, Twist, gain, its quadrant) of every point."""
    pairs = [(run, topic) for run in scores.runs for topic in scores.topics]
    values = zip(pairs, quadrants.effort.tolist(), quadrants.gain.tolist(), quadrants.cells, strict=True)
    return [[str(gain), *pair, x, y, *cell] for pair, x, y, cell in values if cell is not None]


POINT_HEADERS = ("measure", "run", "topic", "effort value", "gain value", "gain", "effort")
