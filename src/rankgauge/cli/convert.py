"""Write a run or judgments in another format; nothing is lost that the format can hold.

For example:
  rankgauge convert bm25.run bm25.parquet
  rankgauge convert qrels.tsv qrels.txt --kind qrels
  rankgauge convert bm25.msmarco.tsv bm25.run.gz --from msmarco
  zcat bm25.run.gz | rankgauge convert - - --to jsonl

Format and compression of OUT are those of its extension, unless given.
"""

from __future__ import annotations

import argparse
import sys

from rankgauge.cli.inputs import add_input, columns_of


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("input", metavar="IN", help="the file to read; - is standard input")
    parser.add_argument("output", metavar="OUT", help="the file to write; - is standard output")
    parser.add_argument("--to", metavar="FORMAT", help="the format to write")
    add_input(parser, "--from")


def run(args: argparse.Namespace) -> int:
    """Read, check and write."""
    from rankgauge import formats

    source = formats.Source(args.input)
    kind = args.kind or formats.guess_kind(source, args.format)
    columns = formats.read(source, kind, args.format, columns_of(args.columns), keep=1).checked()
    formats.write(columns, args.output, args.to)
    if (
        formats.detect(source, kind, args.format).name == "trec"
        and kind == "run"
        and not columns.ranks_known()
    ):
        print("note: not every rank is a whole number; ranks are written anew, by score", file=sys.stderr)
    return 0
