"""Values over all orders of tied documents, in bounded memory."""

import gc
import tracemalloc

import pytest

from rankgauge import evaluate


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
