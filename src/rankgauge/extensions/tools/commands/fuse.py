"""Combine several runs into one.

For example:
  rankgauge fuse bm25.run dense.run -o hybrid.run
  rankgauge fuse runs/*.gz --method mnz --normalise z-score --depth 1000 -o fused.run.gz
  rankgauge fuse bm25.run dense.run --method wsum --weights 0.3,0.7 -o hybrid.parquet
  rankgauge fuse bm25.run dense.run --method wsum --tune nDCG@10 --qrels qrels.txt -o hybrid.run

A topic has the documents of all runs. The extension of OUT decides its format and compression. With --tune,
weights and k are chosen by cross-validation over topics: those of a topic are never chosen on that topic. The
choices for each fold are printed.
"""

from __future__ import annotations

import argparse
from typing import Any

from rankgauge.cli import output
from rankgauge.cli.options import INPUTS, add, add_choice, add_declared, add_parameter, add_rules, chosen
from rankgauge.errors import OptionError
from rankgauge.model.rules import ORDER_OPTIONS, OrderInputs
from rankgauge.schema.parameters import declared


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    from rankgauge.extensions.tools.fusion import METHOD, NORMALISATION, fuse
    from rankgauge.extensions.tools.fusion_methods import FUSION_METHODS, NORMALISATIONS
    from rankgauge.extensions.tools.fusion_tuning import tune_fusion

    parser.usage = "%(prog)s RUN... [-o OUT] [--method METHOD] [--tune MEASURE --qrels FILE] [options]"
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
        help="weights of the runs in their order, such as 0.3,0.7, for wsum, wmnz, mixed, borda and rrf",
    )
    add_declared(parser, fuse, "k", "depth", "name", k="K", name="TAG")
    parser.add_argument(
        "--tune", metavar="MEASURE", help="choose weights and k, unless given, by this measure; needs --qrels"
    )
    parser.add_argument("--qrels", metavar="FILE", help="file of judgments, for --tune")
    for name in ("folds", "seed"):  # which are refused without --tune
        add_parameter(parser, declared(tune_fusion)[name], default=None)
    parser.add_argument("--to", metavar="FORMAT", help="format to write (default: by the extension of OUT)")
    add(parser, "--quiet", "--threads", *INPUTS)
    add_rules(parser, ORDER_OPTIONS, one_order=True)


def _weights(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise OptionError(
            f"--weights must be numbers separated by commas, such as 0.3,0.7, not {text!r}"
        ) from None


def run(args: argparse.Namespace) -> int:
    """Fuse, write the result, and print how parameters were tuned."""
    options = {
        name: getattr(args, name) for name in ("normalise", "weights", "k", "depth", "name", "threads")
    }
    if args.tune is not None:
        return _tune(args, options)
    for_tuning = ("qrels", "folds", "seed", "qrels_format", "qrels_columns", "grades")
    for name in for_tuning:
        if getattr(args, name) is not None:
            raise OptionError(
                f"--{name.replace('_', '-')} is for --tune MEASURE; leave it out, or add --tune"
            )
    from rankgauge.extensions.tools.fusion import fuse, write_fused

    options |= chosen(args, OrderInputs)
    with output.progress("fusing", shown=not args.quiet):
        is_written = write_fused(args.output, args.to, args.runs, args.method, **options)
        fused = None if is_written else fuse(args.runs, args.method, **options)
    if fused is not None:
        fused.write(args.output, args.to)
    return 0


def _tune(args: argparse.Namespace, options: dict[str, Any]) -> int:
    """Fuse with tuned parameters, printed on standard error if the run is printed, too."""
    from rankgauge.extensions.tools.fusion_tuning import tune_fusion

    if args.qrels is None:
        raise OptionError("--tune needs judgments; add --qrels FILE")
    options |= {name: getattr(args, name) for name in ("folds", "seed") if getattr(args, name) is not None}
    with output.progress("tuning", shown=not args.quiet):
        tuned = tune_fusion(args.qrels, args.runs, args.tune, args.method, **chosen(args), **options)
    tuned.run.write(args.output, args.to)
    if args.output == "-":
        output.print_message(str(tuned))
    else:
        print(tuned)
    return 0
