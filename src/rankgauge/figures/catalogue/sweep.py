"""Rank correlation over the values of a parameter."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import SAKAI
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.of_studies import campaign_size
from rankgauge.figures.options import Name
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.measures import parse
from rankgauge.model.tables import Cell, Table

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings


@figure(
    "sweep",
    title="Rank correlation by a parameter of a measure",
    needs="findings",
    cite=f"{SAKAI}, figures 5 to 12 of its use at NTCIR; Järvelin and Kekäläinen 2002",
    example='-m "AP Q(beta=0.1|1|10|100)" --samples 200',
    study="correlation",
)
def sweep(
    findings: "Findings",
    style: Style,
    *,
    parameter: Annotated[
        str | None, Name(), "the parameter on the x axis (default: the first that varies)"
    ] = None,
) -> Drawing:
    """Kendall's τ-b to a reference measure by the value of a parameter, with confidence intervals.

    The measures of the study are the reference and a grid, such as AP and Q(beta=0.1|1|10|100).
    """
    if "sweep" not in findings.tables:
        raise InputError("there is no sweep; give a reference and a grid, such as -m 'AP Q(beta=1|10|100)'")
    table = findings.table("sweep")
    measures = [str(row[0]) for row in table.rows]
    across = parameter if parameter is not None else _varying(measures)
    rows: list[list[Cell]] = []
    for measure, (_, tau, low, high, *_) in zip(measures, table.rows, strict=True):
        value, rest = _setting(measure, across)
        rows.append([rest, value, tau, low, high])
    rows.sort(key=lambda row: (str(row[0]), row[1]))
    up = table.headers[1]
    has_bands = any(low == low for *_, low, _ in rows)
    values = [float(row[1]) for row in rows if isinstance(row[1], (int, float))]
    wide = min(values) > 0 and max(values) / min(values) >= 20
    drawing = lines.function(
        Table(("measure", across, up, "low", "high"), rows),
        style,
        marks=True,
        log="x" if wide else "none",
        **({"low": "low", "high": "high"} if has_bands else {}),
    )
    return replace(
        drawing,
        title=f"{', '.join(dict.fromkeys(str(row[0]) for row in rows))}: {up} by {across}",
        subtitle=campaign_size(findings),
        sentences=[
            f"Kendall's {up.replace('tau_b', 'τ-b')} of the ranking of runs, by {across}.",
            *findings.sentences,
        ],
    )


def _settings(measure: str) -> dict[str, Any]:
    """All settings of a measure including defaults, and its cutoff."""
    parsed = parse(measure)
    settings = {p.name: parsed.settings.get(p.name, p.default) for p in parsed.spec.parameters}
    return {**settings, "cutoff": parsed.cutoff}


def _varying(measures: list[str]) -> str:
    """The first numeric parameter in which measures of one name differ."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for measure in measures:
        by_name.setdefault(parse(measure).spec.name, []).append(_settings(measure))
    for variants in by_name.values():
        for name in variants[0]:
            values = {repr(settings[name]): settings[name] for settings in variants}.values()
            if len(values) > 1 and all(isinstance(value, (int, float)) for value in values):
                return name
    raise OptionError(f"no numeric parameter varies among {', '.join(measures)}")


def _setting(measure: str, parameter: str) -> tuple[float, str]:
    """(the value of a parameter, the measure without it)."""
    parsed = parse(measure)
    value = _settings(measure).get(parameter)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise OptionError(f"{measure} has no numeric parameter {parameter!r}")
    if parameter == "cutoff":
        return value, str(replace(parsed, cutoff=None))
    rest = {name: each for name, each in parsed.settings.items() if name != parameter}
    return value, str(replace(parsed, settings=rest))
