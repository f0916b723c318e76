"""The leaderboard: means with intervals, and every run against a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rankgauge.comparison import compare
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
from rankgauge.extensions.pages.explorer.views.headlines import headline, summary_sentences
from rankgauge.extensions.pages.explorer.views.measures import described
from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.model.output.labels import Labels
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison

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
        yield from (f"{session.measure_name(compared.measure)}: {clause}." for clause in compared.cautions)
    if not chosen:
        yield (
            f"No baseline was chosen: {baseline} is the best run by {session.measure_name(measure)}. It was "
            "picked after the fact, which makes differences from it look larger than they are."
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
    first = session.first_pair()
    answered: list[Request] = []
    if len(first) == 2 and session.topics:
        answered = [("headline", {"runs": [run for run in runs if run in first]})]
        if session.has_judged_rankings and not session.has_subtopics:
            answered += [("unjudged", {"runs": first, "measure": session.measures[0]})]
    return [*(("overview", parameters) for parameters in every), *answered]


add_view(
    View(
        "overview",
        {"overview": overview, "headline": headline},
        offered=lambda session: session.campaign.is_judged,
        held=_held,
        saved=_saved,
    )
)
