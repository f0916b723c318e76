"""Achieved significance levels of all pairs of runs."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import FERRO, SAKAI
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.labels import counted, exact_texts
from rankgauge.figures.of_studies import campaign_size, table_rows
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.model.output.tables import Table, number
from rankgauge.schema.parameters import Flag

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


@figure(
    "asl",
    title="Achieved significance levels and discriminative power",
    needs="findings",
    cite=f"{SAKAI}, figures 13 and 14 of its use at NTCIR; {FERRO}, figure 14",
    example='-m "AP nDCG Q RBP" --samples 200 --seed 7',
    study="power",
)
def asl(
    findings: "Findings",
    style: Style,
    *,
    near: Annotated[bool, Flag(), "show only levels up to 0.2, where significance is decided"] = False,
    power: Annotated[bool, Flag(), "show discriminative power and Δ in the legend"] = True,
) -> Drawing:
    """Achieved significance levels (ASL) of all pairs of runs, in descending order, a line for each measure.

    The sooner a line falls below the significance level, the more pairs of runs a measure distinguishes. A
    band shows the lowest and highest level of each pair among repeats of the tests with other seeds. The
    legend has the discriminative power and the difference Δ that significance takes, with its standard
    deviation over repeats.
    """
    rows = table_rows(findings, "power")
    alpha = rows[0]["alpha"]
    several = len({row["gains"] for row in rows if row.get("gains")}) > 1
    names = {
        _condition(row): _legend_label(row, style, gains=several, power=power)
        for row in rows
        if row["alpha"] == alpha
    }
    table = [
        [names[_condition(row)], row["pair"], row["asl"], row["low"], row["high"]]
        for row in table_rows(findings, "curve")
    ]
    shown = [row for row in table if not near or row[2] <= 0.2]
    band = any(low < high for *_, low, high in table)
    ends = ("the lowest ASL of a pair in a repeat", "the highest")
    drawing = lines.function(
        Table(("line", "pairs of runs, by descending ASL", "ASL", *ends), shown or table[-1:]),
        style,
        rule=alpha,
        **(dict(zip(("low", "high"), ends, strict=True)) if band else {}),
    )
    pairs = rows[0]["pairs"]
    return replace(
        drawing,
        title="Achieved significance levels",
        subtitle=f"{counted(pairs, 'pair')} of {campaign_size(findings)}; power at α = {alpha:g}",
        sentences=[
            f"The achieved significance levels (ASL) of {counted(pairs, 'pair')} of runs, from the highest "
            "to the lowest, separately for each measure.",
            f"In parentheses: the share of pairs below α = {alpha:g}, and the difference Δ in means that "
            "significance takes."
            if power
            else "",
            f"{drawing.sentences[1]} ± is the standard deviation of Δ over repeats." if band else "",
            exact_texts(dict.fromkeys(row["measure"] for row in rows), style.measure),
            *findings.sentences,
            "Levels above 0.2 are left out." if near else "",
        ],
    )


def _condition(row: dict[str, Any]) -> tuple[Any, str]:
    return row.get("gains"), row["measure"]


def _legend_label(row: dict[str, Any], style: Style, *, gains: bool, power: bool) -> str:
    """A measure with its gains, discriminative power and Δ, as short as it can be, for the legend."""
    measure = style.measure(row["measure"])
    name = f"{measure} {row['gains']}" if gains and row["gains"] else measure
    if not power:
        return name
    delta, spread = (number(row[each], 3, undefined="") for each in ("delta", "delta sd"))
    needed = f", Δ {delta}{f'±{spread}' if spread else ''}" if delta else ""
    return f"{name} ({number(row['percent'], 1)} %{needed})"
