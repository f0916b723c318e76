"""Arguments that say what the input is, for the cases in which it cannot be found out."""

from __future__ import annotations

import argparse
from typing import Any

from rankgauge.errors import OptionError

COLUMNS_HELP = "what columns are called in the input, such as topic=my_q,doc=my_d,score=my_s"


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that reads judgments and runs."""
    for kind in ("run", "qrels"):
        parser.add_argument(
            f"--{kind}-format", metavar="FORMAT", help="the format of the input, when it cannot be guessed"
        )
        parser.add_argument(f"--{kind}-columns", metavar="NAMES", help=COLUMNS_HELP)


def add_subtopics(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that say more about judgments by subtopic."""
    parser.add_argument(
        "--intents", metavar="FILE", help="probabilities of subtopics, lines: topic subtopic probability"
    )
    parser.add_argument(
        "--topic-alphas", metavar="FILE", help="the alpha of each topic for alpha=topic, lines: topic alpha"
    )


def chosen_qrels(args: argparse.Namespace, *, by_subtopic: bool = False) -> Any:
    """The judgments, with what `add_subtopics` asked for; a path if that is nothing."""
    if args.intents is None and args.topic_alphas is None and not by_subtopic:
        return args.qrels
    from rankgauge.model.subtopics import SubtopicQrels

    found = SubtopicQrels.read(
        args.qrels,
        format=args.qrels_format,
        columns=columns_of(args.qrels_columns),
        duplicates=args.duplicates,
    )
    if args.intents is not None:
        found = found.with_intents(args.intents)
    return found if args.topic_alphas is None else found.with_alphas(args.topic_alphas)


def chosen_inputs(args: argparse.Namespace) -> dict[str, Any]:
    """What `add_inputs` asked for, as the library takes it."""
    return {
        "run_format": args.run_format,
        "qrels_format": args.qrels_format,
        "run_columns": columns_of(args.run_columns),
        "qrels_columns": columns_of(args.qrels_columns),
    }


def add_input(parser: argparse.ArgumentParser, format_option: str) -> None:
    """Add the arguments of a command that reads a single run or judgments."""
    parser.add_argument(
        "--kind", choices=("run", "qrels"), help="what the input holds, when it is not evident"
    )
    parser.add_argument(
        format_option, dest="format", metavar="FORMAT", help="the format of the input, likewise"
    )
    parser.add_argument("--columns", metavar="NAMES", help=COLUMNS_HELP)


def columns_of(given: str | None) -> dict[str, str] | None:
    """The names of columns, from the text that gives them."""
    if given is None:
        return None
    pairs = [part.partition("=") for part in given.split(",")]
    if not all(role and name for role, _, name in pairs):
        raise OptionError(f"columns are given like topic=my_q,doc=my_d, not {given!r}")
    return {role.strip(): name.strip() for role, _, name in pairs}
