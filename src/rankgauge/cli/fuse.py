"""Combine several runs into one.

For example:
  rankgauge fuse bm25.run dense.run -o hybrid.run
  rankgauge fuse runs/*.gz --method mnz --normalise z-score --depth 1000 -o fused.run.gz
  rankgauge fuse bm25.run dense.run --method wsum --weights 0.3,0.7 -o hybrid.parquet

A topic has the documents of all runs. The extension of OUT decides its format and compression.
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.inputs import columns_of
from rankgauge.cli.options import add, add_choice, add_rules, chosen, whole_number
from rankgauge.errors import OptionError
from rankgauge.model.rules import ORDER_OPTIONS


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    from rankgauge.evaluation.fusion import METHOD, NORMALISATION
    from rankgauge.evaluation.fusion_methods import FUSION_METHODS, NORMALISATIONS

    parser.usage = "%(prog)s RUN... -o OUT [--method METHOD] [--normalise NAME] [--depth N] [options]"
    add(parser, "runs")
    parser.add_argument(
        "-o", "--output", default="-", metavar="OUT", help="the run to write (default: standard output)"
    )
    add_choice(parser, "--method", FUSION_METHODS, f"how runs are combined (default {METHOD})", METHOD)
    text = f"how scores are made comparable, for methods that use scores (default {NORMALISATION})"
    add_choice(parser, "--normalise", NORMALISATIONS, text, metavar="NAME")
    parser.add_argument(
        "--weights",
        type=_weights,
        metavar="W,W",
        help="weights of the runs in their order, such as 0.3,0.7, for wsum and rrf",
    )
    parser.add_argument("--k", type=float, metavar="K", help="the constant of rrf (default 60)")
    parser.add_argument(
        "--depth", type=whole_number(1, "--depth"), metavar="N", help="documents per topic (default: all)"
    )
    parser.add_argument("--name", default="fused", metavar="TAG", help="the tag of the run (default fused)")
    parser.add_argument("--to", metavar="FORMAT", help="format to write (default: by the extension of OUT)")
    add(parser, "--quiet", "--threads", "--run-format", "--run-columns", "--collapse")
    add_rules(parser, ORDER_OPTIONS, one_order=True)


def _weights(text: str) -> list[float]:
    """The numbers of a list separated by commas."""
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--weights must be numbers separated by commas, such as 0.3,0.7, not {text!r}"
        ) from None


def run(args: argparse.Namespace) -> int:
    """Fuse the runs and write the result."""
    from rankgauge.evaluation.fusion import fuse

    with output.progress("fusing", shown=not args.quiet):
        fused = fuse(
            args.runs,
            args.method,
            normalise=args.normalise,
            weights=args.weights,
            k=args.k,
            depth=args.depth,
            name=args.name,
            threads=args.threads,
            run_format=args.run_format,
            run_columns=columns_of(args.run_columns),
            collapse=args.collapse,
            **chosen(args, ORDER_OPTIONS),
        )
    fused.write(args.output, args.to)
    return 0
