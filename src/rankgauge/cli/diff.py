"""Show what changed between two runs: topics by their difference, and for one topic the documents that moved.

For a topic, both rankings are shown side by side, with titles from --documents or from runs in JSON, and the
shares of documents in the difference. Markdown is a short comment for a pull request.

For example:
  rankgauge diff qrels.txt old.run new.run
  rankgauge diff qrels.txt old.run new.run --topic 301 --documents corpus.jsonl.gz
  rankgauge diff qrels.txt main=old.run change=new.run -m "AP nDCG@10" --topics topics.tsv -o diff.html
  rankgauge diff qrels.txt old.run new.run --fail-if "nDCG@10 drops significantly" --format md
  rankgauge diff scores.json bm25 dense --by topics.csv:intent
  rankgauge diff old.run new.run

Without judgments, the topics whose rankings changed most come first, by rank-biased overlap (RBO). Instead of
judgments, scores in JSON will do (`evaluate -q -o scores.json`), with names of runs.

With --fail-if the exit code is 1 if a condition holds; repeat it for several:
  MEASURE drops|rises [by NUMBER[%]] [significantly | on any topic]
  MEASURE below|above NUMBER [on any topic]
  MEASURE may worsen by NUMBER
and with --by, any of these may end in a segment: in COLUMN=VALUE
"""

from __future__ import annotations

import argparse
import sys

from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_qrels, refuse_input_options, refuse_judgment_options
from rankgauge.cli.options import (
    SUBTOPICS,
    TEXTS,
    add,
    add_choice,
    add_measures,
    add_reading,
    add_test,
    chosen,
    group,
    whole_number,
)
from rankgauge.cli.output_options import add_output
from rankgauge.comparison.baseline import is_saved
from rankgauge.errors import InputError, OptionError
from rankgauge.explanation.diff import Diff, TopicDiff, comment, diff
from rankgauge.explanation.report import SCREEN_TITLE, SHOWN, TITLE
from rankgauge.explanation.run_diff import SHOWN_TOPICS, RankingDiff, RunDiff, diff_rankings
from rankgauge.formats.source import named
from rankgauge.measures.named_sets import ONE
from rankgauge.model.output import documents
from rankgauge.model.output.table_cells import SCREEN
from rankgauge.model.rules import RunInputs
from rankgauge.model.scores import Scores
from rankgauge.schema.json_text import to_json
from rankgauge.schema.text import terminal_width

FORMATS = (*documents.FORMATS, "json")
WITHOUT_ARROWS = str.maketrans({"↑": "up ", "↓": "down ", "…": "..."})
VIEWS = {
    "short": "the answer: the means, whether they differ, and the topics that changed most",
    "report": "all topics, the worst first",
}
MORE = "--view report lists the topics; --topic ID shows what moved in one; -o diff.html writes a page"
DETAILS = 5  # topics that lost most, and that gained most, whose documents a page shows


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = (
        "%(prog)s [QRELS] OLD NEW [-m MEASURE]... [--topic TOPIC] [--fail-if CONDITION]... [options]"
    )
    add(parser, "qrels", help="file of judgments; may be left out")
    parser.add_argument(
        "run_files",
        metavar="OLD NEW",
        nargs="*",
        help="two run files, the old one first, or NAME=FILE to name a run; - is standard input",
    )
    add_measures(
        parser, f"such as AP(rel=2)@100; repeatable, topics are ordered by the first (default {ONE})"
    )
    parser.add_argument("--topic", metavar="TOPIC", help="show the documents of this topic")
    shown = group(parser, "output")
    shown.add_argument(
        "--depth",
        type=whole_number(1, "--depth"),
        metavar="N",
        help="count moves and show rankings down to this rank (default: the cutoff of the first measure; "
        "10 without judgments)",
    )
    add(
        shown,
        "--limit",
        default=None,
        help=f"maximum number of rows per table (default {SHOWN}; {SHOWN_TOPICS} topics without "
        "judgments); json has all",
    )
    add(parser, "--by", "--fail-if")
    add_choice(parser, "--view", VIEWS, "what to show (default: short; report in html; json has everything)")
    add_test(parser)
    add_output(parser, FORMATS, elsewhere="table")
    add_reading(parser, *TEXTS, *SUBTOPICS, quiet="no progress, no notes", one_order=True)


def run(args: argparse.Namespace) -> int:
    """Write the diff, and check the conditions."""
    form = output.suitable(args.format, args.output, FORMATS, elsewhere="table")
    if len(args.run_files) == 1:
        return _diff_runs(args, form)
    if len(args.run_files) != 2:
        given = "one file" if not args.run_files else f"{len(args.run_files)} runs"
        raise OptionError(f"pass OLD NEW, or with judgments QRELS OLD NEW, not {given}")
    of_all = {"--fail-if": args.fail_if, "--by": args.by, "--margin": args.margin is not None}
    for option in (option for option, given in of_all.items() if given and args.topic is not None):
        raise OptionError(f"{option} is for all topics; leave it out, or --topic")
    names = ("by", "fail_if", "margin", "test", "family", "alpha", "samples", "seed")
    tests = {name: getattr(args, name) for name in names}
    scored = is_saved(args.qrels)
    if scored:
        refuse_input_options(args)
    with output.progress("reading", shown=not args.quiet) as progress:
        result: Diff | TopicDiff = diff(  # type: ignore[call-overload]
            Scores.load(args.qrels) if scored else chosen_qrels(args),
            *(getattr(run, "given", run) if scored else run for run in args.run_files),  # names may have a =
            args.measures,
            topic=args.topic,
            documents=args.documents,
            topics=args.topics,
            depth=args.depth,
            progress=progress,
            **({} if args.topic is not None else tests),
            threads=args.threads,
            **({} if scored else chosen(args)),
        )
    _write(result, form, args)
    if not isinstance(result, Diff):
        return 0
    if form in ("json", "markdown") or args.output is None:
        output.print_notes("note", result.notes, quiet=args.quiet)
    output.print_notes("more", [MORE], quiet=args.quiet or scored or not _is_short(form, args))
    if form != "table" or args.output is not None:  # the document has them
        output.print_checks(result.checks)
    return 1 if result.failed else 0


def _diff_runs(args: argparse.Namespace, form: str) -> int:
    refuse_judgment_options(args, "a diff of two runs")
    needing = {
        "-m": args.measures,
        "--by": args.by,
        "--fail-if": args.fail_if,
        "--view": args.view,
        "--test": args.test != "t",
        "--margin": args.margin is not None,
    }
    for option, given in needing.items():
        if given:
            raise OptionError(f"{option} needs judgments; pass QRELS OLD NEW, or leave it out")
    try:
        result = diff_rankings(
            named(args.qrels),
            *args.run_files,
            topic=args.topic,
            documents=args.documents,
            topics=args.topics,
            depth=args.depth,
            **chosen(args, RunInputs),
        )
    except InputError as error:
        both = "two files are an old and a new run; with judgments, pass QRELS OLD NEW"
        raise InputError(f"{error}\n{both}") from None
    _write(result, form, args)
    if isinstance(result, RunDiff):
        output.print_notes("note", result.notes, quiet=args.quiet)
    return 0


def _write(result: Diff | TopicDiff | RunDiff | RankingDiff, form: str, args: argparse.Namespace) -> None:
    if form == "json":
        output.write([to_json(result.as_dict(), indent=2)], args.output)
        return
    if isinstance(result, Diff) and form == "markdown":
        output.write(comment(result, args.places).splitlines(), args.output)
        return
    has_notes = args.output is not None and not args.quiet  # on a terminal, they go to stderr
    if isinstance(result, Diff) and _is_short(form, args):
        short = result.short(places=args.places, notes=has_notes, more="")
        output.show(short, form, args.output, args.places)
        return
    titles = TITLE
    if form == "table":  # what a line has room for beside ids and numbers
        titles = min(TITLE, max(SCREEN_TITLE, terminal_width() - SCREEN + SCREEN_TITLE))
    limit = {} if args.limit is None else {"limit": args.limit}
    shown = {**limit, "places": args.places, "titles": titles}
    if isinstance(result, Diff):
        document = result.document(**shown, notes=has_notes, details=DETAILS if form == "html" else 0)
    else:
        document = result.document(**shown)
    if form == "table" and args.output is None and not _has_arrows():
        document = documents.labelled(document, lambda text: text.translate(WITHOUT_ARROWS))
    output.show(document, form, args.output, args.places)


def _is_short(form: str, args: argparse.Namespace) -> bool:
    """Whether the short answer is shown."""
    usual = "short" if form == "table" and args.limit is None else "report"
    return form not in ("json", "markdown") and (args.view or usual) == "short"


def _has_arrows() -> bool:
    try:
        "↑↓…".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
