"""Beyond one machine: the same evaluation on Apache Spark, with the same digits.

    evaluate(runs, qrels, measures)     DataFrames in, scores out: a DataFrame, its means, or `Scores`
    read_trec(spark, path)              TREC text files as a DataFrame, bad lines told beside the good ones

Nothing of Spark is imported before one of these is called. The unit that travels is a topic with all
its rows; what scores it on a worker is the code that scores it here (`worker.py`).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.engines.spark.evaluation import evaluate
    from rankgauge.engines.spark.result import Evaluation
    from rankgauge.engines.spark.text import read_trec

__all__ = ["Evaluation", "evaluate", "read_trec"]

_HOMES = {"evaluate": "evaluation", "Evaluation": "result", "read_trec": "text"}


def __getattr__(name: str) -> Any:
    import importlib

    if name not in _HOMES:
        raise AttributeError(f"module 'rankgauge.spark' has no attribute {name!r}")
    return getattr(importlib.import_module(f"rankgauge.engines.spark.{_HOMES[name]}"), name)
