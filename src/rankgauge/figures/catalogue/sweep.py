"""Rank correlation over the values of a parameter."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.figures.catalogue.lines import lines
from rankgauge.figures.citations import SAKAI
from rankgauge.figures.drawing import Drawing
from rankgauge.figures.labels import exact_texts
from rankgauge.figures.of_studies import campaign_size, table_rows
from rankgauge.figures.options import Name
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.measures import parse
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings

ENDS = ("the lower end of the confidence interval", "the upper end")
LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "lambda": "λ", "sigma": "σ", "theta": "θ"}


@figure(
    "sweep",
    title="Rank correlation by a parameter of a measure",
    needs="findings",
    cite=f"{SAKAI}, figures 5 to 12 of its use at NTCIR; Järvelin and Kekäläinen 2002",
    example='-m "Q(beta=0.1|1|10|100)" --reference "AP nDCG" --samples 200',
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
    """Kendall's τ-b by the value of a parameter, with confidence intervals.

    A line for each measure that the settings are compared with: the references, and the default setting. The
    measures of the study are a grid, such as Q(beta=0.1|1|10|100).
    """
    if "sweep" not in findings.tables:
        raise InputError("there is no sweep; give a grid, such as -m 'Q(beta=1|10|100)'")
    table = table_rows(findings, "sweep")
    measures = [*dict.fromkeys(row["measure"] for row in table)]
    across = parameter if parameter is not None else _varying(measures)
    places = {measure: _setting(measure, across) for measure in measures}
    families = [*dict.fromkeys(rest for _, rest in places.values())]
    title = LETTERS.get(across, across.replace("_", " "))
    asked = {*(findings.settings["reference"] or ())}
    rows: list[list[Cell]] = []
    references: dict[str, None] = {}
    for row in table:
        value, rest = places[row["measure"]]
        other = row["reference"]
        named = style.measure(other)
        if other not in asked and places[other][1] == rest:  # the default setting, named by its value: β = 1
            named = f"{title} = {format_number(places[other][0])}"
        references[named] = None
        name = f"{style.measure(rest)} with {named}" if len(families) > 1 else f"with {named}"
        rows.append([name, value, row["tau_b"], row["low"], row["high"]])
    rows.sort(key=lambda row: (str(row[0]), row[1]))
    up = f"Kendall's τ with {next(iter(references))}" if len(references) == 1 else "Kendall's τ"
    has_bands = any(low == low for *_, low, _ in rows)
    values = [value for value, _ in places.values()]
    wide = min(values) > 0 and max(values) / min(values) >= 20
    drawing = lines.function(
        Table(("line", title, up, *ENDS), rows),
        style,
        marks=True,
        log="x" if wide else "none",
        **(dict(zip(("low", "high"), ENDS, strict=True)) if has_bands else {}),
    )
    return replace(
        drawing,
        title=f"{style.measures(families)}: rank correlation by {title}",
        subtitle=campaign_size(findings),
        sentences=[
            f"Kendall's τ-b between the order of runs by {style.measures(families)} and that by "
            f"{' or '.join(references)}, for each value of {title}.",
            drawing.sentences[1],
            exact_texts([*measures, *asked], style.measure),
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
