"""ranx's `compare`, with rankgauge's tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rankgauge.comparison import compare as compare_runs
from rankgauge.compat.ranx.errors import UnsupportedTest
from rankgauge.compat.ranx.evaluation import evaluate_runs
from rankgauge.compat.ranx.report import Report
from rankgauge.compat.ranx.tables import Run
from rankgauge.errors import InputError
from rankgauge.schema.text import repeated

TESTS = {"student": "t", "fisher": "randomisation", "tukey": "tukey"}


def compare(
    qrels: Any,
    runs: Sequence[Any],
    metrics: str | Sequence[str],
    stat_test: str = "student",
    n_permutations: int = 1000,
    max_p: float = 0.01,
    random_seed: int = 42,
    threads: int = 0,
    rounding_digits: int = 3,
    show_percentages: bool = False,
    make_comparable: bool = False,
    *,
    ties: str = "docid_desc",
) -> Report:
    """A report on which runs differ significantly, pair by pair, without a correction, as in ranx.

    `stat_test` is student (paired t-test), fisher (randomisation) or tukey (HSD). Tukey's test accounts for
    topics here, and for all pairs; ranx's treats the values of runs as independent samples.
    """
    if stat_test.lower() not in TESTS:
        raise UnsupportedTest(f"stat_test must be one of {', '.join(TESTS)}, not {stat_test!r}")
    test = TESTS[stat_test.lower()]
    names = [getattr(run, "name", None) or f"run_{number}" for number, run in enumerate(runs, 1)]
    if twice := repeated(names):
        raise InputError(f"two runs are called {twice[0]!r}; give each a name of its own: Run(run, name=...)")
    evaluated = evaluate_runs(
        qrels,
        dict(zip(names, runs, strict=True)),
        metrics,
        threads=threads,
        make_comparable=make_comparable,
        ties=ties,
    )
    for place, run in enumerate(runs):
        if isinstance(run, Run):
            evaluated.save(run, evaluated.by_topic(place))
    comparison = None
    if len(runs) > 1:
        comparison = compare_runs(
            evaluated.scores,
            test=test,
            correction="none",
            alpha=math.nextafter(max_p, 1.0),  # ranx finds a p of exactly max_p significant
            samples=n_permutations if test == "randomisation" else None,
            seed=random_seed,
            threads=threads or None,
        )
    return Report(
        evaluated, comparison, stat_test.lower(), max_p, rounding_digits, show_percentages=show_percentages
    )
