"""Scores by LLM judgments of all topics, corrected by human judgments of some of them.

With values l by LLM judgments of N topics, and h by human judgments of a random sample of n of them, the mean
of h is estimated by

    k · mean(l, N topics) + mean(h - k · l, n topics),

where k is 1 (the difference estimator), or the regression coefficient of h on l (power-tuned): the estimator
of prediction-powered inference (Angelopoulos, Duchi & Zrnic 2023), long known to survey statistics (Cochran
1977, chapter 7). Its variance is (1/n - 1/N) s² of h - k · l for the mean of these N topics; for topics like
these, of which the N are a sample themselves, s² of h / N is added. With a fitted k, s² is that of the
jackknife, with a degree of freedom less. A sum of two variances has Satterthwaite's degrees of freedom. Where
topics were drawn by strata, all of it is computed in each, and weighted by its share of the topics.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.model.notes import on_undefined
from rankgauge.model.output.table_cells import PLACES, Signed
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.rules import ESTIMATOR, TARGET, UNBOUNDED, bounded, check_level
from rankgauge.model.score_cells import MeasureCells
from rankgauge.model.score_values import find_places, topic_values
from rankgauge.model.scores import INTERVAL, Scores, call, interval_text
from rankgauge.model.topic_sample import TopicSample
from rankgauge.schema.lazy import required_module
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.model.output.labels import LabelsLike

Floats = npt.NDArray[np.float64]
MIN_HUMAN = 8  # topics with human judgments, for an interval
MAX_LEVERAGE = 0.9  # of one topic on a fitted k; beyond, k is 1
ROUNDING = 1e-10  # of the largest value; values that differ by less are the same
LEVEL = 0.95
MAX_NAMES = 3  # of topics in a message
UNLIKE = 0.05  # p below which topics with human judgments are not like the others


class Estimates(NamedTuple):
    """Corrected estimates of several means, with the numbers behind them; an array for each."""

    estimate: Floats
    variance: Floats  # of the estimate
    df: Floats  # of its t; NaN for fewer than `MIN_HUMAN` topics with human judgments, or without variance
    human: Floats  # the mean by human judgments alone
    human_variance: Floats
    human_df: Floats
    llm: Floats  # the mean by LLM judgments alone
    bias_variance: Floats  # of the bias: `llm` minus `estimate`
    bias_df: Floats
    factor: Floats  # k
    topics: Floats  # N
    human_topics: Floats  # n
    effective: Floats  # topics that would need human judgments for the same variance without the LLM's

    def half(self, level: float) -> Floats:
        """Half the width of the interval of each estimate."""
        return half_width(self.variance, self.df, level)


def corrected_means(
    llm: Floats, human: Floats, strata: npt.NDArray[Any], *, estimator: str, target: str
) -> Estimates:
    """The corrected mean of each row, from values by LLM and by human judgments, (rows, topics).

    A value is NaN where a topic does not count, or has no human judgments; `strata` has one for each topic.
    """
    shape = (-1, 1, len(strata))
    within = (strata == np.unique(strata)[:, None]).reshape(shape)
    known = within & ~np.isnan(llm)  # (strata, rows, topics)
    both = known & ~np.isnan(human)
    sizes, sampled = known.sum(axis=-1), both.sum(axis=-1)  # (strata, rows)
    topics, human_topics = sizes.sum(axis=0).astype(np.float64), sampled.sum(axis=0).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = sizes / topics

        def over(values: Floats) -> Floats:
            """The sum over strata; one that has no topics of a row is left out."""
            total: Floats = np.where(sizes > 0, values, 0.0).sum(axis=0)
            return total

        def mean(values: Floats, of: npt.NDArray[np.bool_]) -> Floats:
            means: Floats = np.where(of, values, 0.0).sum(axis=-1) / of.sum(axis=-1)
            return means

        def squares(far: Floats) -> Floats:
            """The sum of squares in each stratum, times what makes it a part of a variance."""
            parts: Floats = weight * (far**2).sum(axis=-1)
            return parts

        def varied(far: Floats) -> Floats:
            """Deviations that are more than rounding errors."""
            return np.where(np.abs(far) > least[:, None], far, 0.0)

        llm_mean, of_h, of_l = mean(llm, known), mean(human, both), mean(llm, both)  # (strata, rows)
        least = ROUNDING * np.where(both, np.abs(llm) + np.abs(human), 0.0).max(axis=(0, 2), initial=0.0)
        far_h = varied(np.where(both, human - of_h[..., None], 0.0))
        far_l = varied(np.where(both, llm - of_l[..., None], 0.0))
        weight = share**2 * (1 / sampled - 1 / sizes) / (sampled - 1)
        slope = over(weight * (far_h * far_l).sum(axis=-1)) / over(squares(far_l))
        own = 1 / sampled[..., None]
        leverage = own + weight[..., None] * far_l**2 / over(squares(far_l))[:, None]
        fitted = (
            np.full(len(llm), estimator == "power-tuned")
            & (human_topics >= MIN_HUMAN)
            & (leverage.max(axis=(0, 2), initial=0.0) < MAX_LEVERAGE)  # also False where it is undefined
        )
        factor = np.where(fitted, slope, 1.0)
        # The jackknife: how far each value is from what the others predict; the usual variance if k is 1.
        scale = np.where(fitted[:, None], (1 - own) / (1 - leverage), 1.0)
        far_e = varied(far_h - factor[:, None] * far_l) * scale
        human_df = np.where(human_topics >= MIN_HUMAN, over(sampled - 1.0), np.nan)
        df = human_df - fitted
        variance, human_variance = over(squares(far_e)), over(squares(far_h))
        bias_variance, bias_df = variance, df
        ratio = np.where(variance == human_variance, 1.0, variance / human_variance)
        is_known = human_topics == topics  # the mean of these topics, exactly
        if target == "like-these":

            def with_topics(far: Floats, means: Floats) -> tuple[Floats, Floats]:
                """(variance, df) with the variance of all topics / N, within strata and between them."""
                between = (means - over(share * means)) ** 2
                more = over(share * ((far**2).sum(axis=-1) / (sampled - 1) + between)) / topics
                alike = over(weight * (far * far_e).sum(axis=-1)) ** 2 / (variance * over(squares(far)))
                parts = variance**2 + more**2 + 2 * variance * more * np.where(alike < 1, alike, 1.0)
                return variance + more, df * (variance + more) ** 2 / parts  # Satterthwaite's

            bias_variance, bias_df = with_topics(varied(far_l - far_h), of_l - of_h)
            total, df = with_topics(far_h, of_h)
            variance, human_variance = total, human_variance + (total - variance)
            is_known = np.zeros_like(is_known)
        return Estimates(
            estimate=over(share * (of_h + factor * (llm_mean - of_l))),
            variance=variance,
            df=np.where((variance > 0) | is_known, df, np.nan),
            human=over(share * of_h),
            human_variance=human_variance,
            human_df=np.where((human_variance > 0) | is_known, human_df, np.nan),
            llm=over(share * llm_mean),
            bias_variance=bias_variance,
            bias_df=np.where((bias_variance > 0) | is_known, bias_df, np.nan),
            factor=factor,
            topics=topics,
            human_topics=human_topics,
            effective=1 / (1 / topics + (1 / human_topics - 1 / topics) * ratio),
        )


class Estimate(NamedTuple):
    """The corrected mean of a run by a measure, beside those by human and by LLM judgments alone.

    An interval is NaN if fewer than `MIN_HUMAN` topics have human judgments.
    """

    estimate: float
    low: float
    high: float
    human: float  # the mean by human judgments alone
    human_low: float
    human_high: float
    llm: float  # the mean by LLM judgments alone
    bias: float  # llm - estimate
    bias_low: float
    bias_high: float
    topics: int  # that count
    human_topics: int  # of these, with human judgments
    factor: float  # k, by which the values by LLM judgments are multiplied
    gained: float  # topics that would need human judgments, too, for the same variance without the LLM's


class CorrectedScores(Scores, eq=False):
    """Scores by LLM judgments whose means are corrected by human judgments of some topics.

    `values` are by the LLM's judgments; `human` are the scores of the topics with human judgments. `mean` and
    `interval` are the corrected ones, and so is what is derived from them: the order of runs, comparisons,
    conditions. `estimates` has them beside the means by either judgments alone.

    >>> llm = Scores.from_table({"bm25": {"1": 0.6, "2": 0.9, "3": 0.9}}, "AP")
    >>> human = Scores.from_table({"bm25": {"1": 0.5, "2": 0.7}}, "AP")
    >>> f"{CorrectedScores.of(llm, human)['bm25']['AP']:.2f}"
    '0.65'
    """

    human: Scores = None  # type: ignore[assignment]  # `of` always has them
    estimator: str = ESTIMATOR.default
    target: str = TARGET.default
    sample: TopicSample | None = (
        None  # how topics were drawn for human judgment; None: at random, without strata
    )

    @classmethod
    def of(
        cls,
        llm: Scores,
        human: Scores,
        *,
        human_topics: Any = None,
        estimator: str = ESTIMATOR.default,
        target: str = TARGET.default,
    ) -> Self:
        """Scores by LLM judgments of all topics, corrected by those of the same runs by human judgments.

        `human_topics` is how topics were drawn, if by strata: a file that `rankgauge pool --topics` wrote, or
        {topic: stratum}.
        """
        for name in ("runs", "measures"):
            if {*getattr(llm, name)} != {*getattr(human, name)}:
                raise InputError(f"the scores by LLM and by human judgments must have the same {name}")
        for measure in llm.measures:
            if llm.average(measure) != "mean":
                raise MeasureError(
                    f"{measure}: human judgments correct means, not average={llm.average(measure)}; "
                    "leave it out, or the human judgments"
                )
        check_topics(llm.topics, human.topics)
        sample = None if human_topics is None else TopicSample.of(human_topics)
        if sample is not None:
            sample.check(llm.topics, human.topics)
        fields = {name: getattr(llm, name) for name in Scores._defaults}
        return cls(
            **fields,
            human=human.only(runs=llm.runs, measures=llm.measures),
            estimator=ESTIMATOR.check(estimator),
            target=TARGET.check(target),
            sample=sample,
        )

    @property
    def llm(self) -> Scores:
        """The scores by LLM judgments alone."""
        return Scores(**{name: getattr(self, name) for name in Scores._defaults})

    @property
    def strata(self) -> npt.NDArray[np.str_]:
        """(topics,) the stratum of each topic."""
        strata = self.sample.strata if self.sample else {}
        return np.array([strata.get(topic, "") for topic in self.topics])

    def values_by(self, place: int) -> tuple[Floats, Floats, list[str]]:
        """((runs, topics) by LLM judgments, the same by human ones, notes), of the measure at this place.

        NaN where a topic does not count, or has no human judgments.
        """
        measure = self.measures[place]
        llm, notes = topic_values(self, place, self.direction(measure))
        some, more = topic_values(self.human, place, self.direction(measure))
        human = np.full_like(llm, np.nan)
        human[:, find_places("topic", self.human.topics, self.topics)] = some
        return llm, human, [*dict.fromkeys([*notes, *more])]

    def corrected(self, llm: Floats, human: Floats) -> Estimates:
        """The corrected means of rows of values, by the estimator and for the target of these scores."""
        return corrected_means(llm, human, self.strata, estimator=self.estimator, target=self.target)

    def estimates(self, level: float = LEVEL) -> dict[str, dict[str, Estimate]]:
        """{run: {measure: its corrected mean, with interval, and the means by either judgments alone}}."""
        check_level(level)
        found: dict[str, dict[str, Estimate]] = {run: {} for run in self.runs}
        for place, measure in enumerate(self.measures):
            llm, human, _ = self.values_by(place)
            low, high = self.provenance.bounds(measure)
            bounds = UNBOUNDED if (llm < low).any() or (llm > high).any() else (low, high)
            by = self.corrected(llm, human)
            halves = (
                by.half(level),
                half_width(by.human_variance, by.human_df, level),
                half_width(by.bias_variance, by.bias_df, level),
            )
            for row, run in enumerate(self.runs):
                of_run = [float(column[row]) for column in (by.estimate, by.human, by.llm - by.estimate)]
                (estimate, ends), (mean, human_ends), (bias, bias_ends) = (
                    (centre, _ends(centre, float(half[row]), within))
                    for centre, half, within in zip(of_run, halves, (bounds, bounds, UNBOUNDED), strict=True)
                )
                found[run][measure] = Estimate(
                    estimate,
                    *ends,
                    mean,
                    *human_ends,
                    float(by.llm[row]),
                    bias,
                    *bias_ends,
                    int(by.topics[row]),
                    int(by.human_topics[row]),
                    float(by.factor[row]),
                    float(by.effective[row] - by.human_topics[row]),
                )
        return found

    def _means(self) -> dict[str, dict[str, float]]:
        return {run: {m: e.estimate for m, e in of.items()} for run, of in self.estimates().items()}

    def interval(self, level: float = LEVEL) -> dict[str, dict[str, tuple[float, float]]]:
        """{run: {measure: (low, high)}}: the confidence interval of the corrected mean, by Student's t.

        It is within the bounds of the measure, and NaN with fewer than 8 topics with human judgments.
        """
        return {run: {m: (e.low, e.high) for m, e in of.items()} for run, of in self.estimates(level).items()}

    def only(self, *, runs: Iterable[str] | None = None, measures: Iterable[str] | None = None) -> Self:
        """The scores of some runs and measures, in this order."""
        some = super().only(runs=runs, measures=measures)
        return some._replace(human=self.human.only(runs=some.runs, measures=some.measures))

    def under(self, names: Mapping[str, str]) -> Self:
        """The scores with measures under other names: {name: the one that it has here}, in this order."""
        return super().under(names)._replace(human=self.human.under(names))

    def estimates_table(
        self,
        measure: str | None = None,
        *,
        labels: LabelsLike = None,
        percent: bool = False,
        places: int = PLACES,
    ) -> Table:
        """The corrected means of a measure, by default the first, with intervals, and what they come from."""
        text = self.measures[0] if measure is None else self.find_measure(measure)
        named, cells = call(labels), MeasureCells.of(text, "mean", percent)
        rows: list[list[Cell]] = [
            [
                named(run),
                cells.average(of[text].estimate),
                interval_text((of[text].low, of[text].high), cells, places),
                cells.average(of[text].human),
                cells.average(of[text].llm),
                Signed(cells.average(of[text].bias)),
            ]
            for run, of in self.estimates().items()
        ]
        headers = ("run", named(text), INTERVAL, "human only", "LLM only", "bias")
        best = {(row, 1) for row, _ in self.only(measures=[text]).best()}
        few = f" A dash: fewer than {MIN_HUMAN} topics with human judgments have no useful interval."
        return Table(
            headers, rows, best, note=f"{self.correction}.{few * (len(self.human.topics) < MIN_HUMAN)}"
        )

    def long_table(self, *, topics: bool = True, interval: bool = False) -> Table:
        """As that of `Scores`, with values by LLM judgments; `interval` has every number of the estimates."""
        if not interval:
            return super().long_table(topics=topics)
        by = (self.estimator, self.target)
        rows: Iterator[list[Cell]] = (
            [run, m, *e, *by] for run, of in self.estimates().items() for m, e in of.items()
        )
        return Table(("run", "measure", *Estimate._fields, "estimator", "target"), rows)

    @property
    def correction(self) -> str:
        """A sentence on the estimator, the target, and the topics with human judgments."""
        strata = len({*self.strata.tolist()})
        these = "topics like these" if self.target == "like-these" else "these topics"
        return (
            f"Means by LLM judgments of {counted(len(self.topics), 'topic')}, corrected by human judgments "
            f"of {len(self.human.topics)}{f' in {strata} strata' if strata > 1 else ''} "
            f"({self.estimator} estimator), for {these}"
        )

    @property
    def data_notes(self) -> tuple[str, ...]:
        """Notes on the judgments and topics behind the estimates."""
        return (*self._human_notes(), *super().data_notes)

    def _human_notes(self) -> Iterator[str]:
        count = len(self.human.topics)
        yield (
            f"{counted(count, 'topic')} with human judgments: only these judgments count there, and "
            "documents that only the LLM judged are unjudged"
        )
        if count < MIN_HUMAN:
            yield f"only {counted(count, 'topic')} with human judgments: intervals need {MIN_HUMAN} or more"
        if self.sample is not None:
            yield from self.sample.notes(self.human.topics)
        yield from (f"by human judgments, {note}" for note in on_undefined(self.human.provenance))
        yield from self.cautions

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on measures by which the topics with human judgments are no random sample."""
        return tuple(
            f"{measure}: the topics with human judgments differ from the others by the LLM's own values "
            f"(p = {p:.2g}), as those of a random sample hardly do; estimates may be biased "
            "(`rankgauge pool --topics` draws a sample)"
            for measure, p in self.unlike().items()
        )

    def unlike(self) -> dict[str, float]:
        """{measure: p} of the measures by which the topics with human judgments are unlike the others.

        By Welch's t-test of the means over runs of each topic's values by LLM judgments, with Bonferroni's
        correction for all measures. Topics that were drawn by strata are not tested.
        """
        stdtr = required_module("scipy.special").stdtr
        chosen = np.isin(self.topics, self.human.topics)
        if min(chosen.sum(), (~chosen).sum()) < 2 or len({*self.strata.tolist()}) > 1:
            return {}
        found = {}
        for place, measure in enumerate(self.measures):
            llm, _, _ = self.values_by(place)
            known = ~np.isnan(llm)
            with np.errstate(invalid="ignore", divide="ignore"):
                means = np.where(known, llm, 0.0).sum(axis=0) / known.sum(axis=0)
                groups = [means[of & known.any(axis=0)] for of in (chosen, ~chosen)]
                parts = [each.var(ddof=1) / len(each) for each in groups]
                df = sum(parts) ** 2 / sum(
                    part**2 / (len(g) - 1) for part, g in zip(parts, groups, strict=True)
                )
                t = (groups[0].mean() - groups[1].mean()) / math.sqrt(sum(parts))
            p = 2 * float(stdtr(df, -abs(t))) * len(self.measures)
            if p < UNLIKE:
                found[measure] = p
        return found

    def json_fields(self) -> dict[str, Any]:
        """What a JSON document has of the correction, beside corrected means."""
        return {
            "estimator": self.estimator,
            "target": self.target,
            "human": {"topics": self.human.topics, "qrels": self.human.provenance.qrels.as_dict()},
            "estimates": {
                run: {m: e._asdict() for m, e in of.items()} for run, of in self.estimates().items()
            },
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Refused: a file of scores has the values by one set of judgments."""
        raise OptionError(
            "a file of scores has the values by one set of judgments; save scores.llm and scores.human, and "
            "combine them by CorrectedScores.of, or write the estimates as CSV or JSON"
        )


def half_width(variance: Floats, df: Floats, level: float) -> Floats:
    """Half the width of intervals by Student's t."""
    stdtrit = required_module("scipy.special").stdtrit
    half: Floats = -stdtrit(df, (1 - level) / 2) * np.sqrt(variance)
    return half


def check_topics(llm: Sequence[str], human: Sequence[str]) -> None:
    """Raise an error if the topics with human judgments are not some of those with LLM judgments."""
    known = {*llm}
    unknown = [topic for topic in human if topic not in known]
    if len(unknown) == len(human):
        raise InputError(
            f"human and LLM judgments have no topic in common: {_few(human)} against {_few(llm)}; are they "
            "of the same collection?"
        )
    if unknown:
        raise InputError(
            f"{counted(len(unknown), 'topic')} with human judgments and without LLM judgments: "
            f"{_few(unknown)}; judge them with the LLM, or leave them out"
        )


def _ends(centre: float, half: float, bounds: tuple[float, float]) -> tuple[float, float]:
    return (math.nan, math.nan) if math.isnan(half) else bounded(centre, half, bounds)


def _few(topics: Sequence[str]) -> str:
    return f"{', '.join(topics[:MAX_NAMES])}{', ...' if len(topics) > MAX_NAMES else ''}"
