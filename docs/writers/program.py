"""The pages on options, commands, errors and the Python names."""

import argparse
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any

import rankgauge
from rankgauge import errors
from rankgauge.cli import main as cli
from rankgauge.cli.parser import parser
from rankgauge.comparison import MeasureComparison, Pair
from rankgauge.extensions.studies.simulation import SHUFFLE, Campaign
from rankgauge.model import rules
from rankgauge.model.validation import Report
from rankgauge.schema.extensions import EXTENSIONS
from rankgauge.schema.registry import errors_of
from writers.markup import code, described, fenced, prose, sentence, signature, table

OPTIONS = rules.OPTIONS
EXITS = {
    cli.SUCCESS: "success",
    1: "a check found problems (`validate`, `--fail-if`)",
    cli.USAGE: "invalid input or usage, explained on standard error; no partial file is written",
    cli.BUG: "a bug in rankgauge; set `RANKGAUGE_DEBUG=1` to see a traceback",
    cli.INTERRUPTED: "interrupted from the keyboard",
    cli.BROKEN_PIPE: "the reader of the output, such as `head`, closed the pipe",
    143: "ended by SIGTERM (129: by SIGHUP); no partial file and no temporary copy is left",
    "other": "`rankgauge trec_eval` has the exit codes of trec_eval: see its help",
}

MODULES = {  # {public module: the names to document}
    "assessment": ("pool", "downsample", "agreement", "estimate_recall"),
    "compat": (),  # its modules have the names of other tools, and a guide each
    "dense": ("evaluate", "retrieve"),
    "diversity": (
        *("relevance", "judged_relevance", "likely_relevance", "novel_relevance", "gain_vector"),
        *("read_patterns", "judge", "check", "combined"),
    ),
    "effort": ("ideal_run", "worst_run", "full_scale_run", "bounds", "archetype_of", "quadrants"),
    "examples": ("names", "load"),
    "figures": ("figures", "figure", "Figure"),
    "groups": ("evaluate",),
    "measures": ("parse_all", "named_set", "set_names"),
    "items": ("evaluate", "inverse_propensities"),
    "nuggets": ("evaluate",),
    "ratings": ("evaluate",),
    "preferences": ("evaluate", "read", "from_qrels"),
    "spark": ("evaluate", "read_trec"),
    "studies": ("study", "Campaign", "Findings"),
}


def _lack() -> None:
    raise errors.MissingExtension("rankgauge.fuse", "tools", EXTENSIONS["tools"].title)


def _miss() -> None:
    raise errors.MissingDependency("a .zst file", "backports.zstd", "zstd")


def _fail() -> None:
    def value() -> None:
        raise ZeroDivisionError("division by zero")

    value.__module__ = "my_package.measures"
    with errors_of("measure", "MyMeasure", value):
        value()


MISTAKES: dict[type[Exception], Callable[[], Any]] = {
    errors.RankgaugeError: lambda: rankgauge.parse("nDGC@10"),
    errors.InputError: lambda: rankgauge.evaluate({"1": {"d": 1}}, {"1": {"d": float("nan")}}, "AP"),
    errors.NoCommonTopic: lambda: rankgauge.evaluate({"1": {"d": 1}}, {"01": {"d": 1.0}}, "AP"),
    errors.JournalError: lambda: rankgauge.assessment.Journal.read("journal.jsonl"),
    errors.MeasureError: lambda: rankgauge.parse("nDCG(gain=exp2)@10"),
    errors.OptionError: lambda: rules.DocumentOrder(ties="docid"),
    errors.ExtensionError: _fail,
    errors.MissingDependency: _miss,
    errors.MissingExtension: _lack,
}


def options() -> Iterator[str]:
    """Every option that is a choice between named rules."""
    yield "# Options\n"
    yield """Each is a keyword of `evaluate`, `curves` and `Evaluator`, and an option of `rankgauge evaluate`.
The first rule is the default. Scores record the rules they were computed with
(`Scores.provenance.options`).
"""
    for option in (*OPTIONS, SHUFFLE):
        yield f"## {option.name}\n"
        yield f"{sentence(option.title)}\n"
        yield table(("rule", "effect"), ((code(word), effect) for word, effect in option.rules.items()))
        last = list(option.rules)[-1]
        flag = option.name.replace("_", "-")
        where = "" if option in OPTIONS else " (of `Campaign.write` and `rankgauge simulate`)"
        yield f'Example: `{option.name}="{last}"`, `--{flag} {last}`{where}\n'


def commands() -> Iterator[str]:
    """Every command with its help."""
    yield "# Commands\n"
    yield "`rankgauge COMMAND --help` prints the same. See also [exit codes](errors.md#exit-codes).\n"
    (parsers,) = (action.choices for action in parser()._actions if isinstance(action.choices, dict))
    for name, command in parsers.items():
        yield f"## {name}\n"
        positional = [action for action in command._actions if not action.option_strings]
        yield fenced(" ".join(["rankgauge", name, *map(_place, positional), "[options]"]))
        for part in command.description.strip().split("\n\n"):
            yield fenced(part) if part.startswith("For example") else f"{part}\n"
        yield table(("argument", "meaning"), ((code(_call(a)), _help(a)) for a in command._actions))


def _place(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    return {"+": f"{name}...", "?": f"[{name}]"}.get(str(action.nargs), name)


def _call(action: argparse.Action) -> str:
    if not action.option_strings:
        return _place(action)
    value = "" if action.nargs == 0 else f" {action.metavar or '|'.join(action.choices or ())}"
    return ", ".join(action.option_strings) + value


def _help(action: argparse.Action) -> str:
    return "\n".join(line.strip() for line in (action.help or "").replace("%%", "%").splitlines())


def errors_and_exits() -> Iterator[str]:
    """The tree of errors, an example message of each, and the exit codes."""
    yield "# Errors and exit codes\n"
    yield prose(errors.__doc__)
    for kind, mistake in MISTAKES.items():
        yield f"## {kind.__name__}\n"
        yield prose(kind.__doc__)
        try:
            mistake()
        except kind as error:
            yield fenced(str(error))
    yield "## Exit codes\n"
    yield table(("code", "meaning"), EXITS.items())


def python_names() -> Iterator[str]:
    """Every public name with signature and docstring."""
    yield "# Python\n"
    yield """All names are attributes of `rankgauge`, except `Campaign`, `MeasureComparison`, `Pair` and
`Report`: these are the classes of what some functions return.
"""
    public = {name: getattr(rankgauge, name) for name in rankgauge.__all__ if not name.startswith("_")}
    public |= {"Campaign": Campaign, "MeasureComparison": MeasureComparison, "Pair": Pair, "Report": Report}
    for name in sorted(public, key=lambda name: (not name.islower(), name)):  # functions, then classes
        value = public[name]
        yield f"## {name}\n"
        if callable(value):
            yield fenced(signature(name, value))
        yield prose(value.__doc__)
        yield from described(value)
        if isinstance(value, type):
            members = dict.fromkeys(n for kind in reversed(value.__mro__[:-1]) for n in vars(kind))
            yield from _members(value, (member for member in members if not member.startswith("_")))
        elif not callable(value):
            yield from _members(value, MODULES[name])


def _members(owner: Any, names: Iterable[str]) -> Iterator[str]:
    title = owner.__name__.rpartition(".")[2]
    for name in names:
        value = getattr(owner, name)
        if isinstance(value, (property, cached_property)):
            yield fenced(f"{title}.{name}")
            yield prose(value.__doc__)
        elif callable(value):
            bound = isinstance(owner, type) and not hasattr(value, "__self__")
            shown = signature(f"{title}.{name}", value, bound=bound)
            yield fenced(re.sub("-> R$", f"-> {title}", shown))  # R stands for the class itself
            yield prose(value.__doc__)
