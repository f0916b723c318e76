"""Collect the first documents of several runs, each once, for people to judge.

For example:
  rankgauge pool runs/*.gz --depth 50 -o pool.csv
  rankgauge pool runs/*.gz --depth 50 --judged qrels.txt --format trec -o to_judge.txt
  rankgauge pool runs/*.gz --depth all --format trec -o votes.txt
  rankgauge pool runs/*.gz --depth 10 --show overlap

Documents are listed by topic and id: their order says nothing of who found them, and where. As trec they
are judgments whose grade is the number of runs that have the document: votes.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output, terminal
from rankgauge.cli.evaluate import tell
from rankgauge.cli.inputs import add_inputs, chosen_inputs
from rankgauge.cli.options import add_output, add_rules, add_work, chosen, whole_number
from rankgauge.errors import OptionError
from rankgauge.model import document_order
from rankgauge.model.tables import FORMATS, lines

if TYPE_CHECKING:
    from rankgauge.model.tables import Table
    from rankgauge.studies.assessment import DocumentPool

SHOWN = {
    "documents": "each document with its topic, its votes and its best rank (default)",
    "topics": "how many documents each topic has",
    "runs": "how many documents each run has, and how many no other run has",
    "overlap": "for every two runs, documents of both by documents of either, mean over topics",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s RUN... [--depth N] [--show WHAT] [--format FORMAT] [-o FILE] [options]"
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files of results; - is standard input")
    parser.add_argument(
        "--depth",
        type=_depth,
        default=100,
        metavar="N",
        help="how many documents of each run and topic are taken; all takes every one (default 100)",
    )
    parser.add_argument(
        "--show",
        choices=tuple(SHOWN),
        default="documents",
        metavar="WHAT",
        help="what is written\n" + "\n".join(f"  {word}: {what}" for word, what in SHOWN.items()),
    )
    parser.add_argument("--judged", metavar="QRELS", help="leave out what has a judgment in this file")
    add_output(parser, (*FORMATS, "trec"))
    add_work(parser, "no notes")
    add_inputs(parser)
    add_rules(parser, document_order.OPTIONS, one_order=True)


def _depth(text: str) -> int | None:
    read: Any = whole_number(1, "--depth")
    return None if text == "all" else read(text)


def run(args: argparse.Namespace) -> int:
    """Pool, and write what was asked for."""
    from rankgauge.model.qrels import Qrels
    from rankgauge.studies.assessment import pool

    form = output.suitable(args.format, args.output)
    if form == "trec" and args.show != "documents":
        raise OptionError(f"trec holds documents, not {args.show}; choose one of {', '.join(FORMATS)}")
    reading = chosen_inputs(args)
    rules = chosen(args, document_order.OPTIONS)
    judged = args.judged and Qrels.read(
        args.judged, reading.pop("qrels_format"), None, reading.pop("qrels_columns"), rules["duplicates"]
    )
    found = pool(
        args.runs,
        depth=args.depth,
        judged=judged,
        threads=args.threads,
        run_format=args.run_format,
        run_columns=reading["run_columns"],
        **rules,
    )
    if form == "trec":
        found.qrels().write(args.output or "-", "trec")
    elif form == "table" and args.output is None and sys.stdout.isatty():
        terminal.show(_table(found, args.show), args.places)
    else:
        output.write(lines(_table(found, args.show), form, args.places), args.output)
    sys.stdout.flush()
    if not args.quiet:
        tell("note", (repr(found), *found.notes))
    return 0


def _table(found: DocumentPool, shown: str) -> Table:
    tables = {
        "documents": found.table,
        "topics": found.topics_table,
        "runs": found.runs_table,
        "overlap": found.overlap_table,
    }
    return tables[shown]()
