"""Draw a figure of runs, scores, the findings of a study, or a table.

For example:
  rankgauge figure
  rankgauge figure curve qrels.txt runs/*.run -m "nDCG DCG" --depth 50 -o curve.pdf
  rankgauge figure differences qrels.txt bm25.run rm3.run -m AP -o differences.svg
  rankgauge figure distribution scores.parquet --theme dark --width page -o scores.png
  rankgauge figure asl qrels.txt runs/*.run -m "AP nDCG Q" --seed 7 -o asl.pdf
  rankgauge figure asl --collection A=a.qrels,a/*.run --collection B=b.qrels,b/*.run -o both.pdf
  rankgauge figure lines sweep.csv --x beta --y tau --series measure -o sweep.svg

A figure of scores, or of a study that only needs scores, takes a file of scores instead of judgments
and runs. Several collections are drawn as the panels of one figure. The extension of FILE selects the
format: an image (.svg, .png, .pdf), a web page (.html) or the Vega-Lite specification with its data
(.json). The caption is printed to standard output.
"""

from __future__ import annotations

import argparse
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output
from rankgauge.cli.inputs import Collection, add_collections
from rankgauge.cli.options import (
    SUBTOPICS,
    add,
    add_inputs,
    add_measures,
    add_rule,
    add_rules,
    add_selection,
    add_work,
    chosen_labels,
    whole_number,
)
from rankgauge.cli.study import add_settings, by_subtopic, collections_of, noted_campaign, settings_of
from rankgauge.errors import OptionError
from rankgauge.evaluation import DEEPEST_CURVE
from rankgauge.model.output.tables import Table, printable

if TYPE_CHECKING:
    from rankgauge.figures import Plot
    from rankgauge.schema.parameters import Parameter
    from rankgauge.studies import Campaign


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command; those of each figure come from its signature."""
    from rankgauge.cli.parser import Help, find_by_registry
    from rankgauge.figures import figures
    from rankgauge.figures.registry import FIGURES

    parser.usage = "%(prog)s [NAME QRELS RUN... -o FILE [options]]"
    names = parser.add_subparsers(title="figures", dest="figure", metavar="NAME", prog="rankgauge figure")
    for plot in figures().values():
        files = _files(plot)
        sub = names.add_parser(
            plot.name,
            help=plot.title,
            formatter_class=Help,
            allow_abbrev=False,
            usage=" ".join(filter(None, ("rankgauge figure", plot.name, files, "-o FILE [options]"))),
        )
        sub.description = f"{plot.help}\n\nFor example:\n  {example(plot)}"
        sub.epilog = f"source: {plot.cite}"
        sub.set_defaults(parser=sub)
        _add_arguments(sub, plot)
    find_by_registry(names, FIGURES)


def example(plot: Plot) -> str:
    """A command line that draws a figure."""
    from rankgauge.studies import STUDIES

    diverse = "study" in plot.defaults and STUDIES[plot.defaults["study"]].needs_subtopics
    names = {
        "TABLE": "table.csv",
        "QRELS": "qrels.diversity.txt" if diverse else "qrels.txt",
        "RUN...": "runs/*.run",
    }
    files = [names[each] for each in _files(plot).split()]
    return " ".join(["rankgauge figure", plot.name, *files, plot.example, "-o", f"{plot.name}.svg"])


def _files(plot: Plot) -> str:
    """The files that a figure is drawn from, as arguments."""
    from rankgauge.studies import STUDIES

    needs_runs = "study" not in plot.defaults or STUDIES[plot.defaults["study"]].least_runs > 0
    with_runs = "QRELS RUN..." if needs_runs else "QRELS"
    return {"table": "TABLE", "nothing": ""}.get(plot.needs, with_runs)


def _add_arguments(parser: argparse.ArgumentParser, plot: Plot) -> None:
    from rankgauge.figures.figure import MAX_PPI, PPI
    from rankgauge.figures.registry import INPUTS
    from rankgauge.figures.theme import OPTIONS
    from rankgauge.studies import STUDIES

    source = INPUTS[plot.needs]
    if plot.needs == "table":
        parser.add_argument(
            "table", metavar="TABLE", help="a .csv, .tsv, .json or .jsonl file with named columns"
        )
    elif plot.needs != "nothing":
        needs_runs = plot.needs == "curves"  # which scores cannot replace
        first = "a file of judgments" if needs_runs else "a file of judgments; or of scores, without runs"
        parser.add_argument("qrels", metavar="QRELS", nargs="?", help=first)
        add(parser, "runs", nargs="*")
        add_collections(parser)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="the file to write: .svg, .png, .pdf, .html or .json",
    )
    if "measures" in source.options:
        add_measures(parser, f'may be repeated, or list several (default "{plot.defaults["measures"]}")')
    if "depth" in source.options:
        parser.add_argument(
            "--depth",
            type=whole_number(1, "--depth", DEEPEST_CURVE),
            metavar="N",
            help=f"the last rank (default {plot.defaults['depth']})",
        )
    if "study" in source.options:
        add_settings(parser, STUDIES[plot.defaults["study"]])
    group = parser.add_argument_group("options of the figure")
    for parameter in plot.parameters:
        _add_option(group, parameter)
    for option in OPTIONS:
        add_rule(group, option)
    group.add_argument("--no-heading", action="store_true", help="leave out title and subtitle")
    group.add_argument(
        "--ppi",
        type=whole_number(1, "--ppi", MAX_PPI),
        default=PPI,
        metavar="N",
        help=f"pixels per inch of a .png (default {PPI})",
    )
    add(parser, "--labels", of="output")
    if plot.needs not in ("table", "nothing"):
        add_work(parser)
        add_selection(parser)
        add_inputs(parser, *SUBTOPICS)
        add_rules(parser)


def _add_option(group: argparse._ArgumentGroup, parameter: Parameter) -> None:
    from rankgauge.figures.registry import Names
    from rankgauge.schema.parameters import Flag

    name = parameter.name.replace("_", "-")
    default = f" (default {parameter.written_default})" if parameter.written_default else ""
    keywords: dict[str, Any] = {
        "dest": f"figure_{parameter.name}",
        "help": f"{parameter.help}{default}".replace("%", "%%"),
    }
    if isinstance(parameter.kind, Flag):
        group.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, **keywords)
    else:
        action = "append" if isinstance(parameter.kind, Names) else "store"
        keywords["help"] += f"; {parameter.kind.words}"
        group.add_argument(f"--{name}", action=action, metavar=parameter.name.upper(), **keywords)


def run(args: argparse.Namespace) -> int:
    """Draw and write a figure and print its caption; without a name, list the figures."""
    from rankgauge.figures.panels import compose
    from rankgauge.figures.registry import FIGURES
    from rankgauge.figures.table_files import read
    from rankgauge.studies import STUDIES
    from rankgauge.studies.collections import errors_naming

    if args.figure is None:
        return _list()
    plot = FIGURES.find(args.figure)
    settings = {p.name: _value(p, getattr(args, f"figure_{p.name}")) for p in plot.parameters}
    _check_extension(args.output)
    labels = chosen_labels(args)
    style = {"theme": args.theme, "width": args.width, "headed": not args.no_heading}
    drawn: list[Any] = []
    if plot.needs == "nothing":
        figure = plot(None, labels=labels, **style, **settings)
    elif plot.needs == "table":
        drawn = [read(args.table)]
        figure = plot(drawn[0], labels=labels, **style, **settings)
    else:
        study = STUDIES[plot.defaults["study"]] if "study" in plot.defaults else None
        panels = {}
        for each in collections_of(args, study):
            with errors_naming(each.name) if each.name else nullcontext():
                results, campaign = _results(plot, each, args)
                panels[each.name] = plot(results, labels=labels, **style, **settings)
                drawn += [results, campaign]
        if args.collections:
            titles, headed = list(panels), style["headed"]
            figure = compose(list(panels.values()), titles=titles, width=args.width, headed=headed)
        else:
            (figure,) = panels.values()
    figure.save(args.output, ppi=args.ppi)
    output.write([printable(figure.caption)])
    if plot.needs != "nothing":
        output.note_unmatched(labels, args, *drawn)
    return 0


def _check_extension(path: str) -> None:
    """Refuse an unknown extension before hours are spent on a figure."""
    from rankgauge.figures.figure import form_of

    form_of(path)


def _results(plot: Plot, collection: Collection, args: argparse.Namespace) -> tuple[Any, Campaign]:
    """(what a figure draws of a collection, the campaign)."""
    from rankgauge.figures.registry import INPUTS
    from rankgauge.measures import parse_all
    from rankgauge.studies import STUDIES

    source = INPUTS[plot.needs]
    assert source.compute is not None
    options, diverse, needs_runs = dict(plot.defaults), False, True
    study = STUDIES[options["study"]] if "study" in source.options else None
    if plot.needs == "curves" and not collection.runs:
        raise OptionError(f"the figure {plot.name} needs runs; pass QRELS RUN...")
    if study is not None:
        options["settings"] = settings_of(study, args)
        diverse = by_subtopic(study, options["settings"])
        needs_runs = study.least_runs > 0
    if "measures" in source.options and (args.measures or not collection.runs):
        options["measures"] = args.measures  # a file of scores has its own measures
    if "depth" in source.options and args.depth is not None:
        options["depth"] = args.depth
    if options.get("measures"):
        diverse = any(measure.spec.needs_subtopics for measure in parse_all(options["measures"]))
    campaign = noted_campaign(collection, args, diverse, needs_runs=needs_runs)
    with output.progress("studying", shown=not args.quiet, of_bytes=False) as campaign.progress:
        return source.compute(campaign, options), campaign


def _value(parameter: Parameter, text: Any) -> Any:
    """The text of an option, as a number if the parameter is numeric."""
    from rankgauge.schema.parameters import Number, Whole

    if not isinstance(text, str) or not isinstance(parameter.kind, (Number, Whole)):
        return text
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--{parameter.name} must be {parameter.kind.words}, not {text!r}") from None


def _list() -> int:
    from rankgauge.figures import figures

    table = Table(("figure", "title", "draws"), [(f.name, f.title, f.needs) for f in figures().values()])
    output.show(table)
    return 0
