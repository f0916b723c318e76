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
from rankgauge.cli.options import whole_number

NUMBERS = {
    "topics": "number of topics (default 50)",
    "depth": "documents retrieved per topic (default 1000)",
    "systems": "number of systems: six styles, then variants of these (default 5)",
    "grades": "the highest grade (default 3)",
    "subtopics": "maximum number of subtopics per topic (default 0: no judgments by subtopic)",
    "seed": "seed of the random numbers (default 1)",
}
SHARES = {
    "judged": "mean number of judged documents per topic (default 200, or twice the depth if that is less); "
    "1.1 makes sparse judgments: a relevant document and little else",
    "ties": "share of documents with the same score as the previous one (default 0.01)",
    "missing": "share of topics for which a system retrieves nothing (default 0)",
    "short": "share of topics for which it retrieves fewer documents than the depth (default 0)",
    "unjudged": "share of the relevant documents, and of the pool, left unjudged (default 0.05)",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s DIR [--topics N] [--depth N] [--systems N] [--judged X] [--seed N] [options]"
    parser.add_argument("directory", metavar="DIR", help="output directory, created if necessary")
    for name, text in NUMBERS.items():
        parser.add_argument(f"--{name}", type=whole_number(0, f"--{name}"), metavar="N", help=text)
    for name, text in SHARES.items():
        parser.add_argument(f"--{name}", type=float, metavar="X", help=text)
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

    options = {name: getattr(args, name) for name in (*NUMBERS, *SHARES) if getattr(args, name) is not None}
    campaign = simulate(**options)
    with output.progress("writing", of_bytes=False) as progress:
        written = campaign.write(
            args.directory, shuffle=args.shuffle, gz=args.gz, force=args.force, progress=progress
        )
    for file in written:
        print(f"{file.path}\t{file.rows}")
    print(f"seed\t{campaign.sizes.seed}")
    return 0
