"""Read measures rank by rank: average curves of runs, the ideal beside them, what separates the two.

For example:
  rankgauge curve qrels.txt bm25.run ql.run -m nDCG --depth 100
  rankgauge curve qrels.txt runs/*.run -m "DCG(base=2)" --normalise averages
  rankgauge curve qrels.txt runs/*.run -m CG --goal bm25 --ranks 10,20,50
  rankgauge curve qrels.txt bm25.run -m P -m R -q --format csv -o curves.csv
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankgauge.cli import output, terminal
from rankgauge.cli.inputs import add_inputs, chosen_inputs
from rankgauge.cli.options import DEEPEST, add_measures, add_output, add_rules, chosen, whole_number
from rankgauge.errors import OptionError
from rankgauge.tables import FORMATS, lines

if TYPE_CHECKING:
    from rankgauge.model.curves import Curves
    from rankgauge.sheets import Section, Sheet

MEASURES = "nDCG"
FOR_EYES = ("table", "markdown", "html")  # a few ranks, and what they tell; the others have every rank
WORDS = ("no", "topics", "averages")  # of model.curves.NORMALISE, which is not imported for a --help


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS RUN... [-m MEASURE]... [--depth N] [--format FORMAT] [-o FILE] [options]"
    parser.add_argument("qrels", metavar="QRELS", help="a file of judgments")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="files of results; - is standard input")
    add_measures(parser, f'with a value at every rank, such as DCG; may be repeated (default "{MEASURES}")')
    parser.add_argument(
        "--depth",
        type=whole_number(1, "--depth", DEEPEST),
        default=100,
        metavar="N",
        help="the last rank (default 100)",
    )
    parser.add_argument(
        "--normalise",
        choices=WORDS,
        default=WORDS[0],
        metavar="HOW",
        help="divide by the ideal: no (default); topics: each topic's curve by its own ideal's;\n"
        "averages: the average curve by the average of the ideals",
    )
    parser.add_argument(
        "--goal", metavar="RUN", help="read across to this run's curve instead of the ideal's, by its name"
    )
    parser.add_argument(
        "--ranks",
        type=_ranks,
        metavar="K,...",
        help="the ranks to show (default: some; csv, tsv, json have all)",
    )
    parser.add_argument(
        "--level", type=_level, default=0.95, metavar="P", help="of the confidence band (default 0.95)"
    )
    parser.add_argument("-q", "--per-topic", action="store_true", help="every topic, in csv, tsv and json")
    add_output(parser, tuple(form for form in FORMATS if form != "latex"))
    add_inputs(parser)
    add_rules(parser)


def _ranks(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(whole_number(1, "--ranks")(part)) for part in text.split(",")}))


def _level(text: str) -> float:
    try:
        level = float(text)
    except ValueError:
        level = 0.0
    if not 0 < level < 1:
        raise OptionError(f"--level must be between 0 and 1, such as 0.95, not {text!r}")
    return level


def run(args: argparse.Namespace) -> int:
    """Evaluate at every rank, and write the curves."""
    from rankgauge.evaluation import curves

    form = output.suitable(args.format, args.output)
    with terminal.progress("reading") as progress:
        found = curves(
            args.qrels,
            args.runs,
            args.measures or MEASURES,
            depth=args.depth,
            **chosen(args),
            **chosen_inputs(args),
            progress=progress,
        )
    if form not in FOR_EYES:
        band = None if args.normalise == "averages" else args.level
        table = found.long_table(topics=args.per_topic, normalise=args.normalise, level=band)
        output.write(lines(table, form, args.places), args.output)
        return 0
    from rankgauge.sheets import written

    sheet = sheet_of(found, args.normalise, args.goal, args.ranks)
    if form == "table" and args.output is None and sys.stdout.isatty():
        terminal.show_sheet(sheet, args.places)
    else:
        output.write(written(sheet, form, args.places), args.output)
    return 0


def sheet_of(curves: Curves, normalise: str, goal: str | None, ranks: tuple[int, ...] | None) -> Sheet:
    """A few ranks of the average curves of each measure, and how far it is to the ideal or a run."""
    from rankgauge.formats.problems import counted
    from rankgauge.sheets import Sheet

    if ranks and ranks[-1] > curves.depth:
        raise OptionError(f"--ranks go down to {ranks[-1]} and --depth to {curves.depth}; raise --depth")
    sections = [
        section
        for measure in curves.measures
        for section in _sections(curves, measure, normalise, goal, ranks or curves.shown_ranks)
    ]
    return Sheet(f"Average curves over {counted(len(curves.topics), 'topic')}", tuple(sections))


def _sections(
    curves: Curves, measure: str, normalise: str, goal: str | None, ranks: tuple[int, ...]
) -> Iterator[Section]:
    from rankgauge.model.curves import NORMALISE
    from rankgauge.sheets import Section

    if normalise == "no":
        flat = curves.flat()[measure]
        said = (
            f"The ideal goes on changing down to rank {curves.depth}."
            if flat == curves.depth > 1
            else f"From rank {flat} on the ideal stays as it is: there is nothing to be gained below."
        )
        yield Section(measure, (said,), curves.table(measure, ranks=ranks))
        target = f"run {goal}" if goal else "the ideal"
        yield Section(
            f"{measure}, read across",
            (f"For what {target} has at a rank, a run has to be read down to (empty: below the depth):",),
            curves.reach_table(measure, goal, ranks),
        )
    else:
        table = curves.table(measure, normalise=normalise, ranks=ranks)
        yield Section(f"{measure}, as a share of the ideal", (_sentence(NORMALISE.rules[normalise]),), table)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
