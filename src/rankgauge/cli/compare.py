"""Test whether differences between runs are real, topic by topic.

For example:
  rankgauge compare qrels.txt bm25.run ql.run -m "nDCG@10 AP"
  rankgauge compare qrels.txt runs/*.run --baseline bm25 --test bootstrap --seed 7 --margin 0.01
  rankgauge compare qrels.txt runs/*.run --baseline bm25 --labels labels.csv --delta -o table.tex
  rankgauge compare qrels.txt old.run new.run --fail-if "nDCG@10 drops by 2% significantly"
  rankgauge compare qrels.txt old.run new.run --by topics.csv:intent
  rankgauge compare llm.qrels runs/*.run -m nDCG@10 --human-qrels human.qrels
  rankgauge compare scores.csv --measure AP

Instead of judgments and runs you can pass one file of scores: one that `evaluate -o scores.parquet` wrote, or
a table of topics by runs. With --fail-if the exit code is 1 if a condition holds; repeat it for several:
  MEASURE drops|rises [by NUMBER[%]] [significantly | on any topic]
  MEASURE below|above NUMBER [on any topic], or MEASURE may worsen by NUMBER
and with --by, any of these may end in a segment: in COLUMN=VALUE
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_qrels, refuse_input_options, run_called
from rankgauge.cli.options import (
    SUBTOPICS,
    add,
    add_choice,
    add_declared,
    add_human,
    add_measures,
    add_reading,
    add_test,
    chosen,
    chosen_human,
    chosen_labels,
    group,
)
from rankgauge.cli.output_options import add_output, add_print, check_print, chosen_places
from rankgauge.comparison import Comparison, compare, gate
from rankgauge.comparison.baseline import is_saved, with_baseline
from rankgauge.comparison.inputs import measure_places
from rankgauge.comparison.paper import MARKS
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation import KINDS
from rankgauge.evaluation.evaluator import evaluate
from rankgauge.measures import parse
from rankgauge.measures.named_sets import ONE
from rankgauge.model.output import documents
from rankgauge.model.output.labels import Labels
from rankgauge.model.output.markup import paragraph
from rankgauge.model.output.tables import FORMATS, Table, lines, printable
from rankgauge.model.rules import Inputs
from rankgauge.model.score_files import EXTENSIONS
from rankgauge.model.scores import Scores
from rankgauge.model.segments import Segments
from rankgauge.schema.json_text import to_json
from rankgauge.schema.text import joined

VIEWS = {
    "short": "the answer: runs by measures with marks of significance, and a sentence for a paper",
    "report": "everything, for reading",
    "paper": "the table of a paper: runs by measures, with marks of significance",
    "pairs": "a row for each pair, with every number",
    "ranked": "runs by their means, with the letters of the runs that each is better than",
    "matrix": "differences of rows minus columns",
    "measures": "measures by runs: means, and which runs are better than which, such as D, E > A**",
    "sentences": "a sentence for each measure, as in a paper",
}
MORE = (
    "--view report lists every pair with its interval; -o table.tex writes the table for print; "
    "`rankgauge diff` shows which topics changed"
)
SEGMENTED = ("short", "report", "pairs")  # views that show segments
PRINT_FORMATS = ("latex", "siunitx", "typst")  # in which the paper table is the default


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [-m MEASURE]... [--baseline RUN]... [--test TEST] [options]"
    parser.add_argument(
        "inputs",
        metavar="QRELS RUN",
        nargs="+",
        help="judgments and runs (NAME=FILE names a run), or one file of scores",
    )
    add_measures(
        parser,
        f'such as nDCG@10; repeatable, or list several (default "{ONE}"; all of a file)',
    )
    parser.add_argument(
        "--baseline",
        action="append",
        metavar="RUN",
        help="compare the others with this run, by name or path, or with scores that "
        "`rankgauge evaluate -q` saved in a .json file; repeatable (default: all pairs)",
    )
    add(parser, "--by", "--efficiency")
    add_test(parser, corrections=True)
    add_declared(parser, compare, "posterior", of="test")
    add(parser, "--fail-if")
    text = (
        f"what to show (default: short; report in html; paper in {', '.join(PRINT_FORMATS)}; "
        "pairs in csv, tsv and jsonl; everything in json)"
    )
    add_choice(parser, "--view", VIEWS, text)
    text = "how the paper view marks significance (default: daggers for baselines, else letters)"
    add_choice(group(parser, "output"), "--marks", MARKS, text)
    group(parser, "output").add_argument(
        "--delta", action="store_true", help="paper view: below each run, its differences from the baseline"
    )
    group(parser, "output").add_argument(
        "--p-values", action="store_true", help="paper view: below each run, p against the baseline"
    )
    add_output(parser, FORMATS, elsewhere="table")
    add_print(parser)
    add(parser, "--no-advice")
    add_human(parser)
    add(parser, "--human-sample")
    add_reading(parser, *SUBTOPICS, quiet="no progress, no notes, no advice")


def run(args: argparse.Namespace) -> int:
    """Evaluate, compare, write the comparison, and check the conditions."""
    form = output.suitable(args.format, args.output, elsewhere="table")
    view = _view(args, form)
    labels = chosen_labels(args)
    args.places = chosen_places(args)
    conditions = [gate.parse_condition(text) for text in args.fail_if]
    if len(args.inputs) > 1:
        gate.spelled(conditions, parse)
    saved = args.baseline[0] if args.baseline and is_saved(args.baseline[0]) else None
    scores = _scores(args, [condition.measure for condition in conditions], saved)
    if args.efficiency is not None:
        scores = _with_efficiency(scores, args.efficiency)
    if conditions and not args.baseline and len(scores.runs) > 2:
        raise OptionError("--fail-if with several runs needs a baseline; pass --baseline RUN")
    from_file = len(args.inputs) == 1 and args.measures
    named = [*args.measures, *(condition.measure for condition in conditions)] if from_file else None
    places = measure_places(scores, named)
    segments = Segments.of(args.by, scores.topics) if args.by else None
    with output.progress("testing", shown=not args.quiet) as progress:
        comparison = compare(
            scores,
            named,
            baseline=[run_called(text, scores.runs, args.inputs) for text in args.baseline or ()],
            test=args.test,
            correction=args.correction,
            family=args.family,
            alpha=args.alpha,
            margin=gate.margins(conditions, [scores.measures[place] for place in places], args.margin),
            by=segments,
            posterior=args.posterior,
            samples=args.samples,
            seed=args.seed,
            threads=args.threads,
            progress=progress,
        )
    checks = gate.check(conditions, scores, comparison, segments)
    if args.labels and view != "paper":
        comparison = comparison.labelled(labels)
    # Elsewhere, the bar would be among the lines, or be drawn over a pager that waits for its reader.
    with output.progress("writing", shown=output.is_file(args.output) and not args.quiet):
        _write(comparison, checks, view, form, labels, args)
    output.note_unmatched(labels, args, scores)
    on_data = (*scores.data_notes, *comparison.remarks)
    output.print_notes("note", dict.fromkeys(on_data), quiet=args.quiet)
    advice = (*comparison.notes[len(comparison.remarks) :], *gate.on_families(conditions, comparison))
    output.print_notes("advice", advice, quiet=args.quiet or args.no_advice)
    output.print_notes("more", [MORE], quiet=args.quiet or args.no_advice or view != "short")
    output.print_checks(checks)
    return 1 if any(checks.values()) else 0


def _with_efficiency(scores: Scores, path: str) -> Scores:
    """The scores with what runs cost on each topic; constants are refused, as they leave nothing to test."""
    whole = scores.with_efficiency(path)
    added = whole.values[:, len(scores.measures) :]
    if len(scores.topics) > 1 and not (added != added[..., :1]).any():
        raise OptionError(
            f"{path} has one value per run, so there is nothing to test; give values of topics, or show "
            "these beside means with `rankgauge evaluate --efficiency`"
        )
    return whole


def _scores(args: argparse.Namespace, more: list[str], saved: str | None) -> Scores:
    """The scores of the runs or a file, also by measures of conditions."""
    if saved is not None:
        baseline, args.baseline = Scores.load(saved), None
        args.measures = args.measures or ([] if more else [*baseline.measures])
        scores = with_baseline(_scores(args, more, None), baseline)
        args.baseline = [scores.runs[0]]
        return scores
    if len(args.inputs) > 1:
        args.qrels, *runs = args.inputs
        wanted = [*(args.measures or ([] if more else [ONE])), *more]
        reading = {**chosen(args, Inputs, "threads"), **chosen_human(args)}
        if args.human_sample is not None:
            with output.progress("reading", shown=not args.quiet):
                estimate: Callable[..., Scores] = KINDS.load("sampled")
                return estimate(chosen_qrels(args), args.human_sample, runs, wanted, **reading)
        with output.progress("reading", shown=not args.quiet) as progress:
            return evaluate(chosen_qrels(args), runs, wanted, progress=progress, **reading)
    refuse_input_options(args)
    (path,) = args.inputs
    measure = args.measures[0] if args.measures and len(args.measures) == 1 else None
    try:
        return Scores.load(path) if path.lower().endswith(EXTENSIONS) else Scores.from_table(path, measure)
    except InputError as error:
        raise InputError(f"{error}\na single file must hold scores; otherwise pass QRELS RUN...") from None


def _view(args: argparse.Namespace, form: str) -> str:
    usual = {"table": "short", "markdown": "short", "html": "report", "json": "report"}
    view = str(args.view or usual.get(form, "paper" if form in PRINT_FORMATS else "pairs"))
    written = (*documents.FORMATS, "json") if view == "report" else documents.FORMATS
    if view in ("report", "short") and form not in written:
        raise OptionError(
            f"the view {view} is written as {', '.join(written)}, not {form}; pass --view pairs"
        )
    if args.by and not args.fail_if and view not in SEGMENTED:
        raise OptionError(
            f"--by is for the views {joined(SEGMENTED)}, not {view}; leave it out, or choose one"
        )
    paper_only = ("marks", "delta", "p_values", "percent", "second", "caption", "table_label")
    given = [option for option in paper_only if getattr(args, option)]
    if given and view != "paper":
        raise OptionError(f"--{given[0].replace('_', '-')} is for the table of a paper; pass --view paper")
    check_print(args, form)
    return view


def _write(
    comparison: Comparison,
    checks: dict[str, list[str]],
    view: str,
    form: str,
    labels: Labels,
    args: argparse.Namespace,
) -> None:
    if form == "json" and view == "report":
        content: dict[str, Any] = comparison.as_dict()
        if checks:
            content["checks"] = [{"condition": text, "failed": why} for text, why in checks.items()]
        output.write([to_json(content, indent=2)], args.output)
    elif view in ("report", "short"):
        # notes go to stderr; only a file has to carry its own
        has_notes = args.output is not None and not args.quiet
        document = comparison.short(args.places, notes=has_notes, more="")
        if view == "report":
            document = comparison.document(args.places, notes=has_notes)
        output.show(document, form, args.output, args.places)
    elif view == "sentences":
        output.write(_sentences(comparison, form), args.output)
    else:
        tables: dict[str, Callable[[], Table]] = {
            "paper": partial(
                comparison.paper,
                labels=labels,
                marks=args.marks,
                second=args.second,
                delta=args.delta,
                p=args.p_values,
                percent=args.percent,
                places=args.places,
                caption=args.caption,
                label=args.table_label,
            ),
            "pairs": comparison.table,
            "ranked": comparison.ranked,
            "matrix": comparison.matrix,
            "measures": comparison.by_measure,
        }
        table = tables[view]()._replace(width=args.column_width)
        if form in ("latex", "siunitx") and view in ("ranked", "matrix"):
            text = [*lines(table._replace(note=""), form, args.places), "", *_sentences(comparison, form)]
            output.write(text, args.output)
        else:
            output.show(table, form, args.output, args.places)


def _sentences(comparison: Comparison, form: str) -> Iterator[str]:
    return (paragraph(printable(sentence), form) for sentence in comparison.sentences)
