"""The labels of judges, read and checked against the human judgments."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.extensions.judging.assessors import Agreement
from rankgauge.formats.columns import Columns
from rankgauge.model.notes import on_dropped
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Recoding
from rankgauge.model.rules import Grades
from rankgauge.schema.text import counted, format_number


@dataclass(frozen=True, eq=False)
class LabelSet:
    """The labels of one judge, each document once, and the rows behind them."""

    qrels: Qrels
    rows: Columns
    duplicates: str  # the rule by which repeated labels were combined


def read_labels(
    source: Any,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    duplicates: str = "majority",
    grades: Grades = None,
    *,
    by_judge: bool = False,
) -> Iterator[LabelSet]:
    """The labels of a file or an object; with `by_judge`, one set for each judge that its rows name.

    A second column of names, not of numbers alone, has the judges. A `LabelSet` is returned as it is.
    """
    if isinstance(source, LabelSet):
        yield source
        return
    rows: Columns
    name: str | None
    if isinstance(source, Qrels):
        qrels = Qrels.of(source, grades=grades)
        rows, name = qrels.columns(), qrels.name
    else:
        rows, name = Qrels.columns_of(source, None, format, columns)
        rows = rows if grades is None else Recoding.of(grades).recode(rows)
    if by_judge and rows.label is not None:
        numbers, names = rows.label.encode()
        judges = names.texts()
        if len(judges) > 1 and not all(map(str.isdecimal, judges)):
            for number, judge in enumerate(judges):
                own = rows.take(np.flatnonzero(numbers == number))
                yield LabelSet(Qrels.from_columns(own, judge, duplicates), own, duplicates)
            return
    yield LabelSet(Qrels.from_columns(rows, name, duplicates), rows, duplicates)


def refuse_other_scales(agreed: Agreement) -> None:
    """Refuse sets of which one has a highest grade of at most half the other's."""
    one, other = agreed.grades.max(axis=1).tolist()
    if 0 < min(one, other) <= max(one, other) / 2:
        human, judge = agreed.names
        raise InputError(
            f"{judge} has grades up to {format_number(other)} and {human} up to {format_number(one)}: these "
            "are different scales; bring one to the scale of the other, as `rankgauge convert IN OUT "
            "--grades 1=0,2=1,3=1` does"
        )


def notes_on_labels(
    labels: Sequence[LabelSet], names: Sequence[str], agreed: Sequence[Agreement], topics: int
) -> Iterator[str]:
    """Sentences on repeated labels, and on topics and documents that a judge has not labelled.

    The first set and name are those of the human judgments; `topics` are common to all sets.
    """
    left_out = len(labels[0].qrels.sorted_topics) - topics
    if left_out:
        yield f"Left out: {counted(left_out, 'topic')} of {names[0]} that not every judge has labelled."
    for name, each in zip(names, labels, strict=True):
        yield from (f"{note}." for note in on_dropped(name, each.qrels.dropped, each.duplicates))
    for found in agreed:
        alone, judge = found.alone[0], found.names[1]
        if alone:
            yield (
                f"{judge} has no label for {alone:,} of {found.documents + alone:,} documents that people "
                "judged; they are unjudged in its scores."
            )
