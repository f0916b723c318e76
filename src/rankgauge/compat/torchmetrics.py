"""A metric with the interface of torchmetrics, for every measure of rankgauge.

    from rankgauge.compat.torchmetrics import RetrievalMeasure

    ndcg = RetrievalMeasure("nDCG@10")
    ndcg.update(preds, target, indexes)    # in each step; on several devices or processes, too
    ndcg.compute()

It holds scores, grades and the queries they belong to where they are, as the metrics of torchmetrics do, and
evaluates all queries at once. `docs/how-to/from-python-tools.md` lists where values differ, and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgauge.errors import MissingDependency
from rankgauge.evaluation.score_lists import evaluate_scores
from rankgauge.measures import parse
from rankgauge.model.rules import OPTIONS, split_rules

try:
    import torch
    from torchmetrics import Metric
    from torchmetrics.utilities import dim_zero_cat
except ImportError:
    raise MissingDependency("rankgauge.compat.torchmetrics", "torchmetrics", "torchmetrics") from None

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

__all__ = ["RetrievalMeasure"]

# {what to do with queries without a relevant document: how}
EMPTY = {
    "neg": "they count as 0, unless the measure has a value for them",
    "skip": "they are left out",
    "error": "they are refused",
}
RELEVANT = "NumRel"


class RetrievalMeasure(Metric):  # type: ignore[misc]
    """A measure of rankgauge as a metric of torchmetrics; its value is the average over queries.

    `measure` is a measure text such as "nDCG@10" or "AP(rel=2)". `target` has grades: 0 and 1, truth values,
    or any numbers. Tied scores are averaged over all their orders unless `ties` is another rule: their order
    would depend on that of batches and processes. Other rules are those of `rankgauge.evaluate`, and other
    arguments those of `torchmetrics.Metric`.
    """

    is_differentiable = False
    full_state_update = False

    indexes: Any
    preds: Any
    target: Any

    def __init__(
        self,
        measure: str,
        empty_target_action: str = "neg",
        ignore_index: int | None = None,
        **arguments: Any,
    ) -> None:
        rules = {rule.name: arguments.pop(rule.name) for rule in OPTIONS if rule.name in arguments}
        super().__init__(**arguments)
        if empty_target_action not in EMPTY:
            listed = ", ".join(f"{action!r} ({meaning})" for action, meaning in EMPTY.items())
            why = "; a query without relevant documents does not make a system good"
            raise ValueError(
                f"empty_target_action must be one of {listed}, not {empty_target_action!r}"
                + (why if empty_target_action == "pos" else "")
            )
        if ignore_index is not None and not isinstance(ignore_index, int):
            raise ValueError(f"ignore_index must be a whole number or None, not {ignore_index!r}")
        self.measure = str(parse(measure))
        self.empty_target_action, self.ignore_index = empty_target_action, ignore_index
        self.rules: Any = {"ties": "average", **rules}
        split_rules(self.rules)  # refuses a rule that does not exist before the first batch
        for state in ("indexes", "preds", "target"):
            self.add_state(state, default=[], dist_reduce_fx="cat")

    @property
    def higher_is_better(self) -> bool | None:
        """Whether a higher value is better; None if the measure only counts."""
        direction = parse(self.measure).spec.direction
        return direction > 0 if direction else None

    def update(self, preds: Any, target: Any, indexes: Any) -> None:
        """Add scores, grades and the numbers of their queries: three tensors of one shape."""
        if indexes is None:
            raise ValueError("indexes must have the number of the query of each score, not None")
        if not preds.shape == target.shape == indexes.shape:
            shapes = ", ".join(str(tuple(each.shape)) for each in (preds, target, indexes))
            raise ValueError(f"preds, target and indexes must have the same shape, not {shapes}")
        if indexes.is_floating_point() or indexes.dtype == torch.bool:
            raise ValueError(f"indexes must be whole numbers, not {indexes.dtype}")
        columns = [each.detach().reshape(-1) for each in (indexes, preds, target)]
        if self.ignore_index is not None:
            kept = columns[2] != self.ignore_index
            columns = [each[kept] for each in columns]
        self.indexes.append(columns[0])
        self.preds.append(columns[1])
        self.target.append(columns[2])

    def scores(self) -> Scores:
        """The value of each query seen by this process, as `rankgauge.evaluate` returns it."""
        return self._evaluated().only(measures=[self.measure])

    def compute(self) -> Any:
        """The average over queries: a tensor on the device of the scores."""
        if not sum(len(part) for part in self._states("preds")):
            return torch.tensor(0.0, device=self.device)  # as torchmetrics has it
        scores = self._evaluated()
        relevant = scores.values[0, scores.measures.index(RELEVANT)] > 0
        if self.empty_target_action == "error" and not relevant.all():
            empty = scores.topics[int(relevant.argmin())]
            raise ValueError(
                f"query {empty} has no relevant document; use empty_target_action='skip' or 'neg'"
            )
        if self.empty_target_action == "skip":
            if not relevant.any():
                return torch.tensor(0.0, device=self.device)
            scores = scores._replace(counted=scores.counted & relevant)
        value = scores.only(measures=[self.measure]).mean()["run"][self.measure]
        return torch.tensor(value, device=self._states("preds")[0].device)

    def _evaluated(self) -> Scores:
        preds, target, indexes = (dim_zero_cat(self._states(each)) for each in ("preds", "target", "indexes"))
        measures = [*dict.fromkeys((self.measure, RELEVANT))]
        return evaluate_scores(target, preds, measures, indexes=indexes, **self.rules)

    def _states(self, name: str) -> list[Any]:
        state = getattr(self, name)
        return state if isinstance(state, list) else [state]  # a tensor after synchronisation
