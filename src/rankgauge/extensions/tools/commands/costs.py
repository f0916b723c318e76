"""Add the costs of documents to judgments, for TBG and U_measure.

For example:
  rankgauge costs qrels.txt lengths.tsv runs/*.run -o timed.qrels --fixed 12.2 --per-unit 0.018
  rankgauge evaluate timed.qrels runs/*.run -m "TBG(cost=20)@1000 nDCG@10"

FILE has a document and its length, in characters or seconds, per line. Costs are grades below 0 for the
subtopic `cost` in the file written; other measures have the values that they have without.
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.options import add, add_declared


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    from rankgauge.extensions.tools.costs import with_costs

    parser.usage = "%(prog)s QRELS FILE RUN... [-o OUT] [--fixed X] [--per-unit X]"
    add(parser, "qrels")
    parser.add_argument("lengths", metavar="FILE", help="a file of documents and their lengths")
    add(parser, "runs")
    parser.add_argument(
        "-o", "--output", default="-", metavar="OUT", help="the judgments to write (default: standard output)"
    )
    add_declared(parser, with_costs, "fixed", "per_unit", fixed="X", per_unit="X")
    add(parser, "--quiet")


def run(args: argparse.Namespace) -> int:
    """Write the judgments with costs."""
    from rankgauge.extensions.tools.costs import with_costs

    with output.progress("reading", shown=not args.quiet):
        judged = with_costs(args.qrels, args.lengths, args.runs, fixed=args.fixed, per_unit=args.per_unit)
    judged.write(args.output, None)
    return 0
