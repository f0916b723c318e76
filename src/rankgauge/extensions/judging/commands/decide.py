"""Find which of two runs is better, judging as few documents as possible.

For example:
  rankgauge decide llm.txt new.run old.run
  rankgauge decide llm.txt new.run old.run --table batch -o batch.csv
  rankgauge decide llm.txt new.run old.run --human-qrels human.txt --budget 300 --margin 0.1
  rankgauge decide llm.txt new.run old.run --requests batch.jsonl --documents corpus.jsonl

QRELS are judgments by a language model. Documents are drawn with larger probabilities the more they can
change the difference, batch by batch: judge a batch, add it to the human judgments, and run the command again
with the same options. Intervals allow for a look after each batch. The measure is a sum over documents, such
as DCG@10 or P@10. The budget is part of the plan: a larger one later would need other limits.
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.findings import add_findings, form_of_findings, show_findings
from rankgauge.cli.options import INPUTS, add, add_rules, chosen, whole_number
from rankgauge.formats.target import write_text
from rankgauge.model.rules import ORDER_OPTIONS, OrderInputs, Reading


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.judging.deciding import BATCH, MEASURE

    parser.usage = "%(prog)s QRELS RUN AGAINST [--human-qrels FILE] [-m MEASURE] [--budget N] [options]"
    add(parser, "qrels")
    parser.add_argument("results", metavar="RUN", help="a run file")
    parser.add_argument("against", metavar="AGAINST", help="the run to compare it with")
    parser.add_argument("--human-qrels", metavar="FILE", help="human judgments of the batches so far")
    text = f"a sum over documents (default {MEASURE})"
    parser.add_argument("-m", "--measure", metavar="MEASURE", default=MEASURE, help=text)
    for name, default, text in (
        ("--budget", None, "judgments at most (default: all documents that can make a difference)"),
        ("--batch", BATCH, f"documents to judge before the next look (default {BATCH})"),
    ):
        parser.add_argument(name, type=whole_number(1, name), default=default, metavar="N", help=text)
    parser.add_argument(
        "--margin", type=float, metavar="X", help="also stop once runs are shown to differ by less than this"
    )
    parser.add_argument(
        "--seed", type=whole_number(0, "--seed"), default=0, metavar="N", help="seed for the draw (default 0)"
    )
    parser.add_argument("--requests", metavar="FILE", help="write the batch with texts, to be graded")
    parser.add_argument("--documents", metavar="FILE", help="titles and texts of documents")
    parser.add_argument("--queries", metavar="FILE", help="texts of topics")
    add_findings(parser)
    add(parser, "--quiet", "--threads", *INPUTS)
    add_rules(parser, ORDER_OPTIONS, one_order=True)


def run(args: argparse.Namespace) -> int:
    """Write what is known, and the next batch."""
    from rankgauge.engines.run_inputs import resolve_runs
    from rankgauge.extensions.judging.deciding import Decision
    from rankgauge.extensions.judging.pooling import requests
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.texts import Texts
    from rankgauge.schema.json_text import to_json

    form = form_of_findings(args)
    rules = chosen(args, OrderInputs)
    names = ("budget", "batch", "margin", "seed", "threads")
    with output.progress("reading", shown=not args.quiet):
        llm, human = (
            path
            and Qrels.read(path, args.qrels_format, None, args.qrels_columns, args.duplicates, args.grades)
            for path in (args.qrels, args.human_qrels)
        )
        given = {name: getattr(args, name) for name in names}
        decision = Decision([args.results, args.against], llm, args.measure, **given, **rules)
        findings = decision.findings(human)
    if args.requests:
        reading = Reading.of({**rules, "collapse": None})
        files = [run.file for run in resolve_runs([args.results, args.against], reading)]
        texts = Texts.of_runs(args.documents, args.queries, files)
        rows = requests(findings.interim.batch, *texts)
        write_text(args.requests, "".join(f"{to_json(row)}\n" for row in rows))
    return show_findings(findings, form, args)
