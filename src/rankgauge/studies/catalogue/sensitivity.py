"""The study `sensitivity`: how the settings of a measure change the order of runs."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.measures import Measure, parse
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.tables import Table
from rankgauge.schema.text import counted
from rankgauge.studies.campaign import Campaign
from rankgauge.studies.findings import Findings
from rankgauge.studies.matrices import oriented_means
from rankgauge.studies.options import MeasuresKind
from rankgauge.studies.rank_correlation import pair_signs, tau_b
from rankgauge.studies.registry import study
from rankgauge.studies.tau_test import RULE

GRID = "nDCG(gains=binary|linear|exp2,base=2|10)@10|100|1000"
CUTOFF = "last rank"


@study(
    "sensitivity",
    title="Sensitivity to the choices behind a measure",
    cite="Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques, TOIS 20, 2002",
    example='qrels.txt runs/*.run -m "nDCG(gains=binary|{1:1,2:10,3:100},base=2|10)@10|100"',
    needs_topics=False,
    least_runs=2,
)
def sensitivity(
    campaign: Campaign,
    *,
    measures: Annotated[
        tuple[Measure, ...] | str, MeasuresKind(), "a grid of weights, bases, cutoffs or other settings"
    ] = GRID,
) -> Findings:
    """How the order of runs changes with the weights of grades, the base of the discount and the cutoff.

    Every setting is compared with the first. In addition, each choice is studied alone: how similar are the
    orders by two settings that differ only in that choice?
    """
    scores = campaign.scores(measures)
    means, names = oriented_means(scores), scores.measures
    reported = [list(by_measure.values()) for by_measure in scores.mean().values()]
    changes = [change(means[0], other) for other in means]
    alike = effects(names, means)
    best = [
        " = ".join(run for run, rank in zip(scores.runs, ranks(row), strict=True) if rank == 1)
        for row in means
    ]
    sentences = [f"{counted(len(names), 'setting')}; the first is {names[0]}."]
    if alike:
        similarity = {choice: _mean(taus) for choice, taus in alike.items()}
        least = min(similarity, key=lambda choice: (math.isnan(similarity[choice]), similarity[choice]))
        sentences.append(f"The choice that changes the order most: {least}.")
    tables = {
        "settings": Table(
            ("measure", "tau_b to first", "swapped pairs", "largest move", "of run", "best run"),
            [
                (name, each.tau, each.swapped, each.move, scores.runs[each.mover] if each.move else "", first)
                for name, each, first in zip(names, changes, best, strict=True)
            ],
        ),
        "choices": Table(
            ("choice", "comparisons", "mean tau_b", "lowest tau_b"),
            [
                (choice, len(taus), _mean(taus), min(taus, key=lambda tau: (math.isnan(tau), tau)))
                for choice, taus in alike.items()
            ],
        ),
        "orders": Table(
            ("measure", "run", "mean", "rank"),
            [
                (name, run, reported[r][m], int(rank))
                for m, name in enumerate(names)
                for r, (run, rank) in enumerate(zip(scores.runs, ranks(means[m]), strict=True))
            ],
        ),
    }
    return Findings(
        settings={"measures": names},
        sentences=sentences,
        tables={name: table for name, table in tables.items() if name != "choices" or alike},
        captions={
            "settings": f"The order of runs by each setting, compared with the order by the first. {RULE}",
            "orders": "The mean and the rank of each run by each setting.",
            **({"choices": "τ-b between settings that differ only in one choice."} if alike else {}),
        },
        data=("orders",),
    )


def _mean(taus: list[float]) -> float:
    """The mean of those that are defined."""
    defined = [tau for tau in taus if not math.isnan(tau)]
    return math.fsum(defined) / len(defined) if defined else math.nan


def choices(text: str) -> dict[str, str]:
    """{parameter: value as written} of a measure, including its name and its cutoff."""
    try:
        measure = parse(text)
    except MeasureError:  # a column of scores from another tool
        return {"measure": text}
    written = {
        name: measure.spec.parameter(name).kind.write(value) for name, value in measure.settings.items()
    }
    return {"measure": measure.spec.name, **written, CUTOFF: str(measure.cutoff or "all")}


@dataclass(frozen=True)
class Change:
    """The difference between the orders of runs by two measures."""

    tau: float  # τ-b
    swapped: int  # pairs of runs in opposite order
    move: int  # the most places that a run moves
    mover: int  # the number of that run


def change(means: Floats, others: Floats) -> Change:
    """The difference between the orders by `means` and by `others`; higher is better in both."""
    swapped = int(np.count_nonzero(pair_signs(means) * pair_signs(others) < 0))
    moves = np.abs(ranks(means) - ranks(others))
    return Change(tau_b(means, others), swapped, int(moves.max()), int(moves.argmax()))


def ranks(means: Floats) -> Ints:
    """The rank of each run; tied runs share the best of their ranks."""
    return np.array([np.count_nonzero(means > mean) + 1 for mean in means])


def effects(texts: Sequence[str], means: Floats) -> dict[str, list[float]]:
    """{choice: τ-b between every two measures that differ only in this choice}."""
    taus: dict[str, list[float]] = {}
    described = [choices(text) for text in texts]
    for (i, one), (j, other) in itertools.combinations(enumerate(described), 2):
        names = {*one, *other}
        differing = [name for name in sorted(names) if one.get(name) != other.get(name)]
        if len(differing) == 1:
            taus.setdefault(differing[0], []).append(tau_b(means[i], means[j]))
    return taus
