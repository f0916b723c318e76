"""ranx's metrics as functions: an array with the value of each topic.

from rankgauge.extensions.tools.ranx.metrics import ndcg

ndcg(qrels, run, k=10)    # tables, dicts or arrays, as in `evaluate`
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from rankgauge.extensions.tools.ranx.evaluation import WITHOUT_CUTOFF, Floats, evaluate


def _function(metric: str) -> Callable[..., Floats]:
    def of_topics(qrels: Any, run: Any, k: int = 0, rel_lvl: int = 1) -> Floats:
        """The value of each topic, of the first `k` documents, with grades from `rel_lvl` on as relevant."""
        cutoff = "" if metric in WITHOUT_CUTOFF else f"@{k}"
        values: Floats = evaluate(qrels, run, f"{metric}{cutoff}-l{rel_lvl}", return_mean=False)
        return values

    return of_topics


average_precision = _function("map")
bpref = _function("bpref")
dcg = _function("dcg")
dcg_burges = _function("dcg_burges")
f1 = _function("f1")
hit_rate = _function("hit_rate")
hits = _function("hits")
ndcg = _function("ndcg")
ndcg_burges = _function("ndcg_burges")
precision = _function("precision")
r_precision = _function("r-precision")
recall = _function("recall")
reciprocal_rank = _function("mrr")


def rank_biased_precision(qrels: Any, run: Any, p: float, rel_lvl: int = 1) -> Floats:
    """The value of each topic, of a reader who goes on to the next document with probability `p`."""
    values: Floats = evaluate(qrels, run, f"rbp{p:.15g}-l{rel_lvl}".replace("0.", ".", 1), return_mean=False)
    return values


# ranx has a module for each metric: `from ranx.metrics.f1 import f1`.
__path__: list[str] = []
_NAMES = [name for name, value in vars().items() if getattr(value, "__module__", "") == __name__]
for _package in (__name__, "rankgauge.compat.ranx.metrics"):
    sys.modules.update({f"{_package}.{name}": sys.modules[__name__] for name in _NAMES})
