"""Saving what a view shows: its table, its figure, or the command that gives the same numbers.

A view that can be saved turns the parameters of its address into a `Shown` (`View.saved`).
"""

from __future__ import annotations

import base64
import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from rankgauge.errors import OptionError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.extensions.pages.explorer.views import VIEWS, Address, Parameters
from rankgauge.formats.source import run_name
from rankgauge.measures import parse_all
from rankgauge.schema.options import choice

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

TABLES = {"csv": "text/csv", "tex": "application/x-tex"}
PICTURES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def saved(session: Session, parameters: Parameters) -> dict[str, Any]:
    """The file of a view in a format: its name, its media type, and its bytes in base 64."""
    view, form = parameters.text("view"), parameters.text("format")
    kind, content = save(session, view, parse_qs(parameters.text("query", ""), keep_blank_values=True), form)
    name = f"{view}.{'txt' if form == 'command' else form}"
    return {"name": name, "type": kind, "content": base64.b64encode(content).decode()}


def save(session: Session, view: str, address: Address, form: str) -> tuple[str, bytes]:
    """(media type, content) of a view in a format of TABLES or PICTURES, or its `command`."""
    saves = {name: each.saved for name, each in VIEWS.items() if each.saved is not None}
    shown = saves[choice("view", view, saves)](session, address)
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


def first(address: Address, name: str) -> str | None:
    """The value of a parameter; None if there is none."""
    return next(iter(address.get(name, ())), None)


def chosen_measure(session: Session, address: Address) -> str:
    """The measure that a view shows."""
    return first(address, "measure") or session.measures[0]


def chosen_runs(session: Session, address: Address) -> list[str]:
    """The names in the files of the chosen runs: all, if none is chosen."""
    named = dict.fromkeys(session.run_called(shown) for shown in address.get("run", ()))
    return list(named or session.campaign.runs)


def needed(session: Session, runs: list[str], measures: str) -> list[str] | None:
    """The runs that a command has to read for the numbers of these: all, where they depend on the longest."""
    padded = session.campaign.has_judgments and any(measure.of_lists for measure in parse_all(measures))
    return None if padded else runs


def command_line(session: Session, words: str, runs: Sequence[str] | None, **options: Any) -> str:
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


def by_topic(scores: Scores, form: str) -> str:
    """The values of topics in a format of TABLES."""
    return scores.to_csv(topics=True) if form == "csv" else scores.to_latex(topics=True)
