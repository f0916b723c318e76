"""The gain over a baseline as novelty counts more."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from rankgauge.errors import OptionError
from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import CLARKE
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.labels import check_name
from rankgauge.figures.of_studies import campaign_size, table_rows
from rankgauge.figures.options import Name
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.parameters import Whole

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


@figure(
    "alpha-gain",
    title="Gain over a baseline as novelty counts more",
    needs="findings",
    cite=f"{CLARKE}, figure 3",
    example="--values 0,0.5,1 --depths 10,20,50 --run dense",
    study="alpha",
)
def alpha_gain(
    findings: "Findings",
    style: Style,
    *,
    run: Annotated[
        str | None, Name(), "the run to show, at several depths (default: the one that is compared)"
    ] = None,
    depth: Annotated[
        int | None, Whole(1), "the only cutoff to show (default: all, or the first for several runs)"
    ] = None,
) -> Drawing:
    """The difference of runs to a baseline in α-nDCG, in per cent, as α goes from 0 to 1.

    One run has a line for each cutoff, as in the paper; several runs have a line each, at one cutoff.
    """
    gains = table_rows(findings, "gains")
    depths, runs = ([*dict.fromkeys(row[key] for row in gains)] for key in ("depth", "run"))
    if depth is not None and depth not in depths:
        raise OptionError(f"depth must be one of {', '.join(map(str, depths))}, not {depth}")
    if run is not None:
        runs = [check_name("run that is compared with the baseline", run, runs)]
    if depth is not None:
        depths = [depth]
    elif len(runs) > 1:
        depths = depths[:1]
    shown = [row for row in gains if row["depth"] in depths and row["run"] in runs]
    baseline = style.name(findings.settings["baseline"])
    by_run = len(runs) > 1
    rows: list[list[Cell]] = [
        [row["run"] if by_run else f"depth {row['depth']}", row["alpha"], row["gain in %"]] for row in shown
    ]
    drawing = lines.function(
        Table(("run" if by_run else "depth", "α", f"gain over {baseline} (%)"), rows),
        style,
        rule=0.0,
        marks=True,
    )
    measure = "α-nDCG" if len(depths) > 1 else f"α-nDCG at {depths[0]}"
    of = "" if by_run else f" of {style.name(str(runs[0]))}"
    return replace(
        drawing,
        title=f"{measure}: gain{of} over {baseline}",
        subtitle=campaign_size(findings),
        sentences=[
            f"Difference in mean {measure}{of} to {baseline}, in per cent of its value, by α"
            f"{', a line for each cutoff' if len(depths) > 1 else ''}.",
            *findings.sentences,
        ],
    )
