"""List the measures, or describe one: its formula, parameters, range and source; or a set of measures.

For example:
  rankgauge measures
  rankgauge measures nDCG
  rankgauge measures busy
  rankgauge measures --format json
"""

from __future__ import annotations

import argparse
import math
import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output, terminal
from rankgauge.model.tables import Table, lines
from rankgauge.schema.json_text import json_value, to_json
from rankgauge.schema.text import format_number

if TYPE_CHECKING:
    from rankgauge.cli.parser import Parser
    from rankgauge.measures import Measure, Spec


def configure(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "name", metavar="NAME", nargs="?", help="a measure, by any of its names, or a set, see below"
    )
    parser.add_argument(
        "--format",
        choices=("table", "tsv", "json"),
        metavar="FORMAT",
        help="table, tsv or json (default: table on a terminal, tsv otherwise)",
    )
    parser.make_epilog = sets_help


def sets_help() -> str:
    """The names of the sets of measures, and what they are, for the end of a help page."""
    from rankgauge.cli.parser import terminal_width
    from rankgauge.measures import set_names
    from rankgauge.measures.named_sets import TITLES

    lines = ["sets of measures, for -m wherever several can be named:"]
    for name in set_names():
        first, rest = f"  {name:<11}", " " * 13
        title = TITLES.get(name, "")
        wrapped = textwrap.wrap(title, terminal_width() - 2, initial_indent=first, subsequent_indent=rest)
        lines += wrapped or [first.rstrip()]
    return "\n".join(lines)


def run(args: argparse.Namespace) -> int:
    """Print the list, or all that is known of one measure."""
    from rankgauge.measures import MEASURES, named_set, parse

    if args.name is not None and (members := named_set(args.name)):
        record_of = set_record(args.name, members)
        output.write([to_json(record_of, 2)] if args.format == "json" else describe_set(**record_of), None)
        return 0
    if args.name is not None:
        spec = MEASURES.search(args.name) or parse(args.name).spec
        output.write([to_json(record(spec), 2)] if args.format == "json" else describe(spec), None)
        return 0
    form = output.suitable(args.format, None)
    if form == "json":
        output.write([to_json([record(spec) for spec in MEASURES.values()], 2)], None)
        return 0
    table = Table(
        ("measure", "title", "trec_eval", "example"),
        [(spec.name, spec.title, ", ".join(spec.trec), spec.example) for spec in MEASURES.values()],
    )
    if form == "table" and sys.stdout.isatty():
        terminal.show(table)
    else:
        output.write(lines(table, form), None)
    return 0


def record(spec: Spec) -> dict[str, Any]:
    """The description of a measure as JSON; null is an open bound or no default."""
    return {
        "name": spec.name,
        "title": spec.title,
        "formula": spec.formula,
        "help": spec.help,
        "cite": spec.cite,
        "example": spec.example,
        "cutoff": spec.curve,
        "at": spec.names.at,
        "bounds": json_value(spec.bounds),
        "direction": spec.direction,
        "parameters": [
            {
                "name": p.name,
                "allowed": p.kind.words,
                "default": p.written_default,
                "required": p.required,
                "help": p.help,
            }
            for p in spec.parameters
        ],
        "trec_eval": spec.trec,
        "aliases": spec.aliases,
        "sets": spec.sets,
        "variants": spec.variants,
        "caution": spec.shows.caution,
    }


def set_record(name: str, members: tuple[Measure, ...]) -> dict[str, Any]:
    """The description of a set of measures as JSON."""
    from rankgauge.measures.named_sets import TITLES

    return {"name": name, "title": TITLES.get(name, ""), "measures": [str(member) for member in members]}


def describe_set(name: str, title: str, measures: list[str]) -> Iterator[str]:
    """The lines of the description of a set of measures."""
    yield from textwrap.wrap(f"{name}: {title}" if title else name, 100)
    yield ""
    yield from (f"  {measure}" for measure in measures)


def describe(spec: Spec) -> Iterator[str]:
    """The lines of a measure's description."""
    yield f"{spec.name}: {spec.title}"
    yield ""
    yield f"    {spec.formula}"
    yield ""
    yield spec.help
    yield ""
    facts = {
        "cutoff": f"{spec.name}@k, or none"
        if spec.curve
        else f"{spec.name}@{spec.names.at}"
        if spec.names.at
        else "none",
        "range": f"{_bound(spec.bounds[0])} to {_bound(spec.bounds[1])}",
        "better": {1: "higher", -1: "lower"}.get(spec.direction, ""),
        "trec_eval": ", ".join(spec.trec),
        "also": ", ".join(spec.aliases),
        "sets": ", ".join(spec.sets),
        "example": spec.example,
        "variants": ", ".join(spec.variants),
        "source": spec.cite,
        "caution": spec.shows.caution,
    }
    for name, fact in facts.items():
        if fact:
            yield f"{name:<12}{fact}"
    yield ""
    yield "parameters"
    for p in spec.parameters:
        default = f"{p.name}={p.written_default or ''}"
        text = "; ".join(part for part in (p.help, p.kind.words) if part)
        yield from textwrap.wrap(text, 100, initial_indent=f"  {default:<22}  ", subsequent_indent=" " * 26)


def _bound(bound: float) -> str:
    return format_number(bound) if math.isfinite(bound) else "any number"
