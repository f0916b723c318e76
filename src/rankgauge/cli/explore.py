"""Look at judgments and runs in a browser: leaderboard, topics, rankings, what if.

For example:
  rankgauge explore qrels.txt runs/*.run
  rankgauge explore qrels.txt bm25.run new.run -m "nDCG@10 AP" --baseline bm25
  rankgauge explore qrels.txt runs/*.run --journal judgments.jsonl --grades-to-give 0,1,2

The page is served on this machine alone, at an address that it prints, until Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_inputs, chosen_qrels
from rankgauge.cli.options import (
    SUBTOPICS,
    TEXTS,
    add,
    add_inputs,
    add_measures,
    add_rules,
    add_work,
    chosen,
    chosen_labels,
    whole_number,
)
from rankgauge.cli.output import print_notes
from rankgauge.errors import OptionError
from rankgauge.model.rules import OPTIONS, split_rules

INPUT_OPTIONS = (
    "run_format",
    "run_columns",
    "qrels_format",
    "qrels_columns",
    "grades",
    "subtopic_probabilities",
    "topic_alphas",
)


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [-m MEASURES] [--baseline RUN] [options]"
    add(parser, "qrels", "runs")
    add_measures(parser, "the measures to show at first")
    parser.add_argument("--baseline", metavar="RUN", help="the run to compare the others with at first")
    add(parser, "--title")
    parser.add_argument(
        "--journal",
        metavar="FILE",
        help="judge documents: a file to which each decision is written, new or from before",
    )
    parser.add_argument(
        "--grades-to-give",
        metavar="GRADES",
        help="the grades to choose from when judging, such as 0,1,2,3 (default: those of the judgments)",
    )
    parser.add_argument(
        "--port",
        type=whole_number(0, "--port", 65535),
        default=0,
        metavar="N",
        help="the port to serve at (default: a free one)",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
    add(parser, "--labels", of="output")
    add_work(parser)
    add_inputs(parser, *TEXTS, *SUBTOPICS)
    add_rules(parser)


def run(args: argparse.Namespace) -> int:
    """Read the runs and serve the page."""
    from rankgauge.explorer import Session
    from rankgauge.explorer.exploration import serve
    from rankgauge.explorer.judging import require_judgments_of_documents
    from rankgauge.studies.campaign import Campaign, needs_subtopics
    from rankgauge.studies.judging import Journal
    from rankgauge.studies.judging.decisions import read_grades

    if args.grades_to_give is not None and args.journal is None:
        raise OptionError("--grades-to-give needs --journal FILE, where the decisions are kept")
    grades = None if args.grades_to_give is None else read_grades(args.grades_to_give)
    if args.journal is not None:
        split_rules(chosen(args))[0].require_one_order("judging follows")
    existing = args.journal is not None and os.path.lexists(args.journal)
    journal = Journal.open(args.journal) if existing else None
    with output.progress("reading", shown=not args.quiet) as progress:
        campaign = Campaign(
            chosen_qrels(args),
            args.runs,
            by_subtopic=needs_subtopics(args.measures),
            threads=args.threads,
            progress=progress,
            **chosen(args),
            **chosen_inputs(args),
        )
    session = Session(
        campaign,
        args.measures,
        baseline=args.baseline,
        documents=args.documents,
        topics=args.topics,
        labels=chosen_labels(args),
        title=args.title,
        command=shlex.join(["rankgauge", *sys.argv[1:]]),
        options=_repeated(args),
    )
    if args.journal is not None:
        require_judgments_of_documents(campaign)
        # A new one is created when nothing else is wrong.
        session.judge(journal or Journal.open(args.journal), grades)
    print_notes("note", session.judging.journal.notes if session.judging else (), quiet=args.quiet)
    print_notes("note", session.unmatched(any_measure=True), quiet=args.quiet)
    serve(session, port=args.port, browser=not args.no_browser, announce=_announce)
    return 0


def _repeated(args: argparse.Namespace) -> list[str]:
    """The options that change numbers, for other commands to give the same ones."""
    rules = {option.name: getattr(args, option.name) for option in OPTIONS}
    changed = {option.name: rules[option.name] for option in OPTIONS if rules[option.name] != option.default}
    read = {name: getattr(args, name) for name in INPUT_OPTIONS if getattr(args, name) is not None}
    return [
        word for name, value in {**changed, **read}.items() for word in (f"--{name.replace('_', '-')}", value)
    ]


def _announce(address: str) -> None:
    print(address, flush=True)
