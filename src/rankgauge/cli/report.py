"""Gather what there is to know about runs into one page that opens anywhere.

For example:
  rankgauge report qrels.txt runs/*.run -o report.html
  rankgauge report qrels.txt bm25.run new.run --baseline bm25 --profile passage -o report.html
  rankgauge report qrels.txt bm25.run new.run --format md > comment.md
"""

from __future__ import annotations

import argparse
import shlex
import sys

from rankgauge.cli import output, terminal
from rankgauge.cli.inputs import add_inputs, chosen_inputs
from rankgauge.cli.options import add_measures, add_rules, add_work, chosen
from rankgauge.errors import OptionError
from rankgauge.figures.figure import needed
from rankgauge.reports import FORMS, PROFILES, form_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [-o FILE] [--baseline RUN] [--profile PROFILE] [options]"
    parser.add_argument("qrels", metavar="QRELS", help="a file of judgments")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files of results; - is standard input")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="the page, .html, or Markdown, .md (default report.html)"
    )
    parser.add_argument("--format", choices=tuple(FORMS), help="html, or md: Markdown without figures")
    profiles = "\n".join(f"  {name}: {profile.title}" for name, profile in PROFILES.items())
    parser.add_argument(
        "--profile",
        choices=tuple(PROFILES),
        default="adhoc",
        metavar="PROFILE",
        help=f"which measures are shown (default adhoc)\n{profiles}",
    )
    add_measures(parser, "other measures than those of the profile; runs are ordered by the first")
    parser.add_argument(
        "--baseline",
        metavar="RUN",
        help="the run that others are compared with, by name (default: the first)",
    )
    parser.add_argument(
        "--study",
        action="append",
        dest="studied",
        metavar="NAME",
        help="what a study finds as well, such as power; may be repeated (`rankgauge study` lists them)",
    )
    parser.add_argument("--title", default="", metavar="WORDS", help="the headline")
    add_work(parser)
    add_inputs(parser)
    add_rules(parser)


def run(args: argparse.Namespace) -> int:
    """Evaluate, and write the report."""
    from rankgauge.reports import report

    path = None if args.output == "-" else args.output
    form = args.format or (form_of(path) if path else "html")
    if path is None and args.output is None and form == "html":
        path = "report.html"
    if path and form_of(path) != form:
        what = {"html": "a page", "md": "Markdown"}[form]
        raise OptionError(f"{what} does not go into {path}; end it in .{form}, or leave --format out")
    for library in ("altair", "vl_convert") if form == "html" else ():
        needed(library)  # an error before hours are spent
    with terminal.progress("reading", shown=not args.quiet) as progress:
        made = report(
            args.qrels,
            args.runs,
            args.measures,
            profile=args.profile,
            baseline=args.baseline,
            studied=args.studied or (),
            title=args.title,
            command=shlex.join(["rankgauge", *sys.argv[1:]]),
            threads=args.threads,
            progress=progress,
            **chosen(args),
            **chosen_inputs(args),
        )
    if path is None:
        output.write((made.markdown() if form == "md" else made.html()).splitlines(), None)
    else:
        made.save(path)
        print(path)
    return 0
