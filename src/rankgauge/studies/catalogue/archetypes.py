"""The study `archetypes`: the shapes of CRP curves."""

from typing import TYPE_CHECKING, Annotated

from rankgauge.measures.effort.misplacing import CITE, Crossing, Length
from rankgauge.schema.parameters import Number
from rankgauge.studies.registry import study

if TYPE_CHECKING:
    from rankgauge.studies.campaign import Campaign
    from rankgauge.studies.findings import Findings

Level = Annotated[float, Number(), "the smallest grade that counts as relevant"]


@study(
    "archetypes",
    title="Archetypes of effort",
    cite=f"{CITE}, section Run archetypes and table 2",
    example="qrels.txt runs/*.run --crossing return",
)
def archetypes(
    campaign: "Campaign", *, N: Length | None = None, crossing: Crossing = "return", rel: Level = 1.0
) -> "Findings":
    """Which shape the CRP curve of each run and topic has: ideal, typical, excellent, ... and how often.

    The table `collection` is the paper's table 2, in per cent, where excellent includes ups-and-downs.
    """
    from rankgauge.errors import InputError
    from rankgauge.model.output.tables import Cell, Table
    from rankgauge.studies.effort.archetypes import CONFLATED, NAMES, NO_ARCHETYPE
    from rankgauge.studies.findings import Findings
    from rankgauge.studies.numerics import effort

    numbers = effort.archetypes(campaign, N, crossing, rel)
    total = int((numbers != NO_ARCHETYPE).sum())
    if not total:
        raise InputError(f"no topic has relevant documents (rel={rel:g}), so no run has an archetype")
    points: list[list[Cell]] = [
        [run, topic, NAMES[n], CONFLATED.get(NAMES[n], NAMES[n])]
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
            "shares": effort.shares(numbers),
            "collection": effort.table_2(numbers, campaign.runs),
            "points": Table(("run", "topic", "archetype", "conflated"), points),
        },
        captions={
            "shares": "How often each shape occurs, over all runs and topics.",
            "collection": "Table 2 of the paper: per cent of topics; excellent includes ups-and-downs.",
            "points": "The shape of each run on each topic.",
        },
        data=("points",),
    )
