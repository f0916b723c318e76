"""The outcomes of a comparison in sentences, as in a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rankgauge.comparison.corrections import correction_of
from rankgauge.comparison.registry import CORRECTIONS, Correction, StatisticalTest
from rankgauge.comparison.result import (
    MAX_NAMES,
    NO_DIFFERENCE,
    UNDEFINED,
    Compared,
    Pair,
    legend,
    p_name,
    p_phrase,
)
from rankgauge.model.notes import FEW_TOPICS
from rankgauge.model.output.tables import capital, number
from rankgauge.model.score_cells import MeasureCells
from rankgauge.numbers.intervals import POWER
from rankgauge.schema.text import counted, format_number, joined, spanned

LONG = 300  # characters of an outcome, beyond which pairs are counted


@dataclass(frozen=True, repr=False)
class ComparisonSentences:
    """Runs compared pair by pair, for each measure, and the outcomes in sentences."""

    runs: tuple[str, ...]
    baselines: tuple[str, ...]  # the runs that the others are compared with; empty for all pairs
    compared: tuple[Compared, ...]
    statistical_test: StatisticalTest
    correction: str
    family: str  # the pairs that p is corrected for: those of a measure, or of all
    alpha: float
    samples: int | None  # None where nothing is random
    seed: int | None
    versions: Mapping[str, str]
    remarks: tuple[str, ...] = ()  # notes on topics and values that were left out or replaced
    judgments: str = ""  # how human judgments correct the means, if they do
    across: int = 1  # segments of one family, that p is corrected for, too

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures by which runs are compared."""
        return tuple(each.measure for each in self.compared)

    def __getitem__(self, measure: str) -> Compared:
        for each in self.compared:
            if each.measure == measure:
                return each
        raise KeyError(measure)

    @property
    def test(self) -> str:
        """The name of the test."""
        return self.statistical_test.name

    @property
    def corrected_by(self) -> Correction:
        """The correction, with its description."""
        return CORRECTIONS[self.correction]

    @property
    def protected(self) -> bool:
        """Whether pairs are significant only if the overall test is."""
        overall = self.compared[0].overall
        return overall is not None and overall.protects

    @property
    def corrects(self) -> bool:
        """Whether p is corrected, beyond what the test itself accounts for."""
        return self.compared[0].corrects

    @property
    def p_name(self) -> str:
        """The name of the p that decides."""
        return p_name(self.corrects)

    @property
    def few_topics(self) -> str:
        """A caution on few topics where a difference is significant; otherwise empty."""
        claimed = (each for each in self.compared if each.claims)
        topics = min(topic_counts(claimed), default=FEW_TOPICS)
        return f"Only {counted(topics, 'topic')} (use {FEW_TOPICS} or more)." if topics < FEW_TOPICS else ""

    @property
    def cautions(self) -> str:
        """What the outcomes must not be read without, as the note of a table."""
        measures: dict[str, list[str]] = {}
        for each in self.compared:
            for clause in each.cautions:
                measures.setdefault(clause, []).append(each.measure)
        clauses = (f"{', '.join(names)}: {clause}." for clause, names in measures.items())
        return " ".join(filter(None, (*clauses, self.few_topics, self.on_judgments)))

    @property
    def on_judgments(self) -> str:
        """A sentence on how human judgments correct the means; empty if none do."""
        return self.judgments and f"{self.judgments}."

    def conclusion(self, places: int = 4) -> str:
        """A sentence on the outcome by all measures, as in a paper, and what to be careful about."""
        measures: dict[str, list[str]] = {}
        for each in self.compared:
            lower = " (lower is better)" if each.direction < 0 else ""
            measures.setdefault(self._clause(each, places), []).append(f"{each.measure}{lower}")
        outcome = "; ".join(f"by {joined(names)}, {clause}" for clause, names in measures.items())
        topics = spanned(topic_counts(self.compared), "topic")
        test = f"{self.test_phrase().removeprefix('a ')}, α = {self.alpha:g}, {topics}"
        objections = dict.fromkeys(clause for each in self.compared for clause in each.objections)
        cautions = [*(f"{capital(clause)}." for clause in objections), self.few_topics, self.on_judgments]
        margins = map(self.on_margin, self.compared)
        return " ".join(filter(None, (f"{capital(outcome)} ({test}).", *margins, *cautions)))

    @property
    def has_margin(self) -> bool:
        """Whether equivalence is tested by any measure."""
        return any(each.margin is not None for each in self.compared)

    def on_margin(self, compared: Compared) -> str:
        """A sentence on pairs that are equivalent within the margin, or undecided; empty without one."""
        if compared.margin is None:
            return ""
        small = [found.pair for found in compared.significant if compared.is_within_margin(found.pair)]
        undecided = [pair for pair in compared.pairs if compared.outcome_of(pair) == "undecided"]
        clauses = [
            *_clauses_on_pairs(compared, compared.equivalent, "equivalent", "to"),
            *_clauses_on_pairs(compared, small, "significantly different", "from"),
            *_clauses_on_pairs(compared, undecided, "undecided", "against"),
        ]
        in_family = len(self.compared) if self.family == "all" else 1
        name = correction_of(self.correction, self.statistical_test.familywise)
        corrects = name != "none" and len(compared.pairs) * in_family > 1
        test = f"two one-sided {self.statistical_test.one_sided}"
        test += f" with {CORRECTIONS[name].title}" * corrects
        if len(compared.pairs) == 1:
            test += f", {p_name(corrects)} {p_phrase(compared.pairs[0].corrected_equivalence)}"
        needed = max((p.topics_needed for p in undecided if p.topics_needed > p.topics), default=0)
        more = f" {needed} topics would show equivalence with a power of {POWER:g} if runs did not differ."
        return (
            f"Within a margin of {format_number(compared.margin)} by {compared.measure}, "
            f"{'; '.join(clauses) or 'no pair is shown to be equivalent'} ({test}).{more if needed else ''}"
        )

    def _clause(self, compared: Compared, places: int) -> str:
        """The outcome by one measure."""

        def with_mean(run: str) -> str:
            return f"{run} ({number(cells_of(compared).average(compared.means[run]), places, '–')})"

        if len(compared.pairs) == 1:
            (pair,) = compared.pairs  # whose means may be other averages than those shown
            tested = {pair.run: pair.mean, pair.against: pair.mean_against}
            same = all(math.isclose(mean, compared.means[run]) for run, mean in tested.items())
            return self._clause_on_pair(compared, with_mean if same else str)
        if not compared.is_defined:
            return UNDEFINED
        if self.baselines:
            return "; ".join(_clause_on_baseline(compared, baseline) for baseline in self.baselines)
        place, better = ("best", "better") if compared.direction else ("highest", "higher")
        first = compared.best_first[0]
        best = [run for run in compared.best_first if compared.means[run] == compared.means[first]]
        several = joined(best) if len(best) <= MAX_NAMES else f"{len(best)} runs"
        clause = f"{with_mean(first)} is {place}" if len(best) == 1 else f"{several} are {place}"
        found = compared.significant
        if not found:
            return f"{clause}, but {NO_DIFFERENCE}"
        beaten = [each.worse for each in found if [each.better] == best]
        if beaten:
            clause += f" and significantly {better} than {_few(beaten, len(self.runs) - 1)}"
        elif len(best) == 1:
            clause += f", but not significantly {better} than another run"
        more = f", and {len(found)} of {len(compared.pairs)} pairs differ significantly"
        return clause + more * (len(beaten) < len(found))

    def _clause_on_pair(self, compared: Compared, with_mean: Callable[[str], str]) -> str:
        (pair,) = compared.pairs
        found, p = compared.verdict(pair), f"{self.p_name} {p_phrase(pair.corrected)}"
        if math.isnan(pair.corrected):
            return f"the significance of {with_mean(pair.run)} against {with_mean(pair.against)} is undefined"
        if not found:
            return f"{with_mean(pair.run)} and {with_mean(pair.against)} do not differ significantly, {p}"
        better = "better" if compared.direction else "higher"
        return f"{with_mean(found.better)} is significantly {better} than {with_mean(found.worse)}, {p}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each measure, as in a paper: runs, number of topics, test and outcome."""
        return tuple(
            f"{self._sentence(each)} {self.few_topics if each.claims else ''}".rstrip()
            for each in self.compared
        )

    def _sentence(self, compared: Compared) -> str:
        topics = spanned(topic_counts([compared]), "topic")
        result = compared.outcome
        if len(result) > LONG:
            result = f"{len(compared.significant)} of {len(compared.pairs)} pairs differ significantly"
        explained = "" if ">" not in result else f" ({legend(self.alpha)})"
        clauses = [compared.overall_clause, *compared.cautions, self.judgments]
        clauses = [each for each in dict.fromkeys(clauses) if each]
        return (
            f"{compared.measure} of {self._runs_phrase(compared)} was compared over {topics} by "
            f"{self.test_phrase(compared)} "
            f"(α = {self.alpha:g}; rankgauge {self.versions['rankgauge']}): {result}{explained}."
            f"{''.join(f' {capital(each)}.' for each in clauses)} {self.on_margin(compared)}"
        ).rstrip()

    def _runs_phrase(self, compared: Compared) -> str:
        if len(compared.pairs) == 1:
            return f"{compared.pairs[0].run} and {compared.pairs[0].against}"
        if self.baselines:
            others = len(self.runs) - len(self.baselines)
            return f"{others} {'run' if others == 1 else 'runs'} against {', '.join(self.baselines)}"
        return f"{len(self.runs)} runs, all {len(compared.pairs)} pairs,"

    def test_phrase(self, compared: Compared | None = None) -> str:
        """The test, its samples (by default the most of any measure), and its correction."""
        compared = compared or max(self.compared, key=lambda each: each.most_samples or 0)
        test = f"a two-sided {self.statistical_test.title}"
        most = compared.most_samples or 0
        if self.samples and (most or not self.statistical_test.sequential):  # else all p are exact
            more = f", up to {most} where p is small" if most > self.samples else ""
            test += f" ({self.samples} {self.statistical_test.unit}{more}, seed {self.seed})"
        return f"{test}{self._family_phrase(len(compared.pairs), len(self.compared))}"

    def _family_phrase(self, pairs: int, measures: int) -> str:
        """The correction, and the tests that it is for."""
        together = self.family == "all" and measures > 1
        of_measures = counted(measures, "measure")
        if self.across > 1 and self.corrects:
            return self._segments_phrase(pairs, measures if together else 1)
        in_all = f" of each measure, {pairs * measures} tests in all" if measures > 1 else ""
        if pairs == 1 and not together:
            return f" without correction for {of_measures}" if measures > 1 else ""
        if self.protected:
            holm = f", with Holm's correction for {of_measures}" if together else ""
            return f" for {pairs} pairs{in_all}, significant only if the overall test is{holm}"
        if self.statistical_test.familywise and self.correction == "none":
            own = ", which accounts for all pairs" if pairs > 1 else ""
            more = f"{own and ','} with Bonferroni's correction for {of_measures}" if together else in_all
            return own + more
        scope = of_measures if pairs == 1 else f"{pairs} pairs{in_all}"
        if together and pairs > 1:
            scope = f"all {pairs * measures} tests ({pairs} pairs by {of_measures})"
        how = "without correction" if self.correction == "none" else f"with {self.corrected_by.title}"
        return f" {how} for {scope}"

    def _segments_phrase(self, pairs: int, measures: int) -> str:
        """The correction of tests within segments, and the tests that it is for."""
        where = f"{self.across} segments" + (f" by {measures} measures" if measures > 1 else "")
        if self.protected:
            only = f" for {pairs} pairs, significant only if the overall test is"
            return f"{only}, with Holm's correction for {where}"
        if self.statistical_test.familywise and self.correction == "none":
            return f", which accounts for all pairs, with Bonferroni's correction for {where}"
        return f" with {self.corrected_by.title} for {pairs * self.across * measures} tests in {where}"

    @property
    def interval_phrase(self) -> str:
        """The definition of intervals, and whether they are corrected as p is."""
        test = self.statistical_test
        without = "with Bonferroni's correction" if test.simultaneous else "not corrected"
        if test.familywise:
            without = f"not corrected across {'segments' if self.across > 1 else 'measures'}"
            without = without if self.correction == "none" else f"without {self.corrected_by.title}"
        return f"{test.interval}, {without}" if self.corrects else test.interval


def _clause_on_baseline(compared: Compared, baseline: str) -> str:
    """The runs that differ significantly from a baseline."""
    better = [found.better for found in compared.significant if found.worse == baseline]
    worse = [found.worse for found in compared.significant if found.better == baseline]
    if not better and not worse:
        return f"no run differs significantly from {baseline}"
    words = ("better", "worse") if compared.direction else ("higher", "lower")
    others = sum(baseline in (pair.run, pair.against) for pair in compared.pairs)
    first, *rest = (
        f"{_few(runs, others)} {'is' if len(runs) == 1 else 'are'} significantly {word}"
        for runs, word in zip((better, worse), words, strict=True)
        if runs
    )
    return ", whereas ".join([f"{first} than {baseline}", *rest])


def _clauses_on_pairs(compared: Compared, pairs: list[Pair], word: str, preposition: str) -> Iterator[str]:
    """`B and C are equivalent to A`, or how many of the pairs are."""
    if len(pairs) > MAX_NAMES:
        yield f"{len(pairs)} of {len(compared.pairs)} pairs are {word}"
        return
    for against in dict.fromkeys(pair.against for pair in pairs):
        runs = [pair.run for pair in pairs if pair.against == against]
        yield f"{joined(runs)} {'is' if len(runs) == 1 else 'are'} {word} {preposition} {against}"


def _few(names: list[str], of: int) -> str:
    """A few names, or how many of the runs they are."""
    if len(names) <= MAX_NAMES:
        return joined(names)
    return f"all {of} other runs" if len(names) == of else f"{len(names)} of {of} other runs"


def cells_of(compared: Compared, percent: bool = False) -> MeasureCells:
    """The display of the means of a measure; those of counts that are whole are sums."""
    whole = all(mean.is_integer() for mean in compared.means.values())
    return MeasureCells.of(compared.measure, "sum" if whole else "mean", percent)


def topic_counts(compared: Iterable[Compared]) -> set[int]:
    """The numbers of topics that pairs are compared on."""
    return {pair.topics for each in compared for pair in each.pairs}
