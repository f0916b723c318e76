"""Generate judgments and runs of any size, as TREC files.

For example:
  rankgauge simulate demo
  rankgauge simulate tiny --topics 3 --depth 10 --systems 2
  rankgauge simulate diverse --subtopics 6 --grades 4 --seed 7
  rankgauge simulate large --topics 6980 --systems 1 --judged 1.1 --grades 1 --shuffle topics

Writes DIR/qrels.txt, DIR/runs/SYSTEM.run and, with --subtopics, DIR/qrels.diversity.txt, and prints the
number of lines of each. The same options and seed make the same files on every machine.
"""

from __future__ import annotations

import argparse

from rankgauge.cli import output
from rankgauge.cli.options import add_declared
from rankgauge.schema.parameters import declared


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.studies.simulation import simulate

    parser.usage = "%(prog)s DIR [--topics N] [--depth N] [--systems N] [--judged X] [--seed N] [options]"
    parser.add_argument("directory", metavar="DIR", help="output directory, created if necessary")
    add_declared(parser, simulate, *declared(simulate))
    parser.add_argument(
        "--shuffle",
        default="none",
        metavar="ORDER",
        help="order of the lines of a run\n  none: by topic and rank (the default)\n"
        "  lines: by topic, in random order within a topic\n  topics: in random order",
    )
    parser.add_argument("--gz", action="store_true", help="compress the files")
    parser.add_argument("--force", action="store_true", help="overwrite files of an earlier campaign")


def run(args: argparse.Namespace) -> int:
    """Write the campaign and print the files written."""
    from rankgauge.extensions.studies.simulation import simulate

    campaign = simulate(**{name: getattr(args, name) for name in declared(simulate)})
    with output.progress("writing") as progress:
        written = campaign.write(
            args.directory, shuffle=args.shuffle, gz=args.gz, force=args.force, progress=progress
        )
    for file in written:
        output.print_line(f"{file.path}\t{file.rows}")
    print(f"seed\t{campaign.sizes.seed}")
    return 0
