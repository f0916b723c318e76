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
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.collections import errors_naming
from rankgauge.campaigns.registry import STUDIES, Study
from rankgauge.cli import output
from rankgauge.cli.collections import (
    Collection,
    add_collections,
    add_selection,
    collections_of,
    noted_campaign,
)
from rankgauge.cli.findings import add_settings, by_subtopic, settings_of
from rankgauge.cli.options import (
    SUBTOPICS,
    add,
    add_measures,
    add_reading,
    add_rule,
    chosen_labels,
    whole_number,
)
from rankgauge.cli.parser import add_entries
from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation import DEEPEST_CURVE
from rankgauge.extensions.pages.figures import Plot, figures
from rankgauge.extensions.pages.figures.figure import MAX_PPI, PPI, compose, form_of
from rankgauge.extensions.pages.figures.registry import FIGURES, INPUTS, SEVERAL_NAMES
from rankgauge.extensions.pages.figures.theme import OPTIONS
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import delimited_rows
from rankgauge.measures import parse_all
from rankgauge.model.output.markup import unguarded
from rankgauge.model.output.tables import Cell, Table, printable
from rankgauge.schema.parameters import Flag, Number, Parameter, Whole

DRAWN_FROM = {
    "curves": "runs",
    "scores": "runs, or scores",
    "findings": "runs, by a study",
    "nothing": "no data",
    "table": "a table",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; those of a figure come from its signature."""
    parser.usage = "%(prog)s [NAME QRELS RUN... -o FILE [options]]"
    examples = {plot.name: example(plot) for plot in figures().values()}
    add_entries(parser, FIGURES, "figure", "figures", examples, _add_arguments)


def example(plot: Plot) -> str:
    """A command line that draws a figure."""
    study = _study(plot)
    names = {
        "TABLE": "table.csv",
        "QRELS": "qrels.diversity.txt" if study and study.needs_subtopics else "qrels.txt",
        "RUN...": "runs/*.run",
    }
    files = [names[each] for each in _files(plot)]
    return " ".join(["rankgauge figure", plot.name, *files, plot.example, "-o", f"{plot.name}.svg"])


def _study(plot: Plot) -> Study | None:
    return STUDIES.get(plot.defaults.get("study", ""))


def _files(plot: Plot) -> list[str]:
    study = _study(plot)
    with_runs = ["QRELS", "RUN..."] if study is None or study.least_runs else ["QRELS"]
    return {"table": ["TABLE"], "nothing": []}.get(plot.needs, with_runs)


def _add_arguments(parser: argparse.ArgumentParser, plot: Plot) -> None:
    parser.usage = " ".join(["rankgauge figure", plot.name, *_files(plot), "-o FILE [options]"])
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
        add_measures(parser, f'repeatable, or list several (default "{plot.defaults["measures"]}")')
    if "depth" in source.options:
        parser.add_argument(
            "--depth",
            type=whole_number(1, "--depth", DEEPEST_CURVE),
            metavar="N",
            help=f"the last rank (default {plot.defaults['depth']})",
        )
    if study := _study(plot):
        add_settings(parser, study)
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
    add(parser, "--labels")
    if plot.needs not in ("table", "nothing"):
        add_selection(parser)
        add_reading(parser, *SUBTOPICS)


def _add_option(group: argparse._ArgumentGroup, parameter: Parameter) -> None:
    name = parameter.name.replace("_", "-")
    default = f" (default {parameter.written_default})" if parameter.written_default else ""
    keywords: dict[str, Any] = {
        "dest": f"figure_{parameter.name}",
        "help": f"{parameter.help}{default}".replace("%", "%%"),
    }
    if isinstance(parameter.kind, Flag):
        group.add_argument(f"--{name}", action=argparse.BooleanOptionalAction, **keywords)
    else:
        action = "append" if parameter.kind is SEVERAL_NAMES else "store"
        keywords["help"] += f"; {parameter.kind.words}"
        group.add_argument(f"--{name}", action=action, metavar=parameter.name.upper(), **keywords)


def run(args: argparse.Namespace) -> int:
    """Draw a figure and print its caption; without a name, list the figures."""
    if args.figure is None:
        rows = [(plot.name, plot.title, DRAWN_FROM[plot.needs]) for plot in figures().values()]
        output.show(Table(("figure", "title", "drawn from"), rows))
        return 0
    plot = FIGURES.find(args.figure)
    settings = {p.name: _value(p, getattr(args, f"figure_{p.name}")) for p in plot.parameters}
    form_of(args.output)  # refuses an unknown extension before hours are spent on a figure
    labels = chosen_labels(args)
    headed = not args.no_heading
    settings |= {"labels": labels, "theme": args.theme, "width": args.width, "headed": headed}
    drawn: list[Any] = []
    if plot.needs in ("nothing", "table"):
        drawn = [None if plot.needs == "nothing" else read_table(args.table)]
        figure = plot(drawn[0], **settings)
    else:
        panels = {}
        for each in collections_of(args, _study(plot)):
            with errors_naming(each.name) if each.name else nullcontext():
                results, campaign = _results(plot, each, args)
                panels[each.name] = plot(results, **settings)
                drawn += [results, campaign]
        figure = next(iter(panels.values()))
        if args.collections:
            figure = compose(list(panels.values()), titles=list(panels), width=args.width, headed=headed)
    figure.save(args.output, ppi=args.ppi)
    output.write([printable(figure.caption)])
    if plot.needs != "nothing":
        output.note_unmatched(labels, args, *drawn)
    return 0


def _results(plot: Plot, collection: Collection, args: argparse.Namespace) -> tuple[Any, Campaign]:
    source, study = INPUTS[plot.needs], _study(plot)
    assert plot.compute is not None
    defaults = {p.name: p.default for p in plot.parameters}
    names = ("run", "topic", "effort")  # of what is computed as well as drawn
    shown = {name: getattr(args, f"figure_{name}", None) or defaults.get(name) for name in names}
    options, diverse = {**plot.defaults, **shown}, False
    if plot.needs == "curves" and not collection.runs:
        raise OptionError(f"the figure {plot.name} needs runs; pass QRELS RUN...")
    if study is not None:
        options["settings"] = settings_of(study, args)
        diverse = by_subtopic(study, options["settings"])
    if "measures" in source.options and (args.measures or not collection.runs):
        options["measures"] = args.measures  # a file of scores has its own measures
    if "depth" in source.options and args.depth is not None:
        options["depth"] = args.depth
    if options.get("measures") and collection.runs:  # those of a file of scores may have any name
        diverse = any(measure.spec.needs.subtopics for measure in parse_all(options["measures"]))
    needs_runs = study is None or study.least_runs > 0
    campaign = noted_campaign(collection, args, diverse, needs_runs=needs_runs)
    with output.progress("studying", shown=not args.quiet) as campaign.progress:
        return plot.compute(campaign, options), campaign


def _value(parameter: Parameter, text: Any) -> Any:
    if not isinstance(text, str) or not isinstance(parameter.kind, (Number, Whole)):
        return text
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--{parameter.name} must be {parameter.kind.words}, not {text!r}") from None


EXTENSIONS = (".csv", ".tsv", ".json", ".jsonl")


def read_table(path: str) -> Table:
    """Read a table; its first line, or the keys of its objects, name the columns."""
    extension = Path(path).suffix.lower()
    if extension not in EXTENSIONS:
        raise InputError(f"a file with a table has one of the extensions {', '.join(EXTENSIONS)}", path=path)
    table = (_objects if "json" in extension else _delimited)(path, extension)
    if not table.headers:
        raise InputError("the file contains no table", path=path)
    return table


def _delimited(path: str, extension: str) -> Table:
    rows: list[list[str]] = []
    delimiter = "\t" if extension == ".tsv" else ","
    for line, row in delimited_rows(Source(path), delimiter, by_line=False, cell=unguarded):
        rows.append(row)
        if len(row) != len(rows[0]):
            raise InputError(f"expected {len(rows[0])} columns, found {len(row)}", path=path, line=line)
    columns = [_numbers(column) for column in zip(*rows[1:], strict=True)]
    return Table(rows[0] if rows else (), [*zip(*columns, strict=True)])


def _numbers(column: tuple[str, ...]) -> list[Cell]:
    try:
        return [None if cell == "" else float(cell) for cell in column]
    except ValueError:
        return [*column]


def _objects(path: str, extension: str) -> Table:
    text = b"".join(Source(path).chunks()).decode("utf-8-sig", "surrogateescape")
    try:
        rows: Any = (
            [json.loads(line) for line in text.splitlines() if line.strip()]
            if extension == ".jsonl"
            else json.loads(text)
        )
    except RecursionError:
        raise InputError("the JSON is nested too deeply", path=path) from None
    except ValueError as error:
        raise InputError(f"this is not valid JSON: {error}", path=path) from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError("a table in JSON is a list of objects, [{...}, ...]", path=path)
    headers = [*dict.fromkeys(name for row in rows for name in row)]
    try:
        return Table(headers, [[_cell(row.get(name)) for name in headers] for row in rows])
    except TypeError:
        message = "a table contains text and numbers; a cell of this one is a list or an object"
    except OverflowError:
        message = "a number in this table is too large to be drawn; the largest is about 1.8e308"
    raise InputError(message, path=path)


def _cell(value: Any) -> Any:
    if value is not None and not isinstance(value, str):
        float(value)  # raises if it is no number, or too large
    return value
