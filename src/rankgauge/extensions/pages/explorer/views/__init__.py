"""The views: what the page shows at an address, and the answers behind it.

A view is an entry of VIEWS and a script of the same name; other packages register theirs through the entry
point group `rankgauge.views`. An action changes something on disk, or has parameters too long for an address:
a page sends it by POST.
"""

from __future__ import annotations

import base64
import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from rankgauge.core.ids import to_bytes
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.pages.explorer.session import Session
from rankgauge.formats.source import run_name
from rankgauge.measures import parse_all
from rankgauge.schema.options import choice
from rankgauge.schema.parameters import is_number
from rankgauge.schema.registry import Registry, errors_of
from rankgauge.schema.text import unknown_name

if TYPE_CHECKING:
    from rankgauge.extensions.pages.figures.figure import Figure
    from rankgauge.model.scores import Scores

MAX_TEXTS = 1000
DECISIONS = "decisions"  # of a request: how many the page knows of, if new judgments are to count
MAX_DECISIONS = 1 << 31
OWN = "rankgauge.extensions.pages.explorer"  # whose scripts all views may import
Answer = Callable[[Session, "Parameters"], dict[str, Any]]  # which becomes JSON
Address = Mapping[str, Sequence[str]]  # the parameters of an address: each name may have several values
Request = tuple[str, dict[str, Any]]  # the name of an answer, and parameters


@dataclass(frozen=True)
class Shown:
    """The savable parts of a view; None where it has none."""

    command: str
    figure: Callable[[], Figure] | None = None
    table: Callable[[str], str] | None = None  # from a format to its text


@dataclass(frozen=True)
class View:
    """A view at the address `#/NAME`."""

    name: str
    answers: Mapping[str, Answer]  # by the names that its script asks for
    actions: Mapping[str, Answer] = field(default_factory=dict)
    # Whether a session has the view: its link, and what a saved page holds of it.
    offered: Callable[[Session], bool] = lambda session: True
    held: Callable[[Session], Iterable[Request]] = lambda session: ()  # the requests a saved page can answer
    saved: Callable[[Session, Address], Shown] | None = None  # what is saved of it, as a table or a figure
    package: str = OWN  # the one whose folder `assets` has NAME.js, the scripts that it imports, and styles

    @property
    def assets(self) -> Any:
        """The folder of its script."""
        return resources.files(self.package) / "assets"


VIEWS: Registry[View] = Registry(
    "rankgauge.views",
    "view",
    [
        f"{OWN}.{module}"
        for module in (
            "page",
            "views.overview",
            "views.topics",
            "views.curves",
            "views.ranking",
            "views.what_if",
            "views.lecture",
            "views.about",
        )
    ],
    claims=lambda view: (*view.answers, *view.actions),
)


def add_view(made: View) -> View:
    """Register a view, and return it."""
    VIEWS.add(made.name, made, next(iter(made.answers.values())))
    return made


def offered(session: Session) -> list[str]:
    """The names of a session's views, in the order of their links."""
    names = [name for name, each in VIEWS.items() if each.offered(session)]
    return sorted(names, key=lambda name: name == "about")  # which is about the others


def answer(session: Session, name: str, parameters: Any) -> dict[str, Any]:
    """The answer of a view."""
    return _call("view", [view.answers for view in VIEWS.values()], session, name, parameters)


def perform(session: Session, name: str, parameters: Any) -> dict[str, Any]:
    """The answer of an action."""
    return _call("action", [view.actions for view in VIEWS.values()], session, name, parameters)


def _call(
    noun: str, offered: Iterable[Mapping[str, Answer]], session: Session, name: str, parameters: Any
) -> dict[str, Any]:
    functions = {named: function for each in offered for named, function in each.items()}
    if name not in functions:
        raise OptionError(unknown_name(noun, name, functions))
    with errors_of(noun, name, functions[name]):
        given = Parameters(parameters)
        if given.number(DECISIONS, 0, 0, MAX_DECISIONS):
            session = session.rejudged(given.text("topic", ""))
        return functions[name](session, given)


class Parameters:
    """Named values from a page, each read as its type."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        if not isinstance(values, Mapping):
            raise OptionError(f"parameters are an object of names and values, not {type(values).__name__}")
        self._values = values

    def text(self, name: str, default: str | None = None) -> str:
        """A text, required unless there is a default."""
        value = self._values.get(name, default)
        if value is None:
            raise OptionError(f"{name} is missing")
        if not isinstance(value, str):
            raise OptionError(f"{name} is a text, not {type(value).__name__}")
        return _valid(name, value)

    def texts(self, name: str) -> list[str]:
        """A list of texts; empty if absent."""
        found: list[str] = self._list(name, str, "texts")
        if len(found) > MAX_TEXTS:
            raise OptionError(f"{name} has {len(found)} texts; the most is {MAX_TEXTS}")
        return [_valid(name, each) for each in found]

    def numbers(self, name: str) -> list[int] | None:
        """A list of whole numbers; None if absent."""
        return self._list(name, int, "whole numbers") if name in self._values else None

    def objects(self, name: str) -> list[dict[str, Any]]:
        """A list of objects; empty if absent."""
        return self._list(name, dict, "objects")

    def _list(self, name: str, kind: type, words: str) -> list[Any]:
        value = self._values.get(name, [])
        if not isinstance(value, list) or not all(type(each) is kind for each in value):
            raise OptionError(f"{name} is a list of {words}")
        return value

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number in a range."""
        value = self._values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise OptionError(f"{name} is a whole number from {least} to {most}, not {value!r}")
        return value

    def real(self, name: str) -> float | None:
        """A finite number; None if absent."""
        value = self._values.get(name)
        if value is None:
            return None
        try:
            if is_number(value) and math.isfinite(value):
                return float(value)
        except OverflowError:  # of a whole number
            value = "one with hundreds of digits"
        raise OptionError(f"{name} is a finite number, not {value!r}")


def _valid(name: str, text: str) -> str:
    """A text that may be an id in a file."""
    try:
        to_bytes(text)
    except InputError:
        raise OptionError(f"{name} is no valid text: {text[:50]!r}") from None
    return text


TABLES = {"csv": "text/csv", "tex": "application/x-tex"}
PICTURES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


def saved(session: Session, parameters: Parameters) -> dict[str, Any]:
    """A file of a view: its name, media type, and bytes in base 64."""
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


def first_of(address: Address, name: str) -> str | None:
    """The value of a parameter, if given."""
    return next(iter(address.get(name, ())), None)


def chosen_measure(session: Session, address: Address) -> str:
    """The measure that a view shows."""
    return first_of(address, "measure") or session.measures[0]


def chosen_runs(session: Session, address: Address) -> list[str]:
    """The chosen runs, by default all; names in the files."""
    named = dict.fromkeys(session.run_called(shown) for shown in address.get("run", ()))
    return list(named or session.campaign.runs)


def needed(session: Session, runs: list[str], measures: str) -> list[str] | None:
    """The runs that a command must read for these numbers: all, where values depend on the longest list."""
    padded = session.campaign.has_judgments and any(measure.of_lists for measure in parse_all(measures))
    return None if padded else runs


def command_line(session: Session, words: str, runs: Sequence[str] | None, **options: Any) -> str:
    """A command line with the inputs of the session; runs are named where a file has several."""
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
    """Values of topics in a format of TABLES."""
    return scores.to_csv(topics=True) if form == "csv" else scores.to_latex(topics=True)
