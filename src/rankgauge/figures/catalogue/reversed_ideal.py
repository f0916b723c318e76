"""The reversed ideal ranking: all relevant documents, in the worst order."""

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import CLARKE
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.of_studies import topic_count
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


@figure(
    "reversed-ideal",
    title="The reversed ideal ranking, by rank",
    needs="findings",
    cite=f"{CLARKE}, figure 2",
    example="--values 0,0.5,1 --depth 20",
    study="reversed-ideal",
)
def reversed_ideal(findings: "Findings", style: Style) -> Drawing:
    """α-nDCG of all relevant documents in the worst order, a line for each α: the effect of order alone."""
    ranks = findings.table("ranks")
    rows: list[list[Cell]] = [
        [name.replace("alpha", "α ="), row[0], value]
        for place, name in enumerate(ranks.headers[1:], 1)
        for row in ranks.rows
        for value in [row[place]]
    ]
    drawing = lines.function(Table(("alpha", "rank", "mean α-nDCG"), rows), style, zero=True)
    return replace(
        drawing,
        title="α-nDCG of the reversed ideal ranking",
        subtitle=topic_count(findings),
        sentences=[
            "Mean α-nDCG at each rank of a ranking of all relevant documents, each chosen to add the least.",
            *findings.sentences,
        ],
    )
