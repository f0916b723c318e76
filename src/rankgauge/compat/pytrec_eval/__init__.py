"""pytrec_eval's classes and functions on this engine: `from rankgauge.compat import pytrec_eval`.

Names, keys and values are those of pytrec_eval 0.5, which computes as trec_eval 9.0.8 does.
`docs/how-to/from-python-tools.md` lists where this differs, and why.

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 0, "d2": 1}}, {"map", "ndcg_cut.1,10"})
>>> evaluator.evaluate({"q1": {"d1": 1.5, "d2": 1.0}})
{'q1': {'map': 0.5, 'ndcg_cut_1': 0.0, 'ndcg_cut_10': 0.6309297535714575}}

    names           from texts such as ndcg_cut_10 to the columns of trec_eval's table
    evaluator       RelevanceEvaluator
    lines           parse_run, parse_qrel, compute_aggregated_measure
"""

from rankgauge._version import VERSION as __version__
from rankgauge.compat.pytrec_eval.evaluator import RelevanceEvaluator
from rankgauge.compat.pytrec_eval.lines import compute_aggregated_measure, parse_qrel, parse_run
from rankgauge.compat.pytrec_eval.names import (
    UnsupportedMeasure,
    UnusableInput,
    supported_measures,
    supported_nicknames,
)

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
