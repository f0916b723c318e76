"""Save the scores of a run, topic by topic, as a baseline that later runs are compared with.

For example:
  rankgauge baseline qrels.txt main.run -m "nDCG@10 R@100" -o baseline.json
  rankgauge compare qrels.txt new.run --baseline baseline.json --fail-if "nDCG@10 drops by 2% significantly"

The file is small and takes the place of the run. The pytest fixture `retrieval_gate` reads it as well.
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_qrels
from rankgauge.cli.options import SUBTOPICS, add, add_measures, add_reading, chosen
from rankgauge.errors import OptionError
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.model.rules import Inputs


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN [-m MEASURE]... -o FILE [options]"
    add(parser, "qrels")
    add(parser, "runs", nargs=1, help="a run file, or NAME=FILE to name the run; - is standard input")
    add_measures(parser, f'such as nDCG@10; may be repeated, or list several (default "{SEVERAL}")')
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the file to write, .json")
    add_reading(parser, *SUBTOPICS, quiet="no progress, no notes")


def run(args: argparse.Namespace) -> int:
    """Evaluate, save the scores, and print the means."""
    if not args.output.lower().endswith(".json"):
        raise OptionError(f"a baseline is a .json file, not {args.output}")
    from rankgauge.evaluation.evaluator import evaluate

    with output.progress("reading", shown=not args.quiet) as progress:
        reading = chosen(args, Inputs, "threads")
        scores = evaluate(
            chosen_qrels(args), args.runs, args.measures or SEVERAL, progress=progress, **reading
        )
    if len(scores.runs) > 1:
        raise OptionError(
            f"a baseline is one run, and {args.runs[0]} stands for {len(scores.runs)}; name one"
        )
    scores.save(args.output)
    output.show(scores.table())
    output.print_notes("note", scores.data_notes, quiet=args.quiet)
    return 0
