"""Rank correlation over the values of a parameter."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import SAKAI
from rankgauge.figures.figure import Drawing
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
    title="What a parameter of a measure does to the order of runs",
    needs="findings",
    cite=f"{SAKAI}, figures 5 to 12 of its use at NTCIR; Järvelin and Kekäläinen 2002",
    example='-m "AP Q(beta=0.1|1|10|100)" --samples 200',
    study="correlation",
)
def sweep(
    findings: "Findings",
    style: Style,
    *,
    parameter: Annotated[str | None, Name(), "the parameter across (default: the first that varies)"] = None,
) -> Drawing:
    """Kendall's τ-b to a reference measure over the values of a parameter, with its interval.

    The measures of the study are the reference and a grid, such as AP and Q(beta=0.1|1|10|100).
    """
    if "sweep" not in findings.tables:
        raise InputError("there is no sweep: give the reference and a grid, such as -m 'AP Q(beta=1|10|100)'")
    found = findings.table("sweep")
    measures = [str(row[0]) for row in found.rows]
    across = parameter if parameter is not None else _varying(measures)
    rows: list[list[Cell]] = []
    for measure, (_, tau, low, high, *_) in zip(measures, found.rows, strict=True):
        value, rest = _setting(measure, across)
        rows.append([rest, value, tau, low, high])
    rows.sort(key=lambda row: (str(row[0]), row[1]))
    up = found.headers[1]
    banded = any(low == low for *_, low, _ in rows)
    values = [float(row[1]) for row in rows if isinstance(row[1], (int, float))]
    wide = min(values) > 0 and max(values) / min(values) >= 20
    drawing = lines.function(
        Table(("measure", across, up, "low", "high"), rows),
        style,
        marks=True,
        log="x" if wide else "none",
        **({"low": "low", "high": "high"} if banded else {}),
    )
    return replace(
        drawing,
        title=f"{', '.join(dict.fromkeys(str(row[0]) for row in rows))}: {up} by {across}",
        subtitle=campaign_size(findings),
        sentences=[
            f"Kendall's {up.replace('tau_b', 'τ-b')} of the order of runs, over {across}.",
            *findings.sentences,
        ],
    )


def _settings(measure: str) -> dict[str, Any]:
    """All settings of a measure, also those that are not written, and its cutoff."""
    found = parse(measure)
    settings = {p.name: found.settings.get(p.name, p.default) for p in found.spec.parameters}
    return {**settings, "cutoff": found.cutoff}


def _varying(measures: list[str]) -> str:
    """The first parameter of numbers in which measures of one name differ."""
    by_name: dict[str, list[dict[str, Any]]] = {}
    for measure in measures:
        by_name.setdefault(parse(measure).spec.name, []).append(_settings(measure))
    for some in by_name.values():
        for name in some[0]:
            values = {repr(settings[name]): settings[name] for settings in some}.values()
            if len(values) > 1 and all(isinstance(value, (int, float)) for value in values):
                return name
    raise OptionError(f"no parameter of numbers varies among {', '.join(measures)}")


def _setting(measure: str, parameter: str) -> tuple[float, str]:
    """(the value of a parameter, the measure without it)."""
    found = parse(measure)
    value = _settings(measure).get(parameter)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise OptionError(f"{measure} has no number for {parameter!r}")
    if parameter == "cutoff":
        return value, str(replace(found, cutoff=None))
    rest = {name: each for name, each in found.settings.items() if name != parameter}
    return value, str(replace(found, settings=rest))
