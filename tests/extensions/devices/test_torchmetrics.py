"""Measures as metrics of torchmetrics: its interface, and its values where definitions agree."""

import itertools
import pickle

import numpy as np
import pytest

import rankgauge
from rankgauge.errors import MeasureError, OptionError

torch = pytest.importorskip("torch")
torchmetrics = pytest.importorskip("torchmetrics")
retrieval = pytest.importorskip("torchmetrics.retrieval")

from rankgauge.compat.torchmetrics import RetrievalMeasure  # noqa: E402

from rankgauge.compat import torchmetrics as ours  # noqa: E402 (after torchmetrics is known to be there)


def data(seed=0, queries=30, grades=2, levels=None):
    """(scores above 0, grades, queries), in any order; scores are tied if they have few levels."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 15, queries)
    indexes = np.repeat(rng.choice(1000, queries, replace=False), sizes)
    preds = rng.permutation(sizes.sum()) + 1.0 if levels is None else rng.integers(1, levels, sizes.sum())
    target = rng.integers(0, grades, sizes.sum())
    order = rng.permutation(len(indexes))
    return tuple(torch.as_tensor(each[order]) for each in (preds / preds.max(), target, indexes))


def value(metric, columns):
    metric.update(*columns)
    return metric.compute().item()


SAME = {
    "AP": retrieval.RetrievalMAP(),
    "RR": retrieval.RetrievalMRR(),
    "RR@3": retrieval.RetrievalMRR(top_k=3),
    "P@5": retrieval.RetrievalPrecision(top_k=5),
    "R@5": retrieval.RetrievalRecall(top_k=5),
    "Success@2": retrieval.RetrievalHitRate(top_k=2),
    "Rprec": retrieval.RetrievalRPrecision(),
    "nDCG": retrieval.RetrievalNormalizedDCG(),
    "nDCG@4": retrieval.RetrievalNormalizedDCG(top_k=4),
}


@pytest.mark.parametrize("action", ["neg", "skip"])
@pytest.mark.parametrize("measure", SAME)
def test_values_are_those_of_torchmetrics_without_ties(measure, action):
    theirs = SAME[measure].clone()
    theirs.empty_target_action = action
    for seed in range(5):
        columns = data(seed)
        theirs.reset()
        expected = value(theirs, columns)
        assert value(RetrievalMeasure(measure, action), columns) == pytest.approx(expected, abs=1e-6)


# (class, function, arguments of both)
THEIRS = [
    ("RetrievalMAP", "retrieval_average_precision", {}),
    ("RetrievalMAP", "retrieval_average_precision", {"top_k": 3}),
    ("RetrievalMRR", "retrieval_reciprocal_rank", {"top_k": 2}),
    ("RetrievalHitRate", "retrieval_hit_rate", {"top_k": 2}),
    ("RetrievalRecall", "retrieval_recall", {"top_k": 4}),
    ("RetrievalRPrecision", "retrieval_r_precision", {}),
    ("RetrievalNormalizedDCG", "retrieval_normalized_dcg", {"top_k": 4}),
    ("RetrievalFallOut", "retrieval_fall_out", {"top_k": 3}),
    ("RetrievalPrecision", "retrieval_precision", {}),
    ("RetrievalPrecision", "retrieval_precision", {"top_k": 9}),
    ("RetrievalPrecision", "retrieval_precision", {"top_k": 9, "adaptive_k": True}),
    ("RetrievalAUROC", "retrieval_auroc", {"top_k": 5}),
    ("RetrievalAUROC", "retrieval_auroc", {"max_fpr": 0.5}),
    ("RetrievalPrecisionRecallCurve", "retrieval_precision_recall_curve", {"max_k": 9, "adaptive_k": True}),
    ("RetrievalPrecisionRecallCurve", "retrieval_precision_recall_curve", {}),
]


@pytest.mark.parametrize(("name", "function", "arguments"), THEIRS)
def test_metrics_of_torchmetrics_have_its_values(name, function, arguments):
    columns = data(3)
    for action, aggregation in (("neg", "mean"), ("pos", "median"), ("skip", "max"), ("skip", torch.sum)):
        if aggregation is torch.sum and "Curve" in name:
            continue
        options = {**arguments, "empty_target_action": action, "aggregation": aggregation}
        theirs, mine = (getattr(each, name)(**options) for each in (retrieval, ours))
        assert isinstance(mine, type(theirs))
        for metric in (theirs, mine):
            metric.update(*columns)
        torch.testing.assert_close(mine.compute(), theirs.compute(), atol=1e-6, rtol=1e-6)
    for query in columns[2].unique()[:3]:
        preds, target = (column[columns[2] == query] for column in columns[:2])
        expected = getattr(torchmetrics.functional.retrieval, function)(preds, target, **arguments)
        torch.testing.assert_close(
            getattr(ours, function)(preds, target, **arguments), expected, atol=1e-6, rtol=1e-6
        )


def test_recall_at_a_precision_is_that_of_torchmetrics():
    theirs, mine = (each.RetrievalRecallAtFixedPrecision(0.45, max_k=8) for each in (retrieval, ours))
    for metric in (theirs, mine):
        metric.update(*data(3))
    assert [each.item() for each in mine.compute()] == pytest.approx(
        [each.item() for each in theirs.compute()]
    )


def test_every_metric_of_torchmetrics_is_there_and_keeps_its_errors():
    names = {*retrieval.__all__, *torchmetrics.functional.retrieval.__all__}
    assert {*ours.__all__} == names | {"RetrievalMeasure"}
    preds, target, queries = torch.tensor([0.3, 0.2, 0.9]), torch.tensor([1, 0, 0]), torch.tensor([5, 5, 8])
    for metric, error in ((ours.RetrievalMRR, "positive"), (ours.RetrievalFallOut, "negative")):
        with pytest.raises(ValueError, match=f"a query with no {error} target"):
            value(metric("error"), (preds, target if error == "positive" else 1 - target, queries))
    with pytest.raises(ValueError, match="same shape"):
        ours.retrieval_recall(preds, target[:2])


@pytest.mark.parametrize("seed", range(5))
def test_graded_ndcg_averages_ties_as_torchmetrics_does(seed):
    columns = data(seed, grades=4, levels=4)
    theirs = value(retrieval.RetrievalNormalizedDCG(), columns)
    assert value(RetrievalMeasure("nDCG"), columns) == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize("measure", ["nDCG@10", "AP(rel=2)", "ERR@5", "Twist", "bpref"])
def test_values_are_those_of_a_run(measure):
    preds, target, indexes = data(7, grades=4, levels=6)
    names = {"topic": indexes.numpy(), "doc": np.arange(len(indexes))}
    expected = rankgauge.evaluate(
        {**names, "grade": target.numpy()}, {**names, "score": preds.numpy()}, measure, ties="average"
    )
    metric = RetrievalMeasure(measure)
    for some in torch.arange(len(preds)).split(40):  # queries are spread over batches
        metric.update(preds[some], target[some], indexes[some])
    assert metric.compute().item() == np.float32(float(expected))
    assert metric.scores().topics == expected.topics
    assert np.array_equal(metric.scores().values, expected.values, equal_nan=True)


def test_forward_returns_the_value_of_the_batch_and_keeps_the_rest():
    metric, (preds, target, indexes) = RetrievalMeasure("AP"), data(3)
    first, second = indexes < indexes.median(), indexes >= indexes.median()
    for some in (first, second):
        alone = value(RetrievalMeasure("AP"), (preds[some], target[some], indexes[some]))
        assert metric(preds[some], target[some], indexes[some]).item() == alone
    assert metric.compute().item() == value(RetrievalMeasure("AP"), (preds, target, indexes))
    metric.reset()
    with pytest.warns(UserWarning, match="before the ``update`` method"):
        assert metric.compute().item() == 0


def test_a_collection_updates_its_metrics_once():
    texts = ["nDCG@10", "AP", "RR"]
    collection = torchmetrics.MetricCollection({text: RetrievalMeasure(text) for text in texts})
    columns = data(1)
    collection.update(*columns)
    assert len(collection.compute_groups) == 1
    alone = {text: value(RetrievalMeasure(text), columns) for text in texts}
    assert {text: found.item() for text, found in collection.compute().items()} == alone


def test_metrics_are_pickled_with_their_state():
    metric = RetrievalMeasure("nDCG@5", ties="worst")
    metric.update(*data(2, levels=3))
    assert pickle.loads(pickle.dumps(metric)).compute() == metric.compute()


def test_the_direction_is_that_of_the_measure():
    better = [RetrievalMeasure(text).higher_is_better for text in ("AP", "ESL", "NumRet")]
    assert better == [True, False, None]


def test_queries_without_relevant_documents():
    columns = (torch.tensor([0.3, 0.2, 0.9]), torch.tensor([1, 0, 0]), torch.tensor([5, 5, 8]))
    assert value(RetrievalMeasure("RR"), columns) == 0.5
    assert value(RetrievalMeasure("RR", "skip"), columns) == 1
    assert value(RetrievalMeasure("P@1", "skip"), columns) == 1
    with pytest.raises(ValueError, match="query 8 has no relevant document"):
        value(RetrievalMeasure("RR", "error"), columns)
    nothing = (columns[0], torch.zeros(3, dtype=torch.int64), columns[2])
    assert value(RetrievalMeasure("RR", "skip"), nothing) == 0


def test_ignored_targets_are_left_out():
    preds, target = torch.tensor([0.9, 0.5, 0.1]), torch.tensor([-100, 1, 0])
    assert value(RetrievalMeasure("RR", ignore_index=-100), (preds, target, torch.zeros(3).long())) == 1


def test_gradients_and_half_precision_do_not_get_in_the_way():
    preds = torch.tensor([0.25, 0.75], dtype=torch.bfloat16, requires_grad=True)
    assert value(RetrievalMeasure("RR"), (preds, torch.tensor([True, False]), torch.tensor([4, 4]))) == 0.5


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: RetrievalMeasure("nDGC"), MeasureError, "nDGC"),
        (lambda: RetrievalMeasure("AP", ties="random"), OptionError, "random"),
        (lambda: RetrievalMeasure("AP", "pos"), ValueError, "does not make a system good"),
        (lambda: RetrievalMeasure("AP", ignore_index=0.5), ValueError, "whole number"),
        (lambda: RetrievalMeasure("AP").update(torch.ones(2), torch.ones(2), None), ValueError, "None"),
        (
            lambda: RetrievalMeasure("AP").update(torch.ones(2), torch.ones(3), torch.ones(2).long()),
            ValueError,
            r"\(2,\), \(3,\), \(2,\)",
        ),
        (
            lambda: RetrievalMeasure("AP").update(torch.ones(2), torch.ones(2), torch.ones(2)),
            ValueError,
            "whole numbers, not torch.float32",
        ),
    ],
)
def test_what_is_wrong_is_named_at_once(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_two_processes_have_the_value_of_one():
    """`gather` stands in for the communication of torchmetrics: it adds the state of the other process."""
    columns = data(11, queries=40, grades=4, levels=20)
    states = itertools.cycle(("indexes", "preds", "target"))

    def gather(state, group=None):
        return [state, torch.cat(getattr(second, next(states)))]

    first = RetrievalMeasure("nDCG@10", dist_sync_fn=gather, distributed_available_fn=lambda: True)
    second = RetrievalMeasure("nDCG@10")
    for number, some in enumerate(torch.arange(len(columns[0])).split(17)):
        (first, second)[number % 2].update(*(column[some] for column in columns))
    assert first.compute().item() == value(RetrievalMeasure("nDCG@10"), columns)
    assert sum(map(len, first.preds)) < len(columns[0])  # its own state again
