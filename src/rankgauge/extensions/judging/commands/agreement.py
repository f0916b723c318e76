"""Compare sets of judgments: how far they agree, whether they order runs alike, what they can be used for.

For example:
  rankgauge agreement qrels.txt second_qrels.txt
  rankgauge agreement anna.qrels ben.qrels carol.qrels
  rankgauge agreement qrels.txt llm_qrels.txt runs/*.gz -m "AP nDCG@10" --rel 2
  rankgauge agreement human.qrels gpt-4o.jsonl llama.csv runs/*.gz --judges --groups families.txt
  rankgauge agreement human.qrels repeated.qrels runs/*.gz --judges --duplicates majority
  rankgauge agreement qrels.txt llm_qrels.txt runs/*.gz --table orders --format latex -o orders.tex
  rankgauge agreement qrels.txt sample_qrels.txt bm25.run --docs 528155

Only documents judged in both sets are compared; runs are scored by all judgments of the topics that both
sets have. Further files of judgments are further sets; any other file is a run.

With --judges, the first set is human and the others are labels of judges, such as language models; a file
that names judges, in a column `judge` or the second of a TREC file, has the labels of each. Labels that a
judge gave repeatedly are combined by --duplicates.

With --docs, OTHER has judgments of documents drawn at random from a collection of that size, or from those
that the run did not retrieve, and the recall of the run is estimated: the share of the sample that is
relevant stands for all documents that were not retrieved.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge.campaigns.options import MEASURES
from rankgauge.cli import output
from rankgauge.cli.findings import add_findings, form_of_findings, show_findings
from rankgauge.cli.options import add, add_declared, add_measures, add_parameter, add_reading, chosen, group
from rankgauge.errors import OptionError
from rankgauge.formats import Source, guess_kind
from rankgauge.formats.source import expand
from rankgauge.measures.named_sets import ONE
from rankgauge.model.rules import Inputs, OfQrels
from rankgauge.schema.parameters import declared

if TYPE_CHECKING:
    from rankgauge.campaigns.findings import Findings

OF_FORMS = {"judges": ("groups", "samples", "seed"), "docs": ("level",)}  # {option: those that need it}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.judging import estimate_recall, judges

    parser.usage = "%(prog)s QRELS OTHER [FILE...] [-m MEASURE]... [--judges | --docs N] [options]"
    add(parser, "qrels")
    parser.add_argument("other", metavar="OTHER", help="a file of other judgments of the same documents")
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="*",
        help="files of further judgments, and run files; - and pipes are runs",
    )
    text = f'such as nDCG@10; repeatable, or list several (default "{MEASURES}"; with --judges, {ONE})'
    add_measures(parser, text)
    add_declared(parser, judges, "rel", rel="GRADE")
    text = "the others are judges: say what each can be used for, and what it does to runs"
    parser.add_argument("--judges", action="store_true", help=text)
    add_declared(parser, judges, "groups", "samples", "seed", of="with --judges", groups="FILE")
    sampled = "with a sample of documents"
    add_parameter(group(parser, sampled), declared(estimate_recall)["docs"], required=False)
    add_declared(parser, estimate_recall, "level", of=sampled, level="P")
    parser.set_defaults(docs=None, groups=None, samples=None, seed=None, level=None)
    add_findings(parser)
    add_reading(parser)


def run(args: argparse.Namespace) -> int:
    """Compare the judgments and write the findings."""
    form = form_of_findings(args)
    given: dict[str, Any] = {}
    for option, names in OF_FORMS.items():
        its = {name: getattr(args, name) for name in names if getattr(args, name) is not None}
        if its and not getattr(args, option):
            raise OptionError(f"--{next(iter(its))} is for --{option}; add it, or leave this out")
        given |= its
    if args.judges and args.docs:
        raise OptionError("--judges compares labels, --docs estimates recall; pass one of them")
    kinds = {file: _holds_judgments(file, args.run_format) for file in args.files}
    judgments, runs = ([file for file in args.files if kinds[file] == kind] for kind in (True, False))
    if args.docs:
        return show_findings(_recall(args, judgments, runs, given), form, args)
    from rankgauge.extensions.judging import agreement, judges

    compare: Callable[..., Findings] = judges if args.judges else agreement
    given |= {"measure": _only(args.measures or [ONE])} if args.judges else {"measures": args.measures}
    reading = chosen(args, Inputs, "threads") if runs else chosen(args, OfQrels, "duplicates")
    with output.progress("reading", shown=not args.quiet) as progress:
        if runs:
            given["progress"] = progress
        findings = compare(
            args.qrels, [args.other, *judgments], runs or None, rel=args.rel, **given, **reading
        )
    return show_findings(findings, form, args)


def _only(measures: list[str]) -> str:
    if len(measures) > 1:
        raise OptionError(f"--judges compares judges on one measure, not on {' and '.join(measures)}")
    return measures[0]


def _recall(
    args: argparse.Namespace, judgments: list[str], runs: list[str], given: dict[str, Any]
) -> Findings:
    """The recall of the run, estimated from judgments of a sample."""
    from rankgauge.extensions.judging import estimate_recall
    from rankgauge.model.collapse import Collapse
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.run import Run

    if judgments or len(runs) != 1 or args.measures:
        raise OptionError("--docs takes QRELS, a sample and one run, and no measures")
    with output.progress("reading", shown=not args.quiet):
        qrels, sample = (
            Qrels.read(file, args.qrels_format, columns=args.qrels_columns, grades=args.grades)
            for file in (args.qrels, args.other)
        )
        results = Run.read(runs[0], args.run_format, columns=args.run_columns)
        if args.collapse is not None:
            results = Collapse.of(args.collapse).documents(results)
        return estimate_recall(qrels, sample, results, docs=args.docs, rel=args.rel, **given)


def _holds_judgments(file: str, run_format: str | None) -> bool:
    """Whether a file or pattern holds judgments, by its content.

    Standard input, pipes and directories are runs: a pipe cannot be read twice.
    """
    if file == "-" or run_format is not None:
        return False
    return all(Path(path).is_file() and guess_kind(Source(path)) == "qrels" for path in expand(file))
