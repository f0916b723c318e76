"""What `rankgauge convert` makes of a journal: judgments, conflicts, who did what."""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.options import add_choice, group
from rankgauge.errors import OptionError
from rankgauge.extensions.judging.decisions import RESOLVE, Decisions
from rankgauge.extensions.judging.journal import Journal
from rankgauge.formats.json import names
from rankgauge.formats.source import Source
from rankgauge.model.output.table_cells import PLACES
from rankgauge.model.output.tables import FORMATS
from rankgauge.schema.text import unknown_name

SHOWN = {
    "judgments": "a grade for each document (default)",
    "decisions": "all decisions in their order, also those that do not count any more",
    "assessors": "how many documents each assessor has judged and skipped",
    "conflicts": "documents to which assessors gave different grades",
}
OPTIONS = ("show", "assessor", "resolve")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of a journal."""
    of_journal = group(parser, "journal of judgments")
    add_choice(of_journal, "--show", SHOWN, "what to write of a journal", metavar="WHAT")
    of_journal.add_argument("--assessor", metavar="NAME", help="only what this person decided")
    text = "the grade of a document that several people judged (default majority)"
    add_choice(of_journal, "--resolve", RESOLVE, text, metavar="HOW")


def holds(args: argparse.Namespace) -> bool:
    """Whether the input is a journal, or is to be read as one."""
    if any(getattr(args, name) is not None for name in OPTIONS):
        return True
    return args.format is None and {"time", "assessor", "topic", "document"} <= {*names(Source(args.input))}


def run(args: argparse.Namespace) -> int:
    """Write what was asked for."""
    decisions, shown = Journal.read(args.input), args.show or "judgments"
    if args.assessor is not None and args.assessor not in decisions.assessors:
        nobody = "" if decisions.assessors else "the journal has no decisions yet"
        raise OptionError(unknown_name("assessor", args.assessor, decisions.assessors, nobody))
    if shown == "judgments":
        decisions.qrels(args.assessor, args.resolve or "majority").write(args.output, args.to)
        return 0
    path = None if args.output == "-" else args.output
    table = getattr(Decisions, f"{'made' if shown == 'decisions' else shown}_table")
    form = output.suitable(args.to, path, option="--to")
    if form not in FORMATS:
        raise OptionError(
            f"{form} is for runs and judgments, not for {shown}; use one of {', '.join(FORMATS)}"
        )
    output.show(table(decisions, args.assessor), form, path, PLACES)
    return 0
