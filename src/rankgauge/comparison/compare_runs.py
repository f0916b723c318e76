from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from rankgauge._version import VERSION
from rankgauge.comparison.comparison import Comparison
from rankgauge.comparison.corrections import correct, correction_of
from rankgauge.comparison.inputs import (
    baseline_runs,
    margins_by_place,
    measure_places,
    run_pairs,
    scores_to_compare,
    test_options,
)
from rankgauge.comparison.procedures.permutation import interaction_p
from rankgauge.comparison.registry import (
    CORRECTIONS,
    FAMILIES,
    SEED,
    TESTS,
    Progress,
    StatisticalTest,
    TestOptions,
)
from rankgauge.comparison.result import Interaction, MeasureComparison
from rankgauge.comparison.tested_pairs import corrected_family, test_by
from rankgauge.errors import OptionError
from rankgauge.model.notes import on_undefined
from rankgauge.model.scores import Scores
from rankgauge.model.segments import Segments
from rankgauge.numbers.differences import Ints
from rankgauge.schema.options import choice
from rankgauge.schema.parameters import Number, Whole

if TYPE_CHECKING:
    from typing_extensions import Unpack  # part of typing from Python 3.11 on

    from rankgauge.evaluation.evaluator import Measures
    from rankgauge.model.rules import CorrectedInputs


def compare(
    scores: Any,
    runs: Any = None,
    measures: Measures | None = None,
    *,
    baseline: str | Sequence[str] | None = None,
    test: str = "t",
    correction: str | None = None,
    family: str = "measure",
    alpha: Annotated[float, Number(0, 1, above=True, below=True), "level of significance"] = 0.05,
    margin: float | Mapping[str, float] | None = None,
    by: Any = None,
    samples: Annotated[
        int | None,
        Whole(),
        "random samples, for tests that draw some (default: bootstrap 1000, others 10000)",
    ] = None,
    seed: Annotated[int, Whole(0), "of the random samples"] = SEED,
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

    `by` has attributes of topics, as in `Scores.by_segment`: `segments` of the result compares runs within
    each segment, with p corrected for all segments, and `interactions` tests whether a difference depends on
    an attribute.

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
    baselines = baseline_runs(scores, baseline)
    first, second = run_pairs(scores, baselines)
    places = measure_places(scores, measures)
    plan = _Plan(
        spec=spec,
        correction=chosen,
        family=choice("family", family, FAMILIES),
        first=first,
        second=second,
        margins=dict.fromkeys(places) | margins_by_place(scores, margin, places),
        options=partial(test_options, spec, chosen, alpha=alpha, samples=samples, seed=seed, threads=threads),
    )
    segments = Segments(()) if by is None else Segments.of(by, scores.topics)
    steps = _steps(progress, (1 + len(segments.parts)) * len(places))
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


@dataclass(frozen=True)
class _Plan:
    """The tests of a comparison, for all topics and for segments."""

    spec: StatisticalTest
    correction: str
    family: str
    first: Ints
    second: Ints
    margins: Mapping[int, float | None]  # {place of a measure: its margin}
    options: Callable[[int], TestOptions]  # for so many tests that are corrected together

    def results(
        self, parts: Sequence[Scores], steps: Iterator[Progress | None]
    ) -> list[tuple[tuple[MeasureComparison, ...], list[str]]]:
        """(results by measure, notes) of each part, with p corrected for all parts."""
        spec, together = self.spec, self.family == "all"
        count = len(self.first) * len(parts) * (len(self.margins) if together else 1)
        corrects = correction_of(self.correction, spec.familywise) != "none"
        options = replace(self.options(count), simultaneous=count if corrects else 1)
        tested = [
            [
                test_by(
                    part,
                    place,
                    spec,
                    self.first,
                    self.second,
                    replace(options, progress=next(steps), margin=margin),
                )
                for place, margin in self.margins.items()
            ]
            for part in parts
        ]
        uncorrected = self.correction == "none" and not spec.familywise
        protected = uncorrected and len(self.first) > 1 and bool(tested[0][0].overall)
        if together and uncorrected and not protected:
            raise OptionError(
                "the family 'all' needs a correction other than 'none'; leave it out for Holm's"
            )
        families = [[*chain(*tested)]] if together else [[*each] for each in zip(*tested, strict=True)]
        corrected = [
            [*corrected_family(each, spec, self.correction, protected, options)] for each in families
        ]
        size = len(self.margins)
        by_part = (
            [corrected[0][begin : begin + size] for begin in range(0, size * len(parts), size)]
            if together
            else zip(*corrected, strict=True)
        )
        return [
            (tuple(each for each, _ in found), [note for _, notes in found for note in notes])
            for found in by_part
        ]

    def interactions(self, scores: Scores, segments: Segments) -> tuple[Interaction, ...]:
        labels = {
            attribute: np.array([place[topic] for topic in scores.topics])
            for attribute, place in segments.places().items()
        }
        p = np.empty((len(self.margins), len(labels), len(self.first)))
        for row, place in enumerate(self.margins):
            values, _ = scores.compared_values(place)
            for column, of_topics in enumerate(labels.values()):
                p[row, column] = interaction_p(
                    values, of_topics, self.first, self.second, self.options(1).seed
                )
        name = correction_of(self.correction, self.spec.familywise)
        corrected = (
            correct(p, name) if self.family == "all" else np.stack([correct(each, name) for each in p])
        )
        return tuple(
            Interaction(
                scores.measures[place],
                attribute,
                scores.runs[self.first[pair]],
                scores.runs[self.second[pair]],
                float(p[row, column, pair]),
                float(corrected[row, column, pair]),
            )
            for row, place in enumerate(self.margins)
            for column, attribute in enumerate(labels)
            for pair in range(len(self.first))
        )


def _steps(progress: Progress | None, count: int) -> Iterator[Progress | None]:
    """The progress of each of several equal steps."""
    for step in range(count):
        yield progress and partial(_report, progress, step, count)


def _report(progress: Progress, step: int, steps: int, done: int, total: int) -> None:
    progress(step * total + done, steps * total)
