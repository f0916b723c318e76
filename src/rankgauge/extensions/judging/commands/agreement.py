"""Compare sets of judgments: how far they agree, and whether they order runs alike.

For example:
  rankgauge agreement qrels.txt second_qrels.txt
  rankgauge agreement anna.qrels ben.qrels carol.qrels
  rankgauge agreement qrels.txt llm_qrels.txt runs/*.gz -m "AP nDCG@10" --rel 2
  rankgauge agreement qrels.txt llm_qrels.txt runs/*.gz --table orders --format latex -o orders.tex

Only documents judged in both sets are compared; runs are scored by all judgments of the topics that both
sets have. There may be more than two sets: a further file that holds judgments is one of them, any other is a
run.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge.campaigns.options import MEASURES
from rankgauge.cli import output
from rankgauge.cli.findings import add_findings, form_of_findings, show_findings
from rankgauge.cli.options import add, add_declared, add_measures, add_reading, chosen
from rankgauge.formats import Source, guess_kind
from rankgauge.formats.source import expand
from rankgauge.model.rules import Inputs, OfQrels

if TYPE_CHECKING:
    from rankgauge.campaigns.findings import Findings


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.usage = (
        "%(prog)s QRELS OTHER [QRELS...] [RUN...] [-m MEASURE]... [--rel GRADE] [--table TABLE] [options]"
    )
    add(parser, "qrels")
    add_sets(parser, "OTHER", "a file of other judgments of the same documents")
    add_measures(parser, f'such as nDCG@10; may be repeated and name several (default "{MEASURES}")')
    add_findings(parser)
    add_reading(parser)


def add_sets(parser: argparse.ArgumentParser, other: str, text: str) -> None:
    """Add the arguments of a command that compares sets of judgments."""
    from rankgauge.extensions.judging import judges

    parser.add_argument("other", metavar=other, help=text)
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="files of further judgments, and run files; - and pipes are runs",
    )
    add_declared(parser, judges, "rel", rel="GRADE")


def run(args: argparse.Namespace) -> int:
    """Compare the judgments and write the findings."""
    from rankgauge.extensions.judging import agreement

    return show_sets(args, agreement, measures=args.measures)


def show_sets(args: argparse.Namespace, compare: Callable[..., Findings], **options: Any) -> int:
    """Compare the sets, and the runs by them, and write the findings."""
    form = form_of_findings(args)
    kinds = {file: _holds_judgments(file, args.run_format) for file in args.files}
    judgments, runs = ([file for file in args.files if kinds[file] == kind] for kind in (True, False))
    reading = chosen(args, Inputs, "threads") if runs else chosen(args, OfQrels, "duplicates")
    with output.progress("reading", shown=not args.quiet) as progress:
        if runs:
            options["progress"] = progress
        findings = compare(
            args.qrels, [args.other, *judgments], runs or None, rel=args.rel, **options, **reading
        )
    return show_findings(findings, form, args)


def _holds_judgments(file: str, run_format: str | None) -> bool:
    """Whether a file or pattern holds judgments, by its content.

    Standard input, pipes and directories are runs: a pipe cannot be read twice.
    """
    if file == "-" or run_format is not None:
        return False
    return all(Path(path).is_file() and guess_kind(Source(path)) == "qrels" for path in expand(file))
