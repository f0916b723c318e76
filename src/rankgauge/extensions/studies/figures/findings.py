"""The figures of studies: `alpha-gain`, `asl`, `correlation`, `reversed-ideal`, `robustness`, `sweep`."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import NAME
from rankgauge.campaigns.registry import STUDIES
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.figures.catalogue.lines import lines
from rankgauge.extensions.pages.figures.catalogue.matrix import matrix
from rankgauge.extensions.pages.figures.drawing import Drawing
from rankgauge.extensions.pages.figures.labels import check_name, counted, exact_texts, value_words
from rankgauge.extensions.pages.figures.registry import FERRO, figure
from rankgauge.extensions.pages.figures.theme import Style
from rankgauge.measures import parse
from rankgauge.model.output.tables import Cell, Table, number
from rankgauge.schema.parameters import Flag, Whole, Word
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.campaigns.campaign import Campaign

SWEPT = "nDCG(base=2|4|8|16)"
CLARKE = "Clarke et al. 2008, Novelty and diversity in information retrieval evaluation"
SAKAI = "Sakai 2006, Evaluating evaluation metrics based on the bootstrap"
COEFFICIENTS = {
    "tau_b": "Kendall's τ-b",
    "tau_a": "Kendall's τ-a",
    "tau_ap": "τ_AP",
    "tau_w": "Weighted τ",
    "rbo": "RBO",
}
NEAR = (0.005, 0.2)  # the levels where significance is decided
ENDS = ("the lower end of the confidence interval", "the upper end")
LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "lambda": "λ", "sigma": "σ", "theta": "θ"}


@figure(
    "asl",
    title="Achieved significance levels and discriminative power",
    needs="findings",
    cite=f"{SAKAI}, figures 13 and 14 of its use at NTCIR; {FERRO}, figure 14",
    example='-m "AP nDCG Q RBP" --samples 200 --seed 7',
    study="power",
)
def asl(
    findings: Findings,
    style: Style,
    *,
    near: Annotated[
        bool, Flag(), "show only levels from 0.2 to 0.005, where significance is decided, if there are enough"
    ] = True,
    power: Annotated[bool, Flag(), "show discriminative power and Δ in the legend"] = True,
) -> Drawing:
    """Achieved significance levels (ASL) of all pairs of runs, in descending order, a line for each measure.

    The sooner a line falls below the significance level, the more pairs of runs a measure distinguishes. A
    band shows the lowest and highest level of each pair among repeats of the tests with other seeds. The
    legend has the discriminative power and the difference Δ that significance takes, with its standard
    deviation over repeats.
    """
    rows = findings.records("power")
    alpha = rows[0]["alpha"]
    gains = [*dict.fromkeys(row["gains"] for row in rows if row.get("gains"))]
    names = {
        _condition(row): _legend_label(row, style, gains=len(gains) > 1, power=power)
        for row in rows
        if row["alpha"] == alpha
    }
    table = [
        [names[_condition(row)], row["pair"], row["asl"], row["low"], row["high"]]
        for row in findings.records("curve")
    ]
    end = max((row[1] for row in table if row[2] >= NEAR[0]), default=0) + 1  # beyond, lines are on the axis
    close = [row for row in table if row[2] <= NEAR[1] and row[1] <= end]
    drawn = Counter(row[0] for row in close)
    near = near and all(drawn[name] > 1 for name in names.values())
    shown = close if near else table
    pairs = counted(rows[0]["pairs"], "pair")
    band = any(low < high for *_, low, high in table)
    ends = ("the lowest ASL of a pair in a repeat", "the highest")
    drawing = lines.function(
        Table(("line", f"{pairs} of runs, by descending ASL", "ASL", *ends), shown),
        style,
        rule=alpha,
        marks=1 in Counter(row[0] for row in shown).values(),  # a line of one point would not be seen
        **(dict(zip(("low", "high"), ends, strict=True)) if band else {}),
    )
    return replace(
        drawing,
        title="Achieved significance levels",
        subtitle=f"{pairs} of {campaign_size(findings)}; power at α = {alpha:g}",
        sentences=[
            f"The achieved significance levels (ASL) of {pairs} of runs, from the highest to the lowest, "
            "separately for each measure.",
            f"Gains: {value_words(gains[0])}." if len(gains) == 1 else "",
            f"In parentheses: the share of pairs below α = {alpha:g}, and the difference Δ in means that "
            f"significance takes{', with its standard deviation (sd) over repeats' if band else ''}."
            if power
            else "",
            drawing.sentences[1],
            exact_texts(dict.fromkeys(row["measure"] for row in rows), style.name),
            *findings.sentences,
            f"Left out: levels above {NEAR[1]:g}, and pairs that are below {NEAR[0]:g} by every measure."
            if near
            else "",
        ],
    )


def _condition(row: dict[str, Any]) -> tuple[Any, str]:
    return row.get("gains"), row["measure"]


def _legend_label(row: dict[str, Any], style: Style, *, gains: bool, power: bool) -> str:
    measure = style.name(row["measure"])
    name = f"{measure} {row['gains']}" if gains and row["gains"] else measure
    if not power:
        return name
    delta, spread = (number(row[each], 3, undefined="") for each in ("delta", "delta sd"))
    needed = f", Δ {delta}{f', sd {spread}' if spread else ''}" if delta else ""
    return f"{name} ({number(row['percent'], 1)} %{needed})"


@figure(
    "correlation",
    title="Rank correlation of measures",
    needs="findings",
    cite=f"{SAKAI}, figures 1 to 4 of its use at NTCIR",
    example='-m "AP nDCG Q RBP" --samples 0',
    study="correlation",
)
def correlation(
    findings: Findings,
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
            exact_texts(findings.table(coefficient).headers[1:], style.name),
            *findings.sentences,
        ],
    )


@figure(
    "robustness",
    title="Robustness to incomplete judgments",
    needs="findings",
    cite=f"Buckley and Voorhees 2004, Retrieval evaluation with incomplete information; {FERRO}, figure 13",
    example='-m "AP Bpref nDCG" --shuffles 3 --seed 7',
    study="robustness",
)
def robustness(findings: Findings, style: Style) -> Drawing:
    """Kendall's τ-b between the rankings of runs by some judgments and by all, a line for each measure.

    Bars reach from the minimum to the maximum over shuffles. With all judgments τ is 1 by definition.
    """
    samples = findings.records("spread")
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
            exact_texts(dict.fromkeys(row["measure"] for row in samples), style.name),
            *findings.sentences,
        ],
    )


def _over_bases(campaign: "Campaign", options: Mapping[str, Any]) -> Findings:
    settings = options["settings"]
    given = settings | {"measures": settings.get("measures") or SWEPT}
    found: Findings = STUDIES[options["study"]].call(campaign, **given)
    return found


@figure(
    "sweep",
    title="Rank correlation by a parameter of a measure",
    needs="findings",
    cite=f"{SAKAI}, figures 5 to 12 of its use at NTCIR; Järvelin and Kekäläinen 2002",
    example='-m "Q(beta=0.1|1|10|100)" --reference "AP nDCG" --samples 200',
    compute=_over_bases,
    study="correlation",
)
def sweep(
    findings: Findings,
    style: Style,
    *,
    parameter: Annotated[
        str | None, NAME, "the parameter on the x axis (default: the first that varies)"
    ] = None,
) -> Drawing:
    """Kendall's τ-b by the value of a parameter, with confidence intervals.

    A line for each measure that the settings are compared with: the references, and the default setting. The
    measures of the study are a grid, such as Q(beta=0.1|1|10|100); by default nDCG(base=2|4|8|16).
    """
    if "sweep" not in findings.tables:
        raise InputError("there is no sweep; give a grid, such as -m 'Q(beta=1|10|100)'")
    table = findings.records("sweep")
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
        named = style.name(other)
        if other not in asked and places[other][1] == rest:  # the default setting, named by its value: β = 1
            named = f"{title} = {format_number(places[other][0])}"
        references[named] = None
        name = f"{style.name(rest)} with {named}" if len(families) > 1 else f"with {named}"
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
            exact_texts([*measures, *asked], style.name),
            *findings.sentences,
        ],
    )


def _settings(measure: str) -> dict[str, Any]:
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
    raise OptionError(
        f"no numeric parameter varies among {', '.join(measures)}; pass a grid of measures, such as {SWEPT}"
    )


def _setting(measure: str, parameter: str) -> tuple[float, str]:
    parsed = parse(measure)
    value = _settings(measure).get(parameter)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise OptionError(f"{measure} has no numeric parameter {parameter!r}")
    if parameter == "cutoff":
        return value, str(replace(parsed, cutoff=None))
    rest = {name: each for name, each in parsed.settings.items() if name != parameter}
    return value, str(replace(parsed, settings=rest))


@figure(
    "alpha-gain",
    title="Gain over a baseline as novelty counts more",
    needs="findings",
    cite=f"{CLARKE}, figure 3",
    example="--values 0,0.5,1 --depths 10,20,50 --run dense",
    study="alpha",
)
def alpha_gain(
    findings: Findings,
    style: Style,
    *,
    run: Annotated[
        str | None, NAME, "the run to show, at several depths (default: the one that is compared)"
    ] = None,
    depth: Annotated[
        int | None, Whole(1), "the only cutoff to show (default: all, or the first for several runs)"
    ] = None,
) -> Drawing:
    """The difference of runs to a baseline in α-nDCG, in per cent, as α goes from 0 to 1.

    One run has a line for each cutoff, as in the paper; several runs have a line each, at one cutoff.
    """
    gains = findings.records("gains")
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
    measure = "α-nDCG" if len(depths) > 1 else f"α-nDCG@{depths[0]}"
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


@figure(
    "reversed-ideal",
    title="The reversed ideal ranking, by rank",
    needs="findings",
    cite=f"{CLARKE}, figure 2",
    example="--values 0,0.5,1 --depth 20",
    study="reversed-ideal",
)
def reversed_ideal(findings: Findings, style: Style) -> Drawing:
    """α-nDCG of all relevant documents in the worst order, a line for each α: the effect of order alone."""
    ranks = findings.table("ranks")
    rows: list[list[Cell]] = [
        [name.replace("alpha", "α ="), row[0], value]
        for place, name in enumerate(ranks.headers[1:], 1)
        for row in ranks.rows
        for value in [row[place]]
    ]
    drawing = lines.function(Table(("alpha", "rank", "mean α-nDCG"), rows), style, zero=True, rule=1.0)
    return replace(
        drawing,
        title="α-nDCG of the reversed ideal ranking",
        subtitle=counted(findings.settings["topics"], "topic"),
        sentences=[
            "Mean α-nDCG at each rank of a ranking of all relevant documents, each chosen to add the "
            "least. The ideal ranking has 1 at every rank, the horizontal line.",
            *findings.sentences,
        ],
    )


def campaign_size(findings: Findings) -> str:
    """The numbers of runs and topics, as text; of runs alone if there were only means."""
    settings = findings.settings
    nouns = [noun for noun in ("run", "topic") if settings[f"{noun}s"] is not None]
    return ", ".join(counted(settings[f"{noun}s"], noun) for noun in nouns)
