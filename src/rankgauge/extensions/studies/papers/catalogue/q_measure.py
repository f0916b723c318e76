"""The experiment of Sakai 2006."""

from __future__ import annotations

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.extensions.pages import figures
from rankgauge.extensions.pages.figures import Figure
from rankgauge.extensions.studies import STUDIES
from rankgauge.extensions.studies.papers.claims import Bootstrap, Claim, at, claim
from rankgauge.extensions.studies.papers.registry import (
    Contents,
    Inputs,
    experiment,
    gains_of,
    panels,
    side_by_side,
    weights_of,
)
from rankgauge.extensions.studies.papers.worked_examples import add_worked_examples
from rankgauge.measures import parse, parse_all
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import Cell, Table
from rankgauge.schema.text import counted

EXPERIMENT = experiment(
    "q-measure",
    title="Q-measure: tables 1 to 3 and figures 1 to 14 of its paper",
    cite="Sakai 2006, Controlling the penalty on late arrival of relevant documents in information retrieval "
    "evaluation with graded relevance",
    help="Rank correlations of AP, Q-measure, nDCG and genAP over the 30 best runs by AP, what beta and the "
    "base of the logarithm do to them, and how many pairs of runs each tells apart, with gains of 3:2:1 and "
    "10:5:1. Grades beyond the third gain as much as the third.",
    module=__name__,
)
RATIOS = {
    "3:2:1": (1, 2, 3),
    "10:5:1": (1, 5, 10),
}  # the gains of the lowest grade, the next, and the highest
BETAS, BASES = "1|0.1|10|100|1000", "2|5|10|50|100"
ALPHAS = (0.05, 0.01)
RUNS = 30


def _top(campaign: Campaign) -> Campaign:
    return campaign.select(setting="late_arrival")


def _ratio(campaign: Campaign, ratio: str) -> str:
    """Gains that a ratio gives to a collection's grades, the highest first."""
    return ":".join(map(str, reversed(weights_of(campaign, RATIOS[ratio]).values())))


def _described(given: Inputs, *ratios: str) -> str:
    parts = (
        f"{name}: the best {counted(min(len(campaign.runs), RUNS), 'run')} by AP, "
        f"gains {' and '.join(_ratio(campaign, ratio) for ratio in ratios)}"
        for name, campaign in given.campaigns.items()
    )
    return f"{'; '.join(parts)}."


def _titles(given: Inputs, ratio: str) -> dict[str, str]:
    return {name: f"{name}, gains {_ratio(campaign, ratio)}" for name, campaign in given.campaigns.items()}


@EXPERIMENT.part("table-1", title="Table 1: statistics of the data", cost=0.2)
def table_1(given: Inputs) -> Contents:
    """Topics, relevant documents by grade, and runs."""

    def statistics(campaign: Campaign) -> list[Cell]:
        grades = campaign.qrels.sorted_grades
        topics = len(campaign.topics)
        levels = sorted({grade for grade in grades.tolist() if grade > 0}, reverse=True)
        by_grade = ", ".join(f"{grade:g}: {(grades == grade).sum() / topics:.1f}" for grade in levels)
        return [
            topics,
            float((grades > 0).sum() / topics),
            by_grade,
            min(len(campaign.runs), RUNS),
            len(campaign.runs),
        ]

    rows = [[name, *row] for name, row in given.each(statistics).items()]
    reported = Table(
        ("collection", "topics", "R", "by grade", "runs used"),
        [
            ["NTCIR-5 Chinese", 50, 61.0, "S: 7.0, A: 30.7, B: 23.3", "30 (15)"],
            ["NTCIR-5 Japanese", 47, 89.1, "S: 3.2, A: 41.8, B: 44.2", "30 (15)"],
        ],
        caption="Table 1.",
    )
    headers = ("collection", "topics", "R", "by grade", "runs used", "runs")
    caption = "Relevant documents per topic, in all and by grade; the best runs by AP are used."
    return Contents(
        tables={"table-1": Table(headers, rows, caption=caption)},
        reported=[reported],
        places=1,
    )


def _correlated(given: Inputs, ratio: str, grid: str) -> dict[str, Findings]:
    return given.each(
        lambda campaign: STUDIES["correlation"].call(
            _top(campaign), measures=_measures(campaign, ratio, grid), **given.sampling
        )
    )


def _orders(given: Inputs, ratio: str, grid: str) -> dict[str, Bootstrap]:
    return given.each(
        lambda campaign: Bootstrap.of_orders(
            _top(campaign), _measures(campaign, ratio, grid), **given.sampling
        )
    )


def _measures(campaign: Campaign, ratio: str, grid: str) -> str:
    return grid.replace("GAINS", gains_of(campaign, RATIOS[ratio]))


@EXPERIMENT.part("figures-1-4", title="Figures 1 to 4: rank correlations of the measures", cost=3)
def figures_1_to_4(given: Inputs) -> Contents:
    """Kendall's tau between the orders by AP, Q, nDCG and genAP."""
    grid = "AP Q(gains=GAINS) nDCG(base=2,gains=GAINS) genAP(gains=GAINS)"
    names = ("AP", "Q", "nDCG", "genAP")
    tables: dict[str, Table] = {}
    drawn: dict[str, Figure] = {}
    claims: list[Claim] = []
    for ratio, numbers in (("3:2:1", "1-2"), ("10:5:1", "3-4")):
        findings = _correlated(given, ratio, grid)
        stem = f"figures-{numbers}"
        renamed = {name: _matrix(each, names) for name, each in findings.items()}
        caption = f"Kendall's tau-b between the orders of runs. {_described(given, ratio)}"
        tables[stem] = side_by_side(renamed, caption)
        titles = _titles(given, ratio)
        drawn[stem] = panels(
            {titles[name]: figures.matrix(table, width="page") for name, table in renamed.items()},
            "Kendall's τ-b",
        )
        taus = _orders(given, ratio, grid)  # by AP, Q, nDCG and genAP
        claims += [
            claim(
                f"Q agrees with AP more than nDCG does ({ratio})",
                taus,
                lambda tau: tau.higher(at(0, 1), at(0, 2)),
            ),
            claim(
                f"Q agrees with AP more than genAP does ({ratio})",
                taus,
                lambda tau: tau.higher(at(0, 1), at(0, 3)),
            ),
            claim(
                f"The lowest correlation is over 0.5 ({ratio})",
                taus,
                lambda tau: tau.higher(lambda t: t.min(axis=(-2, -1)), 0.5),
            ),
        ]
    return Contents(
        tables=tables,
        figures=drawn,
        claims=claims,
        commands=[f'rankgauge study correlation QRELS RUN... --select late_arrival -m "{_as_typed(grid)}"'],
    )


def _matrix(findings: Findings, names: tuple[str, ...]) -> Table:
    rows = [[name, *[*row][1:]] for name, row in zip(names, findings.table("tau_b").rows, strict=True)]
    return Table(("measure", *names), rows)


def _plain_names(findings: Findings) -> dict[str, str]:
    texts = (str(row[place]) for row in findings.table("sweep").rows for place in (0, 1))
    return {text: text.partition("(")[0] for text in texts}


def _without_gains(campaign: Campaign, ratio: str, grid: str) -> Labels:
    texts, short = (
        map(str, parse_all(each))
        for each in (_measures(campaign, ratio, grid), grid.replace("gains=GAINS,", ""))
    )
    return Labels.read(dict(zip(texts, short, strict=True)))


def _as_typed(grid: str) -> str:
    return grid.replace("GAINS", "{1:1,2:2,3:3}")


@EXPERIMENT.part("figures-5-12", title="Figures 5 to 12: what beta and the base of the logarithm do", cost=6)
def figures_5_to_12(given: Inputs) -> Contents:
    """Kendall's tau to AP and to the default."""
    tables: dict[str, Table] = {}
    drawn: dict[str, Figure] = {}
    claims: list[Claim] = []
    sweeps = (
        ("3:2:1", "5-6", f"AP Q(gains=GAINS,beta={BETAS})"),
        ("10:5:1", "7-8", f"AP Q(gains=GAINS,beta={BETAS})"),
        ("3:2:1", "9-10", f"AP nDCG(gains=GAINS,base={BASES})"),
        ("10:5:1", "11-12", f"AP nDCG(gains=GAINS,base={BASES})"),
    )
    for ratio, numbers, grid in sweeps:
        findings = _correlated(given, ratio, grid)
        stem = f"figures-{numbers}"
        caption = (
            f"Kendall's tau-b to AP, and to the default setting, with intervals. {_described(given, ratio)}"
        )
        sweep = {
            name: each.table("sweep").labelled(_without_gains(given.campaigns[name], ratio, grid))
            for name, each in findings.items()
        }
        tables[stem] = side_by_side(sweep, caption)
        titles = _titles(given, ratio)
        drawn[stem] = panels(
            {
                titles[name]: figures.sweep(each, width="page", labels=_plain_names(each))
                for name, each in findings.items()
            },
            "Q" if "Q(" in grid else "nDCG",
        )
    for ratio in RATIOS:
        taus = _orders(given, ratio, f"Q(gains=GAINS,beta={BETAS}) nDCG(gains=GAINS,base={BASES})")
        text = f"beta changes the order of runs less than the base of nDCG does: lowest tau ({ratio})"
        claims.append(
            claim(
                text,
                taus,
                lambda tau: tau.higher(
                    lambda t: t[..., 0, 1:5].min(axis=-1), lambda t: t[..., 5, 6:].min(axis=-1)
                ),
            )
        )
    return Contents(
        tables=tables,
        figures=drawn,
        claims=claims,
        commands=[
            f'rankgauge figure sweep QRELS RUN... --select late_arrival -m "{_as_typed(grid)}" -o FILE'
            for _, _, grid in sweeps
        ],
    )


@EXPERIMENT.part(
    "figures-13-14", title="Figures 13 and 14, tables 2 and 3: sensitivity by the bootstrap", cost=12
)
def tables_2_and_3(given: Inputs) -> Contents:
    """Pairs of runs that each measure tells apart."""
    grid = f"AP genAP Q(beta={BETAS}) nDCG(base={BASES})"

    def power(campaign: Campaign, measures: str, ratios: list[str]) -> Findings:
        texts = (gains_of(campaign, RATIOS[ratio]) for ratio in ratios)
        gains = [parse(f"nDCG(gains={text})").settings["gains"] for text in texts]
        return STUDIES["power"].call(
            _top(campaign), measures=measures, gains=gains, alphas=ALPHAS, **given.sampling
        )

    whole = given.each(lambda campaign: power(campaign, grid, list(RATIOS)))
    curves = given.each(lambda campaign: power(campaign, "AP Q nDCG(base=2) genAP", ["3:2:1"]))
    ratios = {
        name: {gains_of(campaign, RATIOS[ratio]): _ratio(campaign, ratio) for ratio in RATIOS}
        for name, campaign in given.campaigns.items()
    }
    power_tables = {
        name: each.table("power").labelled(Labels.read(ratios[name])) for name, each in whole.items()
    }
    titles = _titles(given, "3:2:1")
    counts = given.each(lambda campaign: _pairs(given, campaign))
    return Contents(
        sentences=[
            "All pairs of the best runs by AP are tested. The document tests the best run of each of 15 "
            "teams; --select teams=FILE does."
        ],
        tables={
            "tables-2-3": side_by_side(
                power_tables,
                "Pairs of runs with ASL below alpha, and the difference that takes. In bold: more pairs than "
                "AP in every condition. Counts are by the samples of all repeats together; sd is that of "
                "single repeats: the Monte Carlo error of the bootstrap, not what other topics would change. "
                f"{_described(given, *RATIOS)}",
            )
        },
        figures={
            "figures-13-14": panels(
                {titles[name]: figures.asl(each, width="page", power=False) for name, each in curves.items()},
                "Achieved significance levels",
            )
        },
        reported=[_reported(number, language) for number, language in ((2, "Chinese"), (3, "Japanese"))],
        claims=[
            claim(
                "nDCG with base 100 tells fewer pairs apart than with base 2 (t-tests, smallest difference)",
                counts,
                lambda pairs: pairs.higher(
                    lambda n: (n[..., [2, 5]] - n[..., [3, 6]]).min(axis=(-2, -1)), 0, ".0f"
                ),
            ),
            claim(
                "Q with beta 10 tells more pairs apart than AP (t-tests, smallest difference)",
                counts,
                lambda pairs: pairs.higher(
                    lambda n: (n[..., [1, 4]] - n[..., :1]).min(axis=(-2, -1)), 0, ".0f"
                ),
            ),
        ],
        commands=[
            f'rankgauge study power QRELS RUN... --select late_arrival -m "{grid}" '
            f'--gains "{{1:1,2:2,3:3}},{{1:1,2:5,3:10}}" --samples {given.samples} --seed {given.seed}'
        ],
        places=2,
    )


# Pairs of 105 with ASL below alpha, and the difference that takes: (a) and (b) with gains of 3:2:1 and alpha
# 0.05 and 0.01, (c) and (d) with gains of 10:5:1.
CONDITIONS = ("3:2:1, 0.05", "3:2:1, 0.01", "10:5:1, 0.05", "10:5:1, 0.01")
REPORTED = {
    2: {
        "AP": "77 0.09, 64 0.11, 77 0.09, 64 0.11",
        "genAP": "80 0.08, 64 0.10, 81 0.07, 63 0.10",
        "Q(beta=0.1)": "78 0.08, 65 0.11, 79 0.09, 65 0.10",
        "Q(beta=1)": "79 0.10, 68 0.10, 80 0.08, 68 0.12",
        "Q(beta=10)": "78 0.08, 67 0.10, 79 0.09, 69 0.11",
        "Q(beta=100)": "77 0.08, 67 0.12, 78 0.08, 67 0.10",
        "Q(beta=1000)": "77 0.08, 67 0.12, 76 0.09, 67 0.12",
        "nDCG(base=2)": "74 0.09, 59 0.11, 77 0.09, 63 0.13",
        "nDCG(base=5)": "78 0.10, 62 0.12, 78 0.09, 67 0.12",
        "nDCG(base=10)": "74 0.09, 60 0.12, 78 0.11, 63 0.12",
        "nDCG(base=50)": "73 0.10, 54 0.12, 72 0.10, 55 0.15",
        "nDCG(base=100)": "71 0.11, 49 0.13, 72 0.12, 47 0.16",
    },
    3: {
        "AP": "74 0.08, 58 0.12, 74 0.08, 58 0.12",
        "genAP": "73 0.08, 61 0.09, 72 0.08, 64 0.10",
        "Q(beta=0.1)": "74 0.08, 58 0.12, 73 0.09, 58 0.12",
        "Q(beta=1)": "77 0.08, 57 0.11, 77 0.08, 60 0.12",
        "Q(beta=10)": "78 0.09, 60 0.11, 74 0.09, 64 0.12",
        "Q(beta=100)": "73 0.09, 61 0.11, 74 0.09, 63 0.12",
        "Q(beta=1000)": "73 0.09, 61 0.14, 74 0.09, 64 0.12",
        "nDCG(base=2)": "68 0.09, 61 0.12, 73 0.09, 65 0.11",
        "nDCG(base=5)": "74 0.10, 58 0.12, 70 0.10, 58 0.12",
        "nDCG(base=10)": "72 0.09, 59 0.14, 74 0.09, 58 0.13",
        "nDCG(base=50)": "68 0.11, 56 0.14, 66 0.11, 55 0.14",
        "nDCG(base=100)": "65 0.11, 53 0.14, 66 0.12, 53 0.13",
    },
}


def _reported(number: int, language: str) -> Table:
    """Table 2 or 3; measures with more pairs than AP in every condition are bold."""
    rows = {measure: cells.split(", ") for measure, cells in REPORTED[number].items()}
    pairs = {measure: [int(cell[:2]) for cell in cells] for measure, cells in rows.items()}
    best = {
        (row, 0)
        for row, of in enumerate(pairs.values())
        if all(count > least for count, least in zip(of, pairs["AP"], strict=True))
    }
    return Table(
        ("measure", *CONDITIONS),
        [[measure, *cells] for measure, cells in rows.items()],
        best,
        caption=f"Table {number}, {language}: pairs of 105 with ASL below alpha, and the difference that "
        "takes, by gains and alpha.",
    )


def _pairs(given: Inputs, campaign: Campaign) -> Bootstrap:
    """(alphas, measures) significant pairs by AP, then by Q and nDCG with the gains of each ratio."""
    grid = "Q(beta=10,gains=GAINS) nDCG(base=2,gains=GAINS) nDCG(base=100,gains=GAINS)"
    texts = " ".join(["AP", *(_measures(campaign, ratio, grid) for ratio in RATIOS)]).split()
    return Bootstrap.of_power(_top(campaign), texts, ALPHAS, **given.sampling)


add_worked_examples(EXPERIMENT, "q-measure")
