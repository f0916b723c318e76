"""The ranking metrics of scikit-learn, computed by rankgauge: a row is a topic, a column a document.

    from rankgauge.compat.scikit_learn import ndcg_score

Arguments and values are those of `sklearn.metrics`; `docs/how-to/from-python-tools.md` lists what differs.
Errors are ValueErrors, as there.
"""

from __future__ import annotations

import math
import sys
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError
from rankgauge.evaluation.evaluator import curves, evaluate
from rankgauge.measures import Measure, parse
from rankgauge.model.rules import Ties
from rankgauge.schema.lazy import required_module
from rankgauge.schema.text import format_number

__all__ = [
    "coverage_error",
    "dcg_score",
    "label_ranking_average_precision_score",
    "label_ranking_loss",
    "ndcg_score",
    "top_k_accuracy_score",
]

Floats = npt.NDArray[np.float64]


def ndcg_score(
    y_true: Any, y_score: Any, *, k: int | None = None, sample_weight: Any = None, ignore_ties: bool = False
) -> float:
    """The mean of nDCG over rows, with linear gains; tied scores are averaged over all their orders.

    >>> round(ndcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    0.6957
    """
    true, score = _arrays(y_true, y_score)
    if (true < 0).any():
        raise ValueError(
            "y_true has negative values, and nDCG has no lower bound then; raise them to 0 or more"
        )
    if true.shape[1] < 2:
        raise ValueError("y_true has one column, and nDCG needs at least 2 documents to rank")
    return _mean(_gains("nDCG", true, score, k, ignore_ties), sample_weight)


def dcg_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int | None = None,
    log_base: float = 2,
    sample_weight: Any = None,
    ignore_ties: bool = False,
) -> float:
    """The mean of DCG over rows, discounted by the logarithm of 1 + rank to this base.

    >>> round(dcg_score([[10, 0, 0, 1, 5]], [[0.1, 0.2, 0.3, 4, 70]]), 4)
    9.4995
    """
    if not (log_base > 0 and log_base != 1):
        raise ValueError(f"log_base must be a number above 0 other than 1, not {log_base!r}")
    true, score = _arrays(y_true, y_score)
    # The default discount of DCG is log2(1 + rank); another base multiplies all of them.
    return _mean(_gains("DCG", true, score, k, ignore_ties), sample_weight) * math.log2(log_base)


def label_ranking_average_precision_score(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """The mean over rows of average precision, in which tied labels all have the last rank of their tie.

    A row without relevant labels, or with no other ones, has 1.

    >>> y_true, y_score = [[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]]
    >>> round(label_ranking_average_precision_score(y_true, y_score), 4)
    0.4167
    """
    rankdata = required_module("scipy.stats").rankdata
    true, score = _arrays(y_true, y_score, binary=True)
    rank = rankdata(-score, method="max", axis=1).astype(np.int64)
    curve = curves(true, score, "P", depth=true.shape[1])  # at the end of a tie, in whatever order it is
    precision = np.empty_like(true)
    precision[np.array(curve.topics, dtype=np.int64)] = curve.values[0, 0]  # topics are sorted by their text
    relevant = true.sum(axis=1)
    total = (np.take_along_axis(precision, rank - 1, axis=1) * true).sum(axis=1)
    return _mean(np.where(relevant > 0, total / np.maximum(relevant, 1), 1.0), sample_weight)


def label_ranking_loss(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """The mean over rows of the share of pairs, of a relevant label and another one, in the wrong order.

    Tied pairs are wrong. A row without such pairs has 0.

    >>> label_ranking_loss([[1, 0, 0], [0, 0, 1]], [[0.75, 0.5, 1], [1, 0.2, 0.1]])
    0.75
    """
    true, score = _arrays(y_true, y_score, binary=True)
    return _mean(1.0 - _values(parse("Accuracy"), true, score, "worst", undefined=1.0), sample_weight)


def coverage_error(y_true: Any, y_score: Any, *, sample_weight: Any = None) -> float:
    """The mean over rows of the rank of the last relevant label; tied labels have the last rank of their tie.

    A row without relevant labels has 0.

    >>> coverage_error([[1, 0, 0], [0, 1, 1]], [[1, 0, 0], [0, 1, 1]])
    1.5
    """
    true, score = _arrays(y_true, y_score, binary=True)
    lowest = np.where(true > 0, score, np.inf).min(axis=1, keepdims=True)
    return _mean((score >= lowest).sum(axis=1).astype(np.float64), sample_weight)


def top_k_accuracy_score(
    y_true: Any,
    y_score: Any,
    *,
    k: int = 2,
    normalize: bool = True,
    sample_weight: Any = None,
    labels: Any = None,
) -> float:
    """The share of rows whose class is among the `k` with the highest scores, or the number of such rows.

    A column is a class: of `labels`, or of those in `y_true`, in ascending order. Of tied classes, the later
    column comes first. For two classes, `y_score` may have the scores of the second alone: above 0.5 if they
    are probabilities, above 0 otherwise, they are for it.

    >>> top_k_accuracy_score([0, 1, 2], [[0.5, 0.2, 0.1], [0.3, 0.4, 0.2], [0.7, 0.2, 0.1]])
    0.6666666666666666
    """
    true = np.asarray(y_true)
    classes = np.unique(true if labels is None else np.asarray(labels))
    if labels is not None and not np.array_equal(classes, labels):  # the order of columns
        raise ValueError(
            "labels must be in ascending order, each once; sort the columns of y_score with them"
        )
    if np.ndim(y_score) == 1 and len(classes) == 2:
        alone = _array("y_score", [y_score])[0]
        second = alone > (0.5 if alone.min() >= 0 and alone.max() <= 1 else 0)
        y_score = np.column_stack([~second, second])
    score = _array("y_score", y_score, rows="sample", columns="class")
    if true.ndim != 1 or len(true) != len(score):
        raise ValueError(
            f"y_true must have a class for each of {len(score)} rows, not the shape {true.shape}"
        )
    if len(classes) != score.shape[1] or not np.isin(true, classes).all():
        raise ValueError(
            f"y_score has {score.shape[1]} columns, and there are {len(np.union1d(classes, true))} classes; "
            "pass labels= with one class per column"
        )
    if k >= len(classes):  # in the words of scikit-learn, since filters of warnings have them
        loaded = sys.modules.get("sklearn.exceptions")
        text = (
            f"'k' ({k}) greater than or equal to 'n_classes' ({len(classes)}) will result in a perfect score"
        )
        category = getattr(loaded, "UndefinedMetricWarning", UserWarning)
        warnings.warn(f"{text} and is therefore meaningless.", category, stacklevel=2)
    hit = (true[:, None] == classes).astype(np.float64)
    hits = _values(_at("Success", k), hit[:, ::-1], score[:, ::-1], "input")
    if normalize:
        return _mean(hits, sample_weight)
    return math.fsum(hits if sample_weight is None else hits * np.asarray(sample_weight, dtype=np.float64))


def _arrays(y_true: Any, y_score: Any, *, binary: bool = False) -> tuple[Floats, Floats]:
    """Labels and scores as finite arrays (rows, columns)."""
    true, score = (_array(name, values) for name, values in (("y_true", y_true), ("y_score", y_score)))
    if true.shape != score.shape:
        raise ValueError(f"y_true and y_score must have the same shape, not {true.shape} and {score.shape}")
    if binary and not np.isin(true, (0.0, 1.0)).all():
        raise ValueError("y_true must have 1 for relevant labels and 0 for others; ndcg_score takes grades")
    return true, score


def _array(name: str, values: Any, *, rows: str = "topic", columns: str = "document") -> Floats:
    try:
        array = np.asarray(values.toarray() if hasattr(values, "toarray") else values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must have numbers, in rows of the same length") from None
    if array.ndim != 2 or not array.size:
        raise ValueError(
            f"{name} must have a row per {rows} and a column per {columns}, not the shape {array.shape}; "
            f"a single {rows} is [[...]]"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must have finite numbers, and has NaN or infinity")
    return array


def _at(name: str, k: int | None) -> Measure:
    if k is None:
        return parse(name)
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 1:
        raise ValueError(f"k must be a whole number from 1 on, or None, not {k!r}")
    return parse(f"{name}@{k}")


def _gains(name: str, true: Floats, score: Floats, k: int | None, ignore_ties: bool) -> Floats:
    """(rows,): DCG or nDCG; 0 where nothing has a gain."""
    if (true < 0).any():  # linear gains end at 0, and those of a map do not
        gains = ",".join(f"{number}:{number}" for number in map(format_number, np.unique(true).tolist()))
        name = f"{name}(gains={{{gains}}})"
    measure = _at(name, k)
    if not ignore_ties:
        return _values(measure, true, score, "average")
    # scikit-learn puts the later of two tied columns first.
    return _values(measure, true[:, ::-1], score[:, ::-1], "input")


def _values(measure: Measure, true: Floats, score: Floats, ties: Ties, *, undefined: float = 0.0) -> Floats:
    """(rows,): the value of a measure, or a number for undefined ones."""
    try:
        scores = evaluate(true, score, measure, ties=ties)
    except InputError as error:  # a grade that is too large
        raise ValueError(str(error)) from None
    values = np.empty(len(true))
    values[np.array(scores.topics, dtype=np.int64)] = scores.values[0, 0]  # topics are sorted by their text
    values[np.isnan(values)] = undefined
    return values


def _mean(values: Floats, weights: Any) -> float:
    if weights is None:
        return math.fsum(values) / len(values)
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != values.shape:
        raise ValueError(
            f"sample_weight must have a weight for each of {len(values)} rows, not {weights.shape}"
        )
    return float(np.average(values, weights=weights))
