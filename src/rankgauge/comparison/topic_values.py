"""Which topics count in a comparison, and as what."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from rankgauge.comparison.differences import Floats, Ints
from rankgauge.errors import RankgaugeError
from rankgauge.measures import parse
from rankgauge.model.scores import Scores

CELLS = 1 << 22  # of the differences of a block of pairs


def direction(scores: Scores, measure: str) -> int:
    """1 if higher values of a measure are better, -1 if lower are, 0 if neither.

    Scores of tables that other tools made do not say; there the measure's name does, if it is one of ours.
    """
    record = scores.provenance.measures.get(measure)
    if record is not None:
        return record.direction
    try:
        return parse(measure).spec.direction
    except RankgaugeError:
        return 1


def topic_values(scores: Scores, place: int, direction: int) -> tuple[Floats, list[str]]:
    """(runs, topics) of one measure, NaN where a topic does not count; and what is to be said of it.

    The only place that decides what undefined and infinite values are in a comparison.
    """
    measure = scores.measures[place]
    values = np.where(scores.counted, scores.values[:, place], np.nan)
    remarks = []
    undefined = np.isnan(values) & scores.counted
    if undefined.any():
        effect = "are left out"
        if scores.rules.undefined == "zero" and direction >= 0:
            values[undefined] = 0.0
            effect = "count as 0"
        remarks.append(f"{measure}: undefined values {effect} ({int(undefined.sum())})")
    if np.isinf(values).any():
        remarks.append(f"{measure}: infinite values are left out ({int(np.isinf(values).sum())})")
        values[np.isinf(values)] = np.nan
    average = scores.provenance.measure(measure).average
    if average != "mean":
        remarks.append(f"{measure}: tests compare the means of topic values, not average={average}")
    return values, remarks


def groups(values: Floats, first: Ints, second: Ints, kind: str) -> Iterator[tuple[Ints, Ints]]:
    """(pairs, the topics they are compared on), in blocks of bounded size."""
    defined: npt.NDArray[np.bool_] = ~np.isnan(values)
    everything = np.arange(len(first))
    if kind == "all" or defined.all():
        topics = np.flatnonzero(defined.all(axis=0))
        found = {b"": (everything, topics)}
    else:
        found = {}
        by_mask: dict[bytes, list[int]] = {}
        for pair, (a, b) in enumerate(zip(first, second, strict=True)):
            by_mask.setdefault((defined[a] & defined[b]).tobytes(), []).append(pair)
        for mask, pairs in by_mask.items():
            found[mask] = np.array(pairs), np.flatnonzero(np.frombuffer(mask, dtype=np.bool_))
    for pairs_of, topics in found.values():
        several = len(first) if kind == "all" else max(1, CELLS // max(1, len(topics)))
        for begin in range(0, len(pairs_of), several):
            yield pairs_of[begin : begin + several], topics
