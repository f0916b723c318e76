"""The leaderboard: means with intervals, and every run against a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison import compare
from rankgauge.comparison.result import p_phrase
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer.session import LEVEL, Session
from rankgauge.extensions.pages.explorer.views import (
    Address,
    Parameters,
    Request,
    Shown,
    View,
    add_view,
    answer,
    chosen_runs,
    command_line,
    first_of,
    needed,
)
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.model.notes import advice
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import PLACES, capital, number, printable
from rankgauge.numbers.differences import percentage
from rankgauge.schema.text import counted, joined

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison, Pair
    from rankgauge.extensions.pages.explorer.session import Session, Standing

NUMBERS = ("difference", "percent", "low", "high", "p", "corrected", "wins", "ties", "losses")
WORDS = ("verdict", "practical", "disagreement")
MAX_BASELINES = 12  # each of which a saved page holds
BY_MARGIN = ("outcome", "corrected_equivalence")


def overview(session: Session, parameters: Parameters) -> dict[str, Any]:
    """Means of all runs by the chosen measures, and differences from the baseline.

    p is corrected for all runs of the session, whichever a page shows. Lists are by measure, then by run.
    """
    standings = session.standings(parameters.text("measures", "") or None)
    chosen = parameters.text("baseline", "") or session.baseline
    test, correction = parameters.text("test", "t"), parameters.text("correction", "") or None
    main = next(iter(standings.values()))
    reference = session.reference(main, chosen)
    names = session.shown_runs
    comparisons: list[Comparison] = []
    problem = None
    if len(names) > 1:
        try:
            comparisons = [session.comparison(text, reference, test, correction) for text in standings]
        except OptionError as error:  # such as too few random samples for a correction; the means are known
            problem = str(error)
    summary = () if problem else summary_sentences(session, standings, chosen, test, correction)
    intervals = [each.intervals.values() for each in standings.values()]
    return {
        "summary": list(summary),
        "measures": [described(session, text) for text in standings],
        "runs": list(names.values()),
        "means": [list(each.means.values()) for each in standings.values()],
        "low": [[low for low, _ in each] for each in intervals],
        "high": [[high for _, high in each] for each in intervals],
        "copies": [
            [[names[run], names[original]] for run, original in session.copies(each).items()]
            for each in standings.values()
        ],
        "baseline": names[reference] if len(names) > 1 else None,
        "chosen": bool(chosen),
        "test": comparisons[0].test if comparisons else test,
        "correction": comparisons[0].correction if comparisons else correction,
        "p_name": comparisons[0].p_name if comparisons else "p",
        "margin": session.margin,
        "against": [_against(names, each) for each in comparisons],
        "problem": problem,
        "method": list(_method(session, main.measure, comparisons, names[reference], bool(chosen))),
    }


def _against(names: Mapping[str, str], comparison: Comparison) -> dict[str, list[Any]]:
    """Numbers against the baseline by one measure; null for the baseline itself."""
    (compared,) = comparison.compared
    pairs = {pair.run: pair for pair in compared.pairs}
    keys = (*NUMBERS, *WORDS, *(BY_MARGIN if comparison.has_margin else ()))
    rows: list[list[Any]] = []
    for name in names:
        pair = pairs.get(name)
        if pair is None:
            rows.append([None] * len(keys))
            continue
        found = compared.verdict(pair)
        words = ["", "", ""]
        if found:
            words = ["better" if found.better == name else "worse", found.practical, found.disagreement]
        row = [*(getattr(pair, number) for number in NUMBERS), *words]
        rows.append([*row, compared.outcome_of(pair), pair.corrected_equivalence][: len(keys)])
    return {key: list(values) for key, values in zip(keys, zip(*rows, strict=True), strict=True)}


def _method(
    session: Session, measure: str, comparisons: list[Comparison], baseline: str, chosen: bool
) -> Iterable[str]:
    names = session.shown_runs
    correction = session.standing(measure).scores.correction
    few = "fewer than 8 topics with human judgments" if correction else "one or two topics"
    yield (
        f"{correction or 'Means over topics'}, with {100 * LEVEL:g} % confidence intervals by Student's t, "
        f"of the logit of the mean if the measure has bounds; none is useful for {few}, or if all values are "
        "the same."
    )
    if not comparisons:
        return
    one = comparisons[0]
    test = one.test_phrase(one.compared[0])
    tests = sum(len(each.compared[0].pairs) for each in comparisons)
    yield (
        f"Each run is compared with {baseline} by {test} for each measure ({counted(tests, 'test')} in all), "
        f"whichever runs are shown (α = {one.alpha:g}). Intervals of differences: {one.interval_phrase}."
    )
    for each in (comparison.labelled(Labels(names)) for comparison in comparisons):
        (compared,) = each.compared
        yield from [each.on_margin(compared)] * each.has_margin
        yield from (f"{session.labels(compared.measure)}: {clause}." for clause in compared.cautions)
    if not chosen:
        yield (
            f"No baseline was chosen: {baseline} is the best run by {session.labels(measure)}. It was picked "
            "after the fact, which makes differences from it look larger than they are."
        )


def _saved(session: Session, address: Address) -> Shown:
    runs, measures = (
        chosen_runs(session, address),
        first_of(address, "measures") or " ".join(session.measures),
    )
    everything = session.campaign.scores(measures)
    scores = everything.only(runs=runs)
    baseline = first_of(address, "baseline") or session.baseline
    against = session.run_called(baseline) if baseline else None
    test, correction = first_of(address, "test"), first_of(address, "correction")
    compared = len(runs) > 1 and against in runs  # with all runs, for which the page corrects p

    def table(form: str) -> str:
        if form == "csv":
            return scores.to_csv()
        if not compared:
            return scores.to_latex()
        choices = {"test": test, "correction": correction}
        chosen: dict[str, Any] = {name: value for name, value in choices.items() if value}
        return compare(everything, baseline=against, **chosen).to_latex()

    command = (
        command_line(
            session,
            "compare",
            None,
            m=measures,
            baseline=against,
            test=test,
            correction=correction,
            margin=session.margin,
        )
        if compared
        else command_line(session, "evaluate", needed(session, runs, measures), m=measures)
    )
    main = scores.only(measures=scores.measures[:1])
    return Shown(command, partial(FIGURES["distribution"], main, labels=session.labels), table)


def _held(session: Session) -> Iterable[Request]:
    """The leaderboards a reader may choose by name; with few runs, each as the baseline."""
    runs, shown = session.runs, answer(session, "overview", {})
    named = [{name: shown[name]} for name in ("test", "correction") if shown[name]]
    baselines = list(runs) if len(runs) <= MAX_BASELINES else [shown["baseline"]]
    every = [{}, *named, *({"baseline": run} for run in baselines if run)]
    return [("overview", parameters) for parameters in every]


add_view(
    View(
        "overview",
        {"overview": overview},
        offered=lambda session: session.campaign.is_judged,
        held=_held,
        saved=_saved,
    )
)


MAX_CAUTIONS = 2
MAX_NAMES = 3


def summary_sentences(
    session: Session,
    measures: str | Iterable[str] | None = None,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
) -> tuple[str, ...]:
    """Up to three sentences on the runs, by the first measure.

    `baseline` is a name to show. Without one, every run is compared with the best.
    """
    standings = session.standings(measures)
    (measure, main), *_ = standings.items()
    names = session.shown_runs
    order, means = main.order, main.means
    topics = len(main.scores.topics)  # none if there are only means
    about = counted(len(order), "run") + (f" on {counted(topics, 'topic')}" if topics else "")
    if not order or math.isnan(means[order[0]]):
        return (f"{about}: {session.labels(measure)} is undefined for all of them.",)
    chosen = session.baseline if baseline is None else baseline
    reference = session.reference(main, chosen)
    copies = session.copies(main)
    sentences = [_on_best(main, copies, session.labels(measure), names, about)]
    if len(order) > 1:
        comparison = session.comparison(measure, reference, test, correction)
        objections = comparison.labelled(Labels(names)).compared[0].objections
        difference = _on_difference(comparison, main, copies, names, chosen is not None)
        sentences.append(" ".join([difference, *(f"{capital(each)}." for each in objections)]))
    cautions = list(_cautions(session, standings, names, order[0]))[:MAX_CAUTIONS]
    careful = f"Be careful: {'; '.join(cautions)}." if cautions else NO_CAUTION
    return tuple(map(printable, (*sentences, careful)))


NO_CAUTION = (
    "Nothing in the data calls for particular care; still, a difference that is not significant is not "
    "shown to be none."
)


def _on_best(
    main: Standing, copies: Mapping[str, str], measure: str, names: Mapping[str, str], about: str
) -> str:
    order, means = main.order, main.means
    low, high = main.intervals[order[0]]
    interval = f" ({100 * LEVEL:g} % interval {low:.4f} to {high:.4f})"
    if math.isnan(low):
        interval = f" (no useful {100 * LEVEL:g} % interval)" if main.scores.topics else ""
    value = f"{number(means[order[0]], PLACES)}{interval}"
    if len(order) == 1:
        return f"{about}: {names[order[0]]} has {measure} {value}, and no other run to compare with."
    first = [run for run in order if means[run] == means[order[0]]]
    originals, equal = (
        [names[run] for run in first if (run in copies) is copied] for copied in (False, True)
    )
    direction = main.direction
    place = "best" if direction else "highest"
    way = ", where lower is better" if direction < 0 else ""
    if len(first) == len(order):
        return f"{about}: all of them have the same {measure}, {value}."
    verb = "is" if len(originals) == 1 else "are"
    have = "has" if len(equal) == 1 else "have"
    same = f"; {_few(equal)} {have} the same value on every topic" if equal else ""
    return f"{about}: {_few(originals)} {verb} {place} by {measure}{way}, with {value}{same}."


def _on_difference(
    comparison: Comparison,
    main: Standing,
    copies: Mapping[str, str],
    names: Mapping[str, str],
    was_chosen: bool,
) -> str:
    order, means = main.order, main.means
    (compared,) = comparison.compared
    (reference,) = comparison.baselines
    pairs = {pair.run: pair for pair in compared.pairs}
    best, first = order[0], [run for run in order if means[run] == means[order[0]]]
    if len(first) == len(order):
        return "No run is ahead of another."
    second, is_alone = order[len(first)], sum(run not in copies for run in first) == 1
    subject = "It is" if is_alone else "They are"
    found = [compared.verdict(pair) for pair in compared.pairs]
    method = comparison.test_phrase(compared).removeprefix("a ")
    if reference not in first:
        clear = _more_than_chance(comparison, pairs[best], best)
        by = _by(main, best, reference)
        ahead = f"{subject} ahead of the baseline, {names[reference]}, by {by}, {clear}"
        next_run = "" if second == reference else f", and of {names[second]}, the next run, by "
        next_run = next_run and f"{next_run}{_by(main, best, second)}, which was not tested"
        better = sum(1 for each in found if each and each.worse == reference)
        count = (
            f"{better} of {counted(len(found), 'run')} {'is' if better == 1 else 'are'} significantly better"
        )
        more = "" if len(found) == 1 else f"; {count} than the baseline"
        return f"{ahead}{next_run}{more} ({method})."
    clear = _more_than_chance(comparison, pairs[second], reference)
    worse = sum(1 for each in found if each and each.better == reference)
    others = counted(len(found), "other run")
    count = f"; {worse} of {others} {'is' if worse == 1 else 'are'} significantly worse"
    best_one = "the best" if is_alone else names[reference]
    why = f"no baseline was chosen, so each run is compared with {best_one}"
    why = "the baseline is best" if was_chosen else why
    more = count if len(found) > 1 else ""
    return (
        f"{subject} ahead of the next run, {names[second]}, by {_by(main, best, second)}, {clear}{more} "
        f"({method}; {why})."
    )


def _by(main: Standing, run: str, other: str) -> str:
    size = abs(main.means[run] - main.means[other])
    if math.isnan(size):
        return "an undefined difference"
    largest = np.nanmax(np.abs(main.scores.only(runs=[run, other]).values), initial=0.0)
    percent = float(percentage(size, main.means[other], largest))
    return f"{size:.4f}" + ("" if math.isnan(percent) else f" ({percent:.1f} %)")


def _more_than_chance(comparison: Comparison, pair: Pair, better: str) -> str:
    (compared,) = comparison.compared
    if math.isnan(pair.corrected):
        return f"and whether that is more than chance cannot be tested ({pair.method})"
    found = compared.verdict(pair)
    words = "which chance may explain"
    if found and found.better == better:
        words = "more than chance explains"
    elif found:
        words = "though the test finds the other one better"
    return f"{words} ({comparison.p_name} {p_phrase(pair.corrected)})"


def _cautions(
    session: Session, standings: Mapping[str, Standing], names: Mapping[str, str], best: str
) -> Iterator[str]:
    """Cautions, the gravest first."""
    yield from session.notes
    for each in standings.values():
        yield from each.scores.cautions
    others: dict[str, list[str]] = {}
    for measure, each in standings.items():
        highest = each.means[each.order[0]]
        if each.direction and not math.isnan(highest) and highest != each.means[best]:
            others.setdefault(each.order[0], []).append(session.labels(measure))
    if others:
        winners = joined(
            f"{names[run]} by {_few(measures)}" for run, measures in [*others.items()][:MAX_NAMES]
        )
        yield f"measures disagree about the best run: {winners}"
    yield from advice(next(iter(standings.values())).scores.provenance)


def _few(names: list[str]) -> str:
    shown = names if len(names) <= MAX_NAMES + 1 else [*names[:MAX_NAMES], f"{len(names) - MAX_NAMES} more"]
    return joined(shown)
