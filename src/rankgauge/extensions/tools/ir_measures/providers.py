"""ir_measures' providers: each is a program that computes measures there, and rankgauge here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rankgauge.errors import RankgaugeError
from rankgauge.extensions.tools.ir_measures.defined import define as define
from rankgauge.extensions.tools.ir_measures.defined import define_byquery as define_byquery
from rankgauge.extensions.tools.ir_measures.evaluation import COLUMNS, TIES, CalcResults, Evaluator, Metric
from rankgauge.extensions.tools.ir_measures.language import parse_measure
from rankgauge.extensions.tools.ir_measures.measures import Measure
from rankgauge.measures.language import is_foreign


class Provider:
    """Computes any measure, in place of every program; `ties` is a rule of `rankgauge.evaluate`."""

    NAME = "rankgauge"

    def evaluator(self, measures: Iterable[Any], qrels: Any, *, ties: str = TIES) -> Evaluator:
        """Judgments and measures, prepared for run after run."""
        return Evaluator(_parsed(measures), qrels, ties=ties)

    def calc_aggregate(
        self, measures: Iterable[Any], qrels: Any, run: Any, *, ties: str = TIES
    ) -> dict[Any, float]:
        """{measure: its mean over all judged topics}; counts are added up.

        >>> qrels = {"Q0": {"D0": 0, "D1": 1}, "Q1": {"D0": 0, "D3": 2}}
        >>> run = {"Q0": {"D0": 1.2, "D1": 1.0}, "Q1": {"D0": 2.4, "D3": 3.6}}
        >>> from rankgauge.compat.ir_measures import AP, P
        >>> Provider().calc_aggregate([AP, P(rel=2) @ 10], qrels, run)
        {AP: 0.75, P(rel=2)@10: 0.05}
        """
        return self.evaluator(measures, qrels, ties=ties).calc_aggregate(run)

    def iter_calc(
        self, measures: Iterable[Any], qrels: Any, run: Any, *, ties: str = TIES
    ) -> Iterator[Metric]:
        """The value of every measure for every judged topic, topic by topic."""
        return self.evaluator(measures, qrels, ties=ties).iter_calc(run)

    def calc(self, measures: Iterable[Any], qrels: Any, run: Any, *, ties: str = TIES) -> CalcResults:
        """Aggregated values, and the values of every topic."""
        return self.evaluator(measures, qrels, ties=ties).calc(run)

    def supports(self, measure: Any) -> bool:
        """Whether the measure has all parameters that it needs."""
        try:
            measure.validate_params()
        except (RankgaugeError, AssertionError):
            return False
        return True

    def is_available(self) -> bool:
        """Whether the program is installed."""
        return True

    def run_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of runs that the measures need."""
        return _inputs(measures, "RUN_INPUTS", "run")

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of judgments that the measures need."""
        return _inputs(measures, "QREL_INPUTS", "qrels")


def _parsed(measures: Iterable[Any]) -> list[Any]:
    if isinstance(measures, (str, Measure)):
        measures = [measures]
    return [each if is_foreign(each) else parse_measure(each) for each in measures]


def _inputs(measures: Iterable[Any], attribute: str, kind: str) -> list[str]:
    usual = [*COLUMNS[kind].values()]
    return [*dict.fromkeys(name for each in measures for name in getattr(each, attribute, usual))]


def __getattr__(name: str) -> type[Provider]:
    """The class of a program, such as PytrecEvalProvider."""
    if not name.endswith("Provider"):
        raise AttributeError(f"rankgauge.extensions.tools.ir_measures.providers has no {name!r}")
    return Provider
