"""Show measures rank by rank: mean curves of runs, the ideal, and the distance between them.

For example:
  rankgauge curve qrels.txt bm25.run ql.run -m nDCG --depth 100
  rankgauge curve qrels.txt runs/*.run -m "DCG(base=2)" --normalise averages
  rankgauge curve qrels.txt runs/*.run -m CG --goal bm25 --ranks 10,20,50
  rankgauge curve qrels.txt bm25.run -m P -m R -q --format csv -o curves.csv
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from rankgauge.cli import output
from rankgauge.cli.collections import add_selection, campaign_of, collections_of
from rankgauge.cli.options import (
    SUBTOPICS,
    add,
    add_declared,
    add_measures,
    add_reading,
    add_rule,
    chosen,
    chosen_labels,
    reader,
    whole_number,
)
from rankgauge.cli.output_options import add_output
from rankgauge.errors import OptionError
from rankgauge.evaluation.evaluator import check_curves, curves
from rankgauge.measures import parse_all
from rankgauge.measures.named_sets import CURVE
from rankgauge.model import notes
from rankgauge.model.curves import Curves
from rankgauge.model.output import documents
from rankgauge.model.output.documents import Document, Section
from rankgauge.model.output.tables import FORMATS, capital
from rankgauge.model.rules import NORMALISE, Reading
from rankgauge.schema.parameters import Number
from rankgauge.schema.text import counted

LEVEL = 0.95
READABLE = tuple(documents.FORMATS)  # a few ranks with comments; the other formats have every rank


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [-m MEASURE]... [--depth N] [--format FORMAT] [-o FILE] [options]"
    add(parser, "qrels", "runs")
    add_measures(parser, f'with a value at every rank, such as DCG; may be repeated (default "{CURVE}")')
    add_declared(parser, curves, "depth")
    add_rule(parser, NORMALISE, metavar="HOW")
    parser.add_argument(
        "--goal",
        metavar="RUN",
        help="the name of a run whose values the others are to reach, instead of those of the ideal",
    )
    parser.add_argument(
        "--ranks",
        type=_ranks,
        metavar="K,...",
        help="the ranks to show (default: a selection; in csv, tsv and json: all)",
    )
    parser.add_argument(
        "--level",
        type=reader("--level", Number(0, 1, above=True, below=True)),
        metavar="P",
        help=f"the confidence level of the band in csv, tsv and json (default {LEVEL})",
    )
    parser.add_argument(
        "-q", "--per-topic", action="store_true", help="include every topic, in csv, tsv and json"
    )
    add_output(parser, FORMATS)
    add(parser, "--labels", "--no-advice")
    add_selection(parser)
    add_reading(parser, *SUBTOPICS, quiet="no progress, no notes, no advice", one_order=True)


def _ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(whole_number(1, "--ranks")(part)) for part in text.split(",")}))


def run(args: argparse.Namespace) -> int:
    """Evaluate at every rank, write the curves, and print notes and advice."""
    form = output.suitable(args.format, args.output, elsewhere="tsv" if args.goal is None else "table")
    _check(args, form)
    labels = chosen_labels(args)
    measures = parse_all(args.measures or CURVE)
    check_curves(measures, Reading.of(chosen(args)).order, args.depth)  # before anything is read
    (collection,) = collections_of(args)
    campaign = campaign_of(collection, args, any(measure.spec.needs.subtopics for measure in measures))
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
