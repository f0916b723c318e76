"""What the choices behind a measure do to the order of runs: weights, bases, last ranks, and others."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankgauge.errors import MeasureError
from rankgauge.measures import parse
from rankgauge.rankings.arrays.curves import Floats, Ints
from rankgauge.studies.numerics.rank_correlation import pair_signs, tau_b

CUTOFF = "last rank"


def choices(text: str) -> dict[str, str]:
    """{parameter: value as written} of a measure, its name and its last rank among them."""
    try:
        measure = parse(text)
    except MeasureError:  # a column of scores that were made elsewhere
        return {"measure": text}
    written = {
        name: measure.spec.parameter(name).kind.write(value) for name, value in measure.settings.items()
    }
    return {"measure": measure.spec.name, **written, CUTOFF: str(measure.cutoff or "all")}


@dataclass(frozen=True)
class Change:
    """How the order of runs by one measure differs from that by another."""

    tau: float  # τ-b
    swapped: int  # pairs of runs that are the other way round
    move: int  # the most places that a run moves
    mover: int  # which run that is


def change(means: Floats, others: Floats) -> Change:
    """How the order by `others` differs from that by `means`; higher is better in both."""
    swapped = int(np.count_nonzero(pair_signs(means) * pair_signs(others) < 0))
    moves = np.abs(ranks(means) - ranks(others))
    return Change(tau_b(means, others), swapped, int(moves.max()), int(moves.argmax()))


def ranks(means: Floats) -> Ints:
    """The rank of each run; runs that tie have the best of theirs."""
    return np.array([np.count_nonzero(means > mean) + 1 for mean in means])


def effects(texts: Sequence[str], means: Floats) -> dict[str, list[float]]:
    """{choice: τ-b of every two measures that differ in this choice alone}."""
    found: dict[str, list[float]] = {}
    described = [choices(text) for text in texts]
    for (i, one), (j, other) in itertools.combinations(enumerate(described), 2):
        names = {*one, *other}
        differing = [name for name in sorted(names) if one.get(name) != other.get(name)]
        if len(differing) == 1:
            found.setdefault(differing[0], []).append(tau_b(means[i], means[j]))
    return found
