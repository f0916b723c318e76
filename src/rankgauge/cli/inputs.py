"""Arguments of the commands that read a single run or judgments."""

from __future__ import annotations

import argparse

from rankgauge.errors import OptionError


def add_input(parser: argparse.ArgumentParser, format_option: str) -> None:
    """Add what says what the input is, for the cases in which it cannot be found out."""
    parser.add_argument(
        "--kind", choices=("run", "qrels"), help="what the input holds, when it is not evident"
    )
    parser.add_argument(
        format_option, dest="format", metavar="FORMAT", help="the format of the input, likewise"
    )
    parser.add_argument(
        "--columns",
        metavar="NAMES",
        help="what columns are called in the input, such as topic=my_q,doc=my_d,score=my_s",
    )


def columns_of(args: argparse.Namespace) -> dict[str, str] | None:
    """The names of columns that were given."""
    if args.columns is None:
        return None
    pairs = [part.partition("=") for part in args.columns.split(",")]
    if not all(role and name for role, _, name in pairs):
        raise OptionError(f"--columns must be like topic=my_q,doc=my_d, not {args.columns!r}")
    return {role.strip(): name.strip() for role, _, name in pairs}
