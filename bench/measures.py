"""The cost of each measure relative to AP on judged rankings: a line per measure, the most expensive first.

python bench/measures.py [MEASURE...]
"""

from __future__ import annotations

import sys
import time

from rankgauge import Evaluator, simulate
from rankgauge.measures import MEASURES, Measure, parse

ROUNDS = 15


def main(texts: list[str]) -> None:
    """Time measures in turns, each on fresh rankings; print medians."""
    campaign = simulate(topics=50, depth=1000, systems=20, judged=200, grades=3)
    runs = {name: campaign.run_dict(name) for name in campaign.systems}
    measures = [parse(text) for text in texts or (spec.example for spec in MEASURES.values())]
    measures = list(dict.fromkeys([parse("AP"), *measures]))
    evaluators = {measure: Evaluator(campaign.qrels_dict(), measure) for measure in measures}
    hits = {
        measure: [e._back_end._engine.retrieve(run) for run in runs.values()]
        for measure, e in evaluators.items()
    }
    took: dict[Measure, list[float]] = {measure: [] for measure in measures}
    for _ in range(ROUNDS):
        for measure, evaluator in evaluators.items():
            start = time.perf_counter()
            evaluator._values(hits[measure])
            took[measure].append(time.perf_counter() - start)
    median = {measure: sorted(times)[ROUNDS // 2] for measure, times in took.items()}
    for measure in sorted(median, key=median.__getitem__, reverse=True):
        times = median[measure] / median[parse("AP")]
        print(f"{measure!s:<32} {1e6 * median[measure] / len(runs):8.0f} µs per run {times:6.2f} × AP")


if __name__ == "__main__":
    main(sys.argv[1:])
