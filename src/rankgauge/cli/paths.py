"""Which arguments of a command are paths, and which of these it reads: help calls them by a few names."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from rankgauge.errors import OptionError
from rankgauge.formats.source import NamedPath, named

FILES = ("QRELS", "RUN", "QRELS RUN", "OLD NEW", "OTHER", "TABLE", "FILE", "IN", "OUT")
DIRECTORIES = ("DIR", "FOLDER")
RUNS = ("RUN", "QRELS RUN", "OLD NEW", "FILE")  # arguments that can name a run: NAME=path
WRITTEN = ("output", "run_file")  # arguments that are written
RUNS_HELP = "run files, or NAME=FILE to name a run; - is standard input"


def kind_of(action: argparse.Action) -> str | None:
    """Whether an argument is the path of a file or of a directory; None if it is no path.

    An option that takes RUN names a run, by its path or otherwise; one that takes TABLE names a table.
    """
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
    """The texts in the value of an argument, which may be lists of lists."""
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
