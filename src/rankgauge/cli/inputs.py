"""The input of commands: paths among their arguments, judgments and runs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection as Container
from collections.abc import Iterable, Iterator
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.formats.source import NamedPath, named, run_name
from rankgauge.model.rules import CorrectedInputs

FILES = (
    "QRELS",
    "RUN",
    "QRELS RUN",
    "OLD NEW",
    "OTHER",
    "ORIGINAL",
    "AGAIN",
    "AGAINST",
    "TABLE",
    "TOPICS",
    "FILE",
    "IN",
    "OUT",
)
DIRECTORIES = ("DIR", "FOLDER")
RUNS = (
    "RUN",
    "ORIGINAL",
    "AGAIN",
    "AGAINST",
    "QRELS RUN",
    "OLD NEW",
    "FILE",
)  # arguments that can name a run: NAME=path
WRITTEN = ("output", "run_file", "requests", "record")  # arguments that are written


def kind_of(action: argparse.Action) -> str | None:
    """Whether an argument is a file, a directory, or no path (None)."""
    if action.metavar in DIRECTORIES:
        return "directory"
    is_table = action.metavar == "TABLE" and action.option_strings
    return "file" if action.metavar in FILES and not is_table else None


def read_by(args: argparse.Namespace) -> Iterator[str]:
    """The paths and patterns that a command is to read."""
    for action in args.parser._actions:
        value = getattr(args, action.dest, None)
        if action.dest == "select":
            yield from (rule.removeprefix("teams=") for rule in value or () if rule.startswith("teams="))
        elif action.dest == "collections":
            for collection in value or ():
                yield from collection.paths
        elif action.option_strings and action.metavar == "RUN":
            continue  # the name of a run
        elif action.dest not in WRITTEN and kind_of(action) == "file":
            yield from _texts(value)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def name_runs(args: argparse.Namespace) -> None:
    """Replace NAME=path among the files of a command by paths that know the names of their runs.

    A command that reads one file shows no names, and refuses them.
    """
    for action in args.parser._actions:
        files = getattr(args, action.dest, None)
        if action.option_strings or action.metavar not in (*RUNS, "IN"):
            continue
        if isinstance(files, list):
            setattr(args, action.dest, [named(file) for file in files])
        elif isinstance(files, str) and isinstance(path := named(files), NamedPath) and os.path.exists(path):  # noqa: PTH110
            raise OptionError(f"{files}: the results of this command have no names of runs; pass {path}")


def run_called(text: str, runs: Container[str], files: Iterable[str]) -> str:
    """The name of a run from its name, its path or NAME=path."""
    if text in runs:
        return text
    paths = {str(file): run_name(file) for file in files}
    name = paths.get(text) or run_name(named(text))
    return name if name in runs else text


def column_names(text: str) -> dict[str, str]:
    """{role: column name} from the text of an option."""
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(role and name for role, _, name in pairs):
        raise OptionError(f"column names look like topic=my_q,doc=my_d, not {text!r}")
    return {role.strip(): name.strip() for role, _, name in pairs}


def chosen_qrels(args: argparse.Namespace, path: str | None = None) -> Any:
    """The judgments of a path, by default QRELS; a path unless options on subtopics apply."""
    path = path or args.qrels
    if args.subtopic_probabilities is None and args.topic_alphas is None:
        return path
    return subtopic_qrels(args, path, args.subtopic_probabilities, args.topic_alphas)


def subtopic_qrels(args: argparse.Namespace, path: str, probabilities: str | None, alphas: str | None) -> Any:
    """Judgments by subtopic, with probabilities and alphas."""
    from rankgauge.model.subtopics import SubtopicQrels

    qrels = SubtopicQrels.read(
        path,
        format=args.qrels_format,
        columns=args.qrels_columns,
        duplicates=args.duplicates,
        grades=args.grades,
    )
    if probabilities is not None:
        qrels = qrels.with_subtopic_probabilities(probabilities)
    return qrels if alphas is None else qrels.with_alphas(alphas)


def refuse_input_options(
    args: argparse.Namespace, what: str = "a file of scores", but: Container[str] = ()
) -> None:
    """Refuse options on judgments or runs with something that has none, `but` some."""
    refuse_judgment_options(args, what, but)
    for name in CorrectedInputs.__annotations__:
        default = args.parser.get_default(name)  # a setting of the project, if there is one
        if name not in but and getattr(args, name, default) != default:
            raise OptionError(
                f"--{name.replace('_', '-')} is for judgments and runs, and {what} has none; "
                "pass judgments and runs, or leave it out"
            )


def refuse_judgment_options(args: argparse.Namespace, what: str, but: Container[str] = ()) -> None:
    """Refuse options that change judgments with something that has none."""
    for option in ("grades", "subtopic_probabilities", "topic_alphas", "human_qrels", "human_sample"):
        if option not in but and getattr(args, option, None) != args.parser.get_default(option):
            raise OptionError(
                f"--{option.replace('_', '-')} changes judgments, and {what} has none; "
                "pass judgments and runs, or leave it out"
            )
