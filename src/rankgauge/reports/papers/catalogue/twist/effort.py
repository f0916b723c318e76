"""Tables 1 and 2, figures 7 to 11: archetypes of effort, and effort beside gain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rankgauge.model.output.tables import Cell, Table
from rankgauge.reports.papers.catalogue.twist.definition import (
    COLLECTIONS,
    EXPERIMENT,
    GAINS,
    labels_of,
    measures_of,
    scores_of,
)
from rankgauge.reports.papers.contents import Contents, Outcome, claim, more
from rankgauge.reports.papers.given import Given
from rankgauge.reports.papers.layout import file_name, panels, records

if TYPE_CHECKING:
    from rankgauge.figures import Figure
    from rankgauge.studies.campaign import Campaign


@EXPERIMENT.part("table-1", title="Table 1: features of the collections", cost=0.2)
def table_1(given: Given) -> Contents:
    """What the collections are like."""
    features = given.each(_features)
    rows: list[list[Cell]] = [
        [feature, *(by_feature[feature] for by_feature in features.values())]
        for feature in next(iter(features.values()))
    ]
    reported: list[list[Cell]] = [
        ["# Topics", 50, 50, 50, 50],
        ["# Runs", 95, 74, 37, 27],
        ["Run length", 1000, 1000, 10000, 10000],
        ["Relevance degrees", 3, 3, 4, 4],
    ]
    return Contents(
        tables={"table-1": Table(("feature", *features), rows)},
        captions={"table-1": "Features of the collections."},
        reported={"Table 1, the features that files show.": Table(("feature", *COLLECTIONS), reported)},
    )


def _features(campaign: Campaign) -> dict[str, int]:
    grades = campaign.qrels.sorted_grades
    return {
        "topics": len(campaign.topics),
        "runs": len(campaign.runs),
        "run length": campaign.longest,
        "relevance degrees": len({max(grade, 0) for grade in grades.tolist()} | {0}),
        "judged documents": len(grades),
        "relevant documents": int((grades > 0).sum()),
    }


@EXPERIMENT.part("table-2", title="Table 2: archetypes of CRP curves")
def table_2(given: Given) -> Contents:
    """How often each shape of a CRP curve occurs."""
    from rankgauge.studies import STUDIES

    findings = given.each(STUDIES["archetypes"].call)
    shares = {name: records(each.table("collection"))[0] for name, each in findings.items()}
    columns = [key for key in next(iter(shares.values())) if key not in ("run", "total")]
    table = Table(
        ("collection", "total", *columns),
        [[name, row["total"], *(row[column] for column in columns)] for name, row in shares.items()],
    )
    reported = Table(
        ("collection", "total", "ideal", "worst", "typical A", "typical B", "excellent"),
        [
            ["TREC 10", 4750, 0.17, 3.09, 83.87, 12.72, 0.15],
            ["TREC 14", 3700, 0.0, 1.86, 80.24, 17.89, 0.0],
            ["TREC 20", 1850, 0.11, 8.86, 60.70, 30.16, 0.16],
            ["TREC 21", 1350, 0.0, 4.15, 64.59, 31.26, 0.0],
        ],
    )
    return Contents(
        tables={"table-2": table},
        captions={"table-2": "Per cent of pairs of run and topic; excellent includes ups-and-downs."},
        reported={"Table 2.": reported},
        claims=[
            claim(
                "Nine in ten curves or more are typical A or typical B",
                shares,
                _nine_in_ten,
            ),
            claim(
                "More curves are typical A than typical B",
                shares,
                lambda row: more(row["typical-A"], row["typical-B"], ".1f", " %"),
            ),
            claim(
                "No curve is that of the full-scale run",
                shares,
                lambda row: Outcome(row["full-scale"] == 0, f"{row['full-scale']:.2f} %"),
            ),
        ],
        commands=["rankgauge study archetypes QRELS RUN..."],
        places=2,
    )


def _nine_in_ten(row: Mapping[str, float]) -> Outcome:
    typical = row["typical-A"] + row["typical-B"]
    return Outcome(round(typical, 6) >= 90, f"{typical:.1f} % against 90.0 %")


REPORTED_SHARES = {  # on the diagonal, and high-high, where the text gives them
    "AP": [
        ["TREC 10", "28", "44"],
        ["TREC 14", "", "37"],
        ["TREC 20", "26", "about 50"],
        ["TREC 21", "25", "50"],
    ],
    "bpref": [["TREC 20", "1.24", ""]],
    "RBP": [
        ["TREC 10", "31", "44"],
        ["TREC 14", "38", "37.4"],
        ["TREC 20", "33", "50"],
        ["TREC 21", "33", "50"],
    ],
    "nDCG": [],
}


def _effort_gain(gain: str) -> None:
    number = GAINS[gain]

    @EXPERIMENT.part(f"figure-{number}", title=f"Figure {number}: effort and gain, {gain} against Twist")
    def part(given: Given) -> Contents:
        """A point for each topic of each run."""
        from rankgauge import figures
        from rankgauge.studies import STUDIES

        def shares(campaign: Campaign) -> dict[str, Any]:
            measures = measures_of(campaign)
            findings = STUDIES["effort-gain"].call(
                campaign, measures=measures[gain], effort=measures["Twist"]
            )
            return records(findings.table("shares"))[0]

        by_name = given.each(shares)
        columns = ("points", "undefined", "diagonal", "high-high")
        drawn = given.each(
            lambda campaign: figures.effort_gain(
                scores_of(campaign, "Twist", gain), width="page", labels=labels_of(campaign)
            )
        )
        reported = REPORTED_SHARES[gain]
        return Contents(
            tables={
                f"figure-{number}": Table(
                    ("collection", *columns),
                    [[name, *(row[column] for column in columns)] for name, row in by_name.items()],
                )
            },
            captions={
                f"figure-{number}": "Per cent of the points on the diagonal, and in high-high quadrants."
            },
            figures={f"figure-{number}": panels(drawn, f"Effort and gain: {gain} against Twist")},
            reported={
                "Per cent, as the text gives it.": Table(("collection", "diagonal", "high-high"), reported)
            }
            if reported
            else {},
            claims=[
                claim(
                    f"More points have high {gain} at high effort than lie on the diagonal",
                    by_name,
                    lambda row: more(row["high-high"], row["diagonal"], ".0f", " %"),
                )
            ],
            commands=[f'rankgauge figure effort-gain QRELS RUN... -m "Twist {_text(gain)}" -o FILE'],
            places=1,
        )


def _text(gain: str) -> str:
    return {"bpref": "Bpref", "RBP": "RBP(p=0.8)", "nDCG": "nDCG(base=10,gains=levels)"}.get(gain, gain)


for _gain in GAINS:
    _effort_gain(_gain)


@EXPERIMENT.part("figure-11", title="Figure 11: effort and gain of single rankings, rank by rank", cost=2)
def figure_11(given: Given) -> Contents:
    """Four rankings of huge nDCG in each collection, from huge to low effort."""
    from rankgauge import figures

    chosen = given.each(_examples)
    drawn: dict[str, Figure] = {}
    rows: list[list[Cell]] = []
    for name, campaign in given.campaigns.items():
        rankings: dict[str, Figure] = {}
        for effort, run, topic, twist, ndcg in chosen[name]:
            curves = campaign.only([run]).curves("CRP DCG(base=10) R", depth=min(campaign.longest, 1000))
            rankings[f"{effort} effort"] = figures.crp(curves, run=run, topic=topic, width="page")
            rows.append([name, effort, run, topic, twist, ndcg])
        if rankings:
            drawn[file_name("figure-11", name)] = panels(rankings, f"{name}: rankings of huge nDCG")
    return Contents(
        sentences=[
            "From the rankings of huge nDCG, the one with the median Twist of each column of figure 10."
        ],
        tables={"figure-11": Table(("collection", "effort", "run", "topic", "Twist", "nDCG"), rows)},
        captions={"figure-11": "The rankings that are drawn."},
        figures=drawn,
        commands=['rankgauge figure crp QRELS RUN -m "CRP DCG(base=10) R" --topic TOPIC -o FILE'],
    )


def _examples(campaign: Campaign) -> list[tuple[str, str, str, float, float]]:
    """(effort, run, topic, Twist, nDCG) of a ranking with huge gain, for each degree of effort."""
    from rankgauge.studies import STUDIES
    from rankgauge.studies.effort import EFFORTS

    measures = measures_of(campaign)
    findings = STUDIES["effort-gain"].call(campaign, measures=measures["nDCG"], effort=measures["Twist"])
    points = [row for row in records(findings.table("points")) if row["gain"] == "huge"]
    examples = []
    for effort in EFFORTS:
        some = sorted((row for row in points if row["effort"] == effort), key=lambda row: row["effort value"])
        if some:
            row = some[len(some) // 2]
            examples.append((effort, row["run"], row["topic"], row["effort value"], row["gain value"]))
    return examples
