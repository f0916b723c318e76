"""The answers in front: who is best, by how much, whether chance explains it, and which topics make it up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison import compare
from rankgauge.comparison.result import p_phrase
from rankgauge.extensions.pages.explorer.session import LEVEL, Session, Standing
from rankgauge.extensions.pages.explorer.views import Parameters
from rankgauge.extensions.pages.explorer.views.topics import asked_topics
from rankgauge.model.notes import advice
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import PLACES, capital, number, printable
from rankgauge.numbers.differences import percentage
from rankgauge.schema.text import counted, joined

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison, Pair

MAX_CAUTIONS = 2
MAX_NAMES = 3
MAX_MADE_UP = 5  # topics that are listed for a difference
SMALLEST = 1e-12  # difference that is not one of rounding


def headline(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The answer on some `runs` and on the topics of a `segment` or with words to `find`.

    `sentences`, and for two runs (or one, against the baseline) `topics` with the largest differences, which
    sum up to the whole one: [name, difference], of which there are `needed`.
    """
    everything = session.standing(parameters.text("measure", "") or None)
    scores = everything.scores
    chosen = parameters.text("baseline", "") or session.baseline
    runs = [session.run_called(name) for name in parameters.texts("runs")] or list(scores.runs)
    if len(runs) == 1 and len(scores.runs) > 1:
        other = session.reference(everything, chosen)
        runs.insert(0, other if other != runs[0] else next(run for run in everything.order if run != other))
    topics = asked_topics(session, scores.topics, parameters)
    if not topics:
        return {
            "sentences": ["No topic is chosen, so there is nothing to compare."],
            "topics": [],
            "needed": 0,
        }
    is_part = len(topics) < len(scores.topics)
    test: Any = parameters.text("test", "t")
    correction: Any = parameters.text("correction", "") or None
    main = Standing(everything.measure, scores.only(runs=runs))
    if is_part:
        main = Standing(everything.measure, main.scores.of_topics(topics))
    on = (
        f"{len(topics)} of {counted(len(scores.topics), 'topic')}"
        if is_part
        else counted(len(topics), "topic")
    )
    reference = session.run_called(chosen) if chosen else main.order[0]
    reference = reference if reference in runs else main.order[-1 if len(runs) == 2 else 0]
    comparison = None
    if len(runs) > 1 and not math.isnan(main.means[main.order[0]]):
        comparison = compare(
            main.scores, baseline=reference, test=test, correction=correction, margin=session.margin
        )
    if len(runs) != 2 or comparison is None:
        which = f"{len(runs)} of {counted(len(scores.runs), 'run')} on {on}"
        sentences = ranked_sentences(session, main, comparison, bool(chosen) and reference in runs, which)
        return {"sentences": list(sentences), "topics": [], "needed": 0}
    pair = comparison.compared[0].pairs[0]
    sentences = tuple(_on_pair(session, main, comparison, on))
    if len(scores.runs) > 2 and not is_part:
        of_all = session.comparison(everything.measure, pair.against, test, correction)
        corrected = next(each.corrected for each in of_all.compared[0].pairs if each.run == pair.run)
        many = counted(len(of_all.compared[0].pairs), "run")
        sentences += (f"For runs picked after a look at all, corrected for {many}: p {p_phrase(corrected)}.",)
    needed, largest = _make_up(main, pair)
    return {
        "sentences": [printable(each) for each in sentences],
        "pair": [session.shown_runs[pair.against], session.shown_runs[pair.run]],
        "topics": [[session.shown_topics[name], difference] for name, difference in largest[:MAX_MADE_UP]],
        "needed": needed,
    }


def _on_pair(session: Session, main: Standing, comparison: Comparison, on: str) -> Iterator[str]:
    """By how much a run is above another, whether that is chance, and on how many topics."""
    (compared,) = comparison.compared
    (pair,) = compared.pairs
    run, against = session.shown_runs[pair.run], session.shown_runs[pair.against]
    measure, way = session.measure_name(main.measure), main.direction
    lower = " (lower is better)" if way < 0 else ""
    size = f"{abs(pair.difference):.4f} {'above' if pair.difference > 0 else 'below'}"
    size = size if pair.difference else "neither above nor below"
    found = compared.verdict(pair)
    words = "chance may explain it"
    if math.isnan(pair.corrected):
        words = "whether that is more than chance cannot be tested"
    elif found and found.means < 0:
        words = "the test finds the other one better"
    elif found:
        words = "more than chance explains"
    if comparison.has_margin and not found:
        outcome = compared.outcome_of(pair)
        words = (
            "equivalent within the margin" if outcome == "equivalent" else f"{words}, nor are they equivalent"
        )
    means = f"{number(pair.mean, PLACES)} against {number(pair.mean_against, PLACES)}"
    yield f"{run} is {size} {against} by {measure}{lower} on {on} ({means}): {words}."
    interval = "no useful 95 % interval"
    if not math.isnan(pair.low):
        interval = f"95 % interval {pair.low:+.4f} to {pair.high:+.4f}".replace("-", "−")
    better, worse = ("better", "worse") if way else ("higher", "lower")
    tested = (
        ""
        if math.isnan(pair.p)
        else f", p {p_phrase(pair.p)} by a {comparison.test_phrase(compared).removeprefix('a ')}"
    )
    yield (
        f"Difference {pair.difference:+.4f}, {interval}{tested}; {better} on {pair.wins}, equal on "
        f"{pair.ties} and {worse} on {pair.losses} topics."
    ).replace("Difference -", "Difference −")


def _make_up(main: Standing, pair: Pair) -> tuple[int, list[tuple[str, float]]]:
    """(the smallest number of topics whose differences sum up to the whole one, the largest of them)."""
    rows = [main.scores.runs.index(run) for run in (pair.run, pair.against)]
    values = main.values[rows]
    differences = np.nan_to_num(values[0] - values[1])
    whole = differences.sum()
    if abs(whole) <= SMALLEST or whole * pair.difference < 0:  # as a mean by weights may be
        return 0, []
    order = np.argsort(-differences * np.sign(whole), kind="stable")
    needed = 1 + int(np.argmax(np.cumsum(differences[order]) * np.sign(whole) >= abs(whole) - SMALLEST))
    return needed, [(main.scores.topics[at], float(differences[at])) for at in order[:needed]]


def summary_sentences(
    session: Session,
    measures: str | Iterable[str] | None = None,
    baseline: str | None = None,
    test: Any = "t",
    correction: Any = None,
) -> tuple[str, ...]:
    """Up to three sentences on the runs, by the first measure.

    `baseline` is a name to show. Without one, every run is compared with the best.
    """
    standings = session.standings(measures)
    (measure, main), *_ = standings.items()
    names = session.shown_runs
    chosen = session.baseline if baseline is None else baseline
    comparison = None
    if len(main.order) > 1 and not math.isnan(main.means[main.order[0]]):
        comparison = session.comparison(measure, session.reference(main, chosen), test, correction)
    sentences = ranked_sentences(session, main, comparison, chosen is not None)
    if math.isnan(main.means[main.order[0]]):
        return sentences
    cautions = list(_cautions(session, standings, names, main.order[0]))[:MAX_CAUTIONS]
    careful = f"Be careful: {'; '.join(cautions)}." if cautions else NO_CAUTION
    return (*sentences, printable(careful))


def ranked_sentences(
    session: Session, main: Standing, comparison: Comparison | None, was_chosen: bool, which: str = ""
) -> tuple[str, ...]:
    """Which run is best, and by how much; `which` are the runs and topics, if not all."""
    names, order = session.shown_runs, main.order
    topics = len(main.scores.topics)  # none if there are only means
    about = which or counted(len(order), "run") + (f" on {counted(topics, 'topic')}" if topics else "")
    measure = session.measure_name(main.measure)
    if not order or math.isnan(main.means[order[0]]):
        return (f"{about}: {measure} is undefined for all of them.",)
    copies = session.copies(main)
    sentences = [_on_best(main, copies, measure, names, about)]
    if comparison is not None:
        objections = comparison.labelled(Labels(names)).compared[0].objections
        difference = _on_difference(comparison, main, copies, names, was_chosen)
        sentences.append(" ".join([difference, *(f"{capital(each)}." for each in objections)]))
    return tuple(map(printable, sentences))


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
            others.setdefault(each.order[0], []).append(session.measure_name(measure))
    if others:
        winners = joined(
            f"{names[run]} by {_few(measures)}" for run, measures in [*others.items()][:MAX_NAMES]
        )
        yield f"measures disagree about the best run: {winners}"
    yield from advice(next(iter(standings.values())).scores.provenance)


def _few(names: list[str]) -> str:
    shown = names if len(names) <= MAX_NAMES + 1 else [*names[:MAX_NAMES], f"{len(names) - MAX_NAMES} more"]
    return joined(shown)
