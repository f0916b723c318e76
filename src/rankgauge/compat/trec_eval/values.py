"""The values of every column for every topic, whichever back end computes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rankgauge.compat.trec_eval.columns import Column
from rankgauge.schema.frozen import Frozen


class Values(Frozen, eq=False):
    """The values of all topics."""

    topics: Sequence[str]  # ascending as bytes
    retrieved: Sequence[int]  # number of results of each
    numbers: Mapping[Column, list[float]]  # NaN where a measure is undefined
    relevant: int = 0  # number of judgments graded 1 or higher, of all topics
    texts: Mapping[Column, list[str]] = {}
    notes: Sequence[str] = ()


def notes_on(levels: Sequence[float], columns: Iterable[Column]) -> Iterator[str]:
    """What trec_eval makes of judgments with these grades, ascending, where it differs."""
    if any(level % 1 for level in levels):
        yield "some grades are not whole numbers; they are used as they are, trec_eval truncates them"
    if levels[-1] > 1 and any(column.entry.name == "rbp" for column in columns):
        yield (
            "rbp: gains are relative to the largest gain; trec_eval compares them with uninitialised memory, "
            "and may print any other value"
        )
