"""Time tests between runs against plain loops over the pairs: python bench/comparisons.py [--repeat N]

All pairs of 100 runs over 50 topics. Both sides use the same random samples, and must find the same.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from rankgauge.comparison.procedures.permutation import UNIT, randomised_tukey
from rankgauge.comparison.registry import SEED, TESTS, TestOptions
from rankgauge.numbers.bootstrap import paired_bootstrap
from rankgauge.numbers.differences import Floats, all_pairs, differences

RUNS, TOPICS, SAMPLES, PERMUTATIONS = 100, 50, 1000, 10_000


def paired_bootstraps(values: Floats) -> Floats:
    """ASL of all pairs at once."""
    return paired_bootstrap(differences(values), samples=SAMPLES, seed=SEED).asl


def looped_bootstrap(values: Floats) -> Floats:
    """ASL of all pairs, one after the other."""
    topics = values.shape[1]
    drawn = np.random.Generator(np.random.PCG64(SEED)).integers(topics, size=(SAMPLES, topics))
    levels = []
    for first, second in zip(*all_pairs(len(values)), strict=True):
        z = values[first] - values[second]
        t = z.mean() / (z.std(ddof=1) / np.sqrt(topics))
        samples = (z - z.mean())[drawn]
        stars = samples.mean(axis=1) / (samples.std(axis=1, ddof=1) / np.sqrt(topics))
        levels.append((np.abs(stars) >= abs(t)).mean())
    return np.array(levels)


def looped_tukey(values: Floats) -> Floats:
    """The p of all pairs, one permutation of the values after the other."""
    topics = values.shape[1]
    ranges = np.empty(PERMUTATIONS)
    for begin in range(0, PERMUTATIONS, UNIT):
        source = np.random.Generator(np.random.PCG64([SEED, begin]))
        columns = [np.tile(values[:, topic], (UNIT, 1)) for topic in range(topics)]
        dealt = [source.permuted(column, axis=1) for column in columns]
        for each in range(UNIT):
            sums = np.sum([column[each] for column in dealt], axis=0)
            ranges[begin + each] = sums.max() - sums.min()
    sums = values.sum(axis=1)
    sizes = [abs(sums[first] - sums[second]) for first, second in zip(*all_pairs(len(values)), strict=True)]
    return np.array([((ranges >= size).sum() + 1) / (PERMUTATIONS + 1) for size in sizes])


def looped_t(values: Floats) -> Floats:
    """The p of all pairs by SciPy, one after the other."""
    from scipy.stats import ttest_rel

    pairs = zip(*all_pairs(len(values)), strict=True)
    return np.array([ttest_rel(values[first], values[second]).pvalue for first, second in pairs])


Way = Callable[[Floats], Floats]
# name: (ours, the loop, goal in seconds, goal in times faster)
WORK: dict[str, tuple[Way, Way, float, float]] = {
    "bootstrap": (paired_bootstraps, looped_bootstrap, 0.5, 25),
    "randomised Tukey": (lambda v: randomised_tukey(v, permutations=PERMUTATIONS).p, looped_tukey, 1.0, 1),
    "t": (lambda v: TESTS["t"].function(differences(v), TestOptions()).p, looped_t, 0.5, 25),
}


def seconds(way: Way, values: Floats) -> float:
    start = time.perf_counter()
    way(values)
    return time.perf_counter() - start


def main(argv: list[str] | None = None) -> int:
    """1 when the two ways do not agree, 0 otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="rounds (default 5)")
    rounds = max(1, parser.parse_args(argv).repeat)
    values = np.random.default_rng(1).beta(1, 2, (RUNS, TOPICS)) + np.linspace(0, 0.2, RUNS)[:, None]
    print(f"{RUNS} runs, {RUNS * (RUNS - 1) // 2} pairs, {TOPICS} topics; load {os.getloadavg()[0]:.1f}")
    fine = True
    for name, (ours, loop, most, least) in WORK.items():
        apart = float(np.abs(ours(values) - loop(values)).max())
        fine &= apart < 1e-9
        taken = [(seconds(ours, values), seconds(loop, values)) for _ in range(rounds)]
        ours_s, loop_s = (median(each) for each in zip(*taken, strict=True))
        times = loop_s / ours_s
        verdict = "reached" if ours_s <= most and times >= least else "MISSED"
        print(
            f"{name:<17} {ours_s:7.3f} s   loop {loop_s:7.3f} s   {times:6.1f} × as fast   "
            f"differ by {apart:.0e}   goal ≤ {most:g} s, ≥ {least:g} ×: {verdict}"
        )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
