"""Arguments of the commands that read a single run or judgments."""

from __future__ import annotations

import argparse

from rankgauge.errors import OptionError

COLUMNS_HELP = "what columns are called in the input, such as topic=my_q,doc=my_d,score=my_s"


def add_input(parser: argparse.ArgumentParser, format_option: str) -> None:
    """Add what says what the input is, for the cases in which it cannot be found out."""
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
