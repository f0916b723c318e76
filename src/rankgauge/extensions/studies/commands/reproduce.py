"""Run the experiment of a document on your own collections, and write its tables and figures to a folder.

For example:
  rankgauge reproduce
  rankgauge reproduce lecture -o lecture
  rankgauge reproduce twist --collection "COVID=qrels.txt,runs/*.gz" -o twist
  rankgauge reproduce q-measure --collection "A=a.qrels,a/*.run" --select teams=teams.txt -o q
  rankgauge reproduce alpha-ndcg --collection "Web=qrels.txt,runs/*" --baseline bm25 --labels names.csv -o a

The folder gets the tables (LaTeX, CSV), the figures (PDF, SVG), all numbers (JSON), a page that holds them
against what the document reports (index.html, index.md), and made-with.json: commands, seeds, versions and
input files. Run again, an interrupted command resumes where it left off.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from textwrap import wrap
from typing import Any

from rankgauge.cli import output
from rankgauge.cli.collections import (
    Collection,
    add_collections,
    add_selection,
    campaign_of,
    chosen_selection,
    named_collections,
)
from rankgauge.cli.options import add, add_declared, add_reading, chosen, chosen_labels
from rankgauge.cli.parser import Parser
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.errors import InputError, OptionError
from rankgauge.extensions.studies.papers import EXPERIMENTS, Part, reproduce
from rankgauge.extensions.studies.papers.folder import PLACES
from rankgauge.formats.source import open_file
from rankgauge.model.output.tables import Table
from rankgauge.schema.text import counted, terminal_width


def configure(parser: Parser) -> None:
    """Add the arguments."""
    parser.usage = "%(prog)s [NAME --collection NAME=QRELS,RUN... -o FOLDER [options]]"
    name = parser.add_argument(
        "name", metavar="NAME", nargs="?", help="the experiment; without a name, all of them are listed"
    )
    name.names = EXPERIMENTS  # type: ignore[attr-defined]  # for completion
    add_collections(parser)
    parser.add_argument("-o", "--output", dest="folder", metavar="FOLDER", help="the folder to write to")
    parser.set_defaults(output=None, replaces=PLACES)
    parser.add_argument(
        "--part",
        action="append",
        default=[],
        dest="parts",
        metavar="PART",
        help="make only this table or figure, such as table-2; repeatable",
    )
    parser.add_argument(
        "--run",
        action="append",
        default=[],
        dest="chosen_runs",
        metavar="RUN",
        help="a run to compare with the baseline (alpha-ndcg); repeatable",
    )
    add(parser, "--labels")
    add_selection(parser)
    add_declared(parser, reproduce, "baseline", "samples", "seed", "again", baseline="RUN")
    add_reading(parser)
    parser.make_epilog = _experiments_help


def _experiments_help() -> str:
    lines, indent, width = ["experiments:"], " " * 4, terminal_width() - 2
    for each in EXPERIMENTS.values():
        lines.append(f"  {each.name}")
        for text in (each.help, f"source: {each.cite}"):
            lines += wrap(
                text, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
            )
    return "\n".join(lines)


def run(args: argparse.Namespace) -> int:
    """Reproduce an experiment; without a name, list the experiments."""
    if args.name is None:
        rows = [(each.name, each.title, ", ".join(each.parts)) for each in EXPERIMENTS.values()]
        output.show(Table(("experiment", "title", "parts"), rows))
        return 0
    experiment = EXPERIMENTS.find(args.name)
    collections = named_collections(args)
    experiment.require_collections(len(collections))
    if args.folder is None:
        raise OptionError(f"name the folder to write to, such as -o {experiment.name}")
    folder = Path(args.folder)
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file; name a folder to write to", path=args.folder)
    selection = chosen_selection(args)
    options = {**chosen(args), **({"select": selection} if selection else {})}
    if "teams" in selection:
        options["teams"] = _digest(selection["teams"])
    result = reproduce(
        experiment.name,
        {
            each.name: functools.partial(campaign_of, each, args, experiment.needs_subtopics)
            for each in collections
        },
        folder,
        parts=args.parts,
        samples=args.samples,
        seed=args.seed,
        baseline=args.baseline,
        runs=args.chosen_runs,
        labels=chosen_labels(args),
        again=args.again,
        inputs={each.name: {**_files(each), "options": options} for each in collections},
        command=shlex.join(["rankgauge", *sys.argv[1:]]),
        progress=None if args.quiet or not sys.stderr.isatty() else _print_progress,
    )
    output.print_notes("note", result.notes, quiet=args.quiet)
    for reason in result.failed.values():
        output.print_message(f"note: not made: {reason}")
    output.print_line(str(folder / "index.html"))
    return 0


def _files(collection: Collection) -> dict[str, Any]:
    files = {"qrels": collection.qrels, "subtopics": collection.subtopics}
    files |= {"probabilities": collection.probabilities, "alphas": collection.alphas}
    runs = {each.name: each.source for each in resolve_runs(list(collection.runs))} if collection.runs else {}
    return {
        **{kind: _digest(path) for kind, path in files.items() if path is not None},
        "runs": {name: _digest(path) for name, path in runs.items()},
    }


def _digest(path: str) -> Mapping[str, str]:
    digest, place = hashlib.sha256(), Path(path)
    if path == "-" or place.is_fifo():
        raise OptionError(
            "an experiment reads its files more than once; standard input can be read only once"
        )
    files = sorted(each for each in place.rglob("*") if each.is_file()) if place.is_dir() else [place]
    for file in files:
        with open_file(str(file), path) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return {"path": path, "sha256": digest.hexdigest()}


def _print_progress(part: Part, number: int, parts: int, left: float | None) -> None:
    rest = f"; about {_duration(left)} left" if left is not None else ""
    output.print_message(f"[{number}/{parts}] {part.title}{rest}")


def _duration(seconds: float) -> str:
    if seconds < 60:
        return counted(max(1, round(seconds)), "second")
    return counted(round(seconds / 60), "minute")
