"""The shapes that curves of effort have."""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any

from rankgauge.figures.citations import FERRO
from rankgauge.figures.drawing import Drawing, require
from rankgauge.figures.effort_lines import effort_lines
from rankgauge.figures.labels import definition
from rankgauge.figures.panels import concatenate
from rankgauge.figures.registry import figure
from rankgauge.figures.series import Series
from rankgauge.figures.theme import PANEL_TITLE, Style
from rankgauge.model.output.tables import Cell, Table, capital

IDEAL = "3322211111"  # the grades of ten relevant documents, best first
N = 40  # documents in each ranking
# The grades of made-up rankings, from rank 1 on; documents beyond are not relevant.
RANKINGS = {  # in the order of the paper's figure 3
    "ideal": IDEAL,
    "worst": "",
    "full-scale": IDEAL[::-1].rjust(N, "0"),
    "excellent-A": "3121211123",
    "excellent-B": "1222311031",
    "ups-and-downs": "2323210000100000000000000000001010000001",
    "typical-A": "301200010020100000002000010000030001",
    "typical-B": "302001001020000001",
}
# What figures 4 to 6 of the paper have for each archetype, by the measures' names there.
VALUES = {"balance point": "BalancePoint", "ρ": "RecoveryRatio", "σ": "SpaceRatio", "τ": "Twist"}


@figure(
    "archetypes",
    title="Archetypes of effort",
    needs="nothing",
    cite=f"{FERRO}, figures 3 to 6",
    example="--width page",
)
def archetypes(results: None, style: Style) -> Drawing:
    """The shapes that curves of effort (CRP) have: of the ideal, worst and full-scale run, and of others.

    It shows made-up rankings, one for each archetype, and needs no data. `rankgauge study archetypes` counts
    how often each of them occurs in your runs, and `rankgauge figure crp` draws the curves of your runs.
    """
    from rankgauge.evaluation.evaluator import curves
    from rankgauge.studies.effort import ARCHETYPES

    measure = f"CRP(N={N})"
    vectors = curves(judgments(), {name: {"1": ranking(name)} for name in RANKINGS}, measure, depth=N).mean()
    series = Series.assign({style.measure("CRP"): 0.0}, style)
    columns = 2 if style.width == "column" else 4
    width = style.panel_width(len(RANKINGS), columns) + 14  # only the first of a row has a title beside it
    data: dict[str, Table] = {}
    plots: list[Any] = []
    for number, name in enumerate(RANKINGS):
        title = f"({ascii_lowercase[number]}) {_words(name)}"
        rows: list[list[Cell]] = [
            [rank, series.labels[0], value] for rank, value in enumerate(vectors[name][measure], 1)
        ]
        data[title] = Table(("rank", "series", "value"), rows)
        below = "rank" if number >= len(RANKINGS) - columns else ""  # under the last row of plots
        beside = style.measure("CRP") if number % columns == 0 else ""
        effort = style.measure("CRP")
        titles = {"x_title": below, "y_title": beside, "noun": "measure"}
        plot = effort_lines(style, series, title, effort, "recall base", "zero", **titles)
        heading = require("altair").TitleParams(title, frame="group", fontSize=PANEL_TITLE, offset=4)
        plots.append(plot.properties(title=heading, width=width, height=0.75 * width))
    data |= {"recall base": Table(("rank",), [[len(IDEAL)]]), "zero": Table(("value",), [[0.0]])}
    found = values()
    size = f"{N} documents, {len(IDEAL)} of which are relevant"
    return Drawing(
        concatenate(plots, columns),
        data,
        "Archetypes of effort",
        f"Made-up rankings of {size}; dashed: recall base",
        [
            f"{style.measure('CRP')} of made-up rankings of {size}; the dashed line is at the recall base R.",
            *(
                f"{capital(_words(name))}: {ARCHETYPES[name]} ({_listed(found, row)})."
                for name, row in zip(RANKINGS, found.rows, strict=True)
            ),
            definition("CRP", style.labels),
        ],
        fits=False,
    )


def values() -> Table:
    """Balance point, recovery ratio, space ratio and Twist of each archetype."""
    from rankgauge.evaluation.evaluator import evaluate

    texts = {name: f"{measure}(N={N})" for name, measure in VALUES.items()}
    runs = {name: {"1": ranking(name)} for name in RANKINGS}
    means = evaluate(judgments(), runs, list(texts.values())).mean()
    return Table(
        ("archetype", *texts),
        [[_words(name), *(means[name][text] for text in texts.values())] for name in RANKINGS],
    )


def _listed(table: Table, row: Sequence[Cell]) -> str:
    pairs = zip([*table.headers][1:], [*row][1:], strict=True)
    return ", ".join(f"{name} {value:.3g}" if isinstance(value, float) else name for name, value in pairs)


def judgments() -> dict[str, dict[str, int]]:
    """The judgments of the one topic."""
    return {"1": {f"relevant-{place}": int(grade) for place, grade in enumerate(IDEAL)}}


def ranking(name: str) -> dict[str, float]:
    """{document: score} of the ranking of an archetype."""
    left = [*judgments()["1"].items()]
    scores = {}
    for rank, grade in enumerate(RANKINGS[name].ljust(N, "0"), 1):
        document = f"nonrelevant-{rank}"
        if grade != "0":
            document = next(each for each, own in left if own == int(grade))
            left = [pair for pair in left if pair[0] != document]
        scores[document] = float(N - rank)
    return scores


def _words(name: str) -> str:
    """The name of an archetype in words, such as typical A."""
    return f"{name[:-2]} {name[-1]}" if name[-2:] in ("-A", "-B") else name
