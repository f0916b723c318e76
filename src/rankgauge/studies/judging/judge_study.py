"""The verb `judges`: what the labels of judges, such as language models, do to an evaluation.

Every judge is compared with human judgments of the same documents, and with the evaluation of runs by them.
Intervals of coefficients come from a bootstrap over topics, those of means from Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from rankgauge.comparison import compare
from rankgauge.comparison.differences import all_pairs, cleared
from rankgauge.comparison.exact import moments
from rankgauge.comparison.procedures.paired import t_quantile
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.columns import Columns
from rankgauge.measures import Measure, parse
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.notes import on_dropped
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.qrels import Qrels
from rankgauge.model.recoding import Recoding
from rankgauge.model.rows import repeated_rows
from rankgauge.model.rules import DUPLICATES, MIN_TOPICS, Grades
from rankgauge.model.score_values import topic_values
from rankgauge.model.scores import Scores
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import counted, format_number
from rankgauge.studies.findings import Findings
from rankgauge.studies.judging.agreement_study import checked_rel, common_topics, restricted, scores_by
from rankgauge.studies.judging.assessors import (
    SCALES,
    Agreement,
    alphas,
    compare_judgments,
    kappas,
    unique_names,
)
from rankgauge.studies.matrices import CELLS, drawn, means, places, required_direction
from rankgauge.studies.rank_correlation import coefficients, deviation, interval_ends, rbos
from rankgauge.studies.selection import teams_of
from rankgauge.studies.tau_test import EQUIVALENT

Rows = list[tuple[Cell, ...]]
Statistic = Callable[[Floats], Floats]  # of each of many arrays

LEVEL = 0.95
NORMAL = NormalDist().inv_cdf((1 + LEVEL) / 2)
SAMPLES = 1000
SEED = 1
MAX_LABELS = 50  # different ones, for the agreement of a judge with itself
TOP = 10  # the best runs by human judgments, whose order is compared by itself
ALL = "all runs"
EXCESS = ("excess", "excess, low", "excess, high", "preference")
# What a judge must reach to be called fit for a use, with the whole interval; not fit: with none of it.
BIAS = 0.02  # of means; also half the width of the interval that human topics are counted for
KAPPA = 0.6  # "substantial" agreement: Landis & Koch 1977
LIMITS = (
    f"A judge can be used for something if the whole {100 * LEVEL:g} % interval is within a limit, and "
    f"cannot if none of it is: a bias of ±{BIAS} for means (of every run; of all runs), τ of at least "
    f"{EQUIVALENT} for orders (Voorhees 2001), κ of at least {KAPPA} for single labels (Landis & Koch 1977)."
)
CAPTIONS = {
    "agreement": "With intervals of a bootstrap over topics. Leniency is the mean of the judge's grades "
    "minus the human ones; the last rows are of labels that it gave repeatedly, if any.",
    "grades": "Documents by their human grade (rows) and the judge's (columns).",
    "runs": "The bias is the judge's mean minus the human one.",
    "groups": "The mean bias of the runs of a group, and its excess over that of all others; preference is "
    "that of a judge for its own group.",
    "orders": f"Similarity to the order by human judgments; the top {TOP} are the best by these.",
    "pairs": "Pairs of runs that differ significantly by human judgments (paired t-test, Holm), and how many "
    "of them the judge confirms, misses and reverses; added: significant by the judge alone.",
    "topics": f"Topics to judge for an interval of ±{BIAS} for the median run or pair of runs: by human "
    "judgments alone, and by their differences from the judge's labels of all topics. The mean is over these "
    "topics, or over topics like these, of which the judge labels very many.",
}


def judges(
    human: Any,
    others: Any,
    runs: Any = None,
    *,
    measure: str | Measure = "nDCG@10",
    groups: Any = None,
    rel: float = 1,
    samples: int = SAMPLES,
    seed: int = SEED,
    qrels_format: str | None = None,
    qrels_columns: Mapping[str, str] | None = None,
    grades: Grades = None,
    **options: Any,
) -> Findings:
    """How far judges agree with human judgments, and what they do to the scores and the order of runs.

    Judgments, runs and options are those of `rankgauge.evaluate`; `others` are the labels of a judge, or a
    list of several. A file that names several judges has one for each. Labels that a judge gave repeatedly
    are combined by the option `duplicates`, and show how consistent it is. `groups` is a file of two columns,
    run and group, or such a dict; the group of a judge is its own model family.

    >>> human = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d1": 1, "d2": 0}}
    >>> found = judges(human, {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d1": 1, "d2": 0}})
    >>> [round(row["value"], 3) for row in found.records("agreement") if row["coefficient"] == "kappa"]
    [0.615]
    """
    rel, duplicates = checked_rel(rel), options.get("duplicates", DUPLICATES.default)
    sources = list(others) if isinstance(others, (list, tuple)) else [others]
    reading = qrels_format, qrels_columns, duplicates, grades
    people = next(read_labels(human, *reading))
    labels = [each for source in sources for each in read_labels(source, *reading, by_judge=True)]
    if not labels:
        raise OptionError("there is no judge to compare with the human judgments; add at least one")
    names = unique_names(people.qrels.name, *(each.qrels.name for each in labels))
    topics = common_topics([people.qrels, *(each.qrels for each in labels)])
    sets = [restricted(each.qrels, topics) for each in (people, *labels)]
    agreed = [
        compare_judgments(sets[0], judge, rel, (names[0], name))
        for name, judge in zip(names[1:], sets[1:], strict=True)
    ]
    for found in agreed:
        _refuse_other_scales(found)
    resample = _Resampling(whole_number("samples", samples, 2), whole_number("seed", seed, 0))
    tables = {"agreement": _agreement_table(agreed, labels, resample), "grades": _grades_table(agreed)}
    settings: dict[str, Any] = {"human": names[0], "judges": names[1:], "rel": rel}
    if runs is not None:
        campaign, scores = scores_by(sets, runs, [parse(measure)], **options)
        tables |= _Effects.of(names[1:], scores).tables(resample, groups)
        settings |= {"measure": scores[0].measures[0], **campaign.settings}
    return Findings(
        sentences=[
            *(" ".join(_paragraph(name, tables)) for name in names[1:]),
            LIMITS,
            *_on_labels([people, *labels], names, agreed, len(topics)),
        ],
        tables=tables,
        captions={name: CAPTIONS[name] for name in tables},
        study="judges",
        title="Judges compared with human judgments",
        settings={**settings, "samples": samples, "seed": seed, "duplicates": duplicates},
    )


@dataclass(frozen=True, eq=False)
class LabelSet:
    """The judgments of one set, and all rows that they come from."""

    qrels: Qrels
    rows: Columns
    duplicates: str  # the rule by which repeated labels were combined


def read_labels(
    source: Any,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    duplicates: str = "majority",
    grades: Grades = None,
    *,
    by_judge: bool = False,
) -> Iterator[LabelSet]:
    """The labels of a file or an object; of every judge, if its second column has names and not numbers.

    Labels that have been read are returned as they are.
    """
    if isinstance(source, LabelSet):
        yield source
        return
    rows: Columns
    name: str | None
    if isinstance(source, Qrels):
        qrels = Qrels.of(source, grades=grades)
        rows, name = qrels.columns(), qrels.name
    else:
        rows, name = Qrels.columns_of(source, None, format, columns)
        rows = rows if grades is None else Recoding.of(grades).recode(rows)
    named = [] if rows.label is None else rows.label.encode()[1].texts()
    if not by_judge or len(named) < 2 or all(judge.isdecimal() for judge in named):
        yield LabelSet(Qrels.from_columns(rows, name, duplicates), rows, duplicates)
        return
    assert rows.label is not None
    for number, judge in enumerate(named):
        own = rows.take(np.flatnonzero(rows.label.encode()[0] == number))
        yield LabelSet(Qrels.from_columns(own, judge, duplicates), own, duplicates)


def _refuse_other_scales(agreed: Agreement) -> None:
    """Raise an error if the highest grade of one set is at most half of that of the other."""
    one, other = agreed.grades.max(axis=1).tolist()
    if 0 < min(one, other) <= max(one, other) / 2:
        human, judge = agreed.names
        raise InputError(
            f"{judge} has grades up to {format_number(other)} and {human} up to {format_number(one)}: these "
            "are different scales; bring one to the scale of the other, as `rankgauge convert IN OUT "
            "--grades 1=0,2=1,3=1` does"
        )


def _on_labels(
    labels: Sequence[LabelSet],
    names: Sequence[str],
    agreed: Sequence[Agreement],
    topics: int,
) -> Iterator[str]:
    """Sentences on repeated labels, and on topics and documents that a judge has not labelled."""
    left_out = len(labels[0].qrels.sorted_topics) - topics
    if left_out:
        yield f"Left out: {counted(left_out, 'topic')} of {names[0]} that not every judge has labelled."
    for name, each in zip(names, labels, strict=True):
        yield from (f"{note}." for note in on_dropped(name, each.qrels.dropped, each.duplicates))
    for found in agreed:
        alone, judge = found.alone[0], found.names[1]
        if alone:
            yield (
                f"{judge} has no label for {alone:,} of {found.documents + alone:,} documents that people "
                "judged; they are unjudged in its scores."
            )


class _Resampling(NamedTuple):
    """Bootstrap samples of topics."""

    samples: int
    seed: int

    def sets(self, topics: int) -> Iterator[Ints]:
        """Blocks of (samples, topics) numbers of topics."""
        return drawn(topics, topics, self.samples, self.seed, replacement=True)

    def counts(self, topics: int) -> Floats:
        """(samples, topics) how often each topic is in each sample."""
        numbers = np.concatenate([*self.sets(topics)]) + topics * np.arange(self.samples)[:, None]
        counts = np.bincount(numbers.ravel(), minlength=self.samples * topics)
        return counts.reshape(self.samples, topics).astype(np.float64)

    def interval(self, statistic: Statistic, by_topic: Floats) -> tuple[float, float, float]:
        """(value, low, high) of a statistic of sums over topics, from (topics, ...)."""
        value = statistic(by_topic.sum(axis=0))
        topics, flat = len(by_topic), by_topic.reshape(len(by_topic), -1)
        sampled = (self.counts(topics) @ flat).reshape(-1, *by_topic.shape[1:])
        low, high = self.ends(value, statistic(sampled), topics, math.inf if statistic is _ratio else 1)
        return float(value), float(low), float(high)

    def ends(self, value: Floats, sampled: Floats, topics: int, most: float = 1) -> tuple[Floats, Floats]:
        """(low, high) around values, by their deviation over samples of so many topics and Student's t.

        The normal distribution, and a deviation that is not corrected for the size of the sample, would be
        too narrow for ten topics: κ was covered in 90 % of simulations.
        """
        few = t_quantile(1 - LEVEL, topics - 1) / NORMAL * math.sqrt(topics / (topics - 1 or 1))
        times = few if topics >= MIN_TOPICS else math.nan
        return interval_ends(value, times * deviation(sampled), LEVEL, most)


def _agreement_table(agreed: Iterable[Agreement], labels: Iterable[LabelSet], resample: _Resampling) -> Table:
    """The coefficients of agreement of every judge with the human judgments, and with itself."""
    rows: Rows = []
    for found, own in zip(agreed, labels, strict=True):
        levels, counts, differences = _by_topic(found)
        apart = np.abs(levels[:, None] - levels)
        relevant = np.array([levels < found.rel, levels >= found.rel], dtype=np.float64)
        both = counts + np.swapaxes(counts, -1, -2)
        statistics: list[tuple[str, Statistic, Floats]] = [
            ("same grade", _same, counts),
            ("kappa", partial(kappas, weights=(apart > 0).astype(np.float64)), counts),
            ("kappa, linear", partial(kappas, weights=apart), counts),
            ("kappa, quadratic", partial(kappas, weights=apart * apart), counts),
            ("kappa, binary", partial(kappas, weights=1 - np.eye(2)), relevant @ counts @ relevant.T),
            *((f"alpha, {scale}", partial(alphas, levels=levels, scale=scale), both) for scale in SCALES),
            ("leniency", _ratio, differences),
        ]
        if (repeats := _repeats(own.rows)) is not None:
            given, met = repeats
            statistics += [
                ("same label, repeated", _same, met),
                ("alpha, ordinal, repeated", partial(alphas, levels=given, scale="ordinal"), met),
            ]
        for name, statistic, by_topic in statistics:
            rows.append((found.names[1], name, *resample.interval(statistic, by_topic)))
    return Table(("judge", "coefficient", "value", "low", "high"), rows, keys=2)


def _same(counts: Floats) -> Floats:
    """The share of counts (..., grades, grades) on the diagonal."""
    return _ratio(np.stack([np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1))], axis=-1))


def _ratio(sums: Floats) -> Floats:
    """The first of two sums (..., 2) over the second; NaN if that is 0."""
    ratios: Floats = np.full(sums.shape[:-1], np.nan)
    np.divide(sums[..., 0], sums[..., 1], out=ratios, where=sums[..., 1] > 0)
    return ratios


def _by_topic(found: Agreement) -> tuple[Floats, Floats, Floats]:
    """(grades, documents by their two grades (topics, grades, grades), sums of differences and documents).

    Labels between two grades, such as the mean of several, count as the nearest human grade.
    """
    human, judge = found.grades
    whole = bool((judge == np.rint(judge)).all())
    levels = np.unique(found.grades) if whole else np.unique(human)
    nearest = [np.searchsorted((levels[1:] + levels[:-1]) / 2, grades) for grades in found.grades]
    sizes, n = np.diff(found.starts), len(levels)
    topic = np.repeat(np.arange(len(sizes)), sizes)
    cells = (topic * n + nearest[0]) * n + nearest[1]
    counts = np.bincount(cells, minlength=len(sizes) * n * n).reshape(-1, n, n).astype(np.float64)
    differences = np.bincount(topic, weights=judge - human, minlength=len(sizes))
    return levels, counts, np.stack([differences, sizes], axis=1)


def _repeats(rows: Columns) -> tuple[Floats, Floats] | None:
    """(labels, how often each two meet in a document (topics, labels, labels)); None if none is repeated.

    Every label counts as often as it was given: a pair of m labels counts 1/(m - 1). Of very many labels,
    each counts as the nearest whole number.
    """
    topic, topics = rows.topic.encode()
    again, first = repeated_rows(rows, topic)
    if not len(again):
        return None
    levels, place = np.unique(rows.value, return_inverse=True)
    if len(levels) > MAX_LABELS:
        levels, place = np.unique(np.rint(rows.value), return_inverse=True)
    docs, of_doc = np.unique(first, return_inverse=True)
    counts = np.zeros((len(docs), len(levels)))
    np.add.at(counts, (np.arange(len(docs)), place[docs]), 1)
    np.add.at(counts, (of_doc, place[again]), 1)
    shares = counts / (counts.sum(axis=1) - 1)[:, None]
    met = np.zeros((len(topics), len(levels), len(levels)))
    for number in range(len(topics)):
        own = topic[docs] == number
        met[number] = counts[own].T @ shares[own] - np.diag(shares[own].sum(axis=0))
    return levels, met


def _grades_table(agreed: Iterable[Agreement]) -> Table:
    """The confusion matrix of every judge."""
    tables = {found.names[1]: _by_topic(found) for found in agreed}
    grades = sorted({level for levels, *_ in tables.values() for level in levels.tolist()})
    rows: list[tuple[Cell, ...]] = []
    for name, (levels, by_topic, _) in tables.items():
        counts = by_topic.sum(axis=0).astype(np.int64)
        column = {level: place for place, level in enumerate(levels.tolist())}
        rows += [
            (
                *(name, format_number(grade)),
                *(int(row[column[each]]) if each in column else 0 for each in grades),
                int(row.sum()),
            )
            for grade, row in zip(levels.tolist(), counts, strict=True)
        ]
    return Table(("judge", "human grade", *map(format_number, grades), "total"), rows, keys=2)


class _Use(NamedTuple):
    """Something that a judge may be used for, with the number that decides, its interval and the verdict."""

    what: str
    symbol: str
    value: float
    low: float
    high: float
    verdict: str  # can, cannot, or open

    @classmethod
    def of(cls, what: str, symbol: str, value: float, low: float, high: float, least: float) -> _Use:
        """A use for which a number must be at least this high."""
        verdict = "can" if low >= least else "cannot" if high < least else "open"
        return cls(what, symbol, value, low, high, verdict)

    def __str__(self) -> str:
        sign = "+" if self.symbol == "bias" else ""
        value, low, high = ("undefined" if math.isnan(each) else f"{each:{sign}.3f}" for each in self[2:5])
        interval = "no interval" if math.isnan(self.low) else f"{low} to {high}"
        return f"{self.what} ({self.symbol} {value}, {interval})"


def _paragraph(judge: str, tables: Mapping[str, Table]) -> Iterator[str]:
    """Sentences on what a judge can and cannot be used for, and on what it does to an evaluation."""
    uses = [*_uses(judge, tables)]
    for verdict, opening, conjunction in (
        ("can", f"{judge} can be used to", "and"),
        ("cannot", f"{judge} cannot be used to", "or"),
        ("open", f"These data leave open whether {judge} can be used to", "or"),
    ):
        if listed := [str(use) for use in uses if use.verdict == verdict]:
            yield f"{opening} {f', {conjunction} to '.join(listed)}."
    if "pairs" not in tables:
        return
    significant, confirmed, missed, contrary, added, _ = _rows(tables, "pairs", judge)[0][1:]
    yield (
        f"Of {counted(significant, 'pair')} of runs that differ significantly by human judgments, it "
        f"confirms {confirmed:,}, misses {missed:,} and reverses {contrary:,}; it adds {added:,}."
    )
    for row in _rows(tables, "groups", judge):
        if len(row) > 6 and row[-1]:
            excess, low, high, preference = row[-4:]
            yield (
                f"Runs of its own group, {row[1]}, are {preference}: their bias minus that of others is "
                f"{excess:+.3f} ({'no interval' if math.isnan(low) else f'{low:+.3f} to {high:+.3f}'})."
            )
    _, estimate, alone, together, *_ = _rows(tables, "topics", judge)[0]
    if not math.isnan(alone):
        yield (
            f"An interval of ±{BIAS} for the {estimate} over these topics takes human judgments of "
            f"{together} topics with this judge, and of {alone} without it."
        )


def _uses(judge: str, tables: Mapping[str, Table]) -> Iterator[_Use]:
    if "runs" in tables:
        for _, which, coefficient, value, low, high in _rows(tables, "orders", judge):
            if coefficient == "tau" and len(_rows(tables, "runs", judge)) > 1:
                yield _Use.of(f"order {which}", "τ", value, low, high, EQUIVALENT)
        value, low, high = _rows(tables, "groups", judge)[0][3:6]
        verdict = "cannot" if low > BIAS or high < -BIAS else "open"
        if all(low >= -BIAS and high <= BIAS for *_, low, high, _, _ in _rows(tables, "runs", judge)):
            verdict = "can"
        yield _Use("report its means as they are", "bias", value, low, high, verdict)
    kappa = next(row for row in _rows(tables, "agreement", judge) if row[1] == "kappa")
    value, low, high = kappa[2:]
    yield _Use.of("replace single human labels", "κ", value, low, high, KAPPA)


def _rows(tables: Mapping[str, Table], name: str, judge: str) -> list[Any]:
    return [row for row in tables[name].rows if row[0] == judge]


@dataclass(frozen=True, eq=False)
class _Effects:
    """The scores of runs by people and by judges, on the topics with a value by all of them."""

    judges: Sequence[str]
    scores: Sequence[Scores]  # of one measure; the first by people
    sign: int  # 1 if higher is better
    values: Floats  # (sets, runs, topics)

    @classmethod
    def of(cls, judges: Sequence[str], scores: Sequence[Scores]) -> _Effects:
        """The effects of judges; an error if no topic has all values."""
        measure = scores[0].measures[0]
        sign = required_direction(scores[0], measure)
        values = np.array([topic_values(each, 0, sign)[0] for each in scores])
        values = values[..., ~np.isnan(values).any(axis=(0, 1))]
        if not values.size:
            raise InputError(f"no topic has a value of {measure} for all runs by all judgments")
        return cls(judges, scores, sign, values)

    def tables(self, resample: _Resampling, groups: Any) -> dict[str, Table]:
        """All tables on runs."""
        found: dict[str, tuple[tuple[str, ...], Callable[[int, str], Rows]]] = {
            "runs": (
                ("run", "human mean", "judge's mean", "bias", "low", "high", "human rank", "judge's rank"),
                self._by_run,
            ),
            "groups": (
                ("group", "runs", "bias", "low", "high") + (() if groups is None else EXCESS),
                partial(self._by_group, None if groups is None else teams_of(groups, self.runs, self.judges)),
            ),
            "orders": (("runs", "coefficient", "value", "low", "high"), self._orders(resample)),
            "pairs": (
                ("significant", "confirmed", "missed", "reversed", "added", "pairs"),
                self._decided(),
            ),
            "topics": (
                ("estimate", "human topics", "with judge", "such topics, human", "such topics, with judge"),
                self._needed,
            ),
        }
        keys = {"runs": 2, "groups": 2, "orders": 3, "topics": 2}
        return {
            name: Table(
                ("judge", *headers),
                [(judge, *row) for place, judge in enumerate(self.judges, 1) for row in rows(place, judge)],
                keys=keys.get(name, 1),
            )
            for name, (headers, rows) in found.items()
        }

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.scores[0].runs

    @property
    def topics(self) -> int:
        """The number of topics."""
        return int(self.values.shape[-1])

    def _interval(self, z: Floats) -> list[tuple[float, float, float]]:
        """(mean, low, high) of each row of topic values, by Student's t."""
        found = moments(z)
        times = t_quantile(1 - LEVEL, self.topics - 1) if self.topics >= MIN_TOPICS else math.nan
        half = times * found.deviation / math.sqrt(self.topics)
        ends = found.mean, found.mean - half, found.mean + half
        return [*zip(*(each.tolist() for each in ends), strict=True)]

    def _by_run(self, place: int, _judge: str) -> Rows:
        people, judge = (self.values[each].mean(axis=1).tolist() for each in (0, place))
        ranks = places(self._oriented(np.arange(self.topics)[None])[0, [0, place]]).astype(np.int64).tolist()
        bias = self._interval(self.values[place] - self.values[0])
        return [
            (run, one, other, *each, *rank)
            for run, one, other, each, *rank in zip(self.runs, people, judge, bias, *ranks, strict=True)
        ]

    def _by_group(self, groups: Mapping[str, str] | None, place: int, judge: str) -> Rows:
        z = self.values[place] - self.values[0]
        every = ALL, len(z), *self._interval(z.mean(axis=0)[None])[0]
        if groups is None:
            return [every]
        nothing = math.nan, math.nan, math.nan
        rows: Rows = [(*every, *nothing, "")]
        for group in dict.fromkeys(groups[run] for run in self.runs):
            inside = np.array([groups[run] == group for run in self.runs])
            own = z[inside].mean(axis=0)
            excess = nothing if inside.all() else self._interval((own - z[~inside].mean(axis=0))[None])[0]
            low, high = sorted(self.sign * end for end in excess[1:])
            preference = "favoured" if low > 0 else "disfavoured" if high < 0 else "not clearly favoured"
            is_own = groups.get(judge) == group and not inside.all()
            bias = self._interval(own[None])[0]
            rows.append((group, int(inside.sum()), *bias, *excess, preference if is_own else ""))
        return rows

    def _oriented(self, samples: Ints) -> Floats:
        """(samples, sets, runs): the means over samples of topics, with a sign that makes higher better."""
        averages = self.sign * means(self.values, samples)
        return np.moveaxis(cleared(averages.reshape(len(averages), -1)).reshape(averages.shape), 2, 0)

    def _orders(self, resample: _Resampling) -> Callable[[int, str], Rows]:
        """Rows on the similarity of orders, of all runs and of the best by human judgments."""
        own = self._oriented(np.arange(self.topics)[None])
        sampled = np.concatenate([self._oriented(sets) for sets in resample.sets(self.topics)])
        best = np.argsort(-own[0, 0], kind="stable")
        kept = {f"all {len(best)} runs": best} | ({f"the top {TOP}": best[:TOP]} if len(best) > TOP else {})
        found = {}
        for name, runs in kept.items():
            values = _similarity(own[..., runs])[0]
            ends = resample.ends(values, _similarity(sampled[..., runs]), self.topics)
            found[name] = np.stack([values, *ends], axis=-1).tolist()

        def rows(place: int, _judge: str) -> Rows:
            return [
                (name, coefficient, *values[place - 1])
                for name, by_coefficient in found.items()
                for coefficient, values in zip(("tau", "tau_AP", "RBO"), by_coefficient, strict=True)
            ]

        return rows

    def _decided(self) -> Callable[[int, str], Rows]:
        """Rows on the pairs of runs that differ significantly."""
        if len(self.runs) < 2:
            return lambda place, judge: [(0,) * 6]
        verdicts = []
        for each in self.scores:
            compared = compare(each)[each.measures[0]]
            verdicts.append([(found := compared.verdict(pair)) and found.better for pair in compared.pairs])

        def rows(place: int, _judge: str) -> Rows:
            both = list(zip(verdicts[0], verdicts[place], strict=True))
            people = [judge and (judge == human) for human, judge in both if human]
            added = sum(1 for human, judge in both if judge and not human)
            confirmed, missed = people.count(True), people.count(None)
            return [(len(people), confirmed, missed, len(people) - confirmed - missed, added, len(both))]

        return rows

    def _needed(self, place: int, _judge: str) -> Rows:
        people, errors = self.values[0], self.values[0] - self.values[place]
        first, second = all_pairs(len(self.runs))
        of = {"mean of a run": (people, errors)}
        if len(first):
            of["difference of two runs"] = tuple(each[first] - each[second] for each in (people, errors))
        rows: Rows = []
        for estimate, parts in of.items():
            spreads = [float(np.median(moments(each).deviation)) for each in parts]
            rows.append(
                (
                    estimate,
                    *(_topics_needed(each, size) for size in (self.topics, math.inf) for each in spreads),
                )
            )
        return rows


def _similarity(oriented: Floats) -> Floats:
    """(samples, 3, judges): τ-b, τ_AP and RBO of the order by every judge and by human judgments."""
    several = max(1, CELLS // (oriented.shape[1] * oriented.shape[2] ** 2))
    blocks = [oriented[begin : begin + several] for begin in range(0, len(oriented), several)]
    taus = np.concatenate([coefficients(block)[1:, :, 1:, 0] for block in blocks], axis=1)
    overlap = rbos(oriented[:, 1:], np.broadcast_to(oriented[:, :1], oriented[:, 1:].shape))
    return np.concatenate([np.moveaxis(taus, 0, 1), overlap[:, None]], axis=1)


def _topics_needed(deviation: float, population: float) -> float:
    """The fewest of so many topics whose mean has an interval of ±BIAS; NaN if the deviation is unknown."""
    if math.isnan(deviation):
        return math.nan
    least = (NORMAL * deviation / BIAS) ** 2  # if t were normal
    topics = max(2, math.floor(least / (1 + least / population)))
    while topics < population:
        error = deviation * math.sqrt(1 / topics - 1 / population)
        if t_quantile(1 - LEVEL, topics - 1) * error <= BIAS:
            break
        topics += 1
    return topics
