"""The retrieval metrics of torchmetrics, and a metric for every measure of rankgauge.

    from rankgauge.compat.torchmetrics import RetrievalMAP, RetrievalMeasure, retrieval_reciprocal_rank

    ndcg = RetrievalMeasure("nDCG@10")
    ndcg.update(preds, target, indexes)    # in each step; on several devices or processes, too
    ndcg.compute()

All queries are evaluated at once, on their device. `docs/how-to/from-python-tools.md` lists where values
differ from torchmetrics', and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgauge.errors import MissingDependency
from rankgauge.extensions.devices.score_lists import evaluate_scores
from rankgauge.measures import parse
from rankgauge.model.rules import OPTIONS, split_rules

try:
    import torch
    from torchmetrics import Metric, retrieval
    from torchmetrics.utilities import dim_zero_cat
except ImportError:
    raise MissingDependency("rankgauge.compat.torchmetrics", "torchmetrics", "torchmetrics") from None

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

__all__ = [
    "RetrievalAUROC",
    "RetrievalFallOut",
    "RetrievalHitRate",
    "RetrievalMAP",
    "RetrievalMRR",
    "RetrievalMeasure",
    "RetrievalNormalizedDCG",
    "RetrievalPrecision",
    "RetrievalPrecisionRecallCurve",
    "RetrievalRPrecision",
    "RetrievalRecall",
    "RetrievalRecallAtFixedPrecision",
    "retrieval_auroc",
    "retrieval_average_precision",
    "retrieval_fall_out",
    "retrieval_hit_rate",
    "retrieval_normalized_dcg",
    "retrieval_precision",
    "retrieval_precision_recall_curve",
    "retrieval_r_precision",
    "retrieval_recall",
    "retrieval_reciprocal_rank",
]

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


class Evaluated(Metric):  # type: ignore[misc]
    """Base of torchmetrics' metrics: their arguments, checks and state, evaluated by rankgauge."""

    measure = ""

    def compute(self) -> Any:
        """The values of queries, aggregated: a tensor on the device of the scores."""
        preds, target = dim_zero_cat(self.preds), self.counted(dim_zero_cat(self.target))
        queries = torch.unique(dim_zero_cat(self.indexes), return_inverse=True)[1]
        total = queries.bincount(target)  # the sum of the targets of each query
        if self.empty_target_action == "error" and not total.all():
            return super().compute()  # the error of torchmetrics
        return self.aggregated(self.values(preds, target, queries).to(preds), total == 0)

    def counted(self, target: Any) -> Any:
        """The targets that the measure counts as relevant."""
        return target

    def values(self, preds: Any, target: Any, queries: Any) -> Any:
        """(queries,): the value of each."""
        cutoff = _cutoff(self)
        return _values([f"{self.measure}@{cutoff}" if cutoff else self.measure], preds, target, queries)[0]

    def aggregated(self, values: Any, empty: Any) -> Any:
        """One value for all queries, some of which have no relevant document."""
        if self.empty_target_action == "skip":
            values = values[~empty]
        else:
            values[empty] = float(self.empty_target_action == "pos")
        if not len(values):
            return values.new_zeros(values.shape[1:])
        several = {"dim": 0} if values.ndim > 1 else {}
        if callable(self.aggregation):
            return self.aggregation(values, **several)
        found = getattr(values, self.aggregation)(**several)
        return found if isinstance(found, torch.Tensor) else found.values  # with the places of medians


class EvaluatedFirst(Evaluated):
    """Base of metrics for which a query ends at `top_k`."""

    def values(self, preds: Any, target: Any, queries: Any) -> Any:
        """(queries,): the value of each."""
        cutoff = _cutoff(self)
        if not cutoff:
            return super().values(preds, target, queries)
        order = preds.argsort(descending=True, stable=True)
        order = order[queries[order].argsort(stable=True)]  # query by query, the best first
        sizes = queries.bincount()
        rank = torch.arange(len(order), device=order.device) - (sizes.cumsum(0) - sizes)[queries[order]]
        first = order[rank < cutoff]
        return _values([self.measure], preds[first], target[first], queries[first])[0]


def _cutoff(metric: Any) -> int | None:
    """The argument `top_k`, if any; not a property, which torch would compile."""
    return getattr(metric, "top_k", None) or getattr(metric, "k", None)


def _values(measures: list[str], preds: Any, target: Any, queries: Any) -> Any:
    """(measures, queries): values, 0 where undefined; queries are numbered."""
    scores = evaluate_scores(target, preds, measures, indexes=queries, ties="average")
    values = torch.zeros(scores.values.shape[1:], dtype=torch.float64)
    values[:, [int(topic) for topic in scores.topics]] = torch.from_numpy(scores.values[0]).nan_to_num()
    return values


class RetrievalMAP(EvaluatedFirst, retrieval.RetrievalMAP):  # type: ignore[misc]
    """Average precision of the relevant documents among the first `top_k`."""

    measure = "AP"


class RetrievalMRR(Evaluated, retrieval.RetrievalMRR):  # type: ignore[misc]
    """Reciprocal rank, up to `top_k`."""

    measure = "RR"


class RetrievalHitRate(Evaluated, retrieval.RetrievalHitRate):  # type: ignore[misc]
    """Whether a relevant document is among the first `top_k`."""

    measure = "Success"


class RetrievalRecall(Evaluated, retrieval.RetrievalRecall):  # type: ignore[misc]
    """The share of relevant documents among the first `top_k`."""

    measure = "R"


class RetrievalRPrecision(Evaluated, retrieval.RetrievalRPrecision):  # type: ignore[misc]
    """Precision at the number of relevant documents."""

    measure = "Rprec"


class RetrievalNormalizedDCG(Evaluated, retrieval.RetrievalNormalizedDCG):  # type: ignore[misc]
    """nDCG with linear gains, up to `top_k`."""

    measure = "nDCG"


class RetrievalFallOut(Evaluated, retrieval.RetrievalFallOut):  # type: ignore[misc]
    """The share of other documents than relevant ones among the first `top_k`."""

    measure = "R"

    def counted(self, target: Any) -> Any:
        """The documents that are not relevant."""
        return 1 - target


class RetrievalPrecision(EvaluatedFirst, retrieval.RetrievalPrecision):  # type: ignore[misc]
    """The share of the first `top_k` documents that is relevant; with `adaptive_k`, of those there are."""

    measure = "P"

    def values(self, preds: Any, target: Any, queries: Any) -> Any:
        """(queries,): the value of each."""
        base = EvaluatedFirst if self.adaptive_k else Evaluated
        return base.values(self, preds, target, queries)


class RetrievalAUROC(EvaluatedFirst, retrieval.RetrievalAUROC):  # type: ignore[misc]
    """The area under the ROC curve of the first `top_k`; torchmetrics computes it up to `max_fpr`."""

    measure = "AUC"

    def compute(self) -> Any:
        """The values of queries, aggregated."""
        return super().compute() if self.max_fpr is None else super(Evaluated, self).compute()


class RetrievalPrecisionRecallCurve(Evaluated, retrieval.RetrievalPrecisionRecallCurve):  # type: ignore[misc]
    """Precision and recall at every cutoff up to `max_k`, and the cutoffs."""

    def values(self, preds: Any, target: Any, queries: Any) -> Any:
        """(queries, 2, cutoffs): precision and recall of each."""
        sizes = queries.bincount().cpu()
        cutoffs = torch.arange(1, (self.max_k or int(sizes.max())) + 1)
        hits = _values(["NumRel", *(f"NumRelRet@{k}" for k in cutoffs.tolist())], preds, target, queries).T
        read = torch.minimum(cutoffs, sizes[:, None]) if self.adaptive_k else cutoffs
        return torch.stack([hits[:, 1:] / read, hits[:, 1:] / hits[:, :1].clamp(min=1)], 1)

    def aggregated(self, values: Any, empty: Any) -> Any:
        """(precision, recall, cutoffs): three tensors."""
        precision, recall = super().aggregated(values, empty)
        return precision, recall, torch.arange(1, len(recall) + 1, device=recall.device)


class RetrievalRecallAtFixedPrecision(
    retrieval.RetrievalRecallAtFixedPrecision,  # type: ignore[misc]
    RetrievalPrecisionRecallCurve,
):
    """The highest recall at a cutoff with at least this precision, and the cutoff."""


def retrieval_average_precision(preds: Any, target: Any, top_k: int | None = None) -> Any:
    """Average precision of one query."""
    return _of_one(RetrievalMAP(top_k=top_k), preds, target)


def retrieval_reciprocal_rank(preds: Any, target: Any, top_k: int | None = None) -> Any:
    """The reciprocal rank of one query."""
    return _of_one(RetrievalMRR(top_k=top_k), preds, target)


def retrieval_hit_rate(preds: Any, target: Any, top_k: int | None = None) -> Any:
    """Whether a relevant document is among the first of one query."""
    return _of_one(RetrievalHitRate(top_k=top_k), preds, target)


def retrieval_recall(preds: Any, target: Any, top_k: int | None = None) -> Any:
    """The recall of one query."""
    return _of_one(RetrievalRecall(top_k=top_k), preds, target)


def retrieval_precision(preds: Any, target: Any, top_k: int | None = None, adaptive_k: bool = False) -> Any:
    """The precision of one query."""
    return _of_one(RetrievalPrecision(top_k=top_k, adaptive_k=adaptive_k), preds, target)


def retrieval_r_precision(preds: Any, target: Any) -> Any:
    """R-precision of one query."""
    return _of_one(RetrievalRPrecision(), preds, target)


def retrieval_normalized_dcg(preds: Any, target: Any, top_k: int | None = None) -> Any:
    """NDCG of one query."""
    return _of_one(RetrievalNormalizedDCG(top_k=top_k), preds, target)


def retrieval_fall_out(preds: Any, target: Any, top_k: int | None = None) -> Any:
    """Fall-out of one query."""
    return _of_one(RetrievalFallOut("neg", top_k=top_k), preds, target)


def retrieval_auroc(preds: Any, target: Any, top_k: int | None = None, max_fpr: float | None = None) -> Any:
    """The area under the ROC curve of one query."""
    return _of_one(RetrievalAUROC(top_k=top_k, max_fpr=max_fpr), preds, target)


def retrieval_precision_recall_curve(
    preds: Any, target: Any, max_k: int | None = None, adaptive_k: bool = False
) -> tuple[Any, Any, Any]:
    """Precision and recall of one query at every cutoff, and the cutoffs."""
    curve = RetrievalPrecisionRecallCurve(max_k=max_k, adaptive_k=adaptive_k)
    precision, recall, cutoffs = (each.reshape(-1) for each in _of_one(curve, preds, target))
    return precision, recall, cutoffs.clamp(max=preds.numel()) if adaptive_k else cutoffs


def _of_one(metric: Any, preds: Any, target: Any) -> Any:
    metric.update(preds, target, torch.zeros_like(preds, dtype=torch.long))
    return metric.compute()
