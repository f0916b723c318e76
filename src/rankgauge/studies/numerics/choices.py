"""How the settings of a measure (weights, bases, cutoffs and others) change the order of runs."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.measures import parse
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.studies.numerics.rank_correlation import pair_signs, tau_b

CUTOFF = "last rank"


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
    """How the order of runs by one measure differs from that by another."""

    tau: float  # τ-b
    swapped: int  # pairs of runs in opposite order
    move: int  # the most places that a run moves
    mover: int  # the number of that run


def change(means: Floats, others: Floats) -> Change:
    """How the order by `others` differs from that by `means`; higher is better in both."""
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
