"""Which of the ties that measures see do change a value: their orders are compared.

Sights (`engines.sights`) are an upper bound, and exact for strict measures. For the others, the values of
each tie's orders are compared, while the documents of other ties stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.sights import sights
from rankgauge.engines.tie_orders import order_matters
from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import BLOCK, JudgedRankings
from rankgauge.measures.rankings.arrays.curves import Bools, Ints

Rankings = Iterable[tuple[int, JudgedRankings]]  # (the first topic, rankings of this topic and some after it)


def counting_decisive(
    run: RetrievedJudgments,
    measures: Sequence[Measure],
    kinds: Any,
    kinds_of_levels: tuple[Sequence[float], Sequence[float]],
    rankings: Rankings,
) -> RetrievedJudgments:
    """With those ties counted as decisive that change a value, of the ties that measures see.

    `kinds` are those of all judgments, and `kinds_of_levels` those of `Qrels.kinds`. Only the ties of topics
    that have rankings are looked into.
    """
    unsure = [measure for measure in measures if not measure.is_strict and measure.order_reach != 0]
    if run.ties is None or not unsure or not run.decisive.any():
        return run
    strict = [measure for measure in measures if measure.is_strict]
    ties = run.tie_groups
    decisive = run.seen_ties(kinds, sights(strict, *kinds_of_levels))
    possible = run.seen_ties(kinds, sights(unsure, *kinds_of_levels)) & ~decisive
    together = np.zeros(len(run.retrieved), dtype=np.bool_)
    for first, j in rankings:
        inside = (ties.topic >= first) & (ties.topic < first + len(j.sizes))
        if not (inside & possible).any():
            continue
        open_ = np.flatnonzero(possible & inside)
        for some in _batches(open_, j.sizes[ties.topic[open_] - first]):
            alone = j.of_topics(ties.topic[some] - first).tied_at(ties.first[some])
            decisive[some] = _any_matters(unsure, alone)
        # Ties of which none changes a value alone may do so together.
        count = np.bincount(ties.topic[possible & inside], minlength=len(together))
        count[ties.topic[decisive]] = 0
        left = np.flatnonzero(count > 1)
        together[left] = _any_matters(unsure, j.of_topics(left - first))
    counts = np.bincount(ties.topic[decisive], minlength=len(together))
    return run._replace(decisive=np.where(together, run.decisive, counts))


def _any_matters(measures: Sequence[Measure], j: JudgedRankings) -> Bools:
    """(topics,): whether the order of tied documents matters to one of the measures."""
    found = np.zeros(len(j.sizes), dtype=np.bool_)
    for measure in measures:
        left = np.flatnonzero(~found)
        if len(left):
            found[left] = order_matters(measure, j if len(left) == len(found) else j.of_topics(left))
    return found


def _batches(ties: Ints, hits: Ints) -> Iterator[Ints]:
    """Some ties at a time, each with as many hits as its topic has."""
    cuts = np.flatnonzero(np.diff(np.cumsum(hits) // BLOCK)) + 1
    for begin, end in pairwise((0, *cuts.tolist(), len(ties))):
        if begin < end:
            yield ties[begin:end]
