"""Measures that users define by a function of two pandas frames, as in ir_measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rankgauge.errors import RankgaugeError
from rankgauge.extensions.tools.ir_measures.evaluation import COLUMNS, TIES, CalcResults, Evaluator, Metric
from rankgauge.extensions.tools.ir_measures.measures import Measure, ParamInfo, parse_measure
from rankgauge.measures.language import is_foreign

# (judgments, run) to (topic, value) of each topic
Function = Callable[[Any, Any], Iterable[tuple[str, float]]]


class DefinedMeasure(Measure):
    """A measure that a function computes; with a cutoff, it is given the first results of each topic."""

    def __init__(self, name: str, function: Function, *, support_cutoff: bool, **described: Any) -> None:
        super().__init__(name, {"cutoff": ParamInfo(int)} if support_cutoff else {})
        self.function = function
        self.RUN_INPUTS = described.get("run_inputs") or [*COLUMNS["run"].values()]
        self.QREL_INPUTS = described.get("qrel_inputs") or [*COLUMNS["qrels"].values()]
        self.PRETTY_NAME, self.SHORT_DESC = described.get("pretty_name"), described.get("short_desc")

    def runtime_impl(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """The values of topics, for frames of judgments and of a run ordered by topic and score."""
        if "cutoff" in self.params:
            run = run.groupby("query_id").head(self.params["cutoff"]).reset_index(drop=True)
        return (Metric(topic, self, value) for topic, value in self.function(qrels, run))

    def __eq__(self, other: object) -> bool:
        return super().__eq__(other) is True and self.function is getattr(other, "function", None)

    __hash__ = Measure.__hash__


def define(
    impl: Function,
    name: str | None = None,
    support_cutoff: bool = True,
    *,
    run_inputs: list[str] | None = None,
    qrel_inputs: list[str] | None = None,
    pretty_name: str | None = None,
    short_desc: str | None = None,
) -> DefinedMeasure:
    """A measure by a function of all judgments and a run, two pandas frames, to (topic, value) pairs."""
    return DefinedMeasure(
        name or _name(impl),
        impl,
        support_cutoff=support_cutoff,
        run_inputs=run_inputs,
        qrel_inputs=qrel_inputs,
        pretty_name=pretty_name,
        short_desc=short_desc,
    )


def define_byquery(
    impl: Callable[[Any, Any], float], name: str | None = None, support_cutoff: bool = True, **described: Any
) -> DefinedMeasure:
    """A measure by a function of the judgments and the results of one topic, two pandas frames, to its value.

    Other arguments are those of `define`. Topics without results are 0.
    """

    def by_topic(qrels: Any, run: Any) -> Iterator[tuple[str, float]]:
        for topic, results in run.groupby("query_id"):
            yield topic, impl(qrels[qrels["query_id"] == topic], results)

    return define(by_topic, name or _name(impl), support_cutoff, **described)


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", function))


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


# {name of a program in ir_measures: what computes its measures here}
registry = dict.fromkeys(
    (
        *("accuracy", "compat", "cwl_eval", "gdeval", "judged", "msmarco", "pyndeval", "pytrec_eval", "ranx"),
        *("runtime", "trectools"),
    ),
    Provider(),
)


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
