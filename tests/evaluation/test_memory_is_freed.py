"""What was computed for rankings is freed as soon as they are measured, not when Python looks for cycles."""

import gc
import weakref

import pytest

from rankgauge import Evaluator
from rankgauge.measures.rankings.arrays import JudgedRankings, Pool

QRELS = {f"t{t}": {f"d{d}": d % 4 for d in range(t, t + 8)} for t in range(5)}
# without ties, whose orders are looked at in other views
RUNS = {f"r{r}": {f"t{t}": {f"d{d}": d * r % 13 for d in range(12)} for t in range(5)} for r in range(1, 4)}


WAYS = {
    "evaluate": lambda evaluator: evaluator.evaluate(RUNS),
    "values": lambda evaluator: evaluator.values(RUNS["r1"]),
    "values of some topics": lambda evaluator: evaluator.values(
        {t: RUNS["r1"][t] for t in ("t0", "t2", "t3", "t4")}
    ),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("measures", ["nDCG@3", "AP Q RBP Bpref RR P@2", "nDCG(judged_only=yes) AP(rel=2)"])
def test_nothing_of_an_evaluation_waits_for_the_collector_of_cycles(measures, way, monkeypatch):
    made = []
    for kind in (JudgedRankings, Pool):
        original = kind.__init__

        def noted(self, *args, original=original, **attributes):
            original(self, *args, **attributes)
            if len(self.starts) > 2:  # not a topic that a measure is tried on
                made.append(weakref.ref(self))

        monkeypatch.setattr(kind, "__init__", noted)
    gc.collect()
    gc.disable()
    try:
        WAYS[way](Evaluator(QRELS, measures))
        left = [each() for each in made if each() is not None]
    finally:
        gc.enable()
    assert made
    assert not left
