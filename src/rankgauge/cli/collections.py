"""Collections, which several commands read as campaigns, and the selection of their runs."""

from __future__ import annotations

import argparse
from typing import Any

from rankgauge.campaigns.campaign import Campaign
from rankgauge.campaigns.collections import errors_naming
from rankgauge.campaigns.registry import Study
from rankgauge.cli import output
from rankgauge.cli.inputs import refuse_input_options, subtopic_qrels
from rankgauge.cli.options import chosen, listed
from rankgauge.engines.run_inputs import resolve_runs
from rankgauge.errors import InputError, OptionError
from rankgauge.formats.source import named
from rankgauge.model.rules import Inputs, Reading
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import repeated

SHAPE = "NAME=QRELS,RUN[,RUN...]"
FURTHER_FILES = ("subtopics", "probabilities", "alphas")  # such as subtopics=FILE


class Collection(Frozen):
    """The files of a collection; without runs, `qrels` is a file of scores."""

    name: str  # empty for QRELS RUN...
    qrels: str
    runs: tuple[Any, ...] = ()  # paths, patterns, or inputs that have been resolved
    subtopics: str | None = None  # judgments by subtopic, where `qrels` has none
    probabilities: str | None = None  # of subtopics
    alphas: str | None = None  # of topics

    @property
    def paths(self) -> tuple[str, ...]:
        """All its paths and patterns."""
        further = (self.subtopics, self.probabilities, self.alphas)
        return (self.qrels, *self.runs, *(path for path in further if path is not None))


def add_collections(parser: argparse.ArgumentParser) -> None:
    """Add --collection, which is repeatable."""
    parser.add_argument(
        "--collection",
        action="append",
        type=collection,
        dest="collections",
        metavar=SHAPE,
        help="a collection with a name of its own, instead of QRELS RUN...; repeatable\n"
        "  RUN may be a pattern such as 'runs/*.gz', or NAME=FILE; without any, QRELS is a file of scores\n"
        "  subtopics=FILE among the files: judgments by subtopic, where a study needs them\n"
        "  probabilities=FILE, alphas=FILE: those of its subtopics and topics",
    )


def collection(text: str) -> Collection:
    """The collection that a text NAME=QRELS,RUN[,RUN...] describes."""
    name, equals, rest = text.partition("=")
    others: dict[str, str] = {}
    files = []
    for file in map(str.strip, rest.split(",")):
        key, separator, path = file.partition("=")
        if separator and key in FURTHER_FILES:
            if key in others:
                raise OptionError(f"the collection {name!r} has {key}= twice; give it once")
            others[key] = path
        else:
            files.append(file)
    if not equals or not name.strip() or not all([*files, *others.values()]) or not files:
        raise OptionError(
            f"a collection looks like {SHAPE}, not {text!r}; a path cannot have a comma (use ?)"
        )
    return Collection(name.strip(), files[0], tuple(map(named, files[1:])), **others)


def named_collections(args: argparse.Namespace) -> list[Collection]:
    """The collections of --collection, each with a name of its own."""
    collections: list[Collection] = args.collections or []
    for name in repeated(each.name for each in collections):
        raise OptionError(f"two collections are named {name!r}; give each a name of its own")
    return collections


def collections_of(args: argparse.Namespace, study: Study | None = None) -> list[Collection]:
    """The collections of the arguments: those of --collection, or the one of QRELS RUN..., without a name.

    Too few runs for a study are refused, before any is read.
    """
    if not getattr(args, "collections", None):  # which not every command takes
        if args.qrels is None:
            raise OptionError("there are no judgments; pass QRELS RUN..., or several with --collection")
        of_subtopics = {"probabilities": args.subtopic_probabilities, "alphas": args.topic_alphas}
        return [_resolved(Collection("", args.qrels, tuple(args.runs), **of_subtopics), study, args)]
    if args.qrels is not None:
        raise OptionError("pass either QRELS RUN... or --collection, not both; a collection names its files")
    if args.subtopic_probabilities or args.topic_alphas:
        raise OptionError(
            "with --collection, every collection has its own; write probabilities=FILE or alphas=FILE in it"
        )
    collections = []
    for each in named_collections(args):
        with errors_naming(each.name):
            collections.append(_resolved(each, study, args))
    return collections


def _resolved(collection: Collection, study: Study | None, args: argparse.Namespace) -> Collection:
    if not collection.runs:
        if study is None or study.least_runs:  # others are of judgments alone
            refuse_input_options(args)
        return collection
    reading = Reading(run_format=args.run_format, run_columns=args.run_columns)
    runs = resolve_runs(list(collection.runs), reading)
    if study is not None:
        study.require_runs(len(runs))
    return collection._replace(runs=tuple(runs))


def campaign_of(
    collection: Collection, args: argparse.Namespace, by_subtopic: bool, *, needs_runs: bool = True
) -> Campaign:
    """The campaign of a collection, with the runs that are selected."""
    selection = chosen_selection(args)  # before files are read, which may take long
    if needs_runs and not collection.runs:
        try:
            campaign = Campaign.of_scores(collection.qrels, threads=args.threads)
        except InputError as error:
            raise InputError(f"there are no runs, and the file cannot be read as scores: {error}") from None
    else:
        qrels: Any = (by_subtopic and collection.subtopics) or collection.qrels
        if collection.probabilities or collection.alphas:
            qrels = subtopic_qrels(args, qrels, collection.probabilities, collection.alphas)
        shown = bool(collection.runs) and not args.quiet
        with output.progress(f"reading {collection.name}".rstrip(), shown=shown) as progress:
            campaign = Campaign(
                qrels,
                list(collection.runs) or None,
                by_subtopic=by_subtopic,
                progress=progress,
                **chosen(args, Inputs, "threads"),
            )
    return campaign.select(**selection) if selection else campaign


def noted_campaign(
    collection: Collection, args: argparse.Namespace, by_subtopic: bool, *, needs_runs: bool = True
) -> Campaign:
    """The same, with notes on its runs printed."""
    campaign = campaign_of(collection, args, by_subtopic, needs_runs=needs_runs)
    of = f"{collection.name}: " if collection.name else ""
    output.print_notes("note", (f"{of}{note}" for note in campaign.notes), quiet=args.quiet)
    return campaign


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Add the option that selects runs."""
    from rankgauge.campaigns import selection  # slow to import, and needed by few commands

    papers = listed({name: setting.cite for name, setting in selection.SETTINGS.items()})
    parser.add_argument(
        "--select",
        action="append",
        metavar="RULE",
        help="use only some of the runs; repeatable\n  top=75%: the best runs, as a share or a number\n"
        "  teams=FILE: the best run of each team; a line is: run team\n"
        f"  by=MEASURE: the measure whose means decide what is best (default {selection.BY})\n"
        f"or the rule of a paper\n{papers}".replace("%", "%%"),
    )


def chosen_selection(args: argparse.Namespace) -> dict[str, str]:
    """The options of `add_selection`, as arguments of `selection.select`."""
    from rankgauge.campaigns import selection

    rules: dict[str, str] = {}
    for rule in getattr(args, "select", None) or ():  # which not every command takes
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
