"""Rank correlation of measures."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from rankgauge.figures.catalogue.matrix import matrix
from rankgauge.figures.citations import SAKAI
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.labels import exact_texts
from rankgauge.figures.of_studies import campaign_size
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.schema.parameters import Word

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings

COEFFICIENTS = {
    "tau_b": "Kendall's τ-b",
    "tau_a": "Kendall's τ-a",
    "tau_ap": "τ_AP",
    "tau_w": "Weighted τ",
    "rbo": "RBO",
}


@figure(
    "correlation",
    title="Rank correlation of measures",
    needs="findings",
    cite=f"{SAKAI}, figures 1 to 4 of its use at NTCIR",
    example='-m "AP nDCG Q RBP" --samples 0',
    study="correlation",
)
def correlation(
    findings: "Findings",
    style: Style,
    *,
    coefficient: Annotated[str, Word(tuple(COEFFICIENTS)), "the coefficient to show"] = "tau_b",
) -> Drawing:
    """How similarly measures rank the runs: a cell for each pair of measures."""
    drawing = matrix.function(findings.table(coefficient), style)
    return replace(
        drawing,
        title=f"{COEFFICIENTS[coefficient]} of measures",
        subtitle=campaign_size(findings),
        sentences=[
            f"{COEFFICIENTS[coefficient]} between the rankings of runs by the measures in row and column.",
            *drawing.sentences[1:],
            exact_texts(findings.table(coefficient).headers[1:], style.measure),
            *findings.sentences,
        ],
    )
