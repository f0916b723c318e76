"""Evaluate a run with the options, measures and output of trec_eval.

For example:
  rankgauge trec_eval qrels.txt bm25.run
  rankgauge trec_eval -q -c -m P.5,10 -m ndcg_cut qrels.txt bm25.run
  rankgauge trec_eval -m all_trec -l 2 --rules 9 qrels.txt bm25.run
  zcat bm25.run.gz | rankgauge trec_eval -m map qrels.txt -

Where trec_eval computes a wrong value, this prints the right one, with a note on stderr.
exit codes, as in trec_eval: 1 invalid usage, 2 invalid input, 4 a measure that the judgments do not allow,
7 no topic in common
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rankgauge._version import VERSION
from rankgauge.cli.output import print_message
from rankgauge.errors import InputError, NoCommonTopic, OptionError, RankgaugeError
from rankgauge.model.output.tables import printable
from rankgauge.schema.options import choice, read_whole_number

if TYPE_CHECKING:
    from rankgauge.compat.trec_eval.columns import Options

USAGE, INPUT, CALCULATION, NOTHING_IN_COMMON = 1, 2, 4, 7
VERSIONS = {10: "10.0-rc3", 9: "9.0.4"}
REL_FORMATS = {
    "qrels": "topic iteration document grade",
    "qrels_jg": "topic group document grade: the judgments of several people",
    "prefs": "topic group subgroup document level: preferences between documents",
    "qrels_prefs": "judgments taken as preferences for the higher grade",
}
RESULTS_FORMATS = ("trec_results",)
LARGEST = 10**15 - 1  # number of an option


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s [-q] [-m MEASURE[.PARAMETERS]]... [options] QRELS RUN"
    parser.allow_abbrev = True  # long names may be cut short, as trec_eval allows
    parser.add_argument("qrels", metavar="QRELS", help="file of judgments")
    parser.add_argument("results", metavar="RUN", help="run file; - is standard input")
    alone: dict[str, Any] = {"nargs": 0, "action": Alone}
    flag: dict[str, Any] = {"action": "store_true"}
    number: dict[str, Any] = {"metavar": "N"}
    parser.add_argument(
        "-h", "--help", dest="asked", **alone, help="show this help, and describe the measures of -m"
    )
    parser.add_argument("-v", "--version", dest="asked", **alone, help="show the version")
    parser.add_argument("-q", "--query_eval_wanted", **flag, help="print every topic as well as the summary")
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        default=[],
        metavar="MEASURE",
        help="a measure, with parameters after a dot (P.5,10), or a set of measures: official (the default), "
        "all_trec, set, prefs, all_prefs or qrels_jg; can be repeated",
    )
    parser.add_argument(
        "-c", "--complete_rel_info_wanted", **flag, help="count judged topics without results as 0"
    )
    parser.add_argument(
        "-l", "--level_for_rel", **number, help="the lowest grade that is relevant (default 1)"
    )
    parser.add_argument("-n", "--nosummary", **flag, help="print no summary")
    parser.add_argument("-J", "--Judged_docs_only", **flag, help="ignore unjudged documents")
    parser.add_argument("-N", "--Number_docs_in_coll", **number, help="number of documents in the collection")
    parser.add_argument(
        "-M", "--Max_retrieved_per_topic", **number, help="evaluate only the first N documents of each topic"
    )
    formats = "\n".join(f"  {name}: {holds}" for name, holds in REL_FORMATS.items())
    parser.add_argument(
        "-R", "--Rel_info_format", metavar="FORMAT", help=f"format of QRELS (default qrels)\n{formats}"
    )
    parser.add_argument("-T", "--Results_format", metavar="FORMAT", help="format of RUN: trec_results")
    parser.add_argument(
        "-Z",
        "--Zscore",
        metavar="FILE",
        help="print z-scores; a line of FILE is: topic measure mean deviation",
    )
    parser.add_argument("-D", "--Debug_level", metavar="N[.TOPIC]", help="evaluate only this topic")
    parser.add_argument("-o", "--Output_old_results_format", **flag, help="no effect, as in trec_eval")
    parser.add_argument(
        "--rules", metavar="VERSION", help="version of trec_eval to follow: 10 (default) or 9"
    )
    parser.add_argument("--quiet", **flag, help="no notes on where trec_eval would print another value")


class Alone(argparse.Action):
    """An option that needs no files. Parsing goes on, as -h also describes the measures of -m."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the option, and make the files optional."""
        if not getattr(namespace, self.dest, None):
            setattr(namespace, self.dest, self.option_strings[-1].strip("-"))
            namespace.parser = parser
        for action in parser._actions:
            if not action.option_strings:
                action.required = False


def run(args: argparse.Namespace) -> int:
    """Evaluate like trec_eval; errors have its exit codes."""
    try:
        if args.asked == "version":
            print_message(f"trec_eval version {VERSIONS[_rules(args)]} (rankgauge {VERSION})")
        elif args.asked:
            _help(args)
        else:
            _evaluate(_options(args), quiet=args.quiet)
        return 0
    except RankgaugeError as error:
        from rankgauge.cli.main import say

        return say(str(error), _exit_code(error))


def _exit_code(error: RankgaugeError) -> int:
    from rankgauge.compat.trec_eval.columns import ParameterError
    from rankgauge.compat.trec_eval.table import WrongJudgments

    codes: dict[type[RankgaugeError], int] = {
        NoCommonTopic: NOTHING_IN_COMMON,
        InputError: INPUT,
        ParameterError: INPUT,
        WrongJudgments: CALCULATION,
    }
    return next((code for kind, code in codes.items() if isinstance(error, kind)), USAGE)


def _evaluate(options: Options, quiet: bool) -> None:
    from rankgauge.compat.trec_eval.output import report

    printed = report(options)
    sys.stdout.writelines(f"{line}\n" for line in printed.lines)
    sys.stdout.flush()
    for note in () if quiet else printed.notes:
        print_message(f"note: {printable(note)}")


def _options(args: argparse.Namespace) -> Options:
    """The options of the command, checked."""
    from rankgauge.compat.trec_eval.columns import Options
    from rankgauge.compat.trec_eval.table import DEFAULT

    _format("-T", args.Results_format or "trec_results", RESULTS_FORMATS)
    level, dot, topic = (args.Debug_level or "0").partition(".")
    _whole("-D", level, 0)
    return Options(
        qrels=args.qrels,
        run=args.results,
        measures=args.measure or (DEFAULT,),
        per_topic=args.query_eval_wanted,
        summary=not args.nosummary,
        complete=args.complete_rel_info_wanted,
        level=1 if args.level_for_rel is None else _whole("-l", args.level_for_rel, 0),
        judged_only=args.Judged_docs_only,
        docs=None if args.Number_docs_in_coll is None else _whole("-N", args.Number_docs_in_coll, 1),
        depth=None if args.Max_retrieved_per_topic is None else _whole("-M", args.Max_retrieved_per_topic, 1),
        rel_format=_format("-R", args.Rel_info_format or "qrels", REL_FORMATS),
        norms=args.Zscore,
        topic=topic if dot else None,
        rules=_rules(args),
    )


def _format(option: str, name: str, known: Iterable[str]) -> str:
    """The format of an input; an unknown one has exit code 2, as in trec_eval."""
    try:
        return choice(option, name, known)
    except OptionError as error:
        raise InputError(str(error)) from None


def _rules(args: argparse.Namespace) -> int:
    return int(choice("--rules", args.rules or "10", [str(version) for version in VERSIONS]))


def _whole(option: str, text: str, least: int) -> int:
    return read_whole_number(option, text, least, LARGEST)


def _help(args: argparse.Namespace) -> None:
    """Print the options, and a description of the measures of -m."""
    from rankgauge.compat.trec_eval.columns import requested
    from rankgauge.compat.trec_eval.table import describe

    columns, _ = requested(args.measure, _rules(args))
    args.parser.print_help()
    for name in dict.fromkeys(column.entry.name for column in columns):
        print(f"\n{name}\n{describe(name)}")
