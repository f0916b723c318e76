"""List every problem of runs or judgments, with line numbers, and say what the files look like.

For example:
  rankgauge validate bm25.run
  rankgauge validate runs/*.gz --qrels qrels.txt
  rankgauge validate judgments.csv --kind qrels --json

A problem is what evaluation would refuse; remarks change nothing. Exit code 1 when there is a problem.
"""

from __future__ import annotations

import argparse
import sys

from rankgauge.cli.inputs import add_input, columns_of
from rankgauge.cli.options import whole_number
from rankgauge.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="runs or judgments; - is standard input")
    parser.add_argument("--qrels", metavar="QRELS", help="judgments, whose topics the runs should have")
    parser.add_argument(
        "--limit",
        type=whole_number(0, "--limit"),
        default=10,
        metavar="N",
        help="problems of each kind to tell one by one; all are counted (default 10)",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list with an object for each file")
    add_input(parser, "--format")


def run(args: argparse.Namespace) -> int:
    """Print a report on each file; 1 when any has a problem, 2 when one cannot be opened."""
    from rankgauge.formats.source import expand
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.tables import printable
    from rankgauge.model.validation import validate
    from rankgauge.schema.json_text import to_json

    qrels = Qrels.read(args.qrels) if args.qrels else None
    names = columns_of(args.columns)
    reports, status = [], 0
    for pattern in args.files:
        try:
            found = [
                validate(file, qrels, args.kind, args.format, names, args.limit) for file in expand(pattern)
            ]
        except InputError as error:  # no such file, and the like: the others are still looked at
            print(f"rankgauge: {printable(str(error))}", file=sys.stderr)
            status = 2
            continue
        reports += found
        for report in found:
            status = max(status, 0 if report.ok else 1)
            if not args.json:
                print("\n".join(map(printable, str(report).splitlines())))
    if args.json:
        print(to_json([report.as_dict() for report in reports], indent=2))
    return status
