"""The values that a comparison uses: which topics count, in which direction, and as what."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankgauge.comparison.numerics.differences import Floats, Ints
from rankgauge.model.scores import Scores

CELLS = 1 << 22  # of the differences of a block of pairs


def topic_values(scores: Scores, place: int, direction: int) -> tuple[Floats, list[str]]:
    """(runs, topics) of one measure, NaN where a topic does not count; and notes on what was left out.

    The only place that decides how undefined and infinite values enter a comparison.
    """
    measure = scores.measures[place]
    values = np.where(scores.counted, scores.values[:, place], np.nan)
    notes = []
    undefined = np.isnan(values) & scores.counted
    if undefined.any():
        effect = "are left out"
        if scores.rules.undefined == "zero" and direction >= 0:
            values[undefined] = 0.0
            effect = "count as 0"
        notes.append(f"{measure}: undefined values {effect} ({int(undefined.sum())})")
    if np.isinf(values).any():
        notes.append(f"{measure}: infinite values are left out ({int(np.isinf(values).sum())})")
        values[np.isinf(values)] = np.nan
    if (average := scores.average(measure)) != "mean":
        notes.append(f"{measure}: tests compare the means of topic values, not average={average}")
    return values, notes


def groups(values: Floats, first: Ints, second: Ints, kind: str) -> Iterator[tuple[Ints, Ints]]:
    """(pairs, the topics they are compared on), in blocks of bounded size."""
    defined: npt.NDArray[np.bool_] = ~np.isnan(values)
    if kind == "all" or defined.all():
        by_topics = [(np.arange(len(first)), np.flatnonzero(defined.all(axis=0)))]
    else:
        by_mask: dict[bytes, list[int]] = {}
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            by_mask.setdefault((defined[a] & defined[b]).tobytes(), []).append(pair)
        by_topics = [
            (np.array(pairs), np.flatnonzero(np.frombuffer(mask, dtype=np.bool_)))
            for mask, pairs in by_mask.items()
        ]
    for pairs, topics in by_topics:
        several = len(first) if kind == "all" else max(1, CELLS // max(1, len(topics)))
        for begin in range(0, len(pairs), several):
            yield pairs[begin : begin + several], topics
