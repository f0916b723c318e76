"""Compare the labels of judges, such as language models, with human judgments, and their effect on runs.

For example:
  rankgauge judges human.qrels gpt-4o.qrels runs/*.gz
  rankgauge judges human.qrels gpt-4o.jsonl llama.csv runs/*.gz -m AP --groups families.txt
  rankgauge judges human.qrels repeated.qrels runs/*.gz --duplicates majority
  rankgauge judges human.qrels gpt-4o.qrels runs/*.gz --table runs --format csv -o bias.csv

It begins with what each judge can and cannot be used for. A further file that holds judgments is another
judge, any other is a run; a file that names judges, in a column `judge` or the second of a TREC file, has
the labels of each. Labels that a judge gave repeatedly are combined by --duplicates.
"""

from __future__ import annotations

import argparse

from rankgauge.cli.findings import add_findings
from rankgauge.cli.options import add, add_declared, add_reading
from rankgauge.extensions.judging.commands.agreement import add_sets, show_sets


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.judging import judges

    parser.usage = "%(prog)s HUMAN JUDGE [JUDGE...] [RUN...] [-m MEASURE] [--groups FILE] [options]"
    add(parser, "qrels", metavar="HUMAN", help="file of human judgments")
    add_sets(parser, "JUDGE", "file of the labels of a judge")
    parser.add_argument(
        "-m", "--measure", default="nDCG@10", metavar="MEASURE", help="a measure (default nDCG@10)"
    )
    add_declared(parser, judges, "groups", "samples", "seed", groups="FILE")
    add_findings(parser)
    add_reading(parser)


def run(args: argparse.Namespace) -> int:
    """Compare the judges and write the findings."""
    from rankgauge.extensions.judging import judges

    options = {name: getattr(args, name) for name in ("measure", "groups", "samples", "seed")}
    return show_sets(args, judges, **options)
