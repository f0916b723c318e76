"""Evaluate lists of recommended items: what they cover, how new and diverse they are, and how fair.

For example:
  rankgauge items lists.csv --items movies.csv -m "Coverage@10 Gini@10 ILD(by=genres)@10"
  rankgauge items old.csv new.csv --interactions train.csv -m "MIUF@10 Popularity@10"
  rankgauge items lists.csv --items movies.csv --interactions train.csv --qrels test.csv -m Serendipity@10
  rankgauge items run.txt --items docs.csv --qrels qrels.txt -m "AWRF(by=region)@20 EE_L(by=region)@20"

Topics are users and documents are items. `rankgauge evaluate` has the measures of relevance.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output
from rankgauge.cli.evaluate import add_shown, show_scores
from rankgauge.cli.options import add, add_rules, chosen
from rankgauge.cli.parser import Parser, listing
from rankgauge.model.rules import OPTIONS, RunInputs

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores


def configure(parser: Parser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.items import MEASURES

    parser.usage = "%(prog)s RUN... -m MEASURE [--items FILE] [--interactions FILE] [--qrels FILE] [options]"
    add(parser, "runs")
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        dest="measures",
        metavar="MEASURE",
        required=True,
        help=f"{', '.join(MEASURES)}, with a cutoff; repeatable, or list several",
    )
    parser.add_argument("--items", metavar="FILE", help="the catalogue, a table with a row per item")
    parser.add_argument("--interactions", metavar="FILE", help="earlier interactions of users with items")
    parser.add_argument("--qrels", metavar="FILE", help="judgments: the items that users turned out to want")
    parser.add_argument(
        "--repeats",
        metavar="TEXT",
        help='what separates a topic from the number of one of its lists, such as "." in q1.2',
    )
    add_shown(parser)
    add(parser, "--quiet", help="no progress, no notes, no advice")
    add_rules(parser, OPTIONS)
    parser.set_defaults(subtopic_probabilities=None, topic_alphas=None)
    parser.make_epilog = lambda: listing("measures:", {n: m.title for n, m in MEASURES.items()}, 20)


def run(args: argparse.Namespace) -> int:
    """Evaluate, write the scores, print notes and advice."""
    from rankgauge.extensions import items

    return show_scores(args, _evaluate, items)


def _evaluate(args: argparse.Namespace) -> Scores:
    from rankgauge.extensions.items import evaluate

    names = ("items", "interactions", "qrels", "repeats")
    options: Any = {name: getattr(args, name) for name in names} | chosen(args, RunInputs)
    with output.progress("reading", shown=not args.quiet):
        return evaluate(args.runs, args.measures, **options)
