"""Make judgments and runs of any size, as TREC files.

For example:
  rankgauge simulate demo
  rankgauge simulate tiny --topics 3 --depth 10 --systems 2
  rankgauge simulate diverse --subtopics 6 --grades 4 --seed 7
  rankgauge simulate large --topics 6980 --systems 1 --judged 1.1 --grades 1 --shuffle topics

Writes DIR/qrels.txt, with --subtopics DIR/qrels.diversity.txt, and DIR/runs/SYSTEM.run, and says
how many lines each has. The same numbers and seed make the same files on every machine.
"""

from __future__ import annotations

import argparse
import sys

from rankgauge.cli.options import whole_number

NUMBERS = {
    "topics": "topics (default 50)",
    "depth": "documents returned for a topic (default 1000)",
    "systems": "systems, of six styles and then variants of them (default 5)",
    "grades": "the highest grade (default 3)",
    "subtopics": "the most subtopics of a topic (default 0: no judgments of subtopics)",
    "seed": "another seed is another campaign (default 1)",
}
SHARES = {
    "judged": "documents judged for a topic on average (default 200, or twice the depth if that is less); "
    "1.1 makes sparse judgments: a relevant document and nothing else",
    "ties": "share of documents with the score of the one before (default 0.01)",
    "missing": "share of topics for which a system returns nothing (default 0)",
    "short": "share of topics for which it returns less than the depth (default 0)",
    "unjudged": "share of the relevant documents, and of the pool, that nobody judged (default 0.05)",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s DIR [--topics N] [--depth N] [--systems N] [--judged X] [--seed N] [options]"
    parser.add_argument("directory", metavar="DIR", help="where to write; made if it is not there")
    for name, text in NUMBERS.items():
        parser.add_argument(f"--{name}", type=whole_number(0, f"--{name}"), metavar="N", help=text)
    for name, text in SHARES.items():
        parser.add_argument(f"--{name}", type=float, metavar="X", help=text)
    parser.add_argument(
        "--shuffle",
        default="none",
        metavar="ORDER",
        help="lines of a run: none, topic after topic in the order of rank (default); lines, in random "
        "order within a topic; topics, in random order over the whole file",
    )
    parser.add_argument("--gz", action="store_true", help="compress the files")
    parser.add_argument("--force", action="store_true", help="overwrite files of an earlier campaign")


def run(args: argparse.Namespace) -> int:
    """Write the campaign and say what was written."""
    from rankgauge.simulation import simulate

    given = {name: getattr(args, name) for name in (*NUMBERS, *SHARES) if getattr(args, name) is not None}
    campaign = simulate(**given)
    progress = _show if sys.stderr.isatty() else None
    for file in campaign.write(
        args.directory, shuffle=args.shuffle, gz=args.gz, force=args.force, progress=progress
    ):
        print(f"{file.path}\t{file.rows}")
    print(f"seed\t{campaign.sizes.seed}")
    return 0


def _show(done: int, total: int) -> None:
    end = "\r\033[K" if done == total else ""
    print(f"\rwriting {100 * done // total} %", end=end, file=sys.stderr, flush=True)
