"""Show how the value of a measure was computed: of a run topic by topic, or of one topic rank by rank.

For a run, it also shows the value by other definitions, with other settings, and as other tools compute it.
With --target, it finds the definition, rules or tool behind a published number.

For example:
  rankgauge explain qrels.txt bm25.run -m nDCG@10
  rankgauge explain qrels.txt bm25.run --topic 301 -m nDCG@10
  rankgauge explain qrels.txt bm25.run --topic 301 -m "AP(rel=2)" -o why.html
  rankgauge explain qrels.txt bm25.run --topic 301 -m P@20 --format json
  rankgauge explain qrels.txt bm25.run -m nDCG@20 --target 0.3421
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_qrels
from rankgauge.cli.options import INPUTS, SUBTOPICS, add, add_rules, chosen
from rankgauge.cli.output_options import add_output
from rankgauge.measures.named_sets import ONE
from rankgauge.model.output import documents
from rankgauge.schema.json_text import to_json

FORMATS = (*documents.FORMATS, "json")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN [-m MEASURE] [--topic TOPIC] [--target NUMBER] [-o FILE] [options]"
    add(parser, "qrels")
    parser.add_argument(
        "run_files",
        metavar="RUN",
        nargs="+",
        help="one run file, or NAME=FILE to name the run; - is standard input",
    )
    parser.add_argument("--topic", metavar="TOPIC", help="a judged topic (default: the mean over all)")
    parser.add_argument(
        "-m",
        "--measure",
        metavar="MEASURE",
        help=f"the measure, such as AP(rel=2)@100 (default {ONE}; for --target, well-known measures)",
    )
    parser.add_argument(
        "--target",
        metavar="NUMBER",
        help="a printed number, such as 0.3421 or 34.21%%: find what gives it; all its digits count",
    )
    add(parser, "--limit", *INPUTS, *SUBTOPICS)
    add_output(parser, FORMATS, elsewhere="table")
    add_rules(parser)


def run(args: argparse.Namespace) -> int:
    """Write the explanation."""
    from rankgauge.explanation import explain

    form = output.suitable(args.format, args.output, FORMATS, elsewhere="table")
    with output.progress("searching") as progress:
        explanation = explain(
            chosen_qrels(args),
            args.run_files,
            topic=args.topic,
            measure=args.measure,
            target=args.target,
            progress=progress,
            **chosen(args),
        )
    if form == "json" or args.output is not None:  # a document on the screen has them
        output.print_notes("note", explanation.notes)
    if form == "json":
        output.write([to_json(explanation.as_dict(), indent=2)], args.output)
        return 0
    document = explanation.document(limit=args.limit, places=args.places)
    output.show(document, form, args.output, args.places)
    return 0
