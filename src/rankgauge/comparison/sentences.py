"""The outcomes of a comparison in sentences, as in a paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from rankgauge.comparison.corrections import correction_of
from rankgauge.comparison.registry import CORRECTIONS, OWN_EFFECT
from rankgauge.comparison.result import (
    MAX_NAMES,
    NO_DIFFERENCE,
    UNDEFINED,
    UNTESTED,
    MeasureComparison,
    Pair,
    legend,
    p_name,
    p_phrase,
)
from rankgauge.model.output.tables import capital, number
from rankgauge.model.score_cells import MeasureCells
from rankgauge.numbers.intervals import POWER, one_sided, topics_for_difference
from rankgauge.schema.text import counted, format_number, joined, spanned

POSTERIOR = "P: posterior by the t distribution of the difference, with the prior 1/σ; not corrected."
LONG = 300  # characters of an outcome, beyond which pairs are counted


def conclusion(comparison: Any, places: int = 4) -> str:
    """A sentence on the outcome on all measures, as in a paper, and what to be careful about."""
    measures: dict[str, list[str]] = {}
    for each in comparison.compared:
        lower = " (lower is better)" if each.direction < 0 else ""
        measures.setdefault(_clause(comparison, each, places), []).append(f"{each.measure}{lower}")
    outcome = ". ".join(f"On {joined(names)}, {clause}" for clause, names in measures.items())
    topics = topics_phrase(comparison, comparison.compared)
    test = f"{phrase_of_test(comparison).removeprefix('a ')}, α = {comparison.alpha:g}, {topics}"
    if " [" in outcome:
        test += f"; in brackets: {100 * (1 - comparison.alpha):g} % {interval_phrase(comparison)}"
    objections = dict.fromkeys(clause for each in comparison.compared for clause in each.objections)
    cautions = [
        *(f"{capital(clause)}." for clause in objections),
        comparison.few_topics,
        comparison.on_judgments,
    ]
    margins = (on_margin(comparison, each) for each in comparison.compared)
    probabilities = dict.fromkeys(on_posterior(comparison, each) for each in comparison.compared)
    return " ".join(
        filter(
            None,
            (f"{outcome} ({test}).", _on_topics(comparison), *margins, *probabilities, *cautions),
        )
    )


def _on_topics(comparison: Any) -> str:
    """A sentence on the topics that would decide about two runs; empty if the test does, or for more runs."""
    needed = [
        f"{counted(math.ceil(topics), 'topic')} on {each.measure}"
        for each in comparison.compared
        if len(each.pairs) == 1 and (topics := topics_to_decide(comparison, each, each.pairs[0])) > 0
    ]
    sizes = "differences as large as these" if len(needed) > 1 else "a difference as large as this"
    return f"It would take {joined(needed)} to show {sizes} (power {POWER:g})." if needed else ""


def topics_to_decide(comparison: Any, compared: MeasureComparison, pair: Pair) -> float:
    """The topics on which a difference as large as that of an undecided pair is found with probability POWER.

    NaN is undefined. p is corrected as by Bonferroni; step by step, fewer topics may do.
    """
    test = comparison.statistical_test
    if compared.outcome_of(pair) != "undecided" or compared.margin is not None or test.effect != OWN_EFFECT:
        return math.nan
    corrects = comparison.corrects or test.familywise
    tests = len(compared.pairs) * comparison.across if corrects else 1
    tests *= len(comparison.compared) if corrects and comparison.family == "all" else 1
    topics: float = topics_for_difference(pair.effect, comparison.alpha / tests) / test.efficiency
    return topics


def on_margin(comparison: Any, compared: MeasureComparison) -> str:
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
    in_family = len(comparison.compared) if comparison.family == "all" else 1
    name = correction_of(comparison.correction, comparison.statistical_test.familywise)
    corrects = name != "none" and len(compared.pairs) * in_family > 1
    test = f"two one-sided {comparison.statistical_test.one_sided}"
    test += f" with {CORRECTIONS[name].title}" * corrects
    if len(compared.pairs) == 1:
        test += f", {p_name(corrects)} {p_phrase(compared.pairs[0].corrected_equivalence)}"
    needed = max((p.topics_needed for p in undecided if p.topics_needed > p.topics), default=0)
    more = f" {needed} topics would show equivalence with a power of {POWER:g} if runs did not differ."
    return (
        f"Within a margin of {format_number(compared.margin)} on {compared.measure}, "
        f"{'; '.join(clauses) or 'no pair is shown to be equivalent'} ({test}).{more if needed else ''}"
    )


def posterior(compared: MeasureComparison, pair: Pair) -> dict[str, float]:
    """The probabilities that the run is better, and that the difference is below the margin.

    They are those of the t distribution around the difference, the posterior by the prior 1/σ.
    """
    ahead, nearer = pair.statistic * (compared.direction or 1), math.nan
    if compared.margin is not None and pair.difference:
        error = np.array([pair.difference / pair.statistic])
        beyond = one_sided(np.array([pair.difference]), error, pair.topics - 1, compared.margin)
        nearer = 1 - float(beyond.sum())
    elif compared.margin is not None:  # as far from both ends
        nearer = 1 - 2 * pair.p_equivalence
    better = 1 - pair.p / 2 if ahead > 0 else pair.p / 2 if ahead <= 0 else math.nan
    return {"probability_better": better, "probability_equivalent": nearer}


def on_posterior(comparison: Any, compared: MeasureComparison) -> str:
    """A sentence on the posterior probabilities; empty unless they were asked for."""
    if not comparison.posterior:
        return ""
    if len(compared.pairs) > 1:
        return POSTERIOR
    better, nearer = posterior(compared, compared.pairs[0]).values()
    word = "better" if compared.direction else "higher"
    (pair,) = compared.pairs
    within = f", P(they differ by less than {format_number(compared.margin or 0)}) = {_probability(nearer)}"
    ahead = f"P({pair.run} is {word} than {pair.against}) = {_probability(better)}"
    return f"{ahead}{within * (compared.margin is not None)}. {POSTERIOR}"


def _probability(value: float) -> str:
    return "undefined" if math.isnan(value) else f"{value:.3f}"


def _clause(comparison: Any, compared: MeasureComparison, places: int) -> str:
    def with_mean(run: str) -> str:
        return f"{run} ({number(cells_of(compared).average(compared.means[run]), places, '–')})"

    if len(compared.pairs) == 1:
        (pair,) = compared.pairs  # whose means may be other averages than those shown
        tested = {pair.run: pair.mean, pair.against: pair.mean_against}
        same = all(math.isclose(mean, compared.means[run]) for run, mean in tested.items())
        return _clause_on_pair(comparison, compared, with_mean if same else str, places)
    if not compared.is_defined:
        return UNDEFINED
    if comparison.baselines:
        few = len(compared.pairs) * len(comparison.compared) <= MAX_NAMES
        return "; ".join(
            _clause_on_baseline(compared, baseline, places if few else None)
            for baseline in comparison.baselines
        )
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
        clause += f", significantly {better} than {_few(beaten, len(comparison.runs) - 1)}"
    elif len(best) == 1:
        clause += f", but not significantly {better} than another run"
    more = f"; {len(found)} of {len(compared.pairs)} pairs differ significantly"
    return clause + more * (len(beaten) < len(found))


def _clause_on_pair(
    comparison: Any, compared: MeasureComparison, with_mean: Callable[[str], str], places: int
) -> str:
    (pair,) = compared.pairs
    found, p = compared.verdict(pair), f"{comparison.p_name} {p_phrase(pair.corrected)}"
    if math.isnan(pair.corrected):
        runs = f"{with_mean(pair.run)} against {with_mean(pair.against)}"
        return f"the significance of {runs} is undefined: {pair.method.removeprefix(UNTESTED)}"
    if not found:
        by = f" ({_with_interval(pair, places)})" * (with_mean is not str)
        return f"{with_mean(pair.run)} and {with_mean(pair.against)} do not differ significantly{by}, {p}"
    better = "better" if compared.direction else "higher"
    ahead = (1 if found.better == pair.run else -1) * (compared.direction or 1)
    by = f" by {_with_interval(pair, places, ahead)}" * (with_mean is not str)
    return f"{with_mean(found.better)} is significantly {better} than {with_mean(found.worse)}{by}, {p}"


def _with_interval(pair: Pair, places: int, sign: int = 1) -> str:
    """The difference, or its opposite, with its interval where there is one: 0.289 [0.227, 0.351]."""
    value, *ends = (
        f"{round(sign * each, places) + 0.0:.{places}f}" for each in (pair.difference, pair.low, pair.high)
    )
    return value if math.isnan(pair.low) else f"{value} [{', '.join(ends[::sign])}]"


def of_measures(comparison: Any) -> tuple[str, ...]:
    """A sentence for each measure: runs, number of topics, test and outcome."""
    return tuple(
        f"{sentence(comparison, each)} {comparison.few_topics if each.claims else ''}".rstrip()
        for each in comparison.compared
    )


def sentence(comparison: Any, compared: MeasureComparison) -> str:
    """The outcome on one measure: runs, number of topics, test, pairs that differ, and cautions."""
    topics = topics_phrase(comparison, [compared])
    result = compared.outcome
    if len(result) > LONG:
        result = f"{len(compared.significant)} of {len(compared.pairs)} pairs differ significantly"
    explained = "" if ">" not in result else f" ({legend(comparison.alpha)})"
    clauses = [compared.overall_clause, *compared.cautions, comparison.judgments]
    clauses = [each for each in dict.fromkeys(clauses) if each]
    return (
        f"{compared.measure} of {_runs_phrase(comparison, compared)} was compared over {topics} by "
        f"{phrase_of_test(comparison, compared)} "
        f"(α = {comparison.alpha:g}; rankgauge {comparison.versions['rankgauge']}): {result}{explained}."
        f"{''.join(f' {capital(each)}.' for each in clauses)} {on_margin(comparison, compared)}"
    ).rstrip() + f" {on_posterior(comparison, compared)}".rstrip()


def _runs_phrase(comparison: Any, compared: MeasureComparison) -> str:
    if len(compared.pairs) == 1:
        return f"{compared.pairs[0].run} and {compared.pairs[0].against}"
    if comparison.baselines:
        others = len(comparison.runs) - len(comparison.baselines)
        return f"{others} {'run' if others == 1 else 'runs'} against {', '.join(comparison.baselines)}"
    return f"{len(comparison.runs)} runs, all {len(compared.pairs)} pairs,"


def phrase_of_test(comparison: Any, compared: MeasureComparison | None = None) -> str:
    """The test, its samples (by default the most of any measure), and its correction."""
    compared = compared or max(comparison.compared, key=lambda each: each.most_samples or 0)
    test = f"a two-sided {comparison.statistical_test.title}"
    most = compared.most_samples or 0
    methods = [pair.method for each in comparison.compared for pair in each.pairs]
    if comparison.samples and not all(method.startswith("exact") for method in methods):
        more = f", up to {most} where p is small" if most > comparison.samples else ""
        test += f" ({comparison.samples} {comparison.statistical_test.unit}{more}, seed {comparison.seed})"
    return f"{test}{_family_phrase(comparison, len(compared.pairs), len(comparison.compared))}"


def _family_phrase(comparison: Any, pairs: int, measures: int) -> str:
    """The correction, and the tests that it covers."""
    together = comparison.family == "all" and measures > 1
    of_measures = counted(measures, "measure")
    if comparison.across > 1 and comparison.corrects:
        return _segments_phrase(comparison, pairs, measures if together else 1)
    in_all = f" of each measure, {pairs * measures} tests in all" if measures > 1 else ""
    if pairs == 1 and not together:
        return f" without correction for {of_measures}" if measures > 1 else ""
    if comparison.protected:
        holm = f", with Holm's correction for {of_measures}" if together else ""
        return f" for {pairs} pairs{in_all}, significant only if the overall test is{holm}"
    if comparison.statistical_test.familywise and comparison.correction == "none":
        own = ", which accounts for all pairs" if pairs > 1 else ""
        more = f"{own and ','} with Bonferroni's correction for {of_measures}" if together else in_all
        return own + more
    scope = of_measures if pairs == 1 else f"{pairs} pairs{in_all}"
    if together and pairs > 1:
        scope = f"all {pairs * measures} tests ({pairs} pairs on {of_measures})"
    how = "without correction" if comparison.correction == "none" else f"with {comparison.corrected_by.title}"
    return f" {how} for {scope}"


def _segments_phrase(comparison: Any, pairs: int, measures: int) -> str:
    """The correction of tests within segments, and the tests that it covers."""
    where = f"{comparison.across} segments" + (f" by {measures} measures" if measures > 1 else "")
    if comparison.protected:
        only = f" for {pairs} pairs, significant only if the overall test is"
        return f"{only}, with Holm's correction for {where}"
    if comparison.statistical_test.familywise and comparison.correction == "none":
        return f", which accounts for all pairs, with Bonferroni's correction for {where}"
    return (
        f" with {comparison.corrected_by.title} for {pairs * comparison.across * measures} tests in {where}"
    )


def interval_phrase(comparison: Any) -> str:
    """The definition of intervals, and whether they are corrected as p is."""
    test = comparison.statistical_test
    without = "with Bonferroni's correction" if test.simultaneous else "not corrected"
    if test.familywise:
        without = f"not corrected across {'segments' if comparison.across > 1 else 'measures'}"
        without = without if comparison.correction == "none" else f"without {comparison.corrected_by.title}"
    return f"{test.interval}, {without}" if comparison.corrects else test.interval


def _clause_on_baseline(compared: MeasureComparison, baseline: str, places: int | None) -> str:
    def named(run: str, pair: Pair, sign: int) -> str:
        sign *= (1 if pair.run == run else -1) * (compared.direction or 1)
        return run if places is None else f"{run} (by {_with_interval(pair, places, sign)})"

    found = compared.significant
    better = [named(each.better, each.pair, 1) for each in found if each.worse == baseline]
    worse = [named(each.worse, each.pair, -1) for each in found if each.better == baseline]
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


def _clauses_on_pairs(
    compared: MeasureComparison, pairs: list[Pair], word: str, preposition: str
) -> Iterator[str]:
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


def cells_of(compared: MeasureComparison, percent: bool = False) -> MeasureCells:
    """The display of the means of a measure; whole means of counts are sums."""
    whole = all(mean.is_integer() for mean in compared.means.values())
    return MeasureCells.of(compared.measure, "sum" if whole else "mean", percent)


def topic_counts(compared: Iterable[MeasureComparison]) -> set[int]:
    """The numbers of topics that pairs are compared on."""
    return {count for each in compared for count in each.topic_counts}


def topics_phrase(comparison: Any, compared: Iterable[MeasureComparison]) -> str:
    """How many topics pairs are compared on, and whose judgments they are if the LLM's are corrected."""
    return spanned(topic_counts(compared), "topic") + " with LLM judgments" * bool(comparison.judgments)
