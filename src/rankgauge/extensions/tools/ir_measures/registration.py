"""The provider with which rankgauge computes measures for ir_measures and PyTerrier.

Imported only by `register`, since it needs ir_measures itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

import ir_measures
from ir_measures import providers
from ir_measures.providers.base import Any as Anything

from rankgauge.errors import RankgaugeError
from rankgauge.extensions.tools.ir_measures.evaluation import TRANSLATED, Evaluator, translate
from rankgauge.measures import MEASURES, find
from rankgauge.measures.spec import Spec


class RankgaugeEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Judgments and measures of ir_measures for run after run."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        self._evaluator = Evaluator(measures, qrels)
        super().__init__(self._evaluator.measures, self._evaluator.qrel_qids)

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """The value of every measure for every judged topic."""
        return (ir_measures.Metric(*metric) for metric in self._evaluator.iter_calc(run))


class RankgaugeProvider(providers.Provider):  # type: ignore[misc]
    """rankgauge, which has all measures of ir_measures."""

    NAME = "rankgauge"
    SUPPORTED_MEASURES: ClassVar[list[Any]] = [
        type(measure)(**{name: Anything() for name in measure.SUPPORTED_PARAMS})
        for name, measure in ir_measures.measures.registry.items()
        if name in TRANSLATED
    ]

    def supports(self, measure: Any) -> bool:
        """Whether this is a measure of ir_measures with parameters that rankgauge has."""
        if hasattr(measure, "runtime_impl"):  # defined by a user, perhaps under a known name
            return False
        measure.validate_params()
        try:
            translate(measure)
        except RankgaugeError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> RankgaugeEvaluator:
        return RankgaugeEvaluator(measures, qrels)


def _add_measures() -> None:
    """Give ir_measures the measures that it lacks, and its own the parameters that they lack."""
    theirs = ir_measures.measures
    for name, spec in MEASURES.items():
        if name not in theirs.registry:
            members = {
                "NAME": name,
                "__name__": name,
                "OF_RANKGAUGE": True,
                "SUPPORTED_PARAMS": _parameters(spec),
            }
            theirs.register(type(f"_{name}", (theirs.Measure,), members)())
            setattr(ir_measures, name, theirs.registry[name])
    for measure in {id(each): each for each in theirs.registry.values()}.values():
        if measure.NAME in TRANSLATED:
            spec = find(TRANSLATED[measure.NAME][0])
            type(measure).SUPPORTED_PARAMS = _parameters(spec) | measure.SUPPORTED_PARAMS


def _parameters(spec: Spec) -> dict[str, Any]:
    names = [*(["cutoff"] if spec.curve else []), *(parameter.name for parameter in spec.parameters)]
    return {name: ir_measures.measures.ParamInfo() for name in names}


def register() -> RankgaugeProvider:
    """The provider, registered before all others but for users' measures."""
    provider: RankgaugeProvider | None = providers.registry.get(RankgaugeProvider.NAME)
    if provider is None:
        _add_measures()
        provider = RankgaugeProvider()
        providers.register(provider)
        pipeline = ir_measures.DefaultPipeline.providers
        defined = [place for place, each in enumerate(pipeline) if each.NAME == "runtime"]
        pipeline.insert(max(defined, default=-1) + 1, provider)
    return provider
