"""Evaluate runs against judgments, one line per run.

For example:
  rankgauge evaluate qrels.txt bm25.run
  rankgauge evaluate qrels.txt runs/*.gz -m "nDCG@10 AP(rel=2)" -m RR
  rankgauge evaluate qrels.txt runs/*.gz --labels labels.csv --percent -o table.tex
  rankgauge evaluate qrels.txt runs/*.gz --sort nDCG@10 --top 10
  rankgauge evaluate qrels.txt old.run new.run -m nDCG@10 --baseline old --worst 10
  rankgauge evaluate qrels.txt bm25.run -q --format jsonl -o scores.jsonl
  zcat bm25.run.gz | rankgauge evaluate qrels.txt - --ties input

`rankgauge measures` lists the measures.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankgauge.cli.inputs import add_inputs, add_subtopics, chosen_inputs, chosen_qrels
from rankgauge.cli.options import (
    add_measures,
    add_rules,
    add_work,
    chosen,
)
from rankgauge.cli.paths import RUNS_HELP
from rankgauge.cli.score_output import Shown, add_shown
from rankgauge.errors import OptionError
from rankgauge.measures.named_sets import SEVERAL

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [-m MEASURE]... [-q] [--format FORMAT] [-o FILE] [options]"
    parser.add_argument("qrels", metavar="QRELS", help="file of judgments")
    parser.add_argument("runs", metavar="RUN", nargs="+", help=RUNS_HELP)
    add_measures(parser, f'such as nDCG@10; may be repeated, or list several (default "{SEVERAL}")')
    add_shown(parser)
    add_work(parser, "no progress, no notes, no advice")
    parser.add_argument(
        "--engine",
        choices=("local", "spark"),
        default="local",
        help="where to evaluate: in this process, or on Apache Spark (pip install 'rankgauge[spark]')",
    )
    parser.add_argument(
        "--master",
        metavar="URL",
        help="master of Spark (default: as configured for Spark, or local[*], this machine)",
    )
    parser.add_argument(
        "--plan",
        choices=("auto", "files", "in-place", "shuffle"),
        help="how Spark brings the rows of a topic together; values are the same (default: auto, the fastest "
        "that fits; see docs/how-to/spark.md)",
    )
    add_inputs(parser)
    add_subtopics(parser)
    add_rules(parser)


def run(args: argparse.Namespace) -> int:
    """Evaluate, write the scores, and print notes and advice."""
    for option in ("master", "plan"):
        if args.engine == "local" and getattr(args, option) is not None:
            raise OptionError(f"--{option} is for Spark; add --engine spark, or leave it out")
    if args.engine == "spark" and args.threads is not None:
        raise OptionError(
            "--threads is for this process; set Spark's parallelism with --master, such as local[4]"
        )
    shown = Shown(args)
    plain = shown.form not in ("parquet", "json") and not shown.is_sorted and args.names == "canonical"
    shown.show(_evaluate(args, small=plain))
    return 0


def _evaluate(args: argparse.Namespace, small: bool) -> Scores:
    """The scores; with `small`, small files are evaluated without NumPy if possible."""
    qrels = chosen_qrels(args)
    arguments = {"qrels": qrels, "runs": args.runs, "measures": args.measures or SEVERAL}
    rules: Any = chosen(args)
    inputs: Any = chosen_inputs(args)
    if args.engine == "spark":
        from rankgauge.engines.spark.files import evaluate_files

        return evaluate_files(**arguments, **rules, **inputs, master=args.master, plan=args.plan or "auto")
    from rankgauge.cli import terminal

    with terminal.progress("reading", shown=not args.quiet, then="measuring") as progress:
        work: Any = {"threads": args.threads, "progress": progress}
        if small and qrels is args.qrels:
            from rankgauge.evaluation.small_files import evaluate_small_files

            scores = evaluate_small_files(**arguments, inputs=inputs, **work, **rules)
            if scores is not None:
                return scores
        from rankgauge.evaluation.evaluator import evaluate

        return evaluate(**arguments, **rules, **inputs, **work)
