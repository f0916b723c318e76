"""Options of commands that write tables: the file and its format, decimal places, captions and marks."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from rankgauge.cli.options import CAPTION, add, group, whole_number
from rankgauge.errors import OptionError
from rankgauge.model.output.table_cells import MAX_PLACES, PLACES
from rankgauge.model.output.tables import FORMATS, PROGRAMS, default_places

EXACT = ("csv", "json", "jsonl")  # formats that keep every digit


def add_print(parser: argparse.ArgumentParser) -> None:
    """Add options for a printed table of means."""
    add(parser, *CAPTION, "--percent", "--second")
    parser.set_defaults(places=None)


def chosen_places(args: argparse.Namespace) -> int:
    """The decimal places: as many digits in per cent as without."""
    return default_places(args.percent) if args.places is None else int(args.places)


def check_table_label(args: argparse.Namespace) -> None:
    """Refuse a label without a caption, whose number it refers to."""
    if args.table_label and not args.caption:
        raise OptionError("--table-label refers to the number of a captioned table; add --caption")


def check_print(args: argparse.Namespace, form: str) -> None:
    """Refuse marks and captions in formats for programs."""
    given = [name for name in ("marks", "second", "caption", "table_label") if getattr(args, name, None)]
    if given and form in PROGRAMS:
        option = given[0].replace("_", "-")
        raise OptionError(
            f"{form} has no marks and no caption; omit --{option}, or choose a format for print"
        )


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
        type=whole_number(0, "--places", MAX_PLACES),
        default=PLACES,
        metavar="N",
        help=f"decimal places (default {PLACES}); {exact} {'keep' if ' ' in exact else 'keeps'} every digit",
    )


def _format(text: str) -> str:
    extensions = {extension[1:]: form.name for form in FORMATS.values() for extension in form.extensions}
    return extensions.get(text, text)
