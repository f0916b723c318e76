"""pytrec_eval's classes and functions on this engine: `from rankgauge.compat import pytrec_eval`.

Names, keys and values are those of pytrec_eval 0.5, which computes as trec_eval 9.0.8 does.
`docs/how-to/from-python-tools.md` lists where this differs, and why.

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg_cut.1,10"})
>>> evaluator.evaluate({"q1": {"d1": 1.5, "d2": 1.0}})
{'q1': {'map': 0.5, 'ndcg_cut_1': 0.0, 'ndcg_cut_10': 0.6309297535714575}}

    names           from texts such as ndcg_cut_10 to the columns of trec_eval's table
    evaluator       RelevanceEvaluator
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np

from rankgauge._version import VERSION as __version__
from rankgauge.compat.pytrec_eval.evaluator import RelevanceEvaluator
from rankgauge.compat.pytrec_eval.names import (
    UnsupportedMeasure,
    UnusableInput,
    supported_measures,
    supported_nicknames,
)
from rankgauge.errors import InputError
from rankgauge.formats import problems

__all__ = [
    "RelevanceEvaluator",
    "UnsupportedMeasure",
    "UnusableInput",
    "__version__",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

N = TypeVar("N", int, float)
RUN, QREL = "topic Q0 document rank score run", "topic 0 document grade"


class UnreadableLine(InputError, ValueError):
    """A line of a run or of judgments that cannot be read."""


def parse_run(f_run: Iterable[str]) -> defaultdict[str, dict[str, float]]:
    """`{topic: {document: score}}` of a run's lines, such as an open file.

    >>> dict(parse_run(["q1 Q0 d1 1 2.5 bm25"]))
    {'q1': {'d1': 2.5}}
    """
    return _parse(f_run, RUN, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> defaultdict[str, dict[str, int]]:
    """`{topic: {document: grade}}` of the lines of judgments, such as an open file.

    >>> dict(parse_qrel(["q1 0 d1 1"]))
    {'q1': {'d1': 1}}
    """
    return _parse(f_qrel, QREL, 3, int)


def _parse(
    lines: Iterable[str], layout: str, place: int, number: Callable[[str], N]
) -> defaultdict[str, dict[str, N]]:
    parsed: defaultdict[str, dict[str, N]] = defaultdict(dict)
    columns = layout.count(" ") + 1
    for count, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != columns:
            if not fields:
                continue
            raise UnreadableLine(problems.wrong_columns(layout, line.encode()), line=count)
        documents = parsed[fields[0]]
        if fields[2] in documents:
            raise UnreadableLine(
                f"document {fields[2]!r} occurs twice in topic {fields[0]!r}; remove one of the lines",
                line=count,
            )
        try:
            documents[fields[2]] = number(fields[place])
        except ValueError:
            kind = "whole number" if number is int else "number"
            raise UnreadableLine(
                f"the {layout.split()[place]} is not a {kind}: {fields[place]!r}", line=count
            ) from None
    return parsed


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The sum of counts (`num_...`), the geometric mean (`gm_...`) or the mean of the values of topics.

    The value of a topic for `gm_map` and `gm_bpref` is a logarithm.

    >>> compute_aggregated_measure("map", [0.5, 1.0]), compute_aggregated_measure("num_ret", [10.0, 20.0])
    (0.75, 30.0)
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return math.exp(np.sum(values) / len(values))
    return float(np.mean(values))
