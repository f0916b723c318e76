"""The verb `judges`: what the labels of judges, such as language models, do to an evaluation.

Intervals of coefficients come from a bootstrap over topics, those of means from Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np

from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.selection import teams_of
from rankgauge.comparison import compare
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.judging.agreement_study import checked_rel, common_topics, restricted, scores_by
from rankgauge.extensions.judging.assessors import compare_judgments, unique_names
from rankgauge.extensions.judging.judge_agreement import (
    MAX_LEVELS,
    agreement_table,
    grades_table,
    notes_on_labels,
    read_labels,
    refuse_other_scales,
)
from rankgauge.measures import Measure, parse
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.rules import DUPLICATES, MIN_TOPICS, Grades
from rankgauge.model.score_values import topic_values
from rankgauge.model.scores import Scores
from rankgauge.numbers.bootstrap import CELLS, TopicBootstrap
from rankgauge.numbers.differences import all_pairs, cleared
from rankgauge.numbers.exact import moments
from rankgauge.numbers.intervals import LEVEL, NORMAL, t_quantile
from rankgauge.numbers.matrices import means, places, required_direction
from rankgauge.numbers.rank_correlation import coefficients, rbos
from rankgauge.numbers.tau_test import EQUIVALENT
from rankgauge.schema.options import whole_number
from rankgauge.schema.parameters import Number, Text, Whole
from rankgauge.schema.text import counted

Rows = list[tuple[Cell, ...]]

TOP = 10  # the best runs by human judgments, whose order is compared by itself
ALL = "all runs"
HALF_WIDTH = 0.02  # of the interval that human topics are counted for
EXCESS = ("excess", "excess, low", "excess, high", "preference")
NOTHING = (math.nan, math.nan, math.nan)
SAMPLES, SEED = 1000, 1  # of the bootstrap over topics
# What a judge must reach to be called fit for a use, with the whole interval; not fit: with none of it.
BIAS = 0.02  # of means
KAPPA = 0.6  # "substantial" agreement: Landis & Koch 1977
LIMITS = (
    f"A judge can be used for something if the whole {100 * LEVEL:g} % interval is within a limit, and "
    f"cannot if none of it is: a bias of ±{BIAS} for means (of every run; of all runs), τ of at least "
    f"{EQUIVALENT} for orders (Voorhees 2001), κ of at least {KAPPA} for single labels (Landis & Koch 1977)."
)
CAPTIONS = {
    "agreement": "With intervals of a bootstrap over topics. Leniency is the mean of the judge's grades "
    "minus the human ones; the last rows are of labels that it gave repeatedly, if any.",
    "grades": "Documents by their human grade (rows) and the judge's (columns). Labels between human grades "
    f"count as the nearest; more than {MAX_LEVELS} different grades are rounded to as many, evenly spaced.",
    "runs": "The bias is the judge's mean minus the human one.",
    "groups": "The mean bias of the runs of a group, and its excess over that of all others; preference is "
    "that of a judge for its own group.",
    "orders": f"Similarity to the order by human judgments; the top {TOP} are the best by these.",
    "pairs": "Pairs of runs that differ significantly by human judgments (paired t-test, Holm), and how many "
    "of them the judge confirms, misses and reverses; added: significant by the judge alone.",
    "topics": f"Topics to judge for an interval of ±{HALF_WIDTH} for the median run or pair of runs: by "
    "human judgments alone, and by their differences from the judge's labels of all topics. The mean is over "
    "these topics, or over topics like these, of which the judge labels very many.",
}


def judges(
    human: Any,
    others: Any,
    runs: Any = None,
    *,
    measure: str | Measure = "nDCG@10",
    groups: Annotated[
        Any, Text(), "groups of runs, such as model families: two columns, run (or judge) and group"
    ] = None,
    rel: Annotated[float, Number(), "the lowest relevant grade"] = 1,
    samples: Annotated[int, Whole(2), "bootstrap samples of topics"] = SAMPLES,
    seed: Annotated[int, Whole(0), "seed for random samples"] = SEED,
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
        refuse_other_scales(found)
    bootstrap = TopicBootstrap(whole_number("samples", samples, 2), whole_number("seed", seed, 0))
    tables = {"agreement": agreement_table(agreed, labels, bootstrap), "grades": grades_table(agreed)}
    settings: dict[str, Any] = {"human": names[0], "judges": names[1:], "rel": rel}
    if runs is not None:
        campaign, scores = scores_by(sets, runs, [parse(measure)], **options)
        tables |= Effects.of(names[1:], scores, bootstrap, groups).tables()
        settings |= {"measure": scores[0].measures[0], **campaign.settings}
    return Findings(
        sentences=[
            *(" ".join(_paragraph(name, tables)) for name in names[1:]),
            LIMITS,
            *notes_on_labels([people, *labels], names, agreed, len(topics)),
        ],
        tables=tables,
        captions={name: CAPTIONS[name] for name in tables},
        study="judges",
        title="Judges compared with human judgments",
        settings={**settings, "samples": samples, "seed": seed, "duplicates": duplicates},
    )


class _Use(NamedTuple):
    """A possible use of a judge, the number that decides, its interval and the verdict."""

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
    if significant:
        yield (
            f"Of {counted(significant, 'pair')} of runs that differ significantly by human judgments, it "
            f"confirms {confirmed:,}, misses {missed:,} and reverses {contrary:,}; it adds {added:,}."
        )
    else:
        yield f"No pair of runs differs significantly by human judgments; it adds {added:,}."
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
            f"An interval of ±{HALF_WIDTH} for the {estimate} over these topics takes human judgments of "
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
class Effects:
    """The scores of runs by people and by judges, on topics with all values."""

    judges: Sequence[str]
    scores: Sequence[Scores]  # of one measure; the first by people
    bootstrap: TopicBootstrap
    groups: Mapping[str, str] | None  # of runs and judges
    sign: int  # 1 if higher is better
    values: Floats  # (sets, runs, topics)

    @classmethod
    def of(
        cls, judges: Sequence[str], scores: Sequence[Scores], bootstrap: TopicBootstrap, groups: Any = None
    ) -> Effects:
        """The effects of judges; an error if no topic has all values."""
        measure = scores[0].measures[0]
        sign = required_direction(scores[0], measure)
        values = np.array([topic_values(each, 0, sign)[0] for each in scores])
        values = values[..., ~np.isnan(values).any(axis=(0, 1))]
        if not values.size:
            raise InputError(f"no topic has a value of {measure} for all runs by all judgments")
        teams = None if groups is None else teams_of(groups, scores[0].runs, judges)
        return cls(judges, scores, bootstrap, teams, sign, values)

    def tables(self) -> dict[str, Table]:
        """All tables on runs."""
        parts = (
            (
                *("runs", 2, self._by_run),
                ("run", "human mean", "judge's mean", "bias", "low", "high", "human rank", "judge's rank"),
            ),
            (
                *("groups", 2, self._by_group),
                ("group", "runs", "bias", "low", "high") + (() if self.groups is None else EXCESS),
            ),
            ("orders", 3, self._orders, ("runs", "coefficient", "value", "low", "high")),
            (
                *("pairs", 1, self._pairs),
                ("significant", "confirmed", "missed", "reversed", "added", "pairs"),
            ),
            (
                *("topics", 2, self._topics_to_judge),
                ("estimate", "human topics", "with judge", "such topics, human", "such topics, with judge"),
            ),
        )
        return {
            name: Table(
                ("judge", *headers),
                [(judge, *row) for place, judge in enumerate(self.judges, 1) for row in rows(place)],
                keys=keys,
            )
            for name, keys, rows, headers in parts
        }

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return self.scores[0].runs

    @property
    def topics(self) -> int:
        """The number of topics."""
        return int(self.values.shape[-1])

    def _interval(self, z: Floats) -> tuple[float, float, float]:
        found = moments(z[None])
        times = t_quantile(1 - LEVEL, self.topics - 1) if self.topics >= MIN_TOPICS else math.nan
        mean, half = float(found.mean[0]), times * float(found.deviation[0]) / math.sqrt(self.topics)
        return mean, mean - half, mean + half

    def _by_run(self, place: int) -> Rows:
        people, judge = (self.values[each].mean(axis=1).tolist() for each in (0, place))
        ranks = places(self._own[[0, place]]).astype(np.int64).tolist()
        bias = map(self._interval, self.values[place] - self.values[0])
        return [
            (run, one, other, *each, *rank)
            for run, one, other, each, *rank in zip(self.runs, people, judge, bias, *ranks, strict=True)
        ]

    def _by_group(self, place: int) -> Rows:
        z = self.values[place] - self.values[0]
        every = ALL, len(z), *self._interval(z.mean(axis=0))
        if self.groups is None:
            return [every]
        rows: Rows = [(*every, *NOTHING, "")]
        of_runs = [self.groups[run] for run in self.runs]
        for group in dict.fromkeys(of_runs):
            inside = np.array([each == group for each in of_runs])
            own, preference = z[inside].mean(axis=0), ""
            excess = NOTHING if inside.all() else self._interval(own - z[~inside].mean(axis=0))
            if self.groups.get(self.judges[place - 1]) == group and not inside.all():
                low, high = sorted(self.sign * end for end in excess[1:])
                preference = "favoured" if low > 0 else "disfavoured" if high < 0 else "not clearly favoured"
            rows.append((group, int(inside.sum()), *self._interval(own), *excess, preference))
        return rows

    def _oriented(self, samples: Ints) -> Floats:
        """(samples, sets, runs): means over samples of topics, negated where lower is better."""
        averages = self.sign * means(self.values, samples)
        return np.moveaxis(cleared(averages.reshape(len(averages), -1)).reshape(averages.shape), 2, 0)

    @cached_property
    def _own(self) -> Floats:
        """(sets, runs): means over all topics, negated where lower is better."""
        own: Floats = self._oriented(np.arange(self.topics)[None])[0]
        return own

    def _orders(self, place: int) -> Rows:
        return [
            (name, coefficient, *values[place - 1].tolist())
            for name, by_coefficient in self._similarities.items()
            for coefficient, values in zip(("tau", "tau_AP", "RBO"), by_coefficient, strict=True)
        ]

    @cached_property
    def _similarities(self) -> dict[str, Floats]:
        """{which runs: (coefficients, judges, 3) value, low and high}."""
        sampled = np.concatenate([self._oriented(sets) for sets in self.bootstrap.sets(self.topics)])
        best = np.argsort(-self._own[0], kind="stable")
        found = {}
        for name, runs in {f"all {len(best)} runs": best, f"the top {TOP}": best[:TOP]}.items():
            if runs is best or len(best) > TOP:
                values = similarity(self._own[None, :, runs])[0]
                ends = self.bootstrap.ends(values, similarity(sampled[..., runs]), self.topics)
                found[name] = np.stack([values, *ends], axis=-1)
        return found

    def _pairs(self, place: int) -> Rows:
        both = [*zip(self._better[0], self._better[place], strict=True)]
        people = [judge and judge == human for human, judge in both if human]
        added = sum(1 for human, judge in both if judge and not human)
        confirmed, missed = people.count(True), people.count(None)
        return [(len(people), confirmed, missed, len(people) - confirmed - missed, added, len(both))]

    @cached_property
    def _better(self) -> list[list[str | None]]:
        """By each set of judgments: the significantly better run of each pair, or None."""
        if len(self.runs) < 2:
            return [[] for _ in self.scores]
        found = []
        for each in self.scores:
            compared = compare(each)[each.measures[0]]
            verdicts = map(compared.verdict, compared.pairs)
            found.append([None if verdict is None else verdict.better for verdict in verdicts])
        return found

    def _topics_to_judge(self, place: int) -> Rows:
        people, errors = self.values[0], self.values[0] - self.values[place]
        first, second = all_pairs(len(self.runs))
        of = {"mean of a run": (people, errors)}
        if len(first):
            of["difference of two runs"] = (people[first] - people[second], errors[first] - errors[second])
        return [
            (
                estimate,
                *(
                    topics_needed(float(np.median(moments(each).deviation)), size)
                    for size in (self.topics, math.inf)
                    for each in parts
                ),
            )
            for estimate, parts in of.items()
        ]


def similarity(oriented: Floats) -> Floats:
    """(samples, 3, judges): τ-b, τ_AP and RBO of the orders by each judge and by people.

    `oriented` is (samples, sets, runs), and the first set by people.
    """
    several = max(1, CELLS // (oriented.shape[1] * oriented.shape[2] ** 2))
    blocks = [oriented[begin : begin + several] for begin in range(0, len(oriented), several)]
    taus = np.concatenate([coefficients(block)[1:, :, 1:, 0] for block in blocks], axis=1)
    overlap = rbos(oriented[:, 1:], np.broadcast_to(oriented[:, :1], oriented[:, 1:].shape))
    return np.concatenate([np.moveaxis(taus, 0, 1), overlap[:, None]], axis=1)


def topics_needed(deviation: float, population: float) -> float:
    """The fewest topics whose mean has an interval of ±HALF_WIDTH; NaN without a deviation."""
    if math.isnan(deviation):
        return math.nan
    least = (NORMAL * deviation / HALF_WIDTH) ** 2  # if t were normal
    topics = max(2, math.floor(least / (1 + least / population)))
    while topics < population:
        error = deviation * math.sqrt(1 / topics - 1 / population)
        if t_quantile(1 - LEVEL, topics - 1) * error <= HALF_WIDTH:
            break
        topics += 1
    return topics
