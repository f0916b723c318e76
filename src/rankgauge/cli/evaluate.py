"""Evaluate runs against judgments, one line per run.

For example:
  rankgauge evaluate qrels.txt bm25.run
  rankgauge evaluate qrels.txt runs/*.gz -m "nDCG@10 AP(rel=2)" -m RR
  rankgauge evaluate qrels.txt runs/*.gz --labels labels.csv --percent -o table.tex
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
from rankgauge.cli.options import (
    add_measures,
    add_output,
    add_print,
    add_rules,
    add_work,
    check_print,
    check_table_label,
    chosen,
    chosen_labels,
    chosen_places,
)
from rankgauge.cli.paths import RUNS_HELP
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
    parser.add_argument("runs", metavar="RUN", nargs="+", help=RUNS_HELP)
    add_measures(parser, f'such as nDCG@10; may be repeated, or list several (default "{MEASURES}")')
    parser.add_argument("-q", "--per-topic", action="store_true", help="show every topic as well as the mean")
    add_output(parser, (*FORMATS, "trec"))
    add_print(parser)
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
    printed = _printed(args, form)
    scores = _evaluate(args, small=form not in ("parquet", "json"))
    if form == "parquet":
        scores.save(args.output)
    elif form == "table" and args.output is None and sys.stdout.isatty():
        from rankgauge.cli import terminal

        terminal.show(scores.table(topics=args.per_topic, **printed), chosen_places(args))
    else:
        places = chosen_places(args)
        output.write(score_lines(scores, form, args.per_topic, places, **printed), args.output)
    sys.stdout.flush()
    if not args.quiet:
        print_notes("note", notes.on_data(scores.provenance))
    if not (args.quiet or args.no_advice):
        print_notes("advice", notes.advice(scores.provenance))
    return 0


def _printed(args: argparse.Namespace, form: str) -> dict[str, Any]:
    """The options of `add_print` as arguments of `Scores.table`; refused for formats that hold data."""
    given = [option for option in ("labels", "percent", "second", "caption") if getattr(args, option)]
    if given and (form in ("json", "parquet", "trec") or _is_long(form, args.per_topic)):
        kept = f"{form}{' with -q' if _is_long(form, args.per_topic) and form != 'jsonl' else ''}"
        raise OptionError(f"{kept} has names and values as they are; omit --{given[0]}, or choose a table")
    check_table_label(args)
    check_print(args, form)
    return {
        "labels": chosen_labels(args) if args.labels else None,
        "percent": args.percent,
        "second": args.second,
        "caption": args.caption or "",
        "label": args.table_label,
        "width": args.column_width,
    }


def _is_long(form: str, topics: bool) -> bool:
    return form == "jsonl" or (topics and form in ("tsv", "csv"))


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


def score_lines(scores: Scores, form: str, topics: bool, places: int, **printed: Any) -> Iterator[str]:
    """The lines of scores in a format, with or without every topic; `printed` is for `Scores.table`."""
    if form == "trec":
        return _trec(scores, topics, places)
    if form == "json":
        from rankgauge.model.score_files import json_text

        return iter([json_text(scores, topics=topics, indent=2)])
    long = _is_long(form, topics)
    table = scores.long_table(topics=topics) if long else scores.table(topics=topics, **printed)
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
