"""List every problem of runs or judgments, with line numbers, and say what the files look like.

For example:
  rankgauge validate bm25.run
  rankgauge validate runs/*.gz --qrels qrels.txt
  rankgauge validate judgments.csv --kind qrels --json

A problem is what evaluation would refuse; remarks change nothing. Exit code 1 when there is a problem.
"""

from __future__ import annotations

import argparse

from rankgauge.cli.inputs import add_input, columns_of
from rankgauge.cli.options import whole_number


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
    """Print a report on each file; 1 when any has a problem."""
    from rankgauge.formats import expand
    from rankgauge.model.qrels import Qrels
    from rankgauge.tables import printable, to_json
    from rankgauge.validation import validate

    qrels = Qrels.read(args.qrels) if args.qrels else None
    files = [file for pattern in args.files for file in expand(pattern)]
    names = columns_of(args.columns)
    reports = (validate(file, qrels, args.kind, args.format, names, args.limit) for file in files)
    if args.json:
        found = list(reports)
        print(to_json([report.as_dict() for report in found], indent=2))
        return 0 if all(report.ok for report in found) else 1
    fine = True
    for report in reports:
        fine = fine and report.ok
        print("\n".join(map(printable, str(report).splitlines())))
    return 0 if fine else 1
