"""The tests of a comparison: all pairs of runs on each measure and segment, and p corrected as a family."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from rankgauge.comparison.corrections import correct, correction_of
from rankgauge.comparison.procedures.interaction import interaction_p
from rankgauge.comparison.registry import Outcome, Overall, Progress, StatisticalTest, TestOptions
from rankgauge.comparison.result import MARGIN_FIELDS, UNTESTED, Interaction, MeasureComparison, Pair
from rankgauge.errors import OptionError
from rankgauge.model.scores import Scores
from rankgauge.model.segments import Segments
from rankgauge.numbers.differences import Floats, Ints, RunPairs, differences, groups, percentage
from rankgauge.numbers.exact import moments
from rankgauge.numbers.intervals import one_sided, t_quantile, topics_for_equivalence
from rankgauge.numbers.partial_pooling import estimates
from rankgauge.schema.registry import errors_of
from rankgauge.schema.text import spanned


@dataclass(frozen=True)
class Plan:
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
        """Whether the differences depend on each attribute."""
        labels = {
            attribute: np.array([place[topic] for topic in scores.topics])
            for attribute, place in segments.places().items()
        }
        p = np.empty((len(self.margins), len(labels), len(self.first)))
        shrunken: dict[tuple[int, int], Floats] = {}
        for row, place in enumerate(self.margins):
            values, _ = scores.compared_values(place)
            for column, of_topics in enumerate(labels.values()):
                given = values, of_topics, self.first, self.second
                p[row, column] = interaction_p(*given, self.options(1).seed)
                shrunken[row, column] = estimates(*given, self.options(1).alpha)
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
                {
                    part.name: (*map(float, shrunken[row, column][:, pair, segment]),)
                    for segment, part in enumerate(segments.parts[: shrunken[row, column].shape[2]])
                    if not np.isnan(shrunken[row, column][0, pair, segment])
                },
            )
            for row, place in enumerate(self.margins)
            for column, attribute in enumerate(labels)
            for pair in range(len(self.first))
        )


def steps_of(progress: Progress | None, count: int) -> Iterator[Progress | None]:
    """The progress of each of several equal steps."""
    for step in range(count):
        yield progress and partial(_report, progress, step, count)


def _report(progress: Progress, step: int, steps: int, done: int, total: int) -> None:
    progress(step * total + done, steps * total)


class UncorrectedPairs(NamedTuple):
    """All pairs on one measure, before correction."""

    measure: str
    direction: int
    margin: float | None
    columns: dict[str, Any]  # {field of `Pair`: an array}
    overall: Overall | None
    least: Floats  # (pairs,) the smallest p that was possible
    drawn: int  # random samples, at most
    means: dict[str, float]  # {run: its mean over its own topics}
    notes: list[str]


def test_by(
    scores: Scores, place: int, spec: StatisticalTest, first: Ints, second: Ints, options: TestOptions
) -> UncorrectedPairs:
    """All pairs on the measure at a place."""
    measure = scores.measures[place]
    way, (low, high) = scores.direction(measure), scores.provenance.bounds(measure)
    values, notes = scores.compared_values(place)
    beyond = ((values < low) | (values > high)).any()  # so they are in other units
    span = math.inf if beyond else high - low  # no interval needs to be wider
    if options.margin is not None and options.margin >= span:
        raise OptionError(
            f"the margin of {measure} must be below {span:g}, its largest difference, not {options.margin:g}"
        )
    columns = {name: np.empty(len(first), dtype=object) for name in Pair.__dataclass_fields__}
    overall, least, drawn = None, np.full(len(first), np.nan), 0
    filled = np.where(np.isnan(values), 0.0, values)
    for pairs, topics in groups(values, first, second, spec.kind):
        taken = filled[:, topics]
        z = differences(taken, first[pairs], second[pairs])
        given: tuple[Any, ...]
        if spec.kind == "scores":
            given = (scores, place, first[pairs], second[pairs], options)
        elif spec.kind == "all":
            given = (taken, first[pairs], second[pairs], options)
        else:
            given = (z, replace(options, pairs=RunPairs(taken, first[pairs], second[pairs])))
        if len(topics):
            with errors_of("test", spec.name, spec.function):
                outcome = spec.function(*given)
        else:
            undefined = np.full(len(pairs), np.nan)
            outcome = Outcome(undefined, undefined, ["undefined, no topic in common"] * len(pairs))
        outcome = _with_conventions(outcome, z)
        overall = outcome.overall
        least[pairs] = 0.0 if outcome.least is None else outcome.least
        drawn = max(drawn, 0 if outcome.drawn is None else int(outcome.drawn.max(initial=0)))
        found = _columns(scores.runs, taken, first[pairs], second[pairs], z, outcome, way, span, options)
        for name, column in found.items():
            columns[name][pairs] = column
    counts = {*columns["topics"].tolist()}
    if min(counts) < len(scores.topics):
        notes.append(
            f"{measure}: pairs are compared on the topics that count for both, "
            f"{spanned(counts)} of {len(scores.topics)}"
        )
    reasons = Counter(each.removeprefix(UNTESTED) for each in columns["method"] if each.startswith(UNTESTED))
    for reason, count in reasons.items() if len(first) > 1 else ():
        notes.append(f"{measure}: p is undefined for {count} of {len(first)} pairs: {reason}")
    means = scores.mean(measure)
    return UncorrectedPairs(measure, way, options.margin, columns, overall, least, drawn, means, notes)


def corrected_family(
    family: list[UncorrectedPairs],
    spec: StatisticalTest,
    correction: str,
    protected: bool,
    options: TestOptions,
) -> Iterator[tuple[MeasureComparison, list[str]]]:
    """(all pairs, notes) on each measure of a family, with p corrected for the whole of it."""

    def corrected(rows: Iterable[Floats]) -> Floats:
        p = np.array([*rows], dtype=np.float64)
        if spec.familywise and correction == "none":  # p is corrected for the pairs of its measure
            return np.minimum(1.0, p * len(p))
        return correct(p, correction)

    found, least = corrected(each.columns["p"] for each in family), corrected(each.least for each in family)
    overall = correct(np.array([each.overall.p if each.overall else math.nan for each in family]), "holm")
    corrects = correction != "none" and found.size > 1
    one_sided_p = {
        name: correct(
            np.array([each.columns[f"p_{name}"] for each in family], dtype=np.float64),
            correction_of(correction, spec.familywise),
        )
        for name in ("equivalence", "not_worse")
    }
    if protected:
        found, corrects = np.maximum(found, overall[:, None]), True
    elif spec.familywise and correction == "none":
        corrects = len(family) > 1
    for number, (each, p, lowest, of_all) in enumerate(
        zip(family, found, least, overall.tolist(), strict=True)
    ):
        columns = {**each.columns, "corrected": p}
        if each.margin is not None:  # else the same NaN for all, so that equal comparisons are equal
            columns |= {f"corrected_{name}": rows[number] for name, rows in one_sided_p.items()}
        if (each.least < 1.0).any() and np.nanmin(lowest) >= options.alpha:
            each.notes.append(
                f"{each.measure}: no difference could be significant: so few topics differ that the "
                f"{spec.title} has no corrected p below {np.nanmin(lowest):.2g}"
            )
        compared = MeasureComparison(
            each.measure,
            each.direction,
            each.means,
            tuple(map(Pair, *(column.tolist() for column in columns.values()))),
            each.overall
            and replace(each.overall, corrected=of_all, protects=protected, corrects=len(family) > 1),
            each.drawn or None,
            options.alpha,
            corrects,
            each.margin,
        )
        yield compared, each.notes


def _with_conventions(outcome: Outcome, z: Floats) -> Outcome:
    """The outcome, also where a test divides by 0: runs with the same value on every topic have p = 1."""
    topics = z.shape[1]
    undefined = np.isnan(outcome.p) | np.isnan(outcome.statistic)
    same = (z == 0.0).all(axis=1) & (topics > 0)
    methods = list(outcome.method)
    for row in np.flatnonzero(undefined):
        if same[row]:
            methods[row] = "1 by convention, no topic differs"
        elif topics == 1:
            methods[row] = "undefined, a single topic"
        elif topics and (z[row] == z[row, 0]).all():
            methods[row] = "undefined, the difference is the same on every topic"
    overall = outcome.overall
    if overall and math.isnan(overall.p) and same.all():
        overall = replace(overall, p=1.0)
    p = np.where(undefined & same, 1.0, outcome.p)
    return replace(outcome, p=p, method=methods, overall=overall)


def _columns(
    runs: Sequence[str],
    values: Floats,
    first: Ints,
    second: Ints,
    z: Floats,
    outcome: Outcome,
    direction: int,
    span: float,
    options: TestOptions,
) -> dict[str, list[Any]]:
    """The numbers of the pairs of a block by the fields of `Pair`, before correction."""
    topics = z.shape[1]
    means = outcome.means
    if means is None:
        means = np.array([math.fsum(row) / topics if topics else math.nan for row in values.tolist()])
    of_z = moments(z) if topics else None
    deviation = of_z.deviation if of_z else np.full(len(z), np.nan)
    half = outcome.half
    if half is None:
        with np.errstate(over="ignore"):  # the interval of a tiny alpha may be infinite
            half = t_quantile(options.alpha, topics - 1) * deviation / math.sqrt(max(topics, 1))
    # Where no topic differs from another, nothing shows how much the difference varies.
    half = np.where(np.isnan(outcome.p) | (half == 0.0), np.nan, half)
    sides = (outcome.sides * (-1 if direction < 0 else 1)).tolist()
    better, worse = ((z > 0).sum(axis=1), (z < 0).sum(axis=1))[:: -1 if direction < 0 else 1]
    one, other = means[first], means[second]
    difference = one - other if outcome.difference is None else outcome.difference
    with np.errstate(all="ignore"):
        effect = difference / (deviation if outcome.error is None else outcome.error)
    sizes = np.abs(values).max(axis=1, initial=0.0)
    names, against = ([runs[place] for place in places.tolist()] for places in (first, second))
    favours = [
        a if side > 0 else b if side < 0 else "" for a, b, side in zip(names, against, sides, strict=True)
    ]
    numbers = {
        "mean": one,
        "mean_against": other,
        "difference": difference,
        "percent": percentage(difference, other, np.maximum(sizes[first], sizes[second])),
        "statistic": outcome.statistic,
        "p": outcome.p,
        "effect": effect,
        "low": _ends(difference, one, other, -half).clip(-span, span),
        "high": _ends(difference, one, other, half).clip(-span, span),
        "wins": better,
        "ties": topics - better - worse,
        "losses": worse,
    }
    return {
        "run": names,
        "against": against,
        "topics": [topics] * len(z),
        **{name: column.tolist() for name, column in numbers.items()},
        "favours": favours,
        "method": [*outcome.method],
        **_by_margin(z, outcome, difference, deviation, direction, options),
    }


def _by_margin(
    z: Floats, outcome: Outcome, difference: Floats, deviation: Floats, direction: int, options: TestOptions
) -> dict[str, list[float]]:
    """The numbers that depend on the margin, before correction; NaN without one."""
    topics, margin = z.shape[1], options.margin
    if margin is None or topics < 2:
        return dict.fromkeys(MARGIN_FIELDS, [math.nan] * len(z))
    beyond = outcome.beyond
    if beyond is None:
        beyond = one_sided(difference, deviation / math.sqrt(topics), topics - 1, margin)
    same = (z == 0.0).all(axis=1)
    beyond = np.where(np.isnan(beyond) & same, 0.0, beyond)  # as the interval of runs that are the same
    alpha = options.alpha / options.simultaneous
    if outcome.difference is not None:  # an estimate of its own, whose error depends on more than topics
        deviation = np.full(len(z), np.nan)
    return {
        "p_equivalence": beyond.max(axis=0).tolist(),
        "p_not_worse": beyond[1 if direction < 0 else 0].tolist(),
        "topics_needed": [topics_for_equivalence(each, margin, alpha) for each in deviation.tolist()],
    }


def _ends(difference: Floats, one: Floats, other: Floats, reach: Floats) -> Floats:
    """The ends of intervals of differences of means; 0 where only rounding keeps them from 0."""
    with np.errstate(invalid="ignore"):
        ends = difference + reach
    noise = np.maximum(1e-12 * np.abs(difference), 1e-15 * np.maximum(np.abs(one), np.abs(other)))
    return np.where(np.abs(ends) <= noise, 0.0, ends)
