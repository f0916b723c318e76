"""Evaluate runs against judgments, one line per run.

For example:
  rankgauge evaluate qrels.txt bm25.run
  rankgauge evaluate qrels.txt runs/*.gz -m "nDCG@10 AP(rel=2)" -m RR
  rankgauge evaluate qrels.txt runs/*.gz --labels labels.csv --percent -o table.tex
  rankgauge evaluate qrels.txt old.run new.run -m nDCG@10 --baseline old --worst 10
  rankgauge evaluate qrels.txt runs/*.gz -m nDCG@10 --by topics.csv:intent
  rankgauge evaluate qrels.txt new.run --fail-if "nDCG@10 below 0.7"
  rankgauge evaluate qrels.txt runs/*.run -m "nDCG DCG" --curve --ranks 10,20,50
  rankgauge evaluate llm.qrels runs/*.gz -m nDCG@10 --human-qrels human.qrels
  rankgauge evaluate answers/*.jsonl citations.csv -m "Vital_strict NuggetF(beta=3)" -q -o scores.json
  zcat bm25.run.gz | rankgauge evaluate qrels.txt - --ties input

`rankgauge measures` lists the measures. Files of answers alone are evaluated by their nuggets and by what
their citations support: as nuggetizer and TREC RAG write them, or tables with columns such as qid, run_id,
nugget, importance and assignment; of citations: qid, run_id, sentence, citation and support.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_qrels, refuse_input_options, run_called
from rankgauge.cli.options import (
    SUBTOPICS,
    add,
    add_human,
    add_measures,
    add_reading,
    chosen,
    chosen_human,
    chosen_labels,
    group,
    whole_number,
)
from rankgauge.cli.output_options import (
    add_curves,
    add_output,
    add_print,
    check_curve_options,
    check_print,
    check_table_label,
    chosen_places,
)
from rankgauge.errors import OptionError
from rankgauge.evaluation import ENGINES, KINDS
from rankgauge.formats.source import named
from rankgauge.measures import language
from rankgauge.measures.named_sets import SEVERAL
from rankgauge.model import notes
from rankgauge.model.output.tables import FORMATS, Table, is_for_people, lines, number
from rankgauge.model.rules import OfHumans, OfTopics
from rankgauge.model.score_cells import is_long
from rankgauge.model.score_values import BY_NAME, json_text

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [-m MEASURE]... [-q] [--format FORMAT] [-o FILE] [options]"
    add(parser, "qrels")
    add(parser, "runs", nargs="*")
    add_measures(parser, f'such as nDCG@10; repeatable, or list several (default "{SEVERAL}")')
    add_shown(parser)
    add_human(parser)
    add(parser, "--human-sample")
    spark = group(parser, "Spark")
    spark.add_argument(
        "--engine",
        type=lambda name: name if name == "local" else ENGINES.check(name),
        default="local",
        metavar="NAME",
        help="where to evaluate: local, in this process (default), or spark, on Apache Spark (pip install "
        "'rankgauge[spark]')",
    )
    spark.add_argument(
        "--master",
        metavar="URL",
        help="master of Spark (default: as configured for Spark, or local[*], this machine)",
    )
    spark.add_argument(
        "--plan",
        choices=("auto", "files", "shuffle"),
        help="how Spark brings the rows of a topic together; values are the same (default: auto, the fastest "
        "that fits; see docs/how-to/spark.md)",
    )
    add_curves(parser)
    add_reading(parser, *SUBTOPICS, quiet="no progress, no notes, no advice")


def run(args: argparse.Namespace) -> int:
    """Evaluate, write the scores, and print notes and advice."""
    check_curve_options(args)
    for option in ("master", "plan"):
        if args.engine == "local" and getattr(args, option) is not None:
            raise OptionError(f"--{option} is for Spark; add --engine spark, or leave it out")
    if args.engine == "spark" and args.threads is not None:
        raise OptionError(
            "--threads is for this process; set Spark's parallelism with --master, such as local[4]"
        )
    for option in ("human_qrels", "human_sample", "collapse"):
        if args.engine == "spark" and getattr(args, option) is not None:
            raise OptionError(
                f"--{option.replace('_', '-')} is for this process; leave it out, or --engine spark"
            )
    if kind := _kind_of_answers(args):
        rules = OfTopics.__annotations__ if kind == "answers" else ()
        refuse_input_options(args, f"a file of {kind}", but=(*rules, *OfHumans.__annotations__))
        args.runs = [named(args.qrels), *args.runs]
        return show_scores(args, partial(_evaluate_answers, kind), KINDS.load(kind))
    if not args.runs:
        raise OptionError(
            f"{args.qrels} is alone, and holds no answers; evaluate QRELS RUN... takes runs, too"
        )
    if args.curve:
        from rankgauge.cli.curves import show_curves

        return show_curves(args)
    return show_scores(args, _evaluate)


def _kind_of_answers(args: argparse.Namespace) -> str:
    """How the first file assesses answers, or "": TREC files, which do not, are not opened."""
    if args.engine != "local" or "answers" not in KINDS:
        return ""
    if args.runs and not any(extension in args.qrels for extension in (".json", ".csv", ".tsv")):
        return ""
    path = named(args.qrels)
    return next((kind for kind in ("answers", "ratings") if KINDS.load(f"holds_{kind}")(path)), "")


def _evaluate_answers(kind: str, args: argparse.Namespace) -> Scores:
    options: Any = chosen_human(args) | (chosen(args, OfTopics) if kind == "answers" else {})
    with output.progress("reading", shown=not args.quiet):
        scores: Scores = KINDS.load(kind).evaluate(args.runs, args.measures, **options)
    return scores


def _evaluate(args: argparse.Namespace) -> Scores:
    arguments = {"qrels": chosen_qrels(args), "runs": args.runs, "measures": args.measures or SEVERAL}
    reading: Any = chosen(args)
    human: Any = chosen_human(args)
    if args.engine != "local":
        engine: Callable[..., Scores] = ENGINES.load(args.engine)
        return engine(**arguments, **reading, master=args.master, plan=args.plan or "auto")
    reading["threads"] = args.threads
    if args.human_sample is not None:
        arguments["llm_qrels"] = arguments.pop("qrels")
        estimate: Callable[..., Scores] = KINDS.load("sampled")
        return estimate(sample=args.human_sample, **arguments, **reading)
    with output.progress("reading", shown=not args.quiet, then="measuring") as progress:
        from rankgauge.evaluation.evaluator import evaluate, evaluate_files

        if human:
            return evaluate(**arguments, **human, **reading, progress=progress)
        return evaluate_files(**arguments, **reading, progress=progress)


def add_shown(parser: argparse.ArgumentParser, *, several: bool = True) -> None:
    """Add the options for showing scores."""
    group(parser, "output").add_argument(
        "--names",
        choices=("canonical", "given"),
        default="canonical",
        help="label measures canonically, or as you typed them",
    )
    parser.add_argument(
        "-q",
        "--per-topic",
        action="store_true",
        help="show every topic as well as the mean; tables put runs side by side",
    )
    parser.add_argument(
        "--interval",
        action="store_true",
        help="show the 95%% confidence interval of each mean; csv, tsv and jsonl have its ends, low and high",
    )
    add(parser, "--by", "--efficiency")
    if several:
        parser.add_argument(
            "--baseline", metavar="RUN", help="with -q, show differences from this run, a name or path"
        )
    parser.add_argument(
        "--worst",
        type=whole_number(1, "--worst"),
        metavar="N",
        help="show the N topics with the largest losses against the baseline, or with the worst values",
    )
    if several:
        parser.add_argument(
            "--sort",
            metavar="MEASURE",
            help=f"the best runs first, by one of the measures; {BY_NAME}: by name "
            "(default: as they are passed)",
        )
        parser.add_argument(
            "--top",
            type=whole_number(1, "--top"),
            metavar="N",
            help="only the N best runs, by --sort or the first measure",
        )
    add_output(parser, (*FORMATS, "trec"))
    add_print(parser)
    add(parser, "--no-advice")
    add(parser, "--fail-if", help='exit with code 1 if it holds, such as "nDCG@10 below 0.7"; repeatable')
    parser.set_defaults(baseline=None, sort=None, top=None, human_qrels=None)


def show_scores(
    args: argparse.Namespace,
    evaluate: Callable[[argparse.Namespace], Scores],
    language: Any = language,
) -> int:
    """Evaluate, write the scores, and check the conditions; wrong options are refused first.

    `language` is the module that reads the texts of measures, by default of those of rankings.
    """
    form = output.suitable(args.format, args.output, own={".parquet": "parquet"})
    _check_topics(args, form)
    printed, places = _printed(args, form), chosen_places(args)
    conditions = []
    if args.fail_if:
        from dataclasses import replace

        from rankgauge.comparison import gate  # which needs NumPy

        conditions = [gate.parse_condition(text) for text in args.fail_if]
        for condition in conditions:
            if condition.verb in gate.CHANGES:
                raise condition.without_baseline()
        given = args.measures or []
        named = {*map(str, language.parse_given(given).values())} if given else set()
        spelled = gate.spelled(conditions, language.parse)
        args.measures = [*given, *(text for text, measure in spelled.items() if measure not in named)]
    scores, segments = evaluate(args), None
    if args.by:
        from rankgauge.model.segments import Segments  # which needs NumPy

        segments = Segments.of(args.by, scores.topics)
    conditions = [replace(each, measure=spelled[each.measure]) for each in conditions]
    checks = gate.check(conditions, scores, segments=segments) if conditions else {}
    if args.names == "given":
        names = language.parse_given(args.measures or scores.measures)
        scores = scores.under({text: str(measure) for text, measure in names.items()})
    if args.efficiency is not None:
        scores = scores.with_efficiency(args.efficiency)
    if args.baseline is not None:
        args.baseline = run_called(args.baseline, scores.runs, args.runs)
    shown = scores if args.sort is None and args.top is None else scores.sorted(args.sort, top=args.top)
    best = len(shown.runs)
    if args.baseline is not None and args.baseline not in shown.runs:
        shown = scores.only(runs=[*shown.runs, args.baseline])
    options = {"baseline": args.baseline, "worst": args.worst, "interval": args.interval, **printed}
    options["by"] = segments
    if form == "parquet":
        shown.save(args.output)
    elif form == "table" and args.output is None and sys.stdout.isatty():
        for table in score_tables(shown, form, args.per_topic, places=places, **options):
            output.show(table, form, None, places)
    else:
        output.write(score_lines(shown, form, args.per_topic, places, **options), args.output)
    if printed["labels"]:
        output.note_unmatched(printed["labels"], args, scores)
    output.print_checks(checks)
    code = 1 if any(checks.values()) else 0
    if args.quiet:
        return code
    if len(shown.runs) < len(scores.runs):
        by, also = args.sort or scores.measures[0], ", and the baseline" * (best < len(shown.runs))
        output.print_notes("note", [f"showing {best} of {len(scores.runs)} runs, the best by {by}{also}"])
    output.print_notes("note", [*shown.data_notes, *(segments.notes if segments else ())])
    output.print_notes("advice", notes.advice(shown.provenance), quiet=args.no_advice)
    return code


def _printed(args: argparse.Namespace, form: str) -> dict[str, Any]:
    """The options of `add_print` as arguments of `Scores.table`, for formats that people read."""
    given = [option for option in ("labels", "percent", "second", "caption") if getattr(args, option)]
    if given and (form in ("json", "parquet", "trec") or is_long(form, args.per_topic, args.interval)):
        long = "" if form not in ("csv", "tsv") else " with -q" if args.per_topic else " with --interval"
        raise OptionError(
            f"{form}{long} has names and values as they are; omit --{given[0]}, or choose a table"
        )
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


def _check_topics(args: argparse.Namespace, form: str) -> None:
    """Let --worst imply -q; refuse options without effect."""
    args.per_topic = args.per_topic or args.worst is not None
    if args.human_qrels is not None:
        options = {"-q": args.per_topic, "--second": args.second, "--by": args.by}
        other = next((option for option, given in options.items() if given), f"--format {form}")
        if any(options.values()) or form in ("parquet", "trec"):
            raise OptionError(
                f"--human-qrels corrects means, and {other} is not for them; leave it out, or evaluate with "
                "one file of judgments alone"
            )
        args.interval = True  # in every table of estimates
    args.interval = args.interval or bool(args.by)
    if args.interval and (args.per_topic or form in ("parquet", "trec")):
        where = "-q" if args.per_topic else f"--format {form}"
        option = "--by" if args.by else "--interval"
        raise OptionError(f"{option} shows means with their intervals; leave it out, or {where}")
    if args.baseline is not None and not args.per_topic:
        raise OptionError("--baseline is for -q; add -q, or test the difference with `rankgauge compare`")
    option = "--baseline" if args.baseline is not None else "--worst" if args.worst is not None else ""
    if option and form in ("json", "parquet", "trec"):
        raise OptionError(f"{form} has every topic and no differences; omit {option}, or choose a table")


def score_tables(
    scores: Scores,
    form: str,
    topics: bool = False,
    baseline: str | None = None,
    worst: int | None = None,
    interval: bool = False,
    by: Any = None,
    **printed: Any,
) -> Iterator[Table]:
    """The tables of scores that a format shows; `printed` is for `Scores.table`.

    With topics, formats for reading have several runs side by side, in a table for each measure; formats for
    programs have a row for each value, unless topics are compared with a baseline or selected.
    """
    is_chosen = baseline is not None or worst is not None
    estimates = getattr(scores, "estimates_table", None)  # of means that human judgments correct
    if estimates is not None and is_for_people(form):
        printed.pop("second", None)
        shown = [{name: printed.pop(name) for name in [*printed] if name in ("labels", "percent", "places")}]
        yield from (estimates(measure, **shown[0])._replace(**printed) for measure in scores.measures)
    elif not is_chosen and is_long(form, topics, interval):
        yield scores.long_table(topics=topics, interval=interval, by=by)
    elif not topics or not (is_chosen or (len(scores.runs) > 1 and is_for_people(form))):
        yield scores.table(topics=topics, interval=interval, by=by, **printed)
    else:
        options = {
            name: printed[name] for name in ("labels", "percent", "second", "places") if name in printed
        }
        of_print = {name: printed[name] for name in printed if name not in options}
        measures = scores.measures if len(scores.runs) > 1 else [None]
        first, *rest = (
            scores.by_topic(measure, baseline=baseline, worst=worst, **options) for measure in measures
        )
        if is_for_people(form):
            yield first._replace(**of_print)
            of_print |= {"caption": "", "label": ""}
            yield from (table._replace(**of_print) for table in rest)
        else:
            yield _for_programs([first, *rest]) if len(scores.runs) > 1 else _under_topic(first)


def _for_programs(tables: list[Table]) -> Table:
    """Tables of topics as one, with a column for the measure."""
    rows = [(table.headers[0], *row) for table in tables for row in table.rows]
    return Table(["measure", *_under_topic(tables[0]).headers], rows)


def _under_topic(table: Table) -> Table:
    return table._replace(headers=["topic", *table.headers[1:]])


def score_lines(scores: Scores, form: str, topics: bool, places: int, **options: Any) -> Iterator[str]:
    """The lines of scores in a format, perhaps with every topic."""
    if form == "trec":
        yield from _trec(scores, topics, places)
    elif form == "json":
        shown = {name: options[name] for name in ("interval", "by") if name in options}
        yield json_text(scores, topics=topics, **shown, indent=2)
    else:
        for place, table in enumerate(score_tables(scores, form, topics, places=places, **options)):
            yield from [""] if place else []
            yield from lines(table, form, places)


def _trec(scores: Scores, topics: bool, places: int) -> Iterator[str]:
    """Lines as trec_eval prints them, perhaps of several runs."""
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
