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
from collections.abc import Callable, Iterable
from typing import Any

from rankgauge._version import VERSION
from rankgauge.cli.output import print_message
from rankgauge.errors import InputError, NoCommonTopic, OptionError, RankgaugeError
from rankgauge.model.output.tables import printable
from rankgauge.schema.options import choice, read_whole_number

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


def _whole(option: str, least: int) -> Callable[[str], int]:
    return lambda text: read_whole_number(option, text, least, LARGEST)


def _topic(text: str) -> str | None:
    level, dot, topic = text.partition(".")
    read_whole_number("-D", level, 0, LARGEST)
    return topic if dot else None


def _format(option: str, known: Iterable[str]) -> Callable[[str], str]:
    """A reader of an input's format, with trec_eval's exit code for an unknown one."""

    def read(name: str) -> str:
        try:
            return choice(option, name, known)
        except OptionError as error:
            raise InputError(str(error)) from None

    return read


FLAG: dict[str, Any] = {"action": "store_true"}
# {options: how argparse reads and describes them}; destinations are the fields of trec_eval's `Options`
OPTIONS: dict[str, dict[str, Any]] = {
    "-q --query_eval_wanted": {
        **FLAG,
        "dest": "per_topic",
        "help": "print every topic as well as the summary",
    },
    "-m --measure": {
        "dest": "measures",
        "action": "append",
        "default": [],
        "metavar": "MEASURE",
        "help": "a measure, with parameters after a dot (P.5,10), or a set of measures: official (the "
        "default), all_trec, set, prefs, all_prefs or qrels_jg; repeatable",
    },
    "-c --complete_rel_info_wanted": {
        **FLAG,
        "dest": "complete",
        "help": "count judged topics without results as 0",
    },
    "-l --level_for_rel": {
        "dest": "level",
        "type": _whole("-l", 0),
        "default": 1,
        "metavar": "N",
        "help": "the lowest grade that is relevant (default 1)",
    },
    "-n --nosummary": {"dest": "summary", "action": "store_false", "help": "print no summary"},
    "-J --Judged_docs_only": {**FLAG, "dest": "judged_only", "help": "ignore unjudged documents"},
    "-N --Number_docs_in_coll": {
        "dest": "docs",
        "type": _whole("-N", 1),
        "metavar": "N",
        "help": "number of documents in the collection",
    },
    "-M --Max_retrieved_per_topic": {
        "dest": "depth",
        "type": _whole("-M", 1),
        "metavar": "N",
        "help": "evaluate only the first N documents of each topic",
    },
    "-R --Rel_info_format": {
        "dest": "rel_format",
        "type": _format("-R", REL_FORMATS),
        "default": "qrels",
        "metavar": "FORMAT",
        "help": "format of QRELS (default qrels)\n"
        + "\n".join(f"  {name}: {holds}" for name, holds in REL_FORMATS.items()),
    },
    "-T --Results_format": {
        "type": _format("-T", RESULTS_FORMATS),
        "metavar": "FORMAT",
        "help": "format of RUN: trec_results",
    },
    "-Z --Zscore": {
        "dest": "norms",
        "metavar": "FILE",
        "help": "print z-scores; a line of FILE is: topic measure mean deviation",
    },
    "-D --Debug_level": {
        "dest": "topic",
        "type": _topic,
        "metavar": "N[.TOPIC]",
        "help": "evaluate only this topic",
    },
    "-o --Output_old_results_format": {**FLAG, "help": "no effect, as in trec_eval"},
    "--rules": {
        "type": lambda text: int(choice("--rules", text, map(str, VERSIONS))),
        "default": 10,
        "metavar": "VERSION",
        "help": "version of trec_eval to follow: 10 (default) or 9",
    },
    "--quiet": {**FLAG, "help": "no notes on where trec_eval would print another value"},
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s [-q] [-m MEASURE[.PARAMETERS]]... [options] QRELS RUN"
    parser.allow_abbrev = True  # long names may be cut short, as trec_eval allows
    parser.add_argument("qrels", metavar="QRELS", help="file of judgments")
    parser.add_argument("results", metavar="RUN", help="run file; - is standard input")
    alone: dict[str, Any] = {"dest": "asked", "nargs": 0, "action": Alone}
    parser.add_argument("-h", "--help", **alone, help="show this help, and describe the measures of -m")
    parser.add_argument("-v", "--version", **alone, help="show the version")
    for names, keywords in OPTIONS.items():
        parser.add_argument(*names.split(), **keywords)


class Alone(argparse.Action):
    """An option that needs no files; parsing goes on, as -h also describes -m."""

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
            print_message(f"trec_eval version {VERSIONS[args.rules]} (rankgauge {VERSION})")
        elif args.asked:
            _help(args)
        else:
            _evaluate(args)
        return 0
    except RankgaugeError as error:
        from rankgauge.cli.main import say

        return say(str(error), _exit_code(error))


def _exit_code(error: RankgaugeError) -> int:
    from rankgauge.compat.trec_eval.columns import ParameterError, WrongJudgments

    codes: dict[type[RankgaugeError], int] = {
        NoCommonTopic: NOTHING_IN_COMMON,
        InputError: INPUT,
        ParameterError: INPUT,
        WrongJudgments: CALCULATION,
    }
    return next((code for kind, code in codes.items() if isinstance(error, kind)), USAGE)


def _evaluate(args: argparse.Namespace) -> None:
    from rankgauge.compat.trec_eval.columns import DEFAULT, Options
    from rankgauge.compat.trec_eval.output import report

    options = {
        keywords["dest"]: getattr(args, keywords["dest"])
        for keywords in OPTIONS.values()
        if "dest" in keywords
    }
    options["measures"] = args.measures or (DEFAULT,)
    lines, notes = report(Options(qrels=args.qrels, run=args.results, rules=args.rules, **options))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()
    for note in () if args.quiet else notes:
        print_message(f"note: {printable(note)}")


def _help(args: argparse.Namespace) -> None:
    """Print the options, and a description of the measures of -m."""
    from rankgauge.compat.trec_eval.columns import describe, requested

    columns, _ = requested(args.measures, args.rules)
    args.parser.print_help()
    for name in dict.fromkeys(column.entry.name for column in columns):
        print(f"\n{name}\n{describe(name)}")
