"""The numbers of every pair of runs, and the verdicts on them.

Only verdicts turn p and α into words; tables, sentences and papers are views of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from functools import cached_property

from rankgauge.comparison.registry import Overall
from rankgauge.schema.text import counted

MARGINAL, ESSENTIAL = 5.0, 10.0  # per cent: Spärck Jones 1974, as Järvelin & Kekäläinen 2002 quote her
MAX_NAMES = 5  # of pairs in a sentence
ROUNDING = 1e-12  # relative, of means
STRONG = 5  # a second star for a p below a fifth of α: 0.05 and 0.01, as in Järvelin & Kekäläinen 2002
NO_DIFFERENCE = "no difference is significant"
UNDEFINED = "significance is undefined"
UNTESTED = "undefined, "  # before the reason why a pair has no p


def stars(p: float, alpha: float) -> str:
    """`*` below α, `**` below a fifth of it."""
    return "**" if p < alpha / STRONG else "*" if p < alpha else ""


def legend(alpha: float) -> str:
    """The meaning of the stars."""
    return f"* p < {alpha:g}, ** p < {alpha / STRONG:g}"


def p_text(p: float, places: int = 4) -> str:
    """A p for a table on a screen: `0.0123` or `< 0.0001`, never 0.0000."""
    if math.isnan(p):
        return "–"
    least = 10.0**-places
    return f"< {least:.{places}f}" if p < least else f"{p:.{places}f}"


def printed_p(p: float) -> str:
    """A p for a table of a paper: `.012` or `< .001`."""
    return p_text(p, 3).replace("0.", ".", 1)


def p_phrase(p: float, text: Callable[[float], str] = p_text) -> str:
    """A p for a sentence: `= 0.0123`, `< 0.0001` or `undefined`."""
    return "undefined" if math.isnan(p) else text(p) if text(p)[0] == "<" else f"= {text(p)}"


def p_name(corrects: bool) -> str:
    """The name of the p that decides."""
    return "corrected p" if corrects else "p"


def signed(value: float, places: int) -> str:
    """A difference with its sign."""
    return "–" if math.isnan(value) else f"{value:+.{places}f}"


@dataclass(frozen=True)
class Pair:
    """A run against another, on one measure, over the topics that both have. NaN is undefined."""

    run: str
    against: str
    topics: int
    mean: float  # of the run's values
    mean_against: float
    difference: float  # mean - mean_against
    percent: float  # of mean_against
    statistic: float
    p: float
    corrected: float  # p, corrected for all pairs of this measure
    effect: float  # difference in standard deviations
    low: float  # of the interval for the difference
    high: float
    wins: int  # topics on which the run is better
    ties: int
    losses: int
    favours: str  # the run that the test finds better, however weakly; empty for neither
    method: str  # how p was computed
    p_equivalence: float = math.nan  # of a true difference of the margin or more, either way
    corrected_equivalence: float = math.nan
    p_not_worse: float = math.nan  # of a run that is truly worse by the margin or more
    corrected_not_worse: float = math.nan
    topics_needed: float = math.nan  # to show equivalence, if the true difference were 0

    def __str__(self) -> str:
        return f"{self.run} against {self.against}"


MARGIN_FIELDS = tuple(each.name for each in fields(Pair) if each.default is not MISSING)


@dataclass(frozen=True)
class Verdict:
    """A pair that differs significantly, and which way: the test's, not that of the means.

    A test of ranks or signs may favour the run with the lower mean.
    """

    pair: Pair
    better: str
    worse: str
    stars: str
    means: int  # 1 if the better run has the better mean, -1 if it has the worse one, 0 if they are equal

    @property
    def disagreement(self) -> str:
        """What the means say if they disagree with the test."""
        return {0: "the means are equal", -1: "the means say otherwise"}.get(self.means, "")

    @property
    def practical(self) -> str:
        """The practical significance: marginal, noticeable or essential; empty if the means disagree."""
        size = abs(self.pair.percent)
        if math.isnan(size) or self.disagreement:
            return ""
        return "marginal" if size < MARGINAL else "noticeable" if size <= ESSENTIAL else "essential"


@dataclass(frozen=True)
class Interaction:
    """Whether the difference of a pair on one measure depends on an attribute of topics."""

    measure: str
    attribute: str
    run: str
    against: str
    p: float
    corrected: float  # for all pairs and attributes of this measure
    # {segment: (difference, low, high)}, shrunken toward the mean of segments; those that are defined
    estimates: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class MeasureComparison:
    """All pairs on one measure."""

    measure: str
    direction: int  # 1 if higher is better, -1 if lower is, 0 if neither
    means: Mapping[str, float]  # run -> mean over its own topics
    pairs: tuple[Pair, ...]
    overall: Overall | None  # whether the runs differ at all, for tests of all runs
    most_samples: int | None  # that a random test took for some pair
    alpha: float  # below which a corrected p is significant
    corrects: bool  # p, for other pairs or measures, beyond what the test itself accounts for
    margin: float | None = None  # below which a difference does not matter

    def verdict(self, pair: Pair) -> Verdict | None:
        """The verdict on a pair; None if its difference is not significant.

        For a measure without a better direction, the higher run counts as the better one.
        """
        marks = stars(pair.corrected, self.alpha)
        if not (marks and pair.favours):
            return None
        worse = pair.against if pair.favours == pair.run else pair.run
        ahead = (pair.difference if pair.favours == pair.run else -pair.difference) * (self.direction or 1)
        equal = math.isclose(pair.mean, pair.mean_against, rel_tol=ROUNDING)
        return Verdict(pair, pair.favours, worse, marks, 0 if equal else 1 if ahead > 0 else -1)

    def practical(self, pair: Pair) -> str:
        """The practical significance of a pair; empty if its difference is not significant."""
        found = self.verdict(pair)
        return found.practical if found else ""

    def is_within_margin(self, pair: Pair) -> bool:
        """Whether the true difference is shown to be smaller than the margin."""
        return pair.corrected_equivalence < self.alpha

    def outcome_of(self, pair: Pair) -> str:
        """`better` or `worse` (significantly), `equivalent` within the margin, or `undecided`."""
        if found := self.verdict(pair):
            return "better" if found.better == pair.run else "worse"
        return "equivalent" if self.is_within_margin(pair) else "undecided"

    @cached_property
    def significant(self) -> list[Verdict]:
        """The verdicts on the pairs that differ significantly."""
        return [found for pair in self.pairs if (found := self.verdict(pair))]

    @property
    def equivalent(self) -> list[Pair]:
        """The pairs that are shown to be equivalent within the margin."""
        return [pair for pair in self.pairs if self.outcome_of(pair) == "equivalent"]

    @cached_property
    def claims(self) -> bool:
        """Whether any pair is shown to differ or to be equivalent."""
        return bool(self.significant) or any(map(self.is_within_margin, self.pairs))

    @cached_property
    def topic_counts(self) -> frozenset[int]:
        """The numbers of topics that pairs are compared on."""
        return frozenset(pair.topics for pair in self.pairs)

    @property
    def is_defined(self) -> bool:
        """Whether some pair has a p."""
        return not all(math.isnan(pair.corrected) for pair in self.pairs)

    @property
    def outcome(self) -> str:
        """The runs that are better than others: `D, E > A**; D > B*`."""
        runs = list(self.means)
        place = {run: number for number, run in enumerate(runs)}
        winners: dict[tuple[int, str], list[str]] = {}
        for each in self.significant:
            winners.setdefault((place[each.worse], each.stars), []).append(each.better)
        clauses = [
            f"{', '.join(sorted(better, key=place.__getitem__))} > {runs[worse]}{marks}"
            for (worse, marks), better in sorted(
                winners.items(), key=lambda each: (each[0][0], -len(each[0][1]))
            )
        ]
        return "; ".join(clauses) if clauses else NO_DIFFERENCE if self.is_defined else UNDEFINED

    @property
    def disagreements(self) -> list[str]:
        """Clauses on the pairs, such as `B > A`, whose means disagree with the test."""
        names: dict[str, list[str]] = {}
        for each in self.significant:
            if each.disagreement:
                names.setdefault(each.disagreement, []).append(f"{each.better} > {each.worse}")
        return [
            f"{text} for {', '.join(pairs[:MAX_NAMES])}"
            + (f" and {counted(len(pairs) - MAX_NAMES, 'more pair')}" if len(pairs) > MAX_NAMES else "")
            for text, pairs in names.items()
        ]

    @property
    def overall_clause(self) -> str:
        """The outcome of the overall test; empty if there is none, or it is undefined."""
        test = self.overall
        if test is None or math.isnan(test.corrected):
            return ""
        found = "a" if test.corrected < self.alpha else "no significant"
        statistic = "undefined" if math.isnan(test.statistic) else f"{test.statistic:.4g}"
        p = f"p {p_phrase(test.p)}" + (f", {test.method}" if test.method else "")
        p += f", {p_name(True)} {p_phrase(test.corrected)}" if test.corrects else ""
        return f"{test.test} finds {found} difference among the runs ({test.name} = {statistic}, {p})"

    @property
    def objections(self) -> list[str]:
        """Clauses on an overall test without significance that protects pairs, and on disagreements."""
        none = self.overall and self.overall.protects and self.overall.corrected >= self.alpha
        return [*[self.overall_clause] * bool(none), *self.disagreements]

    @property
    def cautions(self) -> list[str]:
        """Clauses without which the outcome must not be read."""
        return [*["lower is better"] * (self.direction < 0), *self.objections]

    @property
    def best_first(self) -> list[str]:
        """The runs by their means, the best first; runs without a mean come last."""

        def key(run: str) -> float:
            mean = self.means[run]
            return math.inf if math.isnan(mean) else mean if self.direction < 0 else -mean

        return sorted(self.means, key=key)
