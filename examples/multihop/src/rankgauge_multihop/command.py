"""Show how many questions have all their documents near the top.

For example:
  rankgauge multihop qrels.txt bm25.run dense.run
  rankgauge multihop qrels.txt runs/*.run --depths 2,4,8 --format csv -o complete.csv
"""

import argparse

import rankgauge
from rankgauge.cli import output
from rankgauge.cli.options import add, whole_number
from rankgauge.cli.output_options import add_output
from rankgauge.model.output.tables import FORMATS, Table

DEPTHS = (2, 5, 10)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [--depths K,...] [--format FORMAT] [-o FILE] [options]"
    add(parser, "qrels", "runs")
    parser.add_argument(
        "--depths",
        type=lambda text: [whole_number(1, "--depths")(part) for part in text.split(",")],
        default=DEPTHS,
        metavar="K,...",
        help=f"numbers of documents to look at (default {','.join(map(str, DEPTHS))})",
    )
    add_output(parser, FORMATS)


def run(args: argparse.Namespace) -> int:
    """Print the share of questions that are complete at each depth, a row for each run."""
    measures = [f"AllFound@{depth}" for depth in args.depths]
    means = rankgauge.evaluate(args.qrels, args.runs, measures).mean()
    table = Table(("run", *measures), [(name, *values.values()) for name, values in means.items()])
    output.show(table, output.suitable(args.format, args.output), args.output, args.places)
    return 0
