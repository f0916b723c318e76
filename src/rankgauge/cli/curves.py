"""`rankgauge evaluate --curve`: mean curves of runs, the ideal, and the distance between them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from rankgauge.campaigns.campaign import Campaign
from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_qrels
from rankgauge.cli.options import chosen, chosen_labels
from rankgauge.cli.output_options import DEPTH, LEVEL
from rankgauge.errors import OptionError
from rankgauge.evaluation.evaluator import check_curves
from rankgauge.measures import parse_all
from rankgauge.measures.named_sets import CURVE
from rankgauge.model import notes
from rankgauge.model.curves import Curves
from rankgauge.model.output import documents
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import capital
from rankgauge.model.rules import NORMALISE, Inputs, Reading
from rankgauge.schema.text import counted

READABLE = tuple(documents.FORMATS)  # a few ranks with comments; the other formats have every rank


def show_curves(args: argparse.Namespace) -> int:
    """Evaluate at every rank, write the curves, and print notes and advice."""
    form = output.suitable(args.format, args.output, elsewhere="tsv" if args.goal is None else "table")
    args.depth = args.depth or DEPTH
    _check(args, form)
    labels = chosen_labels(args)
    measures = parse_all(args.measures or CURVE)
    check_curves(measures, Reading.of(chosen(args)).order, args.depth)  # before anything is read
    with output.progress("reading", shown=not args.quiet) as progress:
        campaign = Campaign(
            chosen_qrels(args),
            args.runs,
            by_subtopic=any(measure.spec.needs.subtopics for measure in measures),
            progress=progress,
            **chosen(args, Inputs, "threads"),
        )
    found = campaign.curves(measures, depth=args.depth)
    if form in READABLE:
        document = document_of(found, args.normalise, args.goal, args.ranks)
        output.show(documents.labelled(document, labels), form, args.output, args.places)
    else:
        has_bands = args.normalise != "averages" and all(measure.average == "mean" for measure in measures)
        level = LEVEL if args.level is None and has_bands else args.level
        table = found.long_table(
            topics=args.per_topic,
            normalise=args.normalise,
            level=level,
            ranks=args.ranks,
            goal=args.goal,
        )
        output.show(table.labelled(labels), form, args.output, args.places)
    output.note_unmatched(labels, args, found)
    if not args.quiet:
        provenance = campaign.scores(measures).provenance
        output.print_notes("note", notes.on_data(provenance, one_order=True))
        output.print_notes("advice", notes.advice(provenance), quiet=args.no_advice)
    return 0


def _check(args: argparse.Namespace, form: str) -> None:
    if args.ranks and args.ranks[-1] > args.depth:
        raise OptionError(f"--ranks go down to {args.ranks[-1]}, but --depth is {args.depth}; raise --depth")
    if form in READABLE and (args.per_topic or args.level is not None):
        option, content = ("-q", "topics") if args.per_topic else ("--level", "bands")
        raise OptionError(f"{option}: {form} does not show {content}; use csv, tsv, json or jsonl")
    if args.goal is not None and args.normalise != NORMALISE.default:
        raise OptionError("--goal: distances are between curves that are not normalised; omit --normalise")


def document_of(curves: Curves, normalise: str, goal: str | None, ranks: tuple[int, ...] | None) -> Document:
    """A few ranks of mean curves, and the distance to the ideal or a run."""
    sections = [
        section
        for measure in curves.measures
        for section in _sections(curves, measure, normalise, goal, ranks or curves.shown_ranks)
    ]
    return Document(f"Mean curves over {counted(len(curves.topics), 'topic')}", tuple(sections))


def _sections(
    curves: Curves, measure: str, normalise: str, goal: str | None, ranks: tuple[int, ...]
) -> Iterator[Section]:
    if normalise != NORMALISE.default:
        rule = f"{capital(NORMALISE.rules[normalise])}."
        table = curves.table(measure, normalise=normalise, ranks=ranks)
        yield Section(f"{measure}, as a share of the ideal", (rule,), table)
        return
    yield Section(measure, _ideal_comment(curves, measure), curves.table(measure, ranks=ranks))
    if goal is None and curves.flat()[measure] == 1 < curves.depth:
        return  # the ideal is the same at every rank
    title, target = f"{measure}, ranks needed", f"run {goal}" if goal else "the ideal"
    table = curves.reach_table(measure, goal, ranks)
    if any(cell is not None for row in table.rows for cell in row[1:]):
        caption = (
            f"The rank at which each run reaches the value of {target} at the rank on the left (empty: "
            f"beyond the depth), and how many more or fewer documents than {target} that takes, in per cent:"
        )
        yield Section(title, (caption,), table)
    else:
        yield Section(
            title, (f"Down to rank {curves.depth}, no run reaches the value of {target} at these ranks.",)
        )


def _ideal_comment(curves: Curves, measure: str) -> tuple[str, ...]:
    flat, last = curves.flat()[measure], curves.mean_ideal()[measure][-1]
    if curves.depth == 1:
        return ()
    if flat == curves.depth:
        return (f"The ideal keeps changing down to rank {curves.depth}.",)
    if flat > 1:
        return (f"The ideal is constant from rank {flat} on: nothing more can be gained below it.",)
    if last != last:
        return ("The ideal is undefined at every rank.",)
    return (
        "The ideal is the same at every rank, so it does not show how far to read; "
        "that of a measure that cumulates gain, such as DCG, does.",
    )
