"""Values over all orders of tied documents, in bounded memory."""

import gc
import tracemalloc

import numpy as np
import pytest

from rankgauge import evaluate
from rankgauge.engines import tie_orders


@pytest.mark.parametrize("measure", ["nDCG@10", "P@10"])
def test_the_orders_of_a_large_tie_are_never_all_in_memory(measure):
    judged = {f"d{n}": 1 + n % 2 for n in range(1500)}
    run = {f"d{n}": 1.0 for n in range(3000)}
    evaluate({"1": judged}, {"1": run}, measure, ties="best")  # imports what it needs
    before = gc.get_threshold()
    gc.set_threshold(50_000)  # as in the command line
    tracemalloc.start()
    try:
        value = evaluate({"1": judged}, {"1": run}, measure, ties="average").mean()["run"][measure]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.set_threshold(*before)
    assert value == (0.375 if measure == "nDCG@10" else 0.5)  # 10 documents of mean gain 0.75, of 2
    assert peak < 3000 * 1500 * 8  # a rank for each order and hit


@pytest.mark.parametrize("rule", ["average", "best", "worst"])
@pytest.mark.parametrize("measure", ["alpha_DCG", "NRBP", "D_Q", "IA(Q)"])
def test_random_orders_do_not_depend_on_the_topics_evaluated_with_them(measure, rule, monkeypatch):
    monkeypatch.setattr(tie_orders, "MAX_ORDERS", 10)
    monkeypatch.setattr(tie_orders, "RANDOM_ORDERS", 5)
    # one document has a prefix of another's subtopics, and a grade above the number of the next
    judged = {
        "a": {"v": 1, "w": 1, "x": 2, "y": 1, "z": 0},
        "b": {"v": 2, "x": 1, "y": 1, "z": 0},
        "c": {"w": 1, "z": 2},
    }
    run = dict.fromkeys("uvwxyz", 1.0)
    alone = evaluate({"2": judged}, {"2": run}, measure, ties=rule)
    both = evaluate({"1": judged, "2": judged}, {"1": run, "2": run}, measure, ties=rule)
    assert both.values[0, 0].tolist() == [alone.values[0, 0, 0]] * 2


@pytest.mark.parametrize("count", [0, 1, 4, 9, 13, 16, 23, 24])
def test_a_few_choices_of_places_hold_each_place_equally_often(count):
    choices = [*tie_orders._spread(np.arange(24), count)]
    share = np.zeros(24)
    for weight, places in choices:
        assert len({*places.tolist()}) == count
        share[places] += weight
    assert share == pytest.approx(count / 24)
    assert sum(weight for weight, _ in choices) == pytest.approx(1)


@pytest.mark.parametrize("relevant", [35, 96], ids=["most are unjudged", "most are relevant"])
@pytest.mark.parametrize(
    "measure", ["nDCG", "nDCG@9", "ASL", "NormRecall", "SlidingRatio@7", "RBP", "Judged@5"]
)
def test_few_orders_of_large_ties_have_the_mean_of_all(measure, relevant, monkeypatch):
    judged = {f"d{n}": 1 + (n >= relevant) for n in range(relevant + 24)} | {"x": 2}
    run = {f"d{n}": 1.0 for n in range(144)} | {"x": 3.0, "y": 3.0}
    expected = evaluate({"1": judged}, {"1": run}, measure, ties="average").mean()["run"][measure]
    monkeypatch.setattr(tie_orders, "LARGE", 1000)
    rotations = tie_orders._Orders._rotations
    monkeypatch.setattr(
        tie_orders._Orders, "_rotations", lambda some, topic, size: {2: rotations}[size](some, topic, size)
    )
    found = evaluate({"1": judged}, {"1": run}, measure, ties="average").mean()["run"][measure]
    assert found == pytest.approx(expected, rel=1e-12)
