"""Read what people decided in `rankgauge explore --journal`: judgments, conflicts, who did what.

For example:
  rankgauge journal journal.jsonl -o new.qrels
  rankgauge journal journal.jsonl --assessor Ann -o ann.qrels
  rankgauge journal journal.jsonl --show conflicts

The journal may be open: it is only read.
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.options import add_choice
from rankgauge.cli.output_options import add_output
from rankgauge.errors import OptionError
from rankgauge.model.output.tables import FORMATS
from rankgauge.schema.text import unknown_name

SHOWN = {
    "judgments": "a grade for each document (default)",
    "decisions": "all decisions in their order, also those that do not count any more",
    "assessors": "how many documents each assessor has judged and skipped",
    "conflicts": "documents to which assessors gave different grades",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.judging.decisions import RESOLVE

    parser.usage = "%(prog)s FILE [--assessor NAME] [--resolve HOW] [--show WHAT] [--format FORMAT] [-o FILE]"
    parser.add_argument("journal", metavar="FILE", help="the file that --journal named")
    add_choice(parser, "--show", SHOWN, "what to write", "judgments", "WHAT")
    parser.add_argument("--assessor", metavar="NAME", help="only what this person decided")
    text = "the grade of a document that several people judged"
    add_choice(parser, "--resolve", RESOLVE, text, "majority", "HOW")
    add_output(parser, (*FORMATS, "trec"))


def run(args: argparse.Namespace) -> int:
    """Write what was asked for."""
    from rankgauge.extensions.judging import Journal

    form = output.suitable(args.format, args.output, own={".qrels": "trec"})
    if form == "trec" and args.show != "judgments":
        raise OptionError(f"trec holds judgments, not {args.show}; choose one of {', '.join(FORMATS)}")
    decisions = Journal.read(args.journal)
    if args.assessor is not None and args.assessor not in decisions.assessors:
        nobody = "" if decisions.assessors else "the journal has no decisions yet"
        raise OptionError(unknown_name("assessor", args.assessor, decisions.assessors, nobody))
    if form == "trec":
        decisions.qrels(args.assessor, args.resolve).write(args.output or "-", "trec")
        return 0
    tables = {
        "judgments": lambda: decisions.table(args.assessor, args.resolve),
        "decisions": lambda: decisions.made_table(args.assessor),
        "assessors": lambda: decisions.assessors_table(args.assessor),
        "conflicts": lambda: decisions.conflicts_table(args.assessor),
    }
    output.show(tables[args.show](), form, args.output, args.places)
    return 0
