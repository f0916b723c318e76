"""Test whether differences between runs are real, topic by topic.

For example:
  rankgauge compare qrels.txt bm25.run ql.run -m "nDCG@10 AP"
  rankgauge compare qrels.txt runs/*.run --baseline bm25 --test bootstrap --seed 7
  rankgauge compare qrels.txt runs/*.run --test tukey --view ranked --format latex
  rankgauge compare qrels.txt old.run new.run --fail-if "nDCG@10 drops by 2% significantly"
  rankgauge compare scores.csv --measure AP

Instead of judgments and runs, one file of scores may be given: what `evaluate -o scores.parquet` wrote, or a
table of topics by runs. With --fail-if the exit code is 1 if a condition holds; it may be repeated:
  MEASURE drops|rises [by NUMBER[%]] [significantly]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output, terminal
from rankgauge.cli.evaluate import tell
from rankgauge.cli.inputs import add_inputs, chosen_inputs
from rankgauge.cli.options import add_measures, add_output, add_rules, add_work, chosen, whole_number
from rankgauge.errors import InputError, OptionError
from rankgauge.model.tables import FORMATS, LATEX_ESCAPES, lines, printable
from rankgauge.schema.json_text import to_json

if TYPE_CHECKING:
    from rankgauge.comparison import Comparison
    from rankgauge.comparison.gate import Condition
    from rankgauge.model.scores import Scores

MEASURES = "nDCG@10"
VIEWS = {
    "report": "all of it, to be read",
    "pairs": "a row for each pair, with every number",
    "ranked": "runs by their means, with letters for those that each is better than",
    "matrix": "differences of rows less columns",
    "sentences": "what one would write in a paper",
}
READ = ("table", "markdown", "latex", "html")  # formats of a report
FAILED = 1


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    from rankgauge.comparison.corrections import CORRECTIONS
    from rankgauge.comparison.registry import SEED, statistical_tests

    parser.usage = "%(prog)s QRELS RUN... [-m MEASURE]... [--baseline RUN]... [--test TEST] [options]"
    parser.add_argument(
        "inputs", metavar="QRELS RUN", nargs="+", help="judgments and files of results, or one file of scores"
    )
    add_measures(
        parser, f'such as nDCG@10; may be repeated and name several (default "{MEASURES}"; all in a file)'
    )
    parser.add_argument(
        "--baseline",
        action="append",
        metavar="RUN",
        help="compare the others with this run, by name or path; may be repeated (default: all pairs)",
    )
    tests = "\n".join(f"  {name}: {test.title}" for name, test in statistical_tests().items())
    _add_choice(parser, "--test", statistical_tests(), f"(default t)\n{tests}", "t")
    corrections = "\n".join(f"  {name}: {each.title}" for name, each in CORRECTIONS.items())
    said = f"of p for all pairs of a measure (default holm; none for Tukey's tests)\n{corrections}"
    _add_choice(parser, "--correction", CORRECTIONS, said)
    parser.add_argument(
        "--alpha", type=_level, default=0.05, metavar="α", help="level of significance (default 0.05)"
    )
    parser.add_argument(
        "--samples",
        type=whole_number(1, "--samples"),
        metavar="N",
        help="random samples of a test that takes some (default: 1000 of the bootstrap, 10000 of the others)",
    )
    parser.add_argument(
        "--seed",
        type=whole_number(0, "--seed"),
        default=SEED,
        metavar="N",
        help=f"of what is random (default {SEED})",
    )
    parser.add_argument(
        "--fail-if",
        action="append",
        default=[],
        metavar="CONDITION",
        help='exit with code 1 if it holds, such as "nDCG@10 drops by 2%% significantly"',
    )
    views = "\n".join(f"  {name}: {what}" for name, what in VIEWS.items())
    said = f"what to show (default: report; pairs in csv, tsv and jsonl; all of it in json)\n{views}"
    _add_choice(parser, "--view", VIEWS, said)
    add_output(parser, FORMATS, elsewhere="csv")  # p has to keep its digits
    parser.add_argument("--no-advice", action="store_true", help="no advice; notes on the data stay")
    add_work(parser, "no progress, no notes, no advice")
    add_inputs(parser)
    add_rules(parser)


def _add_choice(
    parser: argparse.ArgumentParser,
    option: str,
    allowed: Iterable[str],
    said: str,
    default: str | None = None,
) -> None:
    metavar = option[2:].upper()
    parser.add_argument(
        option, choices=tuple(allowed), default=default, metavar=metavar, help=said.replace("%", "%%")
    )


def _level(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise OptionError(f"--alpha must be a number between 0 and 1, not {text!r}")
    return value


def run(args: argparse.Namespace) -> int:
    """Evaluate, compare, write the comparison, and check the conditions."""
    from rankgauge.comparison import compare, gate
    from rankgauge.model import notes

    form = output.suitable(args.format, args.output, elsewhere="csv")
    conditions = [gate.read(text) for text in args.fail_if]
    scores = _scores(args, [condition.measure for condition in conditions])
    if conditions and not args.baseline and len(scores.runs) > 2:
        raise OptionError("--fail-if needs to know what to compare with; say --baseline RUN")
    from_file = len(args.inputs) == 1 and args.measures
    comparison = compare(
        scores,
        [*args.measures, *(condition.measure for condition in conditions)] if from_file else None,
        baseline=[_name(scores, given) for given in args.baseline or ()],
        test=args.test,
        correction=args.correction,
        alpha=args.alpha,
        samples=args.samples,
        seed=args.seed,
        threads=args.threads,
    )
    checks = _checks(conditions, comparison)
    _write(comparison, checks, form, args)
    sys.stdout.flush()
    if not args.quiet:
        tell("note", (*notes.facts(scores.provenance), *comparison.remarks))
    if not (args.quiet or args.no_advice):
        tell("advice", comparison.notes[len(comparison.remarks) :])
    for condition, found in checks.items():
        tell("failed" if found else "passed", [f"{condition}{''.join(f'; {each}' for each in found)}"])
    return FAILED if any(checks.values()) else 0


def _scores(args: argparse.Namespace, more: list[str]) -> Scores:
    """The scores of the runs, or those in a file; with the measures that conditions name."""
    from rankgauge.evaluation.evaluator import evaluate
    from rankgauge.model.score_files import EXTENSIONS
    from rankgauge.model.scores import Scores

    if len(args.inputs) > 1:
        qrels, *runs = args.inputs
        wanted = [*(args.measures or ([] if more else [MEASURES])), *more]
        with terminal.progress("reading", shown=not args.quiet) as progress:
            return evaluate(
                qrels,
                runs,
                wanted,
                **chosen(args),
                threads=args.threads,
                progress=progress,
                **chosen_inputs(args),
            )
    (path,) = args.inputs
    named = args.measures[0] if args.measures and len(args.measures) == 1 else None
    try:
        return Scores.load(path) if path.lower().endswith(EXTENSIONS) else Scores.from_table(path, named)
    except InputError as error:
        raise InputError(f"{error}\na single file is taken for scores; else give QRELS RUN...") from None


def _name(scores: Scores, given: str) -> str:
    """The name of a run that was given by its name or its path."""
    from rankgauge.formats.source import run_name

    return given if given in scores.runs else run_name(given) if run_name(given) in scores.runs else given


def _checks(conditions: list[Condition], comparison: Comparison) -> dict[str, list[str]]:
    """{condition: why it fails, for each pair; nothing if it passes}."""
    from dataclasses import replace

    from rankgauge.comparison import gate
    from rankgauge.comparison.compare_runs import canonical

    spelled = {canonical(measure): measure for measure in comparison.measures}
    found = {}
    for condition in conditions:
        if canonical(condition.measure) not in spelled:
            raise OptionError(
                f"--fail-if: the scores have no {condition.measure}, only {', '.join(comparison.measures)}"
            )
        known = replace(condition, measure=spelled[canonical(condition.measure)])
        found[str(known)] = list(gate.failures(known, comparison))
    return found


def _write(comparison: Comparison, checks: dict[str, list[str]], form: str, args: argparse.Namespace) -> None:
    view = args.view or ("report" if form in READ else "pairs")
    if form == "json" and args.view in (None, "report"):
        record: dict[str, Any] = comparison.as_dict()
        if checks:
            record["checks"] = [{"condition": text, "failed": why} for text, why in checks.items()]
        output.write([to_json(record, indent=2)], args.output)
    elif view == "report":
        from rankgauge.model.documents import document_lines

        if form not in READ:
            raise OptionError(
                f"a report is written as {', '.join(READ)} or json, not as {form}; say --view pairs"
            )
        # notes go to stderr; only a file has to carry its own
        document = comparison.document(args.places, notes=args.output is not None and not args.quiet)
        if form == "table" and args.output is None and sys.stdout.isatty():
            terminal.show_document(document, args.places)
        else:
            output.write(document_lines(document, form, args.places), args.output)
    elif view == "sentences":
        output.write(_sentences(comparison, form), args.output)
    else:
        table = {"pairs": comparison.table, "ranked": comparison.ranked, "matrix": comparison.matrix}[view]()
        if form == "table" and args.output is None and sys.stdout.isatty():
            terminal.show(table, args.places)
        else:
            below = ["", *_sentences(comparison, form)] if form == "latex" and view != "pairs" else []
            output.write([*lines(table, form, args.places), *below], args.output)


def _sentences(comparison: Comparison, form: str) -> Iterator[str]:
    for sentence in map(printable, comparison.sentences):
        yield sentence.translate(LATEX_ESCAPES) if form == "latex" else sentence
