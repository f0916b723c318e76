"""The effect of judges on an evaluation: bias of means, orders and comparisons of runs, topics to judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge.campaigns.selection import teams_of
from rankgauge.comparison import compare
from rankgauge.errors import InputError
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.output.tables import Cell, Table
from rankgauge.model.rules import MIN_TOPICS
from rankgauge.model.score_values import topic_values
from rankgauge.model.scores import Scores
from rankgauge.numbers.bootstrap import CELLS, TopicBootstrap
from rankgauge.numbers.differences import all_pairs, cleared
from rankgauge.numbers.exact import moments
from rankgauge.numbers.intervals import LEVEL, NORMAL, t_quantile
from rankgauge.numbers.matrices import means, places, required_direction
from rankgauge.numbers.rank_correlation import coefficients, rbos

Rows = list[tuple[Cell, ...]]

TOP = 10  # the best runs by human judgments, whose order is compared by itself
ALL = "all runs"
HALF_WIDTH = 0.02  # of the interval that human topics are counted for
EXCESS = ("excess", "excess, low", "excess, high", "preference")
NOTHING = (math.nan, math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class Effects:
    """The scores of runs by people and by judges, on the topics with a value by all of them."""

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
        """(mean, low, high) over topics, by Student's t."""
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
        """Bias for all runs and for each group, and whether the judge favours its own."""
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
        """Pairs of runs that differ significantly by people and by the judge."""
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
        """Topics that need human judgments for a narrow interval."""
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
