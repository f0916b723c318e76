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
import functools
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output
from rankgauge.cli.inputs import (
    Collection,
    add_collections,
    check_names,
    chosen_inputs,
    columns_of,
    refuse_judgment_options,
)
from rankgauge.cli.options import (
    CAPTION,
    SUBTOPICS,
    add,
    add_inputs,
    add_output,
    add_rules,
    add_selection,
    add_work,
    check_print,
    check_table_label,
    chosen,
    chosen_labels,
    chosen_selection,
)
from rankgauge.errors import OptionError
from rankgauge.measures.reader import read_value
from rankgauge.model.output import documents
from rankgauge.model.output.tables import FORMATS, Table
from rankgauge.schema.json_text import to_json

if TYPE_CHECKING:
    from rankgauge.measures import Parameter
    from rankgauge.studies import Campaign, Findings, Study

DOCUMENT_FORMATS = (*documents.FORMATS, "json")  # which hold all findings
NAMES = {"measures": ("-m", "--measures")}  # options with a short name


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command: those of each study come from its signature."""
    from rankgauge.cli.parser import Help, find_by_registry
    from rankgauge.studies import STUDIES

    parser.usage = "%(prog)s [NAME QRELS RUN... [--table TABLE] [--format FORMAT] [-o FILE] [options]]"
    names = parser.add_subparsers(title="studies", dest="study", metavar="NAME", prog="rankgauge study")
    for study in STUDIES.values():
        sub = names.add_parser(
            study.name, help=study.title, formatter_class=Help, allow_abbrev=False, usage=_usage(study)
        )
        sub.description = f"{study.help}\n\nFor example:\n  rankgauge study {study.name} {study.example}"
        sub.epilog = f"source: {study.cite}"
        sub.set_defaults(parser=sub)
        _add_arguments(sub, study)
    find_by_registry(names, STUDIES)


def _usage(study: Study) -> str:
    return f"rankgauge study {study.name} QRELS {'RUN... ' if study.least_runs else ''}[options]"


def _add_arguments(parser: argparse.ArgumentParser, study: Study) -> None:
    parser.add_argument(
        "qrels", metavar="QRELS", nargs="?", help="a file of judgments; without runs, a file of scores"
    )
    add(parser, "runs", nargs="*")
    add_collections(parser)
    add_settings(parser, study)
    add_selection(parser)
    add_findings(parser)
    add_inputs(parser, *SUBTOPICS)
    add_rules(parser)


def add_settings(parser: argparse.ArgumentParser, study: Study) -> None:
    """Add the options of a study."""
    from rankgauge.studies.options import TeamsKind

    group = parser.add_argument_group("options of the study")
    for parameter in study.parameters:
        default = f" (default {parameter.written_default})" if parameter.written_default else ""
        group.add_argument(
            *NAMES.get(parameter.name, (f"--{parameter.name.replace('_', '-')}",)),
            dest=f"study_{parameter.name}",
            metavar="FILE" if isinstance(parameter.kind, TeamsKind) else parameter.name.upper(),
            action="append",
            type=_reader(study, parameter),
            help=f"{parameter.help}; {parameter.kind.words}{default}".replace("%", "%%"),
        )


def add_findings(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that shows findings."""
    parser.add_argument("--table", metavar="TABLE", help="write only this table, with all its rows")
    add_output(parser, FORMATS, elsewhere="table")
    add(parser, *CAPTION, of="output")
    add(parser, "--limit", help="rows to show of a long table; json and --table have all (default 20)")
    add_work(parser)


def _reader(study: Study, parameter: Parameter) -> Callable[[str], Any]:
    """A reader of an option's text, for argparse, whose errors are those of the study."""
    from rankgauge.studies.options import MeasuresKind, OneMeasure

    def read(text: str) -> Any:
        values = [text] if isinstance(parameter.kind, (MeasuresKind, OneMeasure)) else _values(text)
        study.settings({parameter.name: values if len(values) > 1 else values[0]})
        return values

    return read


def _values(text: str) -> list[Any]:
    """Values separated by commas: numbers, words, or maps such as {1:1,2:10}."""
    return [read_value(part) for part in re.findall(r"(?:[^,{]|\{[^{}]*\})+", text)] or [text]


def run(args: argparse.Namespace) -> int:
    """Run a study and write its findings; without a name, list the studies."""
    from rankgauge.studies import STUDIES

    if args.study is None:
        rows = [(study.name, study.title) for study in STUDIES.values()]
        output.show(Table(("study", "title"), rows))
        return 0
    from rankgauge.studies.collections import side_by_side

    study = STUDIES.find(args.study)
    form, settings = form_of_findings(args), settings_of(study, args)
    diverse, needs_runs = by_subtopic(study, settings), study.least_runs > 0
    collections = collections_of(args, study)

    campaigns: list[Campaign] = []

    def call(campaign: Campaign) -> Findings:
        campaigns.append(campaign)
        with output.progress("studying", shown=not args.quiet, of_bytes=False) as campaign.progress:
            return study.call(campaign, **settings)

    if args.collections:
        reading = {
            each.name: functools.partial(noted_campaign, each, args, diverse, needs_runs=needs_runs)
            for each in collections
        }
        return show_findings(side_by_side(reading, call), form, args, campaigns)
    campaign = noted_campaign(collections[0], args, diverse, needs_runs=needs_runs)
    return show_findings(call(campaign), form, args, campaigns)


def collections_of(args: argparse.Namespace, study: Study | None = None) -> list[Collection]:
    """The collections of the arguments: those of --collection, or the one of QRELS RUN..., without a name.

    Too few runs for a study are refused, before any is read.
    """
    from rankgauge.studies.collections import errors_naming

    several = getattr(args, "collections", None)  # which not every command takes
    if not several:
        if args.qrels is None:
            raise OptionError("there are no judgments; pass QRELS RUN..., or several with --collection")
        if not args.runs and (study is None or study.least_runs):
            refuse_judgment_options(args, "a file of scores")
        files = Collection("", args.qrels, tuple(args.runs))
        own = files._replace(probabilities=args.subtopic_probabilities, alphas=args.topic_alphas)
        return [_resolved(own, study, args)]
    if args.qrels is not None:
        raise OptionError("pass either QRELS RUN... or --collection, not both; a collection names its files")
    if args.subtopic_probabilities or args.topic_alphas:
        raise OptionError(
            "with --collection, every collection has its own; write probabilities=FILE or alphas=FILE in it"
        )
    check_names(several)
    collections = []
    for each in several:
        with errors_naming(each.name):
            collections.append(_resolved(each, study, args))
    return collections


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
    return study.needs_subtopics or any(measure.spec.needs_subtopics for measure in measures)


def _resolved(collection: Collection, study: Study | None, args: argparse.Namespace) -> Collection:
    """The collection with its files of runs, of which there must be enough for the study."""
    from rankgauge.engines.run_inputs import resolve_runs

    if not collection.runs:
        return collection
    runs = resolve_runs(list(collection.runs), args.run_format, columns_of(args.run_columns))
    if study is not None:
        study.require_runs(len(runs))
    return collection._replace(runs=tuple(runs))


def campaign_of(
    collection: Collection, args: argparse.Namespace, by_subtopic: bool, *, needs_runs: bool = True
) -> Campaign:
    """The campaign of a collection, with the runs that are selected."""
    selection = chosen_selection(args)
    shown = bool(collection.runs) and not args.quiet
    with output.progress(f"reading {collection.name}".rstrip(), shown=shown) as progress:
        campaign = collection.campaign(
            by_subtopic=by_subtopic,
            needs_runs=needs_runs,
            **chosen(args),
            threads=args.threads,
            progress=progress,
            **chosen_inputs(args),
        )
    return campaign.select(**selection) if selection else campaign


def noted_campaign(
    collection: Collection, args: argparse.Namespace, by_subtopic: bool, *, needs_runs: bool = True
) -> Campaign:
    """The campaign of a collection, for results without notes of their own: those on its runs are printed."""
    campaign = campaign_of(collection, args, by_subtopic, needs_runs=needs_runs)
    of = f"{collection.name}: " if collection.name else ""
    output.print_notes("note", (f"{of}{note}" for note in campaign.notes), quiet=args.quiet)
    return campaign


def settings_of(study: Study, args: argparse.Namespace) -> dict[str, Any]:
    """The options of the study that were set; an option that is repeated has all its values."""
    options = {p.name: getattr(args, f"study_{p.name}") for p in study.parameters}
    settings = {name: [value for each in parts for value in each] for name, parts in options.items() if parts}
    return {name: values if len(values) > 1 else values[0] for name, values in settings.items()}
