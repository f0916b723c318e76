"""The options of studies, and the output of commands whose result is findings."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.options import ONE_MEASURE, SOME_MEASURES, TEAMS
from rankgauge.campaigns.registry import Study
from rankgauge.cli import output
from rankgauge.cli.options import CAPTION, add, chosen_labels
from rankgauge.cli.output_options import add_output, check_print, check_table_label
from rankgauge.errors import OptionError
from rankgauge.measures import Parameter
from rankgauge.measures.reader import read_value
from rankgauge.model.output import documents
from rankgauge.model.output.tables import FORMATS
from rankgauge.schema.json_text import to_json

DOCUMENT_FORMATS = (*documents.FORMATS, "json")  # which hold all findings
NAMES = {"measures": ("-m", "--measures")}  # options with a short name


def add_settings(parser: argparse.ArgumentParser, study: Study) -> None:
    """Add the options of a study."""
    group = parser.add_argument_group("options of the study")
    for parameter in study.parameters:
        default = f" (default {parameter.written_default})" if parameter.written_default else ""
        group.add_argument(
            *NAMES.get(parameter.name, (f"--{parameter.name.replace('_', '-')}",)),
            dest=f"study_{parameter.name}",
            metavar="FILE" if parameter.kind is TEAMS else parameter.name.upper(),
            action="append",
            type=_reader(study, parameter),
            help=f"{parameter.help}; {parameter.kind.words}{default}".replace("%", "%%"),
        )


def add_findings(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that shows findings."""
    parser.add_argument("--table", metavar="TABLE", help="write only this table, with all its rows")
    add_output(parser, FORMATS, elsewhere="table")
    add(parser, *CAPTION)
    add(parser, "--limit", help="rows to show of a long table; json and --table have all (default 20)")


def _reader(study: Study, parameter: Parameter) -> Callable[[str], Any]:
    """A reader of an option's text, with errors of the study."""

    def read(text: str) -> Any:
        values = [text] if parameter.kind in (SOME_MEASURES, ONE_MEASURE) else _values(text)
        study.settings({parameter.name: values if len(values) > 1 else values[0]})
        return values

    return read


def _values(text: str) -> list[Any]:
    return [read_value(part) for part in re.findall(r"(?:[^,{]|\{[^{}]*\})+", text)] or [text]


def form_of_findings(args: argparse.Namespace) -> str:
    """The format of the findings, checked before anything is computed."""
    form = output.suitable(
        args.format, args.output, FORMATS if args.table else DOCUMENT_FORMATS, elsewhere="table"
    )
    if not args.table and form not in DOCUMENT_FORMATS:
        raise OptionError(
            f"{form} holds a single table; choose one with --table (--format table shows all of them)"
        )
    if not args.table and (args.caption or args.table_label):
        raise OptionError("--caption and --table-label are for a single table; choose one with --table")
    if form == "json" and args.labels and not args.table:
        raise OptionError("json has all names as they are; omit --labels, or choose a table with --table")
    check_table_label(args)
    check_print(args, form)
    return form


def show_findings(
    findings: Findings, form: str, args: argparse.Namespace, campaigns: Sequence[Campaign] = ()
) -> int:
    """Write findings, or one of their tables."""
    labels = chosen_labels(args)
    output.note_unmatched(labels, args, findings, *campaigns)
    if args.table:
        table = findings.table(args.table).labelled(labels)
        print_options = {"caption": args.caption or "", "label": args.table_label, "width": args.column_width}
        output.show(table._replace(**print_options), form, args.output, args.places)
    elif form == "json":
        output.write([to_json(findings.as_dict(), indent=2)], args.output)
    else:
        document = documents.labelled(findings.document(limit=args.limit), labels)
        output.show(document, form, args.output, args.places)
    return 0


def by_subtopic(study: Study, settings: dict[str, Any]) -> bool:
    """Whether the study or a measure needs subtopics."""
    measures = study.settings(settings).get("measures") or ()
    return study.needs_subtopics or any(measure.spec.needs.subtopics for measure in measures)


def settings_of(study: Study, args: argparse.Namespace) -> dict[str, Any]:
    """The options of the study that were set."""
    options = {p.name: getattr(args, f"study_{p.name}") for p in study.parameters}
    settings = {name: [value for each in parts for value in each] for name, parts in options.items() if parts}
    return {name: values if len(values) > 1 else values[0] for name, values in settings.items()}
