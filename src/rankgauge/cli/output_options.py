"""Options of commands that write tables: the file and its format, decimal places, captions, marks, curves."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from rankgauge.cli.options import CAPTION, add, add_rule, group, reader, whole_number
from rankgauge.errors import OptionError
from rankgauge.evaluation import DEEPEST_CURVE
from rankgauge.measures.named_sets import CURVE
from rankgauge.model.output.table_cells import MAX_PLACES, PLACES
from rankgauge.model.output.tables import FORMATS, PROGRAMS, default_places
from rankgauge.model.rules import NORMALISE
from rankgauge.schema.parameters import Number

EXACT = ("csv", "json", "jsonl")  # formats that keep every digit
CURVES = "with --curve"  # the group of options
OF_MEANS = (
    "names", "interval", "by", "baseline", "worst", "sort", "top", "fail_if", "percent", "second", "caption",
    "table_label", "column_width", "human_qrels", "human_topics", "human_sample", "engine",
)  # fmt: skip
DEPTH = 100
LEVEL = 0.95


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


def add_curves(parser: argparse.ArgumentParser) -> None:
    """Add --curve, and the options that need it."""
    parser.add_argument(
        "--curve",
        action="store_true",
        help=f'show measures at every rank (default "{CURVE}") and the ideal; `figure curve` draws them',
    )
    of_curves = group(parser, CURVES)
    of_curves.add_argument(
        "--depth",
        type=whole_number(1, "--depth", DEEPEST_CURVE),
        metavar="N",
        help="the last rank (default 100)",
    )
    add_rule(of_curves, NORMALISE, metavar="HOW")
    of_curves.add_argument(
        "--goal",
        metavar="RUN",
        help="the name of a run whose values the others are to reach, instead of those of the ideal",
    )
    of_curves.add_argument(
        "--ranks",
        type=_ranks,
        metavar="K,...",
        help="the ranks to show (default: a selection; in csv, tsv and json: all)",
    )
    of_curves.add_argument(
        "--level",
        type=reader("--level", Number(0, 1, above=True, below=True)),
        metavar="P",
        help=f"the confidence level of the band in csv, tsv and json (default {LEVEL})",
    )


def check_curve_options(args: argparse.Namespace) -> None:
    """Refuse options of curves without --curve, and with it those of means."""
    of_curves = [each.dest for each in group(args.parser, CURVES)._group_actions]
    for name in OF_MEANS if args.curve else of_curves:
        if getattr(args, name) != args.parser.get_default(name):
            flag = f"--{name.replace('_', '-')}"
            raise OptionError(
                f"{flag} is not for curves; leave out {flag} or --curve"
                if args.curve
                else f"{flag} is for curves; add --curve, or leave it out"
            )


def _ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(whole_number(1, "--ranks")(part)) for part in text.split(",")}))
