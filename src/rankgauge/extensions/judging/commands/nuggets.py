"""Evaluate answers by the nuggets that they contain, and by what their citations support.

For example:
  rankgauge nuggets assignments.jsonl
  rankgauge nuggets old.jsonl new.jsonl -m "Vital_strict NuggetF(beta=3)" --baseline old --worst 10
  rankgauge nuggets answers/*.jsonl citations.csv -q -o scores.json
  rankgauge nuggets llm.jsonl -m Vital --human-qrels human.jsonl

Files are as nuggetizer and TREC RAG write them, or tables with columns such as qid, run_id, nugget,
importance and assignment; of citations: qid, run_id, sentence, citation and support.
`rankgauge evaluate FILE RUN` evaluates rankings by the nuggets of documents.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output
from rankgauge.cli.evaluate import add_shown, show_scores
from rankgauge.cli.options import add, add_human, add_rules, chosen, chosen_human
from rankgauge.cli.parser import Parser, listing
from rankgauge.model.rules import TOPIC_OPTIONS, OfTopics

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores


def configure(parser: Parser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.judging.nuggets import MEASURES

    parser.usage = "%(prog)s FILE... [-m MEASURE]... [-q] [--format FORMAT] [-o FILE] [options]"
    parser.add_argument(
        "runs",
        metavar="FILE",
        nargs="+",
        help="assessments of nuggets and citations; NAME=FILE names the run; - is standard input",
    )
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        dest="measures",
        metavar="MEASURE",
        help=f"{', '.join(MEASURES)}; may be repeated, or list several (default: those of nuggetizer, and of "
        "citations if there are any)",
    )
    add_shown(parser)
    add_human(parser)
    add(parser, "--quiet", help="no progress, no notes, no advice")
    add_rules(parser, TOPIC_OPTIONS)
    parser.set_defaults(subtopic_probabilities=None, topic_alphas=None)
    titles = {each.name: each.title for each in MEASURES.values()}
    parser.make_epilog = lambda: listing("measures:", titles, 20)


def run(args: argparse.Namespace) -> int:
    """Evaluate, write the scores, print notes and advice."""
    from rankgauge.extensions.judging import nuggets

    return show_scores(args, _evaluate, nuggets)


def _evaluate(args: argparse.Namespace) -> Scores:
    from rankgauge.extensions.judging.nuggets import evaluate

    human: Any = chosen_human(args)
    options: Any = chosen(args, OfTopics)
    with output.progress("reading", shown=not args.quiet):
        return evaluate(args.runs, args.measures, **human, **options)
