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

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.collections import side_by_side
from rankgauge.campaigns.findings import Findings
from rankgauge.campaigns.registry import STUDIES, Study
from rankgauge.cli import output
from rankgauge.cli.collections import (
    Collection,
    add_collections,
    add_selection,
    collections_of,
    noted_campaign,
)
from rankgauge.cli.findings import (
    add_findings,
    add_settings,
    by_subtopic,
    form_of_findings,
    settings_of,
    show_findings,
)
from rankgauge.cli.options import SUBTOPICS, add, add_reading
from rankgauge.cli.parser import add_entries
from rankgauge.model.output.tables import Table


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments; those of a study come from its signature."""
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
        with output.progress("studying", shown=not args.quiet) as campaign.progress:
            return study.call(campaign, **settings)

    if args.collections:
        findings: Findings = side_by_side({each.name: each for each in collections}, call)
    else:
        findings = call(collections[0])
    return show_findings(findings, form, args, campaigns)
