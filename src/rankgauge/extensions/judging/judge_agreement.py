"""The labels of judges: read, checked, and their agreement with people and with themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rankgauge.errors import InputError
from rankgauge.extensions.judging.assessors import SCALES, Agreement, alphas, kappas
from rankgauge.formats.columns import Columns
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.notes import on_dropped
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Recoding
from rankgauge.model.rules import Duplicates, Grades
from rankgauge.model.run import repeated_rows
from rankgauge.numbers.bootstrap import Statistic, TopicBootstrap
from rankgauge.schema.text import counted, format_number

MAX_LEVELS = 51  # different grades of a confusion matrix; of a scale from 0 to 100, every second


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
    duplicates: Duplicates = "majority",
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
    """Sentences on repeated labels, and on topics and documents without labels.

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


def agreement_table(
    agreed: Iterable[Agreement], labels: Iterable[LabelSet], bootstrap: TopicBootstrap
) -> Table:
    """Coefficients of agreement of every judge with people, and with itself."""
    rows = [
        (
            *(found.names[1], name),
            *bootstrap.interval(statistic, by_topic, math.inf if name == "leniency" else 1),
        )
        for found, own in zip(agreed, labels, strict=True)
        for name, statistic, by_topic in _coefficients(found, own.rows)
    ]
    return Table(("judge", "coefficient", "value", "low", "high"), rows, keys=2)


def _coefficients(found: Agreement, rows: Columns) -> Iterator[tuple[str, Statistic, Floats]]:
    """(name, function of a sum over topics, summands (topics, ...)) of every coefficient."""
    levels, counts = _crossed(found)
    yield "same grade", _same, counts
    apart = np.abs(levels[:, None] - levels)
    for name, weights in (("", apart > 0), (", linear", apart), (", quadratic", apart * apart)):
        yield f"kappa{name}", partial(kappas, weights=weights.astype(np.float64)), counts
    relevant = np.array([levels < found.rel, levels >= found.rel], dtype=np.float64)
    yield "kappa, binary", partial(kappas, weights=1 - np.eye(2)), relevant @ counts @ relevant.T
    both = counts + np.swapaxes(counts, -1, -2)
    for scale in SCALES:
        yield f"alpha, {scale}", partial(alphas, levels=levels, scale=scale), both
    human, judge = found.grades
    sizes = np.diff(found.starts)
    higher = np.bincount(_topic_of(found), weights=judge - human, minlength=len(sizes))
    yield "leniency", _ratio, np.stack([higher, sizes], axis=1)
    if (repeats := _repeats(rows)) is not None:
        given, met = repeats
        yield "same label, repeated", _same, met
        yield "alpha, ordinal, repeated", partial(alphas, levels=given, scale="ordinal"), met


def _same(counts: Floats) -> Floats:
    """The share of counts (..., grades, grades) on the diagonal."""
    return _ratio(np.stack([np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1))], axis=-1))


def _ratio(sums: Floats) -> Floats:
    """The first of two sums (..., 2) over the second; NaN if that is 0."""
    ratios: Floats = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 0], sums[..., 1], out=ratios, where=sums[..., 1] > 0)
    return ratios


def _levels(grades: Floats) -> Floats:
    """The different grades, ascending; evenly spaced ones if there are very many."""
    levels = np.unique(grades)
    return levels if len(levels) <= MAX_LEVELS else np.linspace(levels[0], levels[-1], MAX_LEVELS)


def _nearest(levels: Floats, grades: Floats) -> Ints:
    """The place of the nearest level to each grade; the lower of two."""
    return np.searchsorted((levels[1:] + levels[:-1]) / 2, grades)


def _topic_of(found: Agreement) -> Ints:
    return np.repeat(np.arange(len(found.topics)), np.diff(found.starts))


def _crossed(found: Agreement) -> tuple[Floats, Floats]:
    """(levels, documents by the levels of human grade and label (topics, levels, levels)).

    Levels are the grades of both, or of people alone if labels lie between grades, as means do. A label
    counts as the nearest level.
    """
    human, judge = found.grades
    levels = _levels(found.grades if (judge == np.rint(judge)).all() else human)
    shape = len(found.topics), len(levels), len(levels)
    cells = np.ravel_multi_index(
        (_topic_of(found), *(_nearest(levels, each) for each in found.grades)), shape
    )
    return levels, np.bincount(cells, minlength=math.prod(shape)).reshape(shape).astype(np.float64)


def _repeats(rows: Columns) -> tuple[Floats, Floats] | None:
    """(levels, how often each two meet in a document (topics, levels, levels)), if labels are repeated.

    Every label counts as often as it was given: a pair of m labels counts 1/(m - 1).
    """
    topic, topics = rows.topic.encode()
    again, first = repeated_rows(rows, topic)
    if not len(again):
        return None
    levels = _levels(rows.value)
    place = _nearest(levels, rows.value)
    docs, of_doc = np.unique(first, return_inverse=True)
    counts = np.zeros((len(docs), len(levels)))
    np.add.at(counts, (np.arange(len(docs)), place[docs]), 1)
    np.add.at(counts, (of_doc, place[again]), 1)
    shares = counts / (counts.sum(axis=1) - 1)[:, None]
    met = np.zeros((len(topics), len(levels), len(levels)))
    for number in range(len(topics)):
        own = topic[docs] == number
        met[number] = counts[own].T @ shares[own] - np.diag(shares[own].sum(axis=0))
    return levels, met


def grades_table(agreed: Iterable[Agreement]) -> Table:
    """The confusion matrix of every judge."""
    matrices = {found.names[1]: _crossed(found) for found in agreed}
    grades = sorted({level for levels, _ in matrices.values() for level in levels.tolist()})
    rows: list[tuple[Cell, ...]] = []
    for name, (levels, by_topic) in matrices.items():
        own = np.isin(grades, levels)
        for grade, row in zip(levels.tolist(), by_topic.sum(axis=0).astype(np.int64), strict=True):
            counts = np.zeros(len(grades), dtype=np.int64)
            counts[own] = row
            rows.append((name, format_number(grade), *counts.tolist(), int(row.sum())))
    return Table(("judge", "human grade", *map(format_number, grades), "total"), rows, keys=2)
