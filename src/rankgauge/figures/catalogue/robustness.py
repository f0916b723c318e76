"""Robustness to incomplete judgments."""

from dataclasses import replace
from typing import TYPE_CHECKING

from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import FERRO
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.labels import counted, exact_texts
from rankgauge.figures.of_studies import campaign_size, table_rows
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


@figure(
    "robustness",
    title="Robustness to incomplete judgments",
    needs="findings",
    cite=f"Buckley and Voorhees 2004, Retrieval evaluation with incomplete information; {FERRO}, figure 13",
    example='-m "AP Bpref nDCG" --shuffles 3 --seed 7',
    study="robustness",
)
def robustness(findings: "Findings", style: Style) -> Drawing:
    """Kendall's τ-b between the rankings of runs by some judgments and by all, a line for each measure.

    Bars reach from the minimum to the maximum over shuffles. With all judgments τ is 1 by definition.
    """
    samples = table_rows(findings, "spread")
    rows: list[list[Cell]] = [
        [row["measure"], row["percent"], row["mean"], row["min"], row["max"]] for row in samples
    ]
    rows += [[measure, 100, 1.0, 1.0, 1.0] for measure in dict.fromkeys(row["measure"] for row in samples)]
    rows.sort(key=lambda row: float(row[1] or 0))
    drawing = lines.function(
        Table(("measure", "judgments kept (%)", "τ-b to all judgments", "minimum", "maximum"), rows),
        style,
        low="minimum",
        high="maximum",
        marks=True,
    )
    shuffles = findings.settings["shuffles"]
    return replace(
        drawing,
        title="Robustness to incomplete judgments",
        subtitle=f"{campaign_size(findings)}; mean, minimum and maximum of {counted(shuffles, 'shuffle')}",
        sentences=[
            "Kendall's τ-b between the rankings of runs by a sample of the judgments and by all, mean of "
            f"{counted(shuffles, 'shuffle')} (seed {findings.settings['seed']}).",
            drawing.sentences[1],
            exact_texts(dict.fromkeys(row["measure"] for row in samples), style.measure),
            *findings.sentences,
        ],
    )
