"""ir_measures on this engine: its measures, its functions, its records.

    from rankgauge.compat import ir_measures
    from rankgauge.compat.ir_measures import AP, P, nDCG

    ir_measures.calc_aggregate([nDCG @ 10, P(rel=2) @ 5, AP], qrels, run)

With `register()`, rankgauge computes inside ir_measures and PyTerrier. `docs/how-to/from-python-tools.md`
lists where values differ, and why.
"""

from __future__ import annotations

from typing import Any

from rankgauge.extensions.tools.ir_measures import providers as providers
from rankgauge.extensions.tools.ir_measures.evaluation import (
    CalcResults,
    Evaluator,
    Metric,
    Qrel,
    ScoredDoc,
    read_trec_qrels,
    read_trec_run,
)
from rankgauge.extensions.tools.ir_measures.measures import (
    MeanAgg,
    Measure,
    ParamInfo,
    SumAgg,
    parse_measure,
    parse_trec_measure,
    registry,
)
from rankgauge.extensions.tools.ir_measures.measures import __getattr__ as __getattr__
from rankgauge.extensions.tools.ir_measures.providers import Provider, define, define_byquery

# Older names, deprecated in ir_measures but for the first.
BaseMeasure = Measure
GenericQrel, GenericScoredDoc = Qrel, ScoredDoc
convert_trec_name = parse_trec_measure
parse_trec_qrels, parse_trec_run = read_trec_qrels, read_trec_run

# Programs that compute measures in ir_measures; rankgauge computes them all here, and no costs of C/W/L.
CwlMetric = Metric
DefaultPipeline = providers.registry["runtime"]
accuracy = compat = cwl_eval = gdeval = judged = msmarco = pyndeval = DefaultPipeline
pytrec_eval = ranx = runtime = trectools = DefaultPipeline
evaluator, iter_calc = DefaultPipeline.evaluator, DefaultPipeline.iter_calc
calc, calc_aggregate = DefaultPipeline.calc, DefaultPipeline.calc_aggregate
run_inputs, qrel_inputs = DefaultPipeline.run_inputs, DefaultPipeline.qrel_inputs

__all__ = [
    *registry,
    "BaseMeasure",
    "CalcResults",
    "CwlMetric",
    "DefaultPipeline",
    "Evaluator",
    "GenericQrel",
    "GenericScoredDoc",
    "MeanAgg",
    "Measure",
    "Metric",
    "ParamInfo",
    "Provider",
    "Qrel",
    "ScoredDoc",
    "SumAgg",
    "accuracy",
    "calc",
    "calc_aggregate",
    "compat",
    "convert_trec_name",
    "cwl_eval",
    "define",
    "define_byquery",
    "evaluator",
    "gdeval",
    "iter_calc",
    "judged",
    "msmarco",
    "parse_measure",
    "parse_trec_measure",
    "parse_trec_qrels",
    "parse_trec_run",
    "providers",
    "pyndeval",
    "pytrec_eval",
    "qrel_inputs",
    "ranx",
    "read_trec_qrels",
    "read_trec_run",
    "register",
    "run_inputs",
    "runtime",
    "trectools",
]


def __dir__() -> list[str]:
    return __all__


def register() -> Any:
    """Make rankgauge answer inside ir_measures, and so in PyTerrier; returns the provider."""
    from rankgauge.extensions.tools.ir_measures import registration  # imports ir_measures itself

    return registration.register()
