"""Options that several commands share, read from the records that the library has of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from rankgauge.errors import OptionError
from rankgauge.model import document_order, topic_rules
from rankgauge.schema.checks import whole_words
from rankgauge.schema.options import Option

ALL = (*document_order.OPTIONS, *topic_rules.OPTIONS)
EXACT = ("csv", "json", "jsonl")  # formats that keep every digit
DEEPEST = 1_000_000  # the last rank of a curve: of more, no machine holds the values


def add_rules(
    parser: argparse.ArgumentParser, options: Iterable[Option] = ALL, *, one_order: bool = False
) -> None:
    """Add a choice between named rules for each option, its help made of what the rules do.

    A command that needs one order of documents does not offer the rules that look at several.
    """
    left_out = document_order.OVER_ORDERS if one_order else ()
    group = parser.add_argument_group("order and topics")
    for option in options:
        rules = "\n".join(
            f"  {word}: {effect}" for word, effect in option.rules.items() if word not in left_out
        )
        group.add_argument(
            f"--{option.name}",
            type=option.check,
            choices=tuple(option.rules),
            default=option.default,
            metavar="RULE",
            help=f"{option.title} (default {option.default})\n{rules}".replace("%", "%%"),
        )


def chosen(args: argparse.Namespace, options: Iterable[Option] = ALL) -> dict[str, Any]:
    """{option: rule} as the command line chose."""
    return {option.name: getattr(args, option.name) for option in options}


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects some of the runs."""
    from rankgauge.studies import selection  # for which few commands should wait

    papers = "\n".join(f"  {name}: {setting.cite}" for name, setting in selection.SETTINGS.items())
    parser.add_argument(
        "--select",
        action="append",
        metavar="RULE",
        help="some of the runs; may be repeated\n  top=75%: the best of them, a share or so many\n"
        "  teams=FILE: each team's best; two columns, run and team\n"
        f"  by=MEASURE: whose means say what is best (default {selection.BY})\nor as a paper did\n"
        f"{papers}".replace("%", "%%"),
    )


def chosen_selection(args: argparse.Namespace) -> dict[str, str]:
    """What `add_selection` asked for, as `selection.select` takes it; nothing if all runs take part."""
    from rankgauge.studies import selection

    found: dict[str, str] = {}
    for rule in args.select or ():
        name, given, value = rule.partition("=")
        if not given and name in selection.SETTINGS:
            name, value = "setting", name
        elif name not in ("top", "teams", "by") or not value:
            papers = ", ".join(selection.SETTINGS)
            raise OptionError(f"--select takes top=75%, teams=FILE, by=MEASURE, or {papers}, not {rule!r}")
        found[name] = value
    if found.keys() == {"by"}:
        raise OptionError("by= says what is best; say how many with top=, or whose with teams=")
    return found


def whole_number(least: int, what: str, most: int | None = None) -> type[int]:
    """A reader of whole numbers from `least` on, for argparse; `what` names the option in its error."""

    def read(text: str) -> int:
        if text.strip().isdecimal() and least <= int(text) <= (most or int(text)):
            return int(text)
        raise OptionError(f"{what} must be {whole_words(least, most)}, not {text!r}")

    return read  # type: ignore[return-value]  # argparse takes any callable


def add_measures(parser: argparse.ArgumentParser, said: str) -> None:
    """Add -m, which may be repeated and name several measures."""
    parser.add_argument(
        "-m", "--measure", action="append", dest="measures", metavar="MEASURE", help=said.replace("%", "%%")
    )


def add_work(parser: argparse.ArgumentParser, quiet: str = "no progress") -> None:
    """Add --quiet and --threads."""
    parser.add_argument("--quiet", action="store_true", help=quiet)
    parser.add_argument(
        "--threads", type=whole_number(1, "--threads"), metavar="N", help="threads (default: one a core)"
    )


def add_output(parser: argparse.ArgumentParser, formats: Iterable[str], elsewhere: str = "tsv") -> None:
    """Add --format, --places and -o; `elsewhere` is the format of what does not go to a terminal."""
    exact = " and ".join(", ".join(form for form in EXACT if form in formats).rsplit(", ", 1))
    default = "table" if elsewhere == "table" else f"table on a terminal, {elsewhere} otherwise"
    parser.add_argument(
        "--format",
        choices=tuple(formats),
        metavar="FORMAT",
        help=f"{', '.join(formats)} (default: by the ending of FILE; {default})",
    )
    parser.add_argument(
        "--places",
        type=whole_number(0, "--places"),
        default=4,
        metavar="N",
        help=f"decimals shown (default 4); {exact} {'keep' if ' ' in exact else 'keeps'} every digit",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=lambda path: None if path == "-" else path,
        metavar="FILE",
        help="write to a file, which appears when it is whole",
    )
