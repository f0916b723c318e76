"""Estimate the recall of a run from judgments of a random sample of the collection, with intervals.

For example:
  rankgauge recall qrels.txt sample_qrels.txt bm25.run --docs 528155
  rankgauge recall qrels.txt sample_qrels.txt bm25.run --docs 528155 --rel 2 --level 0.9 --format json

The sample holds judgments of documents drawn at random from the collection, or from those that the run did
not retrieve. The share that is relevant among sampled documents that the run did not retrieve stands for all
of those.
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.findings import add_findings, form_of_findings, show_findings
from rankgauge.cli.options import INPUTS, add, add_declared


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.judging.recall import estimate_recall

    parser.usage = "%(prog)s QRELS SAMPLE RUN --docs N [--rel GRADE] [--level P] [--table TABLE] [options]"
    add(parser, "qrels")
    parser.add_argument("sample", metavar="SAMPLE", help="a file of judgments of a random sample")
    parser.add_argument("results", metavar="RUN", help="a run file; - is standard input")
    add_declared(parser, estimate_recall, "docs", "rel", "level", rel="GRADE", level="P")
    add_findings(parser)
    add(parser, *INPUTS)


def run(args: argparse.Namespace) -> int:
    """Estimate recall and write the findings."""
    from rankgauge.extensions.judging import estimate_recall
    from rankgauge.model.collapse import Collapse
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.run import Run

    form = form_of_findings(args)
    with output.progress("reading"):
        qrels, sample = (
            Qrels.read(file, args.qrels_format, columns=args.qrels_columns, grades=args.grades)
            for file in (args.qrels, args.sample)
        )
        results = Run.read(args.results, args.run_format, columns=args.run_columns)
        if args.collapse is not None:
            results = Collapse.of(args.collapse).documents(results)
        findings = estimate_recall(qrels, sample, results, docs=args.docs, rel=args.rel, level=args.level)
    return show_findings(findings, form, args)
