"""Comparing runs: whether a difference is real, how large it is, and how to report it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from rankgauge._version import VERSION
from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.inputs import (
    baseline_runs,
    margins_by_place,
    measure_places,
    run_pairs,
    scores_to_compare,
    test_options,
)
from rankgauge.comparison.registry import (
    CORRECTIONS,
    FAMILIES,
    SEED,
    TESTS,
    CorrectionName,
    Family,
    Progress,
    StatisticalTest,
    TestName,
)
from rankgauge.comparison.result import MeasureComparison, Pair
from rankgauge.comparison.tested_pairs import Plan, steps_of
from rankgauge.errors import OptionError
from rankgauge.model.notes import on_undefined
from rankgauge.model.segments import Segments
from rankgauge.schema.options import choice
from rankgauge.schema.parameters import Flag, Number, Whole

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

    from rankgauge.evaluation.evaluator import Measures
    from rankgauge.model.rules import CorrectedInputs

__all__ = ["MeasureComparison", "Comparison", "Pair", "compare"]


def compare(
    scores: Any,
    runs: Any = None,
    measures: Measures | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    test: TestName = "t",
    correction: CorrectionName | None = None,
    family: Family = "measure",
    alpha: Annotated[float, Number(0, 1, above=True, below=True), "level of significance"] = 0.05,
    margin: float | Mapping[str, float] | None = None,
    by: Any = None,
    posterior: Annotated[
        bool, Flag(), "also the probability that a run is better, and that the difference is below the margin"
    ] = False,
    samples: Annotated[
        int | None,
        Whole(),
        "number of samples for randomised tests (default: bootstrap 1000, others 10000)",
    ] = None,
    seed: Annotated[int, Whole(0), "seed for random samples"] = SEED,
    threads: int | None = None,
    progress: Progress | None = None,
    **inputs: Unpack[CorrectedInputs],
) -> Comparison:
    """Is the difference real? Compare all runs with each other, or with one or several baselines.

    `compare(scores, measures)` takes what `evaluate` returns, or anything `Scores.from_table` takes; measures
    select some of theirs. `compare(qrels, runs, measures)` evaluates first, by default on nDCG@10, with the
    options of `evaluate`.

    A difference is the run's mean minus that of the run it is compared `against`. p is corrected for all
    pairs of a measure, or of all measures with `family="all"`: by Holm, unless another `correction` is chosen
    or the test itself accounts for all pairs. Without a correction, an overall test (Friedman's T2, F of an
    analysis of variance) protects several pairs: their corrected p is at least that of the overall test,
    which Holm corrects for all measures if they are one family. Tests that draw random numbers take `samples`
    and a `seed`, and call `progress` with the numbers of samples drawn so far, and at most. Topics that
    either run of a pair lacks are left out for that pair.

    With a `margin`, or a dict of margins by measure, two one-sided tests show whether a true difference is
    smaller than it: bootstrap tests if that is the test, otherwise t-tests. Their p is corrected as well.

    With `posterior`, pairs have the probability that the run is better, and that the difference is smaller
    than the margin, if the test is t: by the t distribution of the interval, which is the posterior by the
    prior 1/σ, where all means and all logarithms of the standard deviation σ are as likely. Nothing is
    corrected for many pairs.

    `by` has attributes of topics, as in `Scores.by_segment`: `segments` of the result compares runs within
    each segment, with p corrected for all segments, and `interactions` tests whether a difference depends on
    an attribute.

    >>> from rankgauge import Scores
    >>> scores = Scores.from_table({"old": [0.1, 0.2, 0.3, 0.5], "new": [0.2, 0.3, 0.5, 0.6]}, "AP")
    >>> pair = compare(scores)["AP"].pairs[0]
    >>> pair.run, pair.against, round(pair.difference, 3), round(pair.p, 4)
    ('new', 'old', 0.125, 0.0154)
    """
    scores, measures, are_new = scores_to_compare(scores, runs, measures, threads, inputs)
    spec: StatisticalTest = scores.test_for(str(test)) or TESTS.find(str(test))
    chosen = "none" if spec.familywise else "holm"
    if correction is not None:
        chosen = CORRECTIONS.find(str(correction)).name
    if posterior and spec is not TESTS["t"]:
        raise OptionError(f"posterior probabilities are those of the paired t-test, not of the {spec.title}")
    baselines = baseline_runs(scores, baseline)
    first, second = run_pairs(scores, baselines)
    places = measure_places(scores, measures)
    plan = Plan(
        spec=spec,
        correction=chosen,
        family=choice("family", family, FAMILIES),
        first=first,
        second=second,
        margins=dict.fromkeys(places) | margins_by_place(scores, margin, places),
        options=partial(test_options, spec, chosen, alpha=alpha, samples=samples, seed=seed, threads=threads),
    )
    segments = Segments(()) if by is None else Segments.of(by, scores.topics)
    steps = steps_of(progress, (1 + len(segments.parts)) * len(places))
    ((compared, notes),) = plan.results([scores], steps)
    on_runs = (
        scores.data_notes  # nobody sees those of the scores
        if are_new
        else on_undefined(scores.provenance, [scores.measures[place] for place in places])
    )
    options = plan.options(1)
    comparison = Comparison(
        runs=scores.runs,
        baselines=tuple(scores.runs[place] for place in baselines),
        compared=compared,
        statistical_test=spec,
        correction=chosen,
        family=family,
        alpha=options.alpha,
        samples=options.samples or None,
        seed=options.seed if spec.samples else None,
        versions={**scores.provenance.versions, "rankgauge": VERSION},
        remarks=tuple(dict.fromkeys([*on_runs, *notes, *segments.notes])),
        judgments=scores.correction,
        posterior=posterior,
    )
    if not segments.parts:
        return comparison
    results = plan.results([scores.of_topics(part.topics) for part in segments.parts], steps)
    return replace(
        comparison,
        segments={
            part.name: replace(comparison, compared=of_part, remarks=tuple(on_part), across=len(results))
            for part, (of_part, on_part) in zip(segments.parts, results, strict=True)
        },
        interactions=plan.interactions(scores, segments),
    )
