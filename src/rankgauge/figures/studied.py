"""Figures of what studies found."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.figures.figure import Drawing
from rankgauge.figures.labels import counted, legible
from rankgauge.figures.line_tables import lines
from rankgauge.figures.matrices import matrix
from rankgauge.figures.options import Name
from rankgauge.figures.registry import figure
from rankgauge.figures.theme import Style
from rankgauge.measures import parse
from rankgauge.model.tables import Cell, Table
from rankgauge.schema.parameters import Flag, Whole, Word

if TYPE_CHECKING:
    from rankgauge.studies.findings import Findings

SAKAI = "Sakai 2006, Evaluating evaluation metrics based on the bootstrap"
FERRO = "Ferro, Silvello, Keskustalo, Pirkola and Järvelin 2016, The Twist measure for IR evaluation"
CLARKE = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation"
COEFFICIENTS = {"tau_b": "Kendall's τ-b", "tau_a": "Kendall's τ-a", "tau_ap": "τ_AP", "rbo": "RBO"}


def _of_campaign(findings: "Findings") -> str:
    """How many runs and topics a study was of."""
    settings = findings.settings
    return f"{counted(settings['runs'], 'run')}, {counted(settings['topics'], 'topic')}"


def _rows(findings: "Findings", table: str) -> list[dict[str, Any]]:
    found = findings.table(table)
    return [dict(zip(found.headers, row, strict=True)) for row in found.rows]


@figure(
    "asl",
    title="Achieved significance levels, and discriminative power",
    needs="findings",
    cite=f"{SAKAI}, figures 13 and 14 of its use at NTCIR; {FERRO}, figure 14",
    example='-m "AP nDCG Q RBP" --samples 200 --seed 7',
    study="power",
)
def asl(
    findings: "Findings",
    style: Style,
    *,
    near: Annotated[bool, Flag(), "show levels up to 0.2 alone, where it is decided"] = False,
) -> Drawing:
    """The ASL of all pairs of runs, falling, a line for each measure; power and Δ are in the legend.

    The farther a line stays below the level of significance, the more pairs a measure tells apart.
    """
    power = _rows(findings, "power")
    alpha = power[0]["alpha"]
    names = {_condition(row): _powerful(row) for row in power if row["alpha"] == alpha}
    table = [[names[_condition(row)], row["pair"], row["asl"]] for row in _rows(findings, "curve")]
    shown = [row for row in table if not near or row[2] <= 0.2]
    drawing = lines.function(
        Table(("measure", "pairs of runs, by falling ASL", "ASL"), shown or table[-1:]), style, rule=alpha
    )
    pairs = power[0]["pairs"]
    return replace(
        drawing,
        title="Achieved significance levels",
        subtitle=f"{counted(pairs, 'pair')} of {_of_campaign(findings)}; power at α = {alpha:g}",
        sentences=[
            f"The achieved significance level (ASL) of {counted(pairs, 'pair')} of runs, from the highest to "
            f"the lowest, for each measure by itself. Behind its name: the share below α = {alpha:g}, and "
            "the difference Δ of means that this takes.",
            *findings.sentences,
            "Levels above 0.2 are left out." if near else "",
        ],
    )


def _condition(row: dict[str, Any]) -> tuple[Any, str]:
    return row.get("gains"), row["measure"]


def _powerful(row: dict[str, Any]) -> str:
    """A measure with its discriminative power and Δ, as legends have it."""
    gains = f", {row['gains']}" if row.get("gains") is not None else ""
    delta = f", Δ = {row['delta']:.3f}" if row["delta"] == row["delta"] else ""
    return f"{row['measure']}{gains} ({row['percent']:.1f} %{delta})"


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
    coefficient: Annotated[str, Word(tuple(COEFFICIENTS)), "what is drawn"] = "tau_b",
) -> Drawing:
    """How alike measures put the runs in order: a cell for each two of them."""
    drawing = matrix.function(findings.table(coefficient), style)
    return replace(
        drawing,
        title=f"{COEFFICIENTS[coefficient]} of measures",
        subtitle=_of_campaign(findings),
        sentences=[
            f"{COEFFICIENTS[coefficient]} between the orders of runs by the measures in row and column.",
            *findings.sentences,
        ],
    )


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
        subtitle=_of_campaign(findings),
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


@figure(
    "robustness",
    title="Robustness to incomplete judgments",
    needs="findings",
    cite=f"Buckley and Voorhees 2004, Retrieval evaluation with incomplete information; {FERRO}, figure 13",
    example='-m "AP Bpref nDCG" --shuffles 3 --seed 7',
    study="robustness",
)
def robustness(findings: "Findings", style: Style) -> Drawing:
    """Kendall's τ-b between the orders of runs by fewer judgments and by all, a line for each measure.

    Bands are from the least to the most over the shuffles. With all judgments τ is 1 by definition.
    """
    spread = _rows(findings, "spread")
    rows: list[list[Cell]] = [
        [row["measure"], row["percent"], row["mean"], row["min"], row["max"]] for row in spread
    ]
    rows += [[measure, 100, 1.0, 1.0, 1.0] for measure in dict.fromkeys(row["measure"] for row in spread)]
    rows.sort(key=lambda row: float(row[1] or 0))
    drawing = lines.function(
        Table(("measure", "judgments kept (%)", "τ-b to all judgments", "least", "most"), rows),
        style,
        low="least",
        high="most",
        marks=True,
    )
    shuffles = findings.settings["shuffles"]
    return replace(
        drawing,
        title="Robustness to incomplete judgments",
        subtitle=f"{_of_campaign(findings)}; mean, least and most of {counted(shuffles, 'shuffle')}",
        sentences=[
            "Kendall's τ-b between the orders of runs by a sample of the judgments and by all of them, mean "
            f"of {counted(shuffles, 'shuffle')} (seed {findings.settings['seed']}); bands: least to most.",
            *findings.sentences,
        ],
    )


@figure(
    "reversed-ideal",
    title="The worst order of relevant documents, by rank",
    needs="findings",
    cite=f"{CLARKE}, figure 2",
    example="--values 0,0.5,1 --depth 20",
    study="reversed-ideal",
)
def reversed_ideal(findings: "Findings", style: Style) -> Drawing:
    """α-nDCG of relevant documents in the worst order, a line for each α: how much order alone is worth."""
    found = findings.table("ranks")
    rows: list[list[Cell]] = [
        [name.replace("alpha", "α ="), row[0], value]
        for place, name in enumerate(found.headers[1:], 1)
        for row in found.rows
        for value in [row[place]]
    ]
    drawing = lines.function(Table(("alpha", "rank", "mean α-nDCG"), rows), style, zero=True)
    return replace(
        drawing,
        title="α-nDCG of the reversed ideal ranking",
        subtitle=_of_campaign(findings),
        sentences=[
            "Mean α-nDCG at each rank of the ranking that has all relevant documents first, in the order "
            "that adds the least.",
            *findings.sentences,
        ],
    )


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
    gains = _rows(findings, "gains")
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
        subtitle=_of_campaign(findings),
        sentences=[
            f"Difference of mean α-nDCG@{depth or depths[0]} to {base}, in per cent of the latter, by α.",
            *findings.sentences,
        ],
    )
