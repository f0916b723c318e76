"""The gain over a baseline as novelty counts more."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from rankgauge.errors import OptionError
from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import CLARKE
from rankgauge.figures.drawing import Drawing
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
    title="Gain over a baseline as novelty counts more",
    needs="findings",
    cite=f"{CLARKE}, figure 3",
    example="--values 0,0.5,1 --depths 20",
    study="alpha",
)
def alpha_gain(
    findings: "Findings",
    style: Style,
    *,
    depth: Annotated[int | None, Whole(1), "the cutoff to show (default: the first)"] = None,
) -> Drawing:
    """The difference of runs to a baseline in α-nDCG, in per cent, as α goes from 0 to 1."""
    gains = table_rows(findings, "gains")
    depths = list(dict.fromkeys(row["depth"] for row in gains))
    if depth is not None and depth not in depths:
        raise OptionError(f"depth must be one of {', '.join(map(str, depths))}, not {depth}")
    shown = [row for row in gains if row["depth"] == (depth or depths[0])]
    baseline = legible(findings.settings["baseline"])
    rows: list[list[Cell]] = [[row["run"], row["alpha"], row["gain in %"]] for row in shown]
    drawing = lines.function(
        Table(("run", "α", f"gain over {baseline} (%)"), rows), style, rule=0.0, marks=True
    )
    return replace(
        drawing,
        title=f"α-nDCG@{depth or depths[0]}: gain over {baseline}",
        subtitle=campaign_size(findings),
        sentences=[
            f"Difference in mean α-nDCG@{depth or depths[0]} to {baseline}, in per cent of its value, by α.",
            *findings.sentences,
        ],
    )
