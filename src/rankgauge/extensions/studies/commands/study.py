"""Study measures, topics or judgments with all runs of a campaign.

For example:
  rankgauge study
  rankgauge study power --help
  rankgauge study power qrels.txt runs/*.gz -m "AP nDCG@10 Q" --seed 7
  rankgauge study power qrels.txt runs/*.gz --table power --format latex -o power.tex
  rankgauge study power scores.parquet
  rankgauge study power --collection "A=a.qrels,a/*.gz" --collection "B=b.qrels,b/*.gz" -m AP

A study that needs only scores also takes a file of scores instead of judgments and runs: one that
`rankgauge evaluate -q -o scores.parquet` wrote, or a CSV table. For correlation and sensitivity a
leaderboard will do: a CSV, TSV or JSON file with the mean of each run by each measure. With --collection,
every table has the findings on several collections, one below the other.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from typing import Any

from rankgauge.campaigns.collections import side_by_side
from rankgauge.campaigns.options import ONE_MEASURE, SOME_MEASURES, TEAMS
from rankgauge.cli import output
from rankgauge.cli.collections import Collection, add_collections, collections_of, noted_campaign
from rankgauge.cli.options import CAPTION, SUBTOPICS, add, add_reading, chosen_labels
from rankgauge.cli.output_options import add_output, check_print, check_table_label
from rankgauge.cli.parser import add_entries
from rankgauge.cli.selection import add_selection
from rankgauge.errors import OptionError
from rankgauge.extensions.studies import STUDIES, Campaign, Findings, Study
from rankgauge.measures import Parameter
from rankgauge.measures.reader import read_value
from rankgauge.model.output import documents
from rankgauge.model.output.tables import FORMATS, Table
from rankgauge.schema.json_text import to_json

DOCUMENT_FORMATS = (*documents.FORMATS, "json")  # which hold all findings
NAMES = {"measures": ("-m", "--measures")}  # options with a short name


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: those of each study come from its signature."""
    parser.usage = "%(prog)s [NAME QRELS RUN... [--table TABLE] [--format FORMAT] [-o FILE] [options]]"
    examples = {study.name: f"rankgauge study {study.name} {study.example}" for study in STUDIES.values()}
    add_entries(parser, STUDIES, "study", "studies", examples, _add_arguments)


def _add_arguments(parser: argparse.ArgumentParser, study: Study) -> None:
    parser.usage = f"rankgauge study {study.name} QRELS {'RUN... ' if study.least_runs else ''}[options]"
    parser.add_argument(
        "qrels", metavar="QRELS", nargs="?", help="a file of judgments; without runs, a file of scores"
    )
    add(parser, "runs", nargs="*")
    add_collections(parser)
    add_settings(parser, study)
    add_selection(parser)
    add_findings(parser)
    add_reading(parser, *SUBTOPICS)


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
    """A reader of an option's text, for argparse, whose errors are those of the study."""

    def read(text: str) -> Any:
        values = [text] if parameter.kind in (SOME_MEASURES, ONE_MEASURE) else _values(text)
        study.settings({parameter.name: values if len(values) > 1 else values[0]})
        return values

    return read


def _values(text: str) -> list[Any]:
    """Values separated by commas: numbers, words, or maps such as {1:1,2:10}."""
    return [read_value(part) for part in re.findall(r"(?:[^,{]|\{[^{}]*\})+", text)] or [text]


def run(args: argparse.Namespace) -> int:
    """Run a study and write its findings; without a name, list the studies."""
    if args.study is None:
        output.show(Table(("study", "title"), [(study.name, study.title) for study in STUDIES.values()]))
        return 0
    study = STUDIES.find(args.study)
    form, settings = form_of_findings(args), settings_of(study, args)
    diverse, needs_runs = by_subtopic(study, settings), study.least_runs > 0
    collections = collections_of(args, study)
    campaigns: list[Campaign] = []

    def call(collection: Collection) -> Findings:
        campaign = noted_campaign(collection, args, diverse, needs_runs=needs_runs)
        campaigns.append(campaign)
        with output.progress("studying", shown=not args.quiet, of_bytes=False) as campaign.progress:
            return study.call(campaign, **settings)

    if args.collections:
        findings: Findings = side_by_side({each.name: each for each in collections}, call)
    else:
        findings = call(collections[0])
    return show_findings(findings, form, args, campaigns)


def form_of_findings(args: argparse.Namespace) -> str:
    """The format of the findings, which is checked before anything is computed."""
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
    """Write all that was found in campaigns, or one of its tables."""
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
    """Whether the study, or one of its measures, needs judgments by subtopic."""
    measures = study.settings(settings).get("measures") or ()
    return study.needs_subtopics or any(measure.spec.needs.subtopics for measure in measures)


def settings_of(study: Study, args: argparse.Namespace) -> dict[str, Any]:
    """The options of the study that were set; an option that is repeated has all its values."""
    options = {p.name: getattr(args, f"study_{p.name}") for p in study.parameters}
    settings = {name: [value for each in parts for value in each] for name, parts in options.items() if parts}
    return {name: values if len(values) > 1 else values[0] for name, values in settings.items()}
