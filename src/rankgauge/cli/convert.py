"""Convert a run or judgments to another format, keeping everything that the format can hold.

For example:
  rankgauge convert bm25.run bm25.parquet
  rankgauge convert qrels.tsv qrels.txt --kind qrels
  rankgauge convert qrels.txt strict.txt --grades 1=0,2=1,3=1
  rankgauge convert bm25.msmarco.tsv bm25.run.gz --from msmarco
  zcat bm25.run.gz | rankgauge convert - - --to jsonl

The extension of OUT decides its format and compression (.gz, .bz2, .xz, .zst).
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from rankgauge.cli.inputs import columns_of
from rankgauge.cli.options import add, add_input, formats_help
from rankgauge.cli.output import print_message
from rankgauge.errors import OptionError

if TYPE_CHECKING:
    from rankgauge.cli.parser import Parser


def configure(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("input", metavar="IN", help="the file to read; - is standard input")
    parser.add_argument("output", metavar="OUT", help="the file to write; - is standard output")
    parser.add_argument("--to", metavar="FORMAT", help="format to write, see below (default: by extension)")
    add_input(parser, "--from")
    add(parser, "--grades")
    parser.make_epilog = formats_help


def run(args: argparse.Namespace) -> int:
    """Read, check and write."""
    from rankgauge import formats
    from rankgauge.formats.problems import assumption
    from rankgauge.model.recoding import Recoding

    source = formats.Source(args.input)
    kind = args.kind or formats.guess_kind(source, args.format)
    columns = formats.read(source, kind, args.format, columns_of(args.columns)).checked()
    if args.grades is not None:
        if kind == "run":
            raise OptionError("--grades changes judgments, and this is a run; leave the option out")
        columns = Recoding.of(args.grades).recode(columns)
    formats.write(columns, args.output, args.to)
    if columns.assumed:
        print_message(f"note: {assumption(columns.assumed, kind)}")
    if (
        formats.detect(source, kind, args.format).name == "trec"
        and kind == "run"
        and not columns.ranks_known()
    ):
        print_message("note: not every rank is a whole number; ranks were assigned anew by score")
    return 0
