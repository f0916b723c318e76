"""Evaluation on Apache Spark, with the same values bit for bit.

    evaluate(qrels, runs, measures)     DataFrames or paths in, scores out: a DataFrame, means, or `Scores`
    read_trec(spark, path)              TREC text files as a DataFrame; invalid lines have a `problem`

PySpark is imported when one of these is called. All rows of a topic come to one task, which evaluates them by
the code of one machine (`worker.py`).
"""

from typing import TYPE_CHECKING

from rankgauge.schema.lazy import lazy_names

if TYPE_CHECKING:
    from rankgauge.extensions.devices.spark.evaluation import evaluate
    from rankgauge.extensions.devices.spark.pieces import read_trec
    from rankgauge.extensions.devices.spark.result import Evaluation

__all__ = ["Evaluation", "evaluate", "read_trec"]

__getattr__ = lazy_names(
    __name__,
    {
        "Evaluation": "rankgauge.extensions.devices.spark.result",
        "evaluate": "rankgauge.extensions.devices.spark.evaluation",
        "read_trec": "rankgauge.extensions.devices.spark.pieces",
    },
)
