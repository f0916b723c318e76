"""The gain over a baseline as novelty comes to count."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from rankgauge.errors import OptionError
from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import CLARKE
from rankgauge.figures.figure import Drawing
from rankgauge.figures.labels import legible
from rankgauge.figures.of_studies import campaign_size, table_rows
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.model.tables import Cell, Table
from rankgauge.schema.parameters import Whole

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


@figure(
    "alpha-gain",
    title="The gain over a baseline as novelty comes to count",
    needs="findings",
    cite=f"{CLARKE}, figure 3",
    example="--values 0,0.5,1 --depths 20",
    study="alpha",
)
def alpha_gain(
    findings: "Findings",
    style: Style,
    *,
    depth: Annotated[int | None, Whole(1), "the cutoff that is shown (default: the first)"] = None,
) -> Drawing:
    """By how many per cent runs are better than a baseline in α-nDCG, as α goes from 0 to 1."""
    gains = table_rows(findings, "gains")
    depths = list(dict.fromkeys(row["depth"] for row in gains))
    if depth is not None and depth not in depths:
        raise OptionError(f"depth must be one of {', '.join(map(str, depths))}, not {depth}")
    shown = [row for row in gains if row["depth"] == (depth or depths[0])]
    base = legible(findings.settings["baseline"])
    rows: list[list[Cell]] = [[row["run"], row["alpha"], row["gain in %"]] for row in shown]
    drawing = lines.function(Table(("run", "α", f"gain over {base} (%)"), rows), style, rule=0.0, marks=True)
    return replace(
        drawing,
        title=f"α-nDCG@{depth or depths[0]}: gain over {base}",
        subtitle=campaign_size(findings),
        sentences=[
            f"Difference of mean α-nDCG@{depth or depths[0]} to {base}, in per cent of the latter, by α.",
            *findings.sentences,
        ],
    )
