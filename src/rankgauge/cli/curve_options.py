"""Options of `rankgauge evaluate --curve`, and which options do not go together."""

from __future__ import annotations

import argparse

from rankgauge.cli.options import add_rule, group, reader, whole_number
from rankgauge.errors import OptionError
from rankgauge.evaluation import DEEPEST_CURVE
from rankgauge.measures.named_sets import CURVE
from rankgauge.model.rules import NORMALISE
from rankgauge.schema.parameters import Number

TITLE = "with --curve"  # of the group of options
OF_MEANS = (
    "names", "interval", "by", "baseline", "worst", "sort", "top", "fail_if", "percent", "second", "caption",
    "table_label", "column_width", "human_qrels", "human_topics", "human_sample", "engine",
)  # fmt: skip
DEPTH = 100
LEVEL = 0.95


def add_curves(parser: argparse.ArgumentParser) -> None:
    """Add --curve, and the options that need it."""
    parser.add_argument(
        "--curve",
        action="store_true",
        help=f'show measures at every rank (default "{CURVE}") and the ideal; `figure curve` draws them',
    )
    of_curves = group(parser, TITLE)
    of_curves.add_argument(
        "--depth",
        type=whole_number(1, "--depth", DEEPEST_CURVE),
        metavar="N",
        help="the last rank (default 100)",
    )
    add_rule(of_curves, NORMALISE, metavar="HOW")
    of_curves.add_argument(
        "--goal",
        metavar="RUN",
        help="the name of a run whose values the others are to reach, instead of those of the ideal",
    )
    of_curves.add_argument(
        "--ranks",
        type=_ranks,
        metavar="K,...",
        help="the ranks to show (default: a selection; in csv, tsv and json: all)",
    )
    of_curves.add_argument(
        "--level",
        type=reader("--level", Number(0, 1, above=True, below=True)),
        metavar="P",
        help=f"the confidence level of the band in csv, tsv and json (default {LEVEL})",
    )


def check_curve_options(args: argparse.Namespace) -> None:
    """Refuse options of curves without --curve, and with it those of means."""
    of_curves = [each.dest for each in group(args.parser, TITLE)._group_actions]
    for name in OF_MEANS if args.curve else of_curves:
        if getattr(args, name) != args.parser.get_default(name):
            flag = f"--{name.replace('_', '-')}"
            raise OptionError(
                f"{flag} is not for curves; leave out {flag} or --curve"
                if args.curve
                else f"{flag} is for curves; add --curve, or leave it out"
            )


def _ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(whole_number(1, "--ranks")(part)) for part in text.split(",")}))
