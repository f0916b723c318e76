"""Saving what a view shows: its table, its figure, or the command that gives the same numbers.

Each view that can be saved has a function here that turns the parameters of its address into a `Shown`.
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from rankgauge.comparison import compare
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import Parameters
from rankgauge.extensions.pages.explorer.views.curves import DEEPEST, drawn_measures
from rankgauge.extensions.pages.explorer.views.effort import GAIN
from rankgauge.extensions.pages.figures.registry import FIGURES
from rankgauge.formats.source import run_name
from rankgauge.measures import parse_all
from rankgauge.schema.options import choice

if TYPE_CHECKING:
    from rankgauge.extensions.pages.figures.figure import Figure
    from rankgauge.model.scores import Scores

TABLES = {"csv": "text/csv", "tex": "application/x-tex"}
PICTURES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
Address = Mapping[str, Sequence[str]]  # the parameters of an address: each name may have several values


@dataclass(frozen=True)
class Shown:
    """The parts of a view that can be saved; None where it has none."""

    command: str
    figure: Callable[[], Figure] | None = None
    table: Callable[[str], str] | None = None  # from a format to its text


def saved(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The file of a view in a format: its name, its media type, and its bytes in base 64."""
    view, form = parameters.text("view"), parameters.text("format")
    kind, content = save(session, view, parse_qs(parameters.text("query", ""), keep_blank_values=True), form)
    name = f"{view}.{'txt' if form == 'command' else form}"
    return {"name": name, "type": kind, "content": base64.b64encode(content).decode()}


def save(session: Session, view: str, address: Address, form: str) -> tuple[str, bytes]:
    """(media type, content) of a view in a format of TABLES or PICTURES, or its `command`."""
    shown = VIEWS[choice("view", view, VIEWS)](session, address)
    choice("format", form, (*TABLES, *PICTURES, "command"))
    if form == "command":
        if not session.campaign.has_judgments or any(run.in_memory for run in session.campaign.inputs):
            raise OptionError("no command gives these numbers: the runs are in memory, and not in files")
        return "text/plain", f"{shown.command}\n".encode("utf-8", "surrogateescape")
    if form in TABLES and shown.table is not None:
        return TABLES[form], shown.table(form).encode("utf-8", "surrogateescape")
    if form in PICTURES and shown.figure is not None:
        return PICTURES[form], shown.figure().render(form)
    what = "table; save its figure, or its command" if form in TABLES else "figure; save its command"
    raise OptionError(f"the view {view} has no {what}")


def _first(address: Address, name: str) -> str | None:
    return next(iter(address.get(name, ())), None)


def _measure(session: Session, address: Address) -> str:
    return _first(address, "measure") or session.measures[0]


def _runs(session: Session, address: Address) -> list[str]:
    """The names in the files of the chosen runs: all, if none is chosen."""
    named = dict.fromkeys(session.run_called(shown) for shown in address.get("run", ()))
    return list(named or session.campaign.runs)


def _needed(session: Session, runs: list[str], measures: str) -> list[str] | None:
    """The runs that a command has to read for the numbers of these: all, where they depend on the longest."""
    padded = session.campaign.has_judgments and any(measure.of_lists for measure in parse_all(measures))
    return None if padded else runs


def _command(session: Session, words: str, runs: Sequence[str] | None, **options: Any) -> str:
    """A command line with the inputs of the session; runs are given by name where a file has another."""
    sources = {run.name: run.source for run in session.campaign.inputs}
    chosen = sources if runs is None else {run: sources[run] for run in runs}
    files = [path if run_name(path) == run else f"{run}={path}" for run, path in chosen.items()]
    judgments = [session.campaign.source] if session.campaign.is_judged else []
    parts = ["rankgauge", *words.split(), *judgments, *files, *session.options]
    for name, value in options.items():
        if value is not None:
            parts += [f"-{name}" if len(name) == 1 else f"--{name}", *([] if value is True else [str(value)])]
    return shlex.join(parts)


def _overview(session: Session, address: Address) -> Shown:
    runs, measures = _runs(session, address), _first(address, "measures") or " ".join(session.measures)
    everything = session.campaign.scores(measures)
    scores = everything.only(runs=runs)
    baseline = _first(address, "baseline") or session.baseline
    against = session.run_called(baseline) if baseline else None
    test, correction = _first(address, "test"), _first(address, "correction")
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
        _command(
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
        else _command(session, "evaluate", _needed(session, runs, measures), m=measures)
    )
    first = scores.only(measures=scores.measures[:1])
    return Shown(command, partial(FIGURES["distribution"], first, labels=session.labels), table)


def _by_topic(scores: Scores, form: str) -> str:
    return scores.to_csv(topics=True) if form == "csv" else scores.to_latex(topics=True)


def _topics(session: Session, address: Address) -> Shown:
    runs, measure = _runs(session, address), _measure(session, address)
    scores = session.campaign.scores(measure).only(runs=runs)

    def figure() -> Figure:
        if len(runs) == 2:
            return FIGURES["differences"](scores, run=runs[1], baseline=runs[0], labels=session.labels)
        return FIGURES["difficulty"](scores, labels=session.labels)

    command = _command(session, "evaluate", _needed(session, runs, measure), m=measure, q=True, format="csv")
    return Shown(command, figure, partial(_by_topic, scores))


def _curves(session: Session, address: Address) -> Shown:
    measures = " ".join(drawn_measures(session, _first(address, "measures") or ""))
    depth = _depth(_first(address, "depth") or str(session.depth))
    curves = session.campaign.curves(measures, depth=depth)
    chosen = tuple(session.run_called(shown) for shown in address.get("run", ()))
    figure = partial(FIGURES["curve"], curves, highlight=chosen, labels=session.labels)
    command = _command(session, "curve", None, m=measures, depth=depth)
    return Shown(command, figure, lambda form: curves.to_csv() if form == "csv" else curves.to_latex())


def _depth(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= DEEPEST):
        raise OptionError(f"depth is a whole number from 1 to {DEEPEST}, not {text!r}")
    return int(text)


def _ranking(session: Session, address: Address) -> Shown:
    runs = _runs(session, address)[:4]
    topic = session.topic_called(_first(address, "topic") or next(iter(session.topics)))
    if not session.campaign.is_judged:
        if len(runs) != 2:
            raise OptionError(f"without judgments two runs are compared, not {len(runs)}; choose two")
        return Shown(_command(session, "diff", runs, topic=topic))
    measure = _measure(session, address)
    campaign, depth = (
        session.campaign.only(runs),
        _depth(_first(address, "depth") or str(session.ranking_depth)),
    )

    def figure() -> Figure:
        curves = campaign.curves(drawn_measures(session, measure), depth=depth)
        return FIGURES["curve"](curves, topic=topic, labels=session.labels)

    command, compared = ("diff", runs) if len(runs) == 2 else ("explain", runs[:1])
    return Shown(_command(session, command, compared, m=measure, topic=topic), figure)


def _effort(session: Session, address: Address) -> Shown:
    runs = _runs(session, address)
    gain = _first(address, "gain") or GAIN
    measures = f"Twist {gain}"
    scores = session.campaign.scores(measures).only(runs=runs)
    figure = partial(FIGURES["effort-gain"], scores, labels=session.labels)
    needed = _needed(session, runs, measures)
    command = _command(session, "figure effort-gain", needed, m=gain, o="effort-gain.svg")
    return Shown(command, figure, partial(_by_topic, scores))


VIEWS: dict[str, Callable[[Session, Address], Shown]] = {
    "overview": _overview,
    "topics": _topics,
    "curves": _curves,
    "ranking": _ranking,
    "effort": _effort,
}
