"""Write a report on runs as a single web page, or as Markdown.

For example:
  rankgauge report qrels.txt runs/*.run -o report.html
  rankgauge report qrels.txt bm25.run new.run --baseline bm25 --profile passage -o report.html
  rankgauge report qrels.txt runs/*.run --documents corpus.jsonl --topics topics.tsv -o report.html
  rankgauge report qrels.txt bm25.run new.run --by topics.csv:intent -o report.html
  rankgauge report qrels.txt bm25.run new.run --format md > comment.md
  rankgauge report qrels.txt runs/*.gz --participants handouts
  rankgauge report qrels.diversity.txt runs/*.run --profile diversity --subtopic-probabilities weights.txt
"""

from __future__ import annotations

import argparse
import shlex
import sys

from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_qrels
from rankgauge.cli.options import (
    SUBTOPICS,
    TEXTS,
    add,
    add_choice,
    add_human,
    add_measures,
    add_reading,
    chosen,
    chosen_human,
    chosen_labels,
)
from rankgauge.errors import OptionError
from rankgauge.extensions.pages.reports import FORMS, MADE_BY, PROFILES, form_of, report
from rankgauge.model.rules import Inputs


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.usage = "%(prog)s QRELS RUN... [-o FILE] [--baseline RUN] [--profile PROFILE] [options]"
    add(parser, "qrels", "runs")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the file to write: .html, or .md for Markdown (default report.html)",
    )
    parser.add_argument("--format", choices=tuple(FORMS), help="html, or md for Markdown without figures")
    add_choice(parser, "--profile", PROFILES, "the measures to show (default adhoc)", "adhoc")
    add_measures(parser, "measures instead of those of the profile; runs are ordered by the first")
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="the name of the run to compare the others with (default: the best by the first measure)",
    )
    parser.add_argument(
        "--study",
        action="append",
        dest="studied",
        metavar="NAME",
        help="add the findings of a study, such as power, of the measures of -m; repeatable "
        "(`rankgauge study` lists them)",
    )
    parser.add_argument(
        "--participants",
        metavar="DIR",
        help="write what organisers hand out into a directory: a page for each run, with its scores beside "
        "the median and the best of each topic, its place with an interval, and the problems of its file; "
        "and an index (a report is written, too, if -o names its file)",
    )
    add(parser, "--by")
    add(parser, "--title", help="the title of the report")
    add(parser, "--labels")
    add_human(parser)
    add_reading(parser, *TEXTS, *SUBTOPICS)


def run(args: argparse.Namespace) -> int:
    """Evaluate the runs and write the report."""
    path, form = _target(args)
    with output.progress("reading", shown=not args.quiet) as progress:
        result = report(
            chosen_qrels(args),
            args.runs,
            args.measures,
            profile=args.profile,
            baseline=args.baseline,
            studied=args.studied or (),
            title=args.title,
            labels=chosen_labels(args),
            documents=args.documents,
            topics=args.topics,
            by=args.by,
            command=shlex.join(["rankgauge", *sys.argv[1:]]),
            progress=progress,
            **chosen(args, Inputs, "threads"),
            **chosen_human(args),
        )
    output.print_notes("note", result.session.unmatched(), quiet=args.quiet)
    if args.participants is not None:
        with output.progress("writing pages", shown=not args.quiet):
            index, *_ = result.participants(args.participants)
        output.print_line(str(index))
    if path is not None:
        with output.progress("writing", shown=not args.quiet):
            result.save(path)
        output.print_line(path)
    elif args.participants is None or args.format or args.output:
        output.write((result.markdown() if form == "md" else result.html()).splitlines(), None)
    return 0


def _target(args: argparse.Namespace) -> tuple[str | None, str]:
    """(the file to write, None for standard output or none; the format)."""
    path = None if args.output == "-" else args.output
    form = args.format or (form_of(path) if path else "html")
    if args.output is None and form == "html" and args.participants is None:
        path = "report.html"
        _refuse_other(path)
    if path and form_of(path) != form:
        raise OptionError(
            f"--format {form} does not match {path}; use the extension .{form}, or omit --format"
        )
    return path, form


def _refuse_other(path: str) -> None:
    """Refuse to replace a default file that is no report."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:  # noqa: PTH123
            is_report = MADE_BY in file.read()
    except FileNotFoundError:
        return
    except OSError:
        is_report = False
    if not is_report:
        raise OptionError(f"{path} exists and is not a report of rankgauge; name the file to write: -o FILE")
