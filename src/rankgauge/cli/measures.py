"""List the well-known measures, or all; or describe one, by any of its names; or a set of measures.

A description has formula, parameters, range, names and source. Case and - or _ in names do not matter; where
several measures have names that differ only so, exact text wins.

For example:
  rankgauge measures
  rankgauge measures --all
  rankgauge measures nDCG
  rankgauge measures hit_rate
  rankgauge measures busy
"""

from __future__ import annotations

import argparse
import math
import re
import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Any

from rankgauge.cli import output
from rankgauge.cli.parser import Parser, listing
from rankgauge.measures import MEASURES, Measure, Spec, named, named_set, parse, set_names
from rankgauge.measures.language import refuse_foreign, set_name
from rankgauge.measures.named_sets import TITLES
from rankgauge.measures.spec import meanings
from rankgauge.model.output.tables import Table, lines
from rankgauge.schema.json_text import json_value, to_json
from rankgauge.schema.registry import fold
from rankgauge.schema.text import format_number, terminal_width

WIDEST = 100  # columns of text
SHORTEST_PART = 3  # of a name that is searched for


def configure(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="a measure, by any of its names, or part of a name; or a set (--help --all lists them)",
    )
    parser.add_argument("--all", action="store_true", help="list all measures, as tsv and json always do")
    parser.add_argument(
        "--format",
        choices=("table", "tsv", "json"),
        metavar="FORMAT",
        help="table (the default), tsv or json",
    )
    parser.make_epilog = sets_help


def sets_help() -> str:
    """The names and titles of sets of measures, for help."""
    head = "sets of measures, for -m wherever several can be named:"
    return listing(head, {name: TITLES.get(name, "") for name in set_names()}, 18)


def run(args: argparse.Namespace) -> int:
    """Print the list, or all that is known of one measure."""
    if args.name is not None and (members := named_set(args.name)):
        record_of = set_record(set_name(args.name), members)
        output.write([to_json(record_of, 2)] if args.format == "json" else describe_set(**record_of), None)
        return 0
    listed = list(MEASURES.values())
    if args.name is not None:
        refuse_foreign(args.name)
        match = MEASURES.match(args.name)
        listed = [] if match else containing(args.name)
        if not listed:
            measure = named(args.name) if match else parse(args.name)
            about = describe(measure.spec, args.name, measure)
            output.write([to_json(record(measure.spec), 2)] if args.format == "json" else about, None)
            return 0
    form = args.format or "table"
    if form != "table":
        listed.sort(key=lambda spec: not spec.well_known)
    if form == "json":
        output.write([to_json([record(spec) for spec in listed], 2)], None)
    elif form == "table":
        output.write(by_family(listed, all_of_them=args.all or args.name is not None), None)
    else:
        rows = [
            (spec.name, spec.title, ", ".join(spec.trec), spec.example, spec.family.rpartition(".")[2])
            for spec in listed
        ]
        output.write(lines(Table(("measure", "title", "trec_eval", "example", "family"), rows), form), None)
    return 0


def containing(text: str) -> list[Spec]:
    """The measures with a name or title that contains a text."""
    part = fold(text)
    if len(part) < SHORTEST_PART:
        return []
    return [
        spec
        for spec in MEASURES.values()
        if any(part in fold(name) for name in (spec.name, *spec.aliases, *spec.trec, spec.title))
    ]


def by_family(specs: list[Spec], all_of_them: bool) -> Iterator[str]:
    """The lines of a list of measures, each on one line below its family; by default the well-known ones.

    Families with the most of these come first.
    """
    known = Counter(spec.family for spec in specs if spec.well_known)
    shown = [spec for spec in specs if all_of_them or spec.well_known]
    shown.sort(key=lambda spec: -known[spec.family])
    width = max(len(spec.name) for spec in shown)
    family = ""
    for spec in shown:
        if spec.family != family:
            yield from [""] if family else []
            family = spec.family
            yield from textwrap.wrap(about(family), min(terminal_width(), WIDEST))
        yield f"  {spec.name:<{width}}  {spec.title}"
    yield ""
    if len(shown) < len(specs):
        yield f"{len(shown)} well-known of {len(specs)} measures; `rankgauge measures --all` lists all."
    yield "`rankgauge measures NAME` describes one, by any of its names."


def about(family: str) -> str:
    """The first sentence of the module of a family of measures."""
    import importlib

    text = " ".join((importlib.import_module(family).__doc__ or family).split())
    return re.split(r"(?<=\.) (?=[A-Z])", text)[0]


def record(spec: Spec) -> dict[str, Any]:
    """The description of a measure as JSON."""
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
        "tools": dict(spec.names.tools),
        "well_known": spec.well_known,
        "sets": spec.sets,
        "variants": spec.variants,
        "caution": spec.shows.caution,
    }


def set_record(name: str, members: tuple[Measure, ...]) -> dict[str, Any]:
    """The description of a set of measures as JSON."""
    return {"name": name, "title": TITLES.get(name, ""), "measures": [str(member) for member in members]}


def describe_set(name: str, title: str, measures: list[str]) -> Iterator[str]:
    """The lines of the description of a set of measures."""
    yield from textwrap.wrap(f"{name}: {title}" if title else name, 100)
    yield ""
    yield from (f"  {measure}" for measure in measures)


def describe(spec: Spec, name: str, measure: Measure) -> Iterator[str]:
    """The lines of a measure's description."""
    if str(measure) not in (spec.name, name) and "(" not in name:
        yield f"{name} is {measure}."
        yield ""
    yield f"{spec.name}: {spec.title}"
    yield ""
    yield f"    {spec.formula}"
    yield ""
    yield spec.help
    yield ""
    for name, fact in facts(spec).items():
        yield f"{name:<13} {fact}"
    yield ""
    yield "parameters"
    for p in spec.parameters:
        default = f"{p.name}={p.written_default or ''}"
        text = "; ".join(part for part in (p.help, p.kind.words) if part)
        yield from textwrap.wrap(text, 100, initial_indent=f"  {default:<22}  ", subsequent_indent=" " * 26)


def facts(spec: Spec) -> dict[str, str]:
    """{property: value} of a measure, without those that it lacks."""
    found = {
        "cutoff": f"{spec.name}@k, or none"
        if spec.curve
        else f"{spec.name}@{spec.names.at}"
        if spec.names.at
        else "none",
        "range": f"{_bound(spec.bounds[0])} to {_bound(spec.bounds[1])}",
        "better": {1: "higher", -1: "lower"}.get(spec.direction, ""),
        "trec_eval": ", ".join(spec.trec),
        **{tool: ", ".join(meanings(names)) for tool, names in spec.names.tools.items()},
        "also": ", ".join(meanings(spec.names.aliases)),
        "sets": ", ".join(spec.sets),
        "example": spec.example,
        "variants": ", ".join(spec.variants),
        "source": spec.cite,
        "caution": spec.shows.caution,
    }
    return {name: fact for name, fact in found.items() if fact}


def _bound(bound: float) -> str:
    return format_number(bound) if math.isfinite(bound) else "any number"
