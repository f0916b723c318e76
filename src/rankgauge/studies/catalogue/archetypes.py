"""The study `archetypes`: the shapes of CRP curves."""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from rankgauge.errors import InputError
from rankgauge.measures.effort import CITE, Crossing, Length
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.parameters import Number
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.effort import ARCHETYPE_NAMES, ARCHETYPES, CONFLATED, NO_ARCHETYPE, archetype_of
from rankgauge.studies.findings import Findings
from rankgauge.studies.registry import study

Level = Annotated[float, Number(), "the smallest grade that counts as relevant"]


@study(
    "archetypes",
    title="Archetypes of effort",
    cite=f"{CITE}, section Run archetypes and table 2",
    example="qrels.txt runs/*.run --crossing return",
)
def archetypes(
    campaign: Campaign, *, N: Length | None = None, crossing: Crossing = "return", rel: Level = 1.0
) -> Findings:
    """Which shape the CRP curve of each run and topic has: ideal, typical, excellent, ... and how often.

    The table `collection` is the paper's table 2, in per cent, where excellent includes ups-and-downs.
    """
    numbers = archetype_numbers(campaign, N, crossing, rel)
    total = int((numbers != NO_ARCHETYPE).sum())
    if not total:
        raise InputError(f"no topic has relevant documents (rel={rel:g}), so no run has an archetype")
    points: list[list[Cell]] = [
        [run, topic, ARCHETYPE_NAMES[n], CONFLATED.get(ARCHETYPE_NAMES[n], ARCHETYPE_NAMES[n])]
        for run, row in zip(campaign.runs, numbers.tolist(), strict=True)
        for topic, n in zip(campaign.topics, row, strict=True)
        if n != NO_ARCHETYPE
    ]
    typical = sum(name.startswith("typical") for _, _, name, _ in points)  # type: ignore[union-attr]
    left_out = numbers.size - total
    sentences = [f"{typical} of {total} pairs of run and topic are typical, {100 * typical / total:.1f} %."]
    if left_out:
        sentences.append(f"{left_out} are left out: the topic has no relevant document, or does not count.")
    return Findings(
        settings={"N": campaign.longest if N is None else N},
        sentences=sentences,
        tables={
            "shares": shares(numbers),
            "collection": table_2(numbers, campaign.runs),
            "points": Table(("run", "topic", "archetype", "conflated"), points),
        },
        captions={
            "shares": "How often each shape occurs, over all runs and topics.",
            "collection": "Table 2 of the paper: per cent of topics; excellent includes ups-and-downs.",
            "points": "The shape of each run on each topic.",
        },
        data=("points",),
    )


TABLE_2 = ("ideal", "worst", "full-scale", "typical-A", "typical-B", "excellent")  # the paper's columns


def archetype_numbers(campaign: Campaign, N: int | None, crossing: str, rel: float) -> Ints:
    """(runs, topics): the number of the archetype; -1 where there is none, or the topic does not count."""
    numbers = np.full((len(campaign.runs), len(campaign.topics)), NO_ARCHETYPE)
    for runs, topics, rankings in campaign.rankings():
        block = numbers[runs, topics]
        block[:] = archetype_of(rankings, N=N, crossing=crossing, rel=rel).reshape(block.shape)
        block[~campaign.rules.counts(rankings.retrieved).reshape(block.shape)] = NO_ARCHETYPE
    return numbers


def shares(numbers: Ints) -> Table:
    """The number and share of each archetype."""
    total = int(np.count_nonzero(numbers != NO_ARCHETYPE))
    counts = {name: int(np.count_nonzero(numbers == n)) for n, name in enumerate(ARCHETYPE_NAMES)}
    rows: list[list[Cell]] = [
        [name, counts[name], 100 * counts[name] / total, ARCHETYPES[name]] for name in ARCHETYPE_NAMES
    ]
    return Table(("archetype", "count", "percent", "what it is"), rows)


def table_2(numbers: Ints, names: Sequence[str] = ()) -> Table:
    """The paper's table 2, in per cent, excellent with ups-and-downs: for all, and for each named run."""
    labels = [CONFLATED.get(name, name) for name in ARCHETYPE_NAMES]
    rows: list[list[Cell]] = []
    for name, of in [("all", numbers), *zip(names, numbers, strict=False)]:
        total = int(np.count_nonzero(of != NO_ARCHETYPE))
        counts = np.bincount(of[of != NO_ARCHETYPE], minlength=len(ARCHETYPE_NAMES)).tolist()
        by_label = dict.fromkeys(TABLE_2, 0)
        for label, count in zip(labels, counts, strict=True):
            by_label[label] += count
        rows.append([name, total, *(100 * n / total if total else float("nan") for n in by_label.values())])
    return Table(("run", "total", *TABLE_2), rows)
