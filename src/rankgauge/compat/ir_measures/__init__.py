"""ir_measures on this engine: its measures, its functions, its records.

    from rankgauge.compat import ir_measures
    from rankgauge.compat.ir_measures import AP, P, nDCG

    ir_measures.calc_aggregate([nDCG @ 10, P(rel=2) @ 5, AP], qrels, run)

`register()` works the other way round: ir_measures itself, and PyTerrier with it, are answered by rankgauge.
`docs/how-to/from-python-tools.md` lists where values differ, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rankgauge.compat.ir_measures.evaluation import (
    CalcResults,
    Evaluator,
    Metric,
    Qrel,
    ScoredDoc,
    read_trec_qrels,
    read_trec_run,
)
from rankgauge.compat.ir_measures.language import parse_measure, parse_trec_measure
from rankgauge.compat.ir_measures.measures import (
    MeanAgg,
    Measure,
    ParamInfo,
    SumAgg,
    registry,
)
from rankgauge.compat.ir_measures.measures import (
    __getattr__ as __getattr__,
)
from rankgauge.measures.language import is_foreign

# Older names, deprecated in ir_measures but for the first.
BaseMeasure = Measure
GenericQrel, GenericScoredDoc = Qrel, ScoredDoc
convert_trec_name = parse_trec_measure
parse_trec_qrels, parse_trec_run = read_trec_qrels, read_trec_run

__all__ = [
    *registry,
    "BaseMeasure",
    "CalcResults",
    "Evaluator",
    "GenericQrel",
    "GenericScoredDoc",
    "MeanAgg",
    "Measure",
    "Metric",
    "ParamInfo",
    "Qrel",
    "ScoredDoc",
    "SumAgg",
    "calc",
    "calc_aggregate",
    "convert_trec_name",
    "evaluator",
    "iter_calc",
    "parse_measure",
    "parse_trec_measure",
    "parse_trec_qrels",
    "parse_trec_run",
    "read_trec_qrels",
    "read_trec_run",
    "register",
]


def __dir__() -> list[str]:
    return __all__


def evaluator(measures: Iterable[Any], qrels: Any) -> Evaluator:
    """Judgments and measures, prepared for run after run."""
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    return Evaluator([each if is_foreign(each) else parse_measure(each) for each in measures], qrels)


def calc_aggregate(measures: Iterable[Any], qrels: Any, run: Any) -> dict[Any, float]:
    """{measure: its mean over all judged topics}; counts are added up.

    >>> qrels = {"Q0": {"D0": 0, "D1": 1}, "Q1": {"D0": 0, "D3": 2}}
    >>> run = {"Q0": {"D0": 1.2, "D1": 1.0}, "Q1": {"D0": 2.4, "D3": 3.6}}
    >>> from rankgauge.compat.ir_measures import AP, P
    >>> calc_aggregate([AP, P(rel=2) @ 10], qrels, run)
    {AP: 0.75, P(rel=2)@10: 0.05}
    """
    return evaluator(measures, qrels).calc_aggregate(run)


def iter_calc(measures: Iterable[Any], qrels: Any, run: Any) -> Iterator[Metric]:
    """The value of every measure for every judged topic, topic by topic."""
    return evaluator(measures, qrels).iter_calc(run)


def calc(measures: Iterable[Any], qrels: Any, run: Any) -> CalcResults:
    """Aggregated values, and the values of every topic."""
    return evaluator(measures, qrels).calc(run)


def register() -> Any:
    """Make rankgauge answer inside ir_measures, and so in PyTerrier; returns the provider."""
    from rankgauge.compat.ir_measures import provider  # imports ir_measures itself

    return provider.register()
