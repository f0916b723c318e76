"""Options that several commands share, made from the library's own records of them."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rankgauge.cli.inputs import group
from rankgauge.errors import OptionError
from rankgauge.model import document_order
from rankgauge.model.output.table_cells import COLUMN, MOST_PLACES, PLACES
from rankgauge.model.output.tables import FORMATS, PROGRAMS, default_places
from rankgauge.model.rules import OPTIONS
from rankgauge.schema.checks import LARGEST, read_whole_number
from rankgauge.schema.options import Option

if TYPE_CHECKING:
    from rankgauge.model.output.labels import Labels

EXACT = ("csv", "json", "jsonl")  # formats that keep every digit


def add_rules(
    parser: argparse.ArgumentParser, options: Iterable[Option] = OPTIONS, *, one_order: bool = False
) -> None:
    """Add an option for each choice between named rules; its help lists the rules.

    Commands that need a single order of documents (`one_order`) do not offer rules over several orders.
    """
    left_out = document_order.OVER_ORDERS if one_order else ()
    add = group(parser, "order of documents, and topics").add_argument
    for option in options:
        rules = "\n".join(
            f"  {word}: {effect}" for word, effect in option.rules.items() if word not in left_out
        )
        add(
            f"--{option.name.replace('_', '-')}",
            type=option.check,
            choices=tuple(option.rules),
            default=option.default,
            metavar="RULE",
            help=f"{option.title} (default {option.default})\n{rules}".replace("%", "%%"),
        )


def chosen(args: argparse.Namespace, options: Iterable[Option] = OPTIONS) -> dict[str, Any]:
    """{option: rule} from the command line."""
    return {option.name: getattr(args, option.name) for option in options}


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects runs."""
    from rankgauge.studies import selection  # slow to import, and needed by few commands

    papers = "\n".join(f"  {name}: {setting.cite}" for name, setting in selection.SETTINGS.items())
    parser.add_argument(
        "--select",
        action="append",
        metavar="RULE",
        help="use only some of the runs; can be repeated\n  top=75%: the best runs, as a share or a number\n"
        "  teams=FILE: the best run of each team; a line is: run team\n"
        f"  by=MEASURE: the measure whose means decide what is best (default {selection.BY})\n"
        f"or the rule of a paper\n{papers}".replace("%", "%%"),
    )


def chosen_selection(args: argparse.Namespace) -> dict[str, str]:
    """The options of `add_selection`, as arguments of `selection.select`; empty if all runs take part."""
    from rankgauge.studies import selection

    rules: dict[str, str] = {}
    for rule in args.select or ():
        name, equals, value = rule.partition("=")
        if not equals and name in selection.SETTINGS:
            name, value = "setting", name
        elif name not in ("top", "teams", "by") or not value:
            papers = ", ".join(selection.SETTINGS)
            raise OptionError(f"--select takes top=75%, teams=FILE, by=MEASURE, or {papers}, not {rule!r}")
        rules[name] = value
    if rules.keys() == {"by"}:
        raise OptionError(
            "--select by=MEASURE alone selects nothing; add --select top=N or --select teams=FILE"
        )
    return rules


def add_print(parser: argparse.ArgumentParser) -> None:
    """Add what a table of means has in print beside its values."""
    add_caption(parser)
    add = group(parser, "output").add_argument
    add("--percent", action="store_true", help="multiply values between -1 and 1 by 100")
    add("--second", action="store_true", help="underline the second-best values; the best are bold")
    parser.set_defaults(places=None)


def add_caption(parser: argparse.ArgumentParser) -> None:
    """Add the names, the caption and the width of a table for print."""
    add_labels(parser)
    add = group(parser, "output").add_argument
    add("--caption", metavar="TEXT", help="caption of the table, which makes it a float in LaTeX and Typst")
    add("--table-label", default="", metavar="NAME", help="label to refer to the table, such as tab:main")
    add(
        "--column-width",
        type=whole_number(72, "--column-width", 2000),
        default=COLUMN,
        metavar="PT",
        help=f"what a LaTeX table must fit (default {COLUMN:g}; ACM has 241, IEEE 252, ACL 219, LNCS 347)",
    )


def chosen_places(args: argparse.Namespace) -> int:
    """The decimal places of a command with `add_print`: as many digits in per cent as without."""
    return default_places(args.percent) if args.places is None else int(args.places)


def check_table_label(args: argparse.Namespace) -> None:
    """Refuse a label without a caption, whose number it refers to."""
    if args.table_label and not args.caption:
        raise OptionError("--table-label refers to the number of a captioned table; add --caption")


def check_print(args: argparse.Namespace, form: str) -> None:
    """Refuse marks and captions in formats for programs, which would drop them."""
    given = [name for name in ("marks", "second", "caption", "table_label") if getattr(args, name, None)]
    if given and form in PROGRAMS:
        option = given[0].replace("_", "-")
        raise OptionError(
            f"{form} has no marks and no caption; omit --{option}, or choose a format for print"
        )


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Add the option that names things as they are to be printed."""
    group(parser, "output").add_argument(
        "--labels",
        metavar="FILE",
        help="what to call runs, measures, topics, collections and teams: a file of two columns, name and "
        "label, or JSON",
    )


def chosen_labels(args: argparse.Namespace) -> Labels:
    """The labels of `add_labels`."""
    from rankgauge.model.output.labels import Labels

    return Labels.read(args.labels)


def whole_number(least: int, what: str, most: int = LARGEST) -> type[int]:
    """A parser of whole numbers from `least` to `most`, for argparse; `what` is the option in its error."""

    def read(text: str) -> int:
        return read_whole_number(what, text, least, most)

    return read  # type: ignore[return-value]  # argparse takes any callable


def add_measures(parser: argparse.ArgumentParser, text: str) -> None:
    """Add -m, which can be repeated and can name several measures; `text` is its help."""
    several = "a grid such as P(rel=1|2)@5|10 or a set such as graded names several"
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        dest="measures",
        metavar="MEASURE",
        help=f"{text}; {several}".replace("%", "%%"),
    )


def add_work(parser: argparse.ArgumentParser, quiet: str = "no progress") -> None:
    """Add --quiet and --threads; `quiet` is the help of the former."""
    add_quiet(parser, quiet)
    parser.add_argument(
        "--threads",
        type=whole_number(1, "--threads"),
        metavar="N",
        help="number of threads (default: one per core)",
    )


def add_quiet(parser: argparse.ArgumentParser, quiet: str = "no progress") -> None:
    """Add --quiet, with this help."""
    parser.add_argument("--quiet", action="store_true", help=quiet)


def add_output(parser: argparse.ArgumentParser, formats: Iterable[str], elsewhere: str = "tsv") -> None:
    """Add -o, --format and --places; `elsewhere` is the format for pipes."""
    add = group(parser, "output").add_argument
    exact = " and ".join(", ".join(form for form in EXACT if form in formats).rsplit(", ", 1))
    default = "table" if elsewhere == "table" else f"table on a terminal, {elsewhere} otherwise"
    add(
        "-o",
        "--output",
        type=lambda path: None if path == "-" else path,
        metavar="FILE",
        help="write to a file instead of standard output",
    )
    add(
        "--format",
        type=_format,
        choices=tuple(formats),
        metavar="FORMAT",
        help=f"{', '.join(formats)} (default: by the extension of FILE; without one, {default})",
    )
    add(
        "--places",
        "--precision",
        type=whole_number(0, "--places", MOST_PLACES),
        default=PLACES,
        metavar="N",
        help=f"decimal places (default {PLACES}); {exact} {'keep' if ' ' in exact else 'keeps'} every digit",
    )


def _format(text: str) -> str:
    """The name of a format, from that or from the extension of its files, such as md."""
    extensions = {extension[1:]: form.name for form in FORMATS.values() for extension in form.extensions}
    return extensions.get(text, text)
