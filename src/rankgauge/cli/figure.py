"""Draw a figure of runs, of scores, of what a study finds, or of a table.

For example:
  rankgauge figure
  rankgauge figure curve qrels.txt runs/*.run -m "nDCG DCG" --depth 50 -o curve.pdf
  rankgauge figure differences qrels.txt bm25.run rm3.run -m AP -o differences.svg
  rankgauge figure distribution scores.parquet --theme dark --width page -o scores.png
  rankgauge figure asl qrels.txt runs/*.run -m "AP nDCG Q" --seed 7 -o asl.pdf
  rankgauge figure lines sweep.csv --x beta --y tau --series measure -o sweep.svg

A figure of scores, or of a study that looks at scores alone, takes a file of scores instead of
judgments and runs. The ending of FILE says what is written: a picture (.svg, .png, .pdf), a page
(.html) or the specification in Vega-Lite with its data (.json). The caption goes to standard output.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output, terminal
from rankgauge.cli.inputs import add_inputs, add_subtopics
from rankgauge.cli.options import DEEPEST, add_measures, add_rules, add_selection, add_work, whole_number
from rankgauge.cli.study import add_settings, by_subtopic, campaign_of, settings_of
from rankgauge.errors import OptionError
from rankgauge.model.tables import Table, lines, printable

if TYPE_CHECKING:
    from rankgauge.figures import Plot
    from rankgauge.schema.parameters import Parameter


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: those of each figure are made from its signature."""
    from rankgauge.cli.main import Help
    from rankgauge.figures import figures

    parser.usage = "%(prog)s [NAME QRELS RUN... -o FILE [options]]"
    names = parser.add_subparsers(title="figures", dest="figure", metavar="NAME", prog="rankgauge figure")
    for plot in figures().values():
        files = "TABLE" if plot.needs == "table" else "QRELS RUN..."
        sub = names.add_parser(
            plot.name,
            help=plot.title,
            formatter_class=Help,
            allow_abbrev=False,
            usage=f"rankgauge figure {plot.name} {files} -o FILE [options]",
        )
        sub.description = f"{plot.help}\n\nFor example:\n  {example(plot)}"
        sub.epilog = f"source: {plot.cite}"
        sub.set_defaults(parser=sub)
        _add_arguments(sub, plot)


def example(plot: Plot) -> str:
    """A command line that draws a figure."""
    from rankgauge.studies import studies

    diverse = "study" in plot.made and studies()[plot.made["study"]].diverse
    judgments = "qrels.diversity.txt" if diverse else "qrels.txt"
    files = "table.csv" if plot.needs == "table" else f"{judgments} runs/*.run"
    return f"rankgauge figure {plot.name} {files} {plot.example} -o {plot.name}.svg"


def _add_arguments(parser: argparse.ArgumentParser, plot: Plot) -> None:
    from rankgauge.figures.figure import MOST_PPI, PPI
    from rankgauge.figures.inputs import NEEDS
    from rankgauge.figures.theme import OPTIONS
    from rankgauge.studies import studies

    need = NEEDS[plot.needs]
    if plot.needs == "table":
        parser.add_argument(
            "table", metavar="TABLE", help="a .csv, .tsv, .json or .jsonl file with named columns"
        )
    else:
        ranked = plot.needs == "curves"  # for which scores will not do
        first = "a file of judgments" if ranked else "a file of judgments; or of scores, without runs"
        parser.add_argument("qrels", metavar="QRELS", help=first)
        parser.add_argument(
            "runs", metavar="RUN", nargs="+" if ranked else "*", help="files of results; - is standard input"
        )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="what to write: .svg, .png, .pdf, .html or .json",
    )
    if "measures" in need.options:
        add_measures(parser, f'may be repeated and name several (default "{plot.made["measures"]}")')
    if "depth" in need.options:
        parser.add_argument(
            "--depth",
            type=whole_number(1, "--depth", DEEPEST),
            metavar="N",
            help=f"the last rank (default {plot.made['depth']})",
        )
    if "study" in need.options:
        add_settings(parser, studies()[plot.made["study"]])
    group = parser.add_argument_group("options of the figure")
    for parameter in plot.parameters:
        _add_option(group, parameter)
    for option in OPTIONS:
        words = "\n".join(f"  {word}: {effect}" for word, effect in option.rules.items())
        group.add_argument(
            f"--{option.name}",
            type=option.check,
            choices=tuple(option.rules),
            default=option.default,
            metavar="RULE",
            help=f"{option.title} (default {option.default})\n{words}",
        )
    group.add_argument("--no-heading", action="store_true", help="leave title and subtitle to the paper")
    group.add_argument(
        "--ppi",
        type=whole_number(1, "--ppi", MOST_PPI),
        default=PPI,
        metavar="N",
        help=f"points an inch of a .png (default {PPI})",
    )
    if plot.needs != "table":
        add_work(parser)
        add_selection(parser)
        add_inputs(parser)
        add_subtopics(parser)
        add_rules(parser)


def _add_option(group: argparse._ArgumentGroup, parameter: Parameter) -> None:
    from rankgauge.figures.options import Names
    from rankgauge.schema.parameters import Flag

    name = parameter.name.replace("_", "-")
    default = f" (default {parameter.written_default})" if parameter.written_default else ""
    said: dict[str, Any] = {
        "dest": f"figure_{parameter.name}",
        "help": f"{parameter.help}{default}".replace("%", "%%"),
    }
    if isinstance(parameter.kind, Flag):
        group.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, **said)
    else:
        action = "append" if isinstance(parameter.kind, Names) else "store"
        said["help"] += f"; {parameter.kind.words}"
        group.add_argument(f"--{name}", action=action, metavar=parameter.name.upper(), **said)


def run(args: argparse.Namespace) -> int:
    """Make the results, draw them, write the figure and say its caption; without a name, list the figures."""
    from rankgauge.figures import figures

    if args.figure is None:
        return _list()
    plot = figures()[args.figure]
    settings = {p.name: _value(p, getattr(args, f"figure_{p.name}")) for p in plot.parameters}
    _known_ending(args.output)
    figure = plot(
        _results(plot, args), theme=args.theme, width=args.width, headed=not args.no_heading, **settings
    )
    figure.save(args.output, ppi=args.ppi)
    print(printable(figure.caption))
    return 0


def _known_ending(path: str) -> None:
    """An error for a file of no known kind, before hours are spent on making one."""
    from rankgauge.figures.figure import form_of

    form_of(path)


def _results(plot: Plot, args: argparse.Namespace) -> Any:
    from rankgauge.figures.inputs import NEEDS
    from rankgauge.figures.table_files import read
    from rankgauge.measures import parse_all
    from rankgauge.studies import studies

    need = NEEDS[plot.needs]
    if need.make is None:
        return read(args.table)
    made, diverse = dict(plot.made), False
    if "study" in need.options:
        study = studies()[made["study"]]
        made["settings"] = settings_of(study, args)
        diverse = by_subtopic(study, made["settings"])
    if "measures" in need.options and (args.measures or not args.runs):
        made["measures"] = args.measures  # a file of scores has its own
    if "depth" in need.options and args.depth is not None:
        made["depth"] = args.depth
    if made.get("measures"):
        diverse = any(measure.spec.needs_subtopics for measure in parse_all(made["measures"]))
    return need.make(campaign_of(args, diverse), made)


def _value(parameter: Parameter, given: Any) -> Any:
    """What was given, as the kind of the parameter takes it: text, unless it is for numbers."""
    from rankgauge.schema.parameters import Number, Whole

    if not isinstance(given, str) or not isinstance(parameter.kind, (Number, Whole)):
        return given
    try:
        return float(given)
    except ValueError:
        raise OptionError(f"--{parameter.name} must be {parameter.kind.words}, not {given!r}") from None


def _list() -> int:
    from rankgauge.figures import figures

    table = Table(("figure", "title", "of"), [(f.name, f.title, f.needs) for f in figures().values()])
    if sys.stdout.isatty():
        terminal.show(table)
    else:
        output.write(lines(table, "tsv"), None)
    return 0
