"""Measures that users define by a function of two pandas frames, as in ir_measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from rankgauge.extensions.tools.ir_measures.evaluation import COLUMNS, Metric
from rankgauge.extensions.tools.ir_measures.measures import Measure, ParamInfo

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
