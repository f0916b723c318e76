"""Scores by LLM judgments, corrected by human judgments of some topics, or of a sample of documents."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.evaluation.evaluator import Measures, evaluate
from rankgauge.extensions.judging.corrected_means import (
    MIN_FITTED,
    MIN_HUMAN,
    MIN_SHRUNKEN,
    Estimates,
    Factor,
    corrected_means,
    fitted_factor,
    half_width,
    shrunken_means,
    welch_p,
)
from rankgauge.extensions.judging.corrected_test import corrected_test
from rankgauge.extensions.judging.samples import TopicSample, regraded
from rankgauge.measures import MEASURES, parse_all
from rankgauge.measures.settings import build
from rankgauge.model.notes import on_undefined
from rankgauge.model.output.table_cells import PLACES, Signed
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import (
    ESTIMATOR,
    TARGET,
    UNBOUNDED,
    Estimator,
    Grades,
    Target,
    bounded,
    check_level,
)
from rankgauge.model.score_cells import INTERVAL, MeasureCells, call, interval_text
from rankgauge.model.score_values import find_places, topic_values
from rankgauge.model.scores import Scores
from rankgauge.model.subtopics import SubtopicQrels
from rankgauge.numbers.differences import Floats
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from os import PathLike

    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.model.output.labels import LabelsLike
    from rankgauge.model.qrels import Qrels

LEVEL = 0.95
MAX_NAMES = 3  # of topics in a message
UNLIKE = 0.05  # p below which topics with human judgments are not like the others


class Estimate(NamedTuple):
    """The corrected mean of a run by a measure, beside the means by either judgments alone.

    If fewer than `MIN_HUMAN` topics have human judgments, the estimate is the mean by LLM judgments, and
    intervals and `gained` are NaN.
    """

    estimate: float
    low: float
    high: float
    human: float  # the mean by human judgments alone
    human_low: float
    human_high: float
    llm: float  # the mean by LLM judgments alone
    bias: float  # llm minus the corrected mean
    bias_low: float
    bias_high: float
    topics: int  # that count
    human_topics: int  # of these, with human judgments
    factor: float  # k of all runs, by which the values by LLM judgments are multiplied
    gained: float  # topics that would need human judgments, too, for the same variance without the LLM's
    shrunken: float  # the estimate with its bias drawn toward the mean bias of runs, by which to order runs


class CorrectedScores(Scores, eq=False):
    """Scores by LLM judgments whose means are corrected by human judgments of some topics.

    `values` are by the LLM's judgments, `human` are the scores of topics with human ones. Means, intervals,
    and all that is derived from them (orders, comparisons, conditions) are corrected.

    >>> llm = Scores.from_table({"bm25": {f"q{n}": 0.8 for n in range(20)}}, "AP")
    >>> human = Scores.from_table({"bm25": {f"q{n}": 0.7 for n in range(8)}}, "AP")
    >>> f"{CorrectedScores.of(llm, human)['bm25']['AP']:.2f}"
    '0.70'
    """

    human: Scores = None  # type: ignore[assignment]  # `of` always has them
    estimator: str = ESTIMATOR.default
    target: str = TARGET.default
    sample: TopicSample | None = None  # how topics were drawn for human judgment; None: without strata
    whole: CorrectedScores | None = None  # the scores of all runs, which share k, if these are only some

    @staticmethod
    def check(llm: Qrels, human: Qrels) -> None:
        """Refuse human judgments of other topics than the LLM's, or on another scale of grades.

        A few topics may lack the highest grade: only grades beyond the LLM's, or binary ones alone, are
        refused.
        """
        check_topics(llm.sorted_topics, human.sorted_topics)
        highest, of_llm = (float(each.sorted_grades.max(initial=0.0)) for each in (human, llm))
        if highest > of_llm or highest <= 1 < of_llm:
            raise InputError(
                f"human judgments have grades up to {highest:g}, and the LLM's up to {of_llm:g}; bring both "
                "onto one scale, with `rankgauge convert --grades` or Qrels.of(..., grades=)"
            )

    @classmethod
    def of(
        cls,
        llm: Scores,
        human: Scores,
        *,
        human_topics: Any = None,
        estimator: Estimator = ESTIMATOR.default,
        target: Target = TARGET.default,
    ) -> Self:
        """Scores by LLM judgments of all topics, corrected by human judgments of the same runs.

        `human_topics` is how topics were drawn, if by strata: a file from `rankgauge pool --topics`, or
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
        """(topics,) strata."""
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

    def compared_values(self, place: int) -> tuple[Floats, list[str]]:
        """Values by human judgments where there are any, else by LLM judgments."""
        llm, human, notes = self.values_by(place)
        return np.where(np.isnan(llm) | np.isnan(human), llm, human), notes

    def test_for(self, name: str) -> Any:
        """The t-test of corrected differences; no other test is allowed."""
        return corrected_test(name)

    def factor(self, llm: Floats, human: Floats) -> Factor:
        """The k that runs share, from their values."""
        return fitted_factor(llm, human, self.strata) if self.estimator == "power-tuned" else Factor()

    def factor_of(self, measure: str) -> Factor:
        """The k that all runs share, of a measure."""
        whole = self.whole or self
        llm, human, _ = whole.values_by(whole.measures.index(measure))
        return self.factor(llm, human)

    def shrunken_of(self, measure: str) -> Floats:
        """The means of these runs with biases shrunken toward the mean of all."""
        whole = self.whole or self
        llm, human, _ = whole.values_by(whole.measures.index(measure))
        factor = self.factor(llm, human)
        estimate = self.corrected(llm, human, factor).estimate
        return shrunken_means(llm, human, self.strata, factor, estimate)[
            find_places("run", self.runs, whole.runs)
        ]

    def corrected(self, llm: Floats, human: Floats, factor: Factor) -> Estimates:
        """The corrected means of rows of values.

        NaN for rows of fewer than `MIN_HUMAN` topics with human judgments, where others have enough.
        """
        found = corrected_means(llm, human, self.strata, target=self.target, factor=factor)
        few = (found.human_topics < MIN_HUMAN) & (not self.undecided)
        estimate, bias = (np.where(few, np.nan, each) for each in (found.estimate, found.bias))
        return found._replace(estimate=estimate, bias=bias)

    def estimates(self, level: float = LEVEL) -> dict[str, dict[str, Estimate]]:
        """{run: {measure: corrected mean with interval, and the means by either judgments alone}}."""
        check_level(level)
        found: dict[str, dict[str, Estimate]] = {run: {} for run in self.runs}
        for place, measure in enumerate(self.measures):
            llm, human, _ = self.values_by(place)
            low, high = self.provenance.bounds(measure)
            bounds = UNBOUNDED if (llm < low).any() or (llm > high).any() else (low, high)
            by = self.corrected(llm, human, self.factor_of(measure))
            rows = zip(
                self.runs,
                _intervals(by.estimate, by.variance, by.df, level, bounds),
                _intervals(by.human, by.human_variance, by.human_df, level, bounds),
                by.llm.tolist(),
                _intervals(by.bias, by.bias_variance, by.bias_df, level),
                by.topics.astype(int).tolist(),
                by.human_topics.astype(int).tolist(),
                by.factor.tolist(),
                (by.effective - by.human_topics).tolist(),
                self.shrunken_of(measure).tolist(),
                strict=True,
            )
            for run, corrected, by_human, by_llm, bias, *numbers in rows:
                found[run][measure] = Estimate._make((*corrected, *by_human, by_llm, *bias, *numbers))
        return found

    def _means(self) -> dict[str, dict[str, float]]:
        return {run: {m: e.estimate for m, e in of.items()} for run, of in self.estimates().items()}

    def interval(self, level: float = LEVEL) -> dict[str, dict[str, tuple[float, float]]]:
        """{run: {measure: (low, high)}}: the confidence interval of the corrected mean, by Student's t.

        It is within the bounds of the measure, and NaN with fewer than 8 topics with human judgments.
        """
        return {run: {m: (e.low, e.high) for m, e in of.items()} for run, of in self.estimates(level).items()}

    def of_topics(self, topics: Iterable[str]) -> Self:
        """Refused: the sample is one of all topics."""
        raise OptionError(
            "human judgments correct means over all topics, not over segments of them; leave out either"
        )

    def only(self, *, runs: Iterable[str] | None = None, measures: Iterable[str] | None = None) -> Self:
        """The scores of some runs and measures, in this order, with the k of all runs."""
        some = super().only(runs=runs, measures=measures)
        human = self.human.only(runs=some.runs, measures=some.measures)
        return some._replace(human=human, whole=self.whole or self)

    def under(self, names: Mapping[str, str]) -> Self:
        """The scores with measures renamed: {new name: name here}, in this order."""
        whole = self.whole and self.whole.under(names)
        return super().under(names)._replace(human=self.human.under(names), whole=whole)

    def estimates_table(
        self,
        measure: str | None = None,
        *,
        labels: LabelsLike = None,
        percent: bool = False,
        places: int = PLACES,
    ) -> Table:
        """Corrected means of a measure (default: the first), with intervals, and their origin."""
        text = self.measures[0] if measure is None else self.find_measure(measure)
        named, cells = call(labels), MeasureCells.of(text, "mean", percent)
        shrunken = len((self.whole or self).runs) >= MIN_SHRUNKEN and not self.undecided
        rows: list[list[Cell]] = [
            [
                named(run),
                cells.average(of[text].estimate),
                interval_text((of[text].low, of[text].high), cells, places),
                cells.average(of[text].human),
                cells.average(of[text].llm),
                Signed(cells.average(of[text].bias)),
                *([cells.average(of[text].shrunken)] if shrunken else []),
            ]
            for run, of in self.estimates().items()
        ]
        headers = ("run", named(text), INTERVAL, "human only", "LLM only", "bias", *["shrunken"] * shrunken)
        best = {(row, 1) for row, _ in self.only(measures=[text]).best()}
        note = " Shrunken: with biases drawn toward their mean, for the order of runs." * shrunken
        return Table(headers, rows, best, note=f"{self.correction}.{note}")

    def long_table(self, *, topics: bool = True, interval: bool = False, by: Any = None) -> Table:
        """As in `Scores`, with values by LLM judgments; `interval` adds all numbers of the estimates.

        That is with the intervals for either target.
        """
        if not interval or by is not None:
            return super().long_table(topics=topics, by=by)
        way, ends = (self.estimator, self.target), self.intervals_by_target()
        rows: Iterator[list[Cell]] = (
            [run, m, *e, *way, *(end for by_run in ends.values() for end in by_run[run][m])]
            for run, of in self.estimates().items()
            for m, e in of.items()
        )
        more = (f"{end}_{target.replace('-', '_')}" for target in ends for end in ("low", "high"))
        return Table(("run", "measure", *Estimate._fields, "estimator", "target", *more), rows)

    def intervals_by_target(self) -> dict[str, dict[str, dict[str, tuple[float, float]]]]:
        """{target: {run: {measure: (low, high)}}}, whichever is the target of the estimates."""
        return {target: self._replace(target=target).interval() for target in TARGET.rules}

    @property
    def correction(self) -> str:
        """Estimator, target and topics with human judgments, in a sentence."""
        these = "topics like these" if self.target == "like-these" else "these topics"
        if self.undecided:
            return f"Means by LLM judgments of {counted(len(self.topics), 'topic')}, {self.undecided}"
        strata = len({*self.strata.tolist()})
        few = ""
        single = len((self.whole or self).runs) == 1
        if single and self.estimator == "power-tuned" and len(self.human.topics) < MIN_FITTED:
            few = f", equal to the difference estimator below {MIN_FITTED} topics with human judgments"
        return (
            f"Means by LLM judgments of {counted(len(self.topics), 'topic')}, corrected by human judgments "
            f"of {len(self.human.topics)}{f' in {strata} strata' if strata > 1 else ''} "
            f"({self.estimator} estimator{few}), for {these}"
        )

    @property
    def undecided(self) -> str:
        """Why the means are not corrected; empty if they are."""
        count = len(self.human.topics)
        few = f"not corrected: {counted(count, 'topic')} with human judgments, and it takes {MIN_HUMAN}"
        return few * (count < MIN_HUMAN)

    @property
    def data_notes(self) -> tuple[str, ...]:
        """Notes on the judgments and topics behind the estimates."""
        return (*self._human_notes(), *super().data_notes)

    def _human_notes(self) -> Iterator[str]:
        count = len(self.human.topics)
        unjudged = self.provenance.qrels.judgments is not None
        yield (
            f"{counted(count, 'topic')} with human judgments: only these judgments count there"
            f"{', and documents that only the LLM judged are unjudged' * unjudged}"
        )
        if self.undecided:
            yield f"means are {self.undecided} or more"
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
        """{measure: p} of measures by which the topics with human judgments are unlike the others.

        Welch's t-test of the means over runs of each topic's values by LLM judgments, with Bonferroni's
        correction for all measures; topics drawn by strata are not tested.
        """
        chosen = np.isin(self.topics, self.human.topics)
        if len({*self.strata.tolist()}) > 1:
            return {}
        found = {}
        for place, measure in enumerate(self.measures):
            llm, _, _ = self.values_by(place)
            known = ~np.isnan(llm)
            some = known.any(axis=0)
            means = np.where(known, llm, 0.0).sum(axis=0)[some] / known.sum(axis=0)[some]
            p = welch_p(means[chosen[some]], means[~chosen[some]]) * len(self.measures)
            if p < UNLIKE:
                found[measure] = p
        return found

    def json_fields(self) -> dict[str, Any]:
        """The fields of the correction in a JSON document."""
        return {
            "estimator": self.estimator,
            "target": self.target,
            "human": {"topics": self.human.topics, "qrels": self.human.provenance.qrels.as_dict()},
            "intervals": self.intervals_by_target(),
            "estimates": {
                run: {m: e._asdict() for m, e in of.items()} for run, of in self.estimates().items()
            },
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Refused: a file of scores has values by one set of judgments."""
        raise OptionError(
            "a file of scores has the values by one set of judgments; save scores.llm and scores.human, and "
            "combine them by CorrectedScores.of, or write the estimates as CSV or JSON"
        )


def check_topics(llm: Sequence[str], human: Sequence[str]) -> None:
    """Require LLM judgments of all topics with human ones."""
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


def _intervals(
    centres: Floats, variances: Floats, df: Floats, level: float, bounds: tuple[float, float] = UNBOUNDED
) -> list[tuple[float, float, float]]:
    """(centre, low, high) of each interval by Student's t; the ends are NaN without degrees of freedom."""
    halves = half_width(variances, df, level).tolist()
    return [
        (centre, *((math.nan, math.nan) if math.isnan(half) else bounded(centre, half, bounds)))
        for centre, half in zip(centres.tolist(), halves, strict=True)
    ]


def _few(topics: Sequence[str]) -> str:
    return f"{', '.join(topics[:MAX_NAMES])}{', ...' if len(topics) > MAX_NAMES else ''}"


def evaluate_sample(
    llm_qrels: Any,
    sample: Any,
    runs: Any,
    measures: Measures,
    *,
    qrels_format: str | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **options: Any,
) -> Scores:
    """Difference estimates: the value by LLM judgments, plus an estimate of the difference of human ones.

    `sample` is human judgments of documents drawn from strata; `llm_qrels` has judgments of all documents in
    it, and those that it lacks have grade 0. The difference is that of two estimates by `HT` from the sample,
    of human and of LLM judgments: unbiased where these are. LLM judgments reduce the variance as far as they
    agree with people; where they have no estimate, such as nDCG if none drawn is relevant by them, that of
    human judgments stands alone. Documents that are not in the sample do not count. Options are those of
    `evaluate`, and formats and grades those of `llm_qrels`.
    """
    drawn = SubtopicQrels.of(sample)
    llm = Qrels.of(llm_qrels, format=qrels_format, columns=qrels_columns, grades=grades)
    if not (drawn.grades >= 0).any():
        raise InputError(
            "no document of the sample is judged; replace the grade -2 of those drawn, or fill in judgments "
            "with `rankgauge pool --sample N --judged QRELS`"
        )
    CorrectedScores.check(llm, drawn)
    estimates = [
        each if each.spec.name == "HT" else build(MEASURES["HT"], {"measure": each}, None)
        for each in parse_all(measures)
    ]
    by_llm = regraded(drawn, llm, lambda _, grade: max(0.0, grade or 0.0))
    drawn_by_llm = regraded(drawn, llm, lambda own, grade: own if own < 0 else max(0.0, grade or 0.0))
    scores, of_all, of_drawn = (
        evaluate(judged, runs, estimates, **options) for judged in (drawn, by_llm, drawn_by_llm)
    )
    return scores._replace(values=scores.values + np.nan_to_num(of_all.values - of_drawn.values))
