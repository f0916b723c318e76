"""The summary that opens a report: three sentences.

Who is best; by how much, and whether that is more than chance; what to be careful about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from rankgauge.comparison.result import p_phrase
from rankgauge.extensions.pages.explorer.session import LEVEL
from rankgauge.model.notes import advice
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.tables import PLACES, capital, number, printable
from rankgauge.numbers.differences import percentage
from rankgauge.schema.text import counted, joined

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison, Pair
    from rankgauge.extensions.pages.explorer.session import Session, Standing

MAX_CAUTIONS = 2
MAX_NAMES = 3


def summary_sentences(
    session: Session,
    measures: str | Iterable[str] | None = None,
    baseline: str | None = None,
    test: str = "t",
    correction: str | None = None,
) -> tuple[str, ...]:
    """Three sentences on the runs, by the first measure; fewer if there is nothing to compare.

    `baseline` is the name to show of a run. If nobody chose one, every run is compared with the best.
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
    reference = order[0] if chosen is None else session.run_called(chosen)
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
    """The lead of a run over another, also as a percentage."""
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
    """A few names, and how many more there are."""
    shown = names if len(names) <= MAX_NAMES + 1 else [*names[:MAX_NAMES], f"{len(names) - MAX_NAMES} more"]
    return joined(shown)
