"""Evaluate runs against judgments, one line per run.

For example:
  rankgauge evaluate qrels.txt bm25.run
  rankgauge evaluate qrels.txt runs/*.gz -m "nDCG@10 AP(rel=2)" -m RR
  rankgauge evaluate qrels.txt bm25.run -q --format jsonl -o scores.jsonl
  zcat bm25.run.gz | rankgauge evaluate qrels.txt - --ties input

`rankgauge measures` lists the measures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output
from rankgauge.cli.inputs import add_inputs, add_subtopics, chosen_inputs, chosen_qrels
from rankgauge.cli.options import add_measures, add_output, add_rules, add_work, chosen
from rankgauge.cli.streams import print_message
from rankgauge.errors import OptionError
from rankgauge.model import notes
from rankgauge.model.tables import FORMATS, lines, number, printable

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

MEASURES = "AP RR P@10 nDCG@10 R@1000"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [-m MEASURE]... [-q] [--format FORMAT] [-o FILE] [options]"
    parser.add_argument("qrels", metavar="QRELS", help="file of judgments")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="run files; - is standard input")
    add_measures(parser, f'such as nDCG@10; may be repeated, or list several (default "{MEASURES}")')
    parser.add_argument("-q", "--per-topic", action="store_true", help="show every topic as well as the mean")
    add_output(parser, (*FORMATS, "trec"))
    parser.add_argument(
        "--no-advice",
        action="store_true",
        help="no advice on reading the scores; notes on the data are still shown",
    )
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
    add_inputs(parser)
    add_subtopics(parser)
    add_rules(parser)


def run(args: argparse.Namespace) -> int:
    """Evaluate, write the scores, and print notes and advice."""
    if args.engine == "local" and args.master is not None:
        raise OptionError("--master is for Spark; add --engine spark, or leave it out")
    if args.engine == "spark" and args.threads is not None:
        raise OptionError(
            "--threads is for this process; set Spark's parallelism with --master, such as local[4]"
        )
    saved = args.format is None and (args.output or "").lower().endswith(".parquet")
    form = "parquet" if saved else output.suitable(args.format, args.output)
    scores = _evaluate(args, small=form not in ("parquet", "json"))
    if form == "parquet":
        scores.save(args.output)
    elif form == "table" and args.output is None and sys.stdout.isatty():
        from rankgauge.cli import terminal

        terminal.show(scores.table(topics=args.per_topic), args.places)
    else:
        output.write(score_lines(scores, form, args.per_topic, args.places), args.output)
    sys.stdout.flush()
    if not args.quiet:
        print_notes("note", notes.on_data(scores.provenance))
    if not (args.quiet or args.no_advice):
        print_notes("advice", notes.advice(scores.provenance))
    return 0


def _evaluate(args: argparse.Namespace, small: bool) -> Scores:
    """The scores; with `small`, small files are evaluated without NumPy if possible."""
    qrels = chosen_qrels(args)
    arguments = {"qrels": qrels, "runs": args.runs, "measures": args.measures or MEASURES}
    rules: Any = chosen(args)
    inputs: Any = chosen_inputs(args)
    if args.engine == "spark":
        from rankgauge.engines.spark.files import evaluate_files

        return evaluate_files(**arguments, **rules, **inputs, master=args.master)
    if small and qrels is args.qrels:
        from rankgauge.evaluation.small_files import evaluate_small_files

        scores = evaluate_small_files(**arguments, inputs=inputs, **rules)
        if scores is not None:
            return scores
    from rankgauge.cli import terminal
    from rankgauge.evaluation.evaluator import evaluate

    with terminal.progress("reading", shown=not args.quiet) as progress:
        return evaluate(**arguments, **rules, **inputs, threads=args.threads, progress=progress)


def print_notes(kind: str, sentences: Iterable[str]) -> None:
    """Print sentences on stderr, each with its kind."""
    for sentence in sentences:
        print_message(f"{kind}: {printable(sentence)}")


def score_lines(scores: Scores, form: str, topics: bool, places: int) -> Iterator[str]:
    """The lines of scores in a format, with or without every topic."""
    if form == "trec":
        return _trec(scores, topics, places)
    if form == "json":
        from rankgauge.model.score_files import json_text

        return iter([json_text(scores, topics=topics, indent=2)])
    long = form == "jsonl" or (topics and form in ("tsv", "csv"))
    table = scores.long_table(topics=topics) if long else scores.table(topics=topics)
    return lines(table, form, places)


def _trec(scores: Scores, topics: bool, places: int) -> Iterator[str]:
    """Lines as trec_eval prints them; with several runs, a line with the name of the run comes first."""
    means = scores.mean()
    values = scores.to_dict() if topics else {}
    for run_name, mean in means.items():
        if len(means) > 1:
            yield f"{'runid':<22}\tall\t{run_name}"
        by_measure = values.get(run_name, {})
        for topic in next(iter(by_measure.values()), ()):
            for measure, by_topic in by_measure.items():
                yield f"{measure:<22}\t{topic}\t{number(by_topic[topic], places):>6}"
        for measure, value in mean.items():
            yield f"{measure:<22}\tall\t{number(value, places):>6}"
