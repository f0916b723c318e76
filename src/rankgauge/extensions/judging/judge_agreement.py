"""The agreement of judges with human judgments and with themselves, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from rankgauge.extensions.judging.assessors import SCALES, Agreement, alphas, kappas
from rankgauge.extensions.judging.judge_labels import LabelSet
from rankgauge.formats.columns import Columns
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.run import repeated_rows
from rankgauge.numbers.bootstrap import Statistic, TopicBootstrap
from rankgauge.schema.text import format_number

MAX_LEVELS = 51  # different grades of a confusion matrix; of a scale from 0 to 100, every second


def agreement_table(
    agreed: Iterable[Agreement], labels: Iterable[LabelSet], bootstrap: TopicBootstrap
) -> Table:
    """Coefficients of agreement of every judge with the human judgments, and with itself."""
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
    """The different grades, ascending; evenly spaced ones in their place if there are very many."""
    levels = np.unique(grades)
    return levels if len(levels) <= MAX_LEVELS else np.linspace(levels[0], levels[-1], MAX_LEVELS)


def _nearest(levels: Floats, grades: Floats) -> Ints:
    """The place of the nearest level to each grade; the lower of two."""
    return np.searchsorted((levels[1:] + levels[:-1]) / 2, grades)


def _topic_of(found: Agreement) -> Ints:
    """(documents,) the number of its topic."""
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
