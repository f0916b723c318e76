"""Check, pool and evaluate the runs of a folder, and write reports, pages to hand out and an index.

For example:
  rankgauge campaign track2026
  rankgauge campaign track2026 --topics topics.tsv --max-depth 1000 --tag '[A-Za-z0-9_.-]{1,20}'
  rankgauge campaign track2026 --qrels qrels.final.txt -m "nDCG@10 AP" -o website

Runs are the files below DIR/runs, or else those in DIR that can be read as runs; judgments are the file in
DIR that can be read as such. Without judgments, the files are checked and pooled. The exit code is 1 if a
file has a problem: it cannot be read, breaks a rule, lacks topics, or has the results or the tag of another
run. Of several such files, the one that is named after its tag is taken for the original, if it is alone.
"""

from __future__ import annotations

import argparse
import shlex
import sys

from rankgauge.cli import output
from rankgauge.cli.options import (
    CAMPAIGN,
    SHARED,
    add,
    add_measures,
    add_reading,
    chosen,
    chosen_labels,
    chosen_submission_rules,
    whole_number,
)
from rankgauge.errors import InputError
from rankgauge.extensions.pages.reports import PROFILES
from rankgauge.extensions.pages.reports.campaigns import organise
from rankgauge.model.output.tables import printable
from rankgauge.model.rules import Inputs
from rankgauge.model.texts import Texts


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.usage = "%(prog)s DIR [--qrels FILE] [--runs PATTERN]... [-o DIR] [options]"
    parser.add_argument("directory", metavar="DIR", help="the folder with the judgments and the runs")
    parser.add_argument("--qrels", metavar="QRELS", help="the judgments (default: those in the folder)")
    parser.add_argument(
        "--runs",
        action="append",
        default=[],
        metavar="PATTERN",
        help="the runs, such as 'submissions/*.gz' (default: those in the folder); repeatable",
    )
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", help="the folder to write into (default: results, in DIR)"
    )
    add(parser, "--title", help="the title of the pages")
    parser.add_argument(
        "--profile",
        choices=tuple(PROFILES),
        default="adhoc",
        metavar="PROFILE",
        help="the measures to show, as in `rankgauge report` (default adhoc)",
    )
    add_measures(parser, "measures instead of those of the profile; runs are ordered by the first")
    parser.add_argument(
        "--pool-depth",
        type=whole_number(1, "--pool-depth"),
        default=100,
        metavar="N",
        help="documents of each run and topic to pool (default 100)",
    )
    add(parser, *SHARED[CAMPAIGN], of=CAMPAIGN)
    parser.add_argument(
        "--exclude-problems",
        action="store_true",
        help="neither pool nor evaluate runs that have a problem (default: only those that cannot be read)",
    )
    parser.add_argument(
        "--metadata",
        metavar="FILE",
        help="a table with a column run, whose others, such as team, type or latency, the leaderboard to "
        "publish shows, filters and draws (CSV, TSV)",
    )
    parser.add_argument(
        "--queries",
        metavar="FILE",
        help="queries to show for topics, without the rule of --topics (default: those of --topics)",
    )
    add(parser, "--documents", "--labels")
    add_reading(parser)


def run(args: argparse.Namespace) -> int:
    """Do all of it; 1 if a file has a problem."""
    with output.progress("reading", shown=not args.quiet) as progress:
        outcome = organise(
            args.directory,
            args.output,
            qrels=args.qrels,
            runs=args.runs,
            rules=chosen_submission_rules(args),
            pool_depth=args.pool_depth,
            exclude_problems=args.exclude_problems,
            measures=args.measures,
            title=args.title,
            profile=args.profile,
            labels=chosen_labels(args),
            topics=args.queries or _queries(args.topics),
            documents=args.documents,
            metadata=args.metadata,
            command=shlex.join(["rankgauge", *sys.argv[1:]]),
            progress=progress,
            **chosen(args, Inputs, "threads"),
        )
    if outcome.report is not None:
        output.print_notes("note", outcome.report.session.unmatched(), quiet=args.quiet)
    for line in (*outcome.problems, outcome.sentence):
        print(printable(line))
    output.print_line(str(outcome.written[-1]))
    return 1 if outcome.broken else 0


def _queries(path: str | None) -> Texts | None:
    try:
        return Texts.open(path) if path else None
    except InputError:
        return None
