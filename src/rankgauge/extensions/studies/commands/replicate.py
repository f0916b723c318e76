"""Compare a run with its reproduction: documents, values, and the effect over a baseline.

For example:
  rankgauge replicate qrels.txt original.run again.run
  rankgauge replicate qrels.txt original.run again.run -m "nDCG@10 AP" --margin 0.02
  rankgauge replicate qrels.txt original.run again.run --baseline bm25.run --baseline-again our-bm25.run

Kendall's τ of the union of documents and rank-biased overlap say whether rankings are alike; RMSE, a t-test
and with --margin a test of equivalence, whether values are; the effect ratio and ΔRI, whether the improvement
over the baseline is.
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.findings import add_findings, form_of_findings, show_findings
from rankgauge.cli.inputs import chosen_qrels
from rankgauge.cli.options import SUBTOPICS, add, add_declared, add_measures, add_reading, chosen
from rankgauge.measures.named_sets import SEVERAL


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.studies.replication import replicate

    parser.usage = "%(prog)s QRELS ORIGINAL AGAIN [--baseline RUN] [-m MEASURE]... [--margin X] [options]"
    add(parser, "qrels")
    parser.add_argument("original", metavar="ORIGINAL", help="the run to reproduce")
    parser.add_argument("again", metavar="AGAIN", help="its reproduction")
    parser.add_argument("--baseline", metavar="RUN", help="the run that the original improves on")
    parser.add_argument(
        "--baseline-again", metavar="RUN", help="that of the reproduction (default: the same as --baseline)"
    )
    add_measures(parser, f'such as nDCG@10; repeatable (default "{SEVERAL}")')
    add_declared(parser, replicate, "margin", "depth", "samples", "seed", margin="X")
    add_findings(parser)
    add_reading(parser, *SUBTOPICS, quiet="no progress, no notes", one_order=True)


def run(args: argparse.Namespace) -> int:
    """Show what is alike."""
    from rankgauge.extensions.studies.replication import replicate

    form = form_of_findings(args)
    names = ("baseline", "baseline_again", "margin", "depth", "samples", "seed")
    with output.progress("reading", shown=not args.quiet):
        findings = replicate(
            chosen_qrels(args),
            args.original,
            args.again,
            args.measures or SEVERAL,
            **{name: getattr(args, name) for name in names},
            **chosen(args),
        )
    return show_findings(findings, form, args)
