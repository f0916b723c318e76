"""Convert a run or judgments to another format, keeping everything that the format can hold.

For example:
  rankgauge convert bm25.run bm25.parquet
  rankgauge convert qrels.tsv qrels.txt --kind qrels
  rankgauge convert qrels.txt strict.txt --grades 1=0,2=1,3=1
  rankgauge convert journal.jsonl new.qrels --resolve highest
  rankgauge convert journal.jsonl conflicts.csv --show conflicts
  rankgauge convert spans.tsv chunks.qrels --chunks chunks.tsv
  rankgauge convert bm25.msmarco.tsv bm25.run.gz --from msmarco
  zcat bm25.run.gz | rankgauge convert - - --to jsonl

The extension of OUT decides its format and compression (.gz, .bz2, .xz, .zst). A journal that `rankgauge
explore` writes may be open: it is only read.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import TYPE_CHECKING

from rankgauge import formats
from rankgauge.cli import output
from rankgauge.cli.options import add, add_input, formats_help, group
from rankgauge.errors import OptionError, RankgaugeError
from rankgauge.schema.registry import Services

if TYPE_CHECKING:
    from rankgauge.cli.parser import Parser

# What extensions convert: modules with `configure(parser)`, `holds(args) -> bool`, `run(args) -> exit code`.
CONVERSIONS = Services("conversions", "conversion", {})


def configure(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("input", metavar="IN", help="the file to read; - is standard input")
    parser.add_argument("output", metavar="OUT", help="the file to write; - is standard output")
    written = ", ".join(each.name for each in formats.FORMATS.values() if each.write)
    parser.add_argument(
        "--to", metavar="FORMAT", help=f"format to write: {written} (default: by the extension of OUT)"
    )
    add_input(parser, "--from")
    add(parser, "--grades")
    for name in CONVERSIONS:
        CONVERSIONS.load(name).configure(parser)
    chunks = group(parser, "input")
    chunks.add_argument(
        "--chunks",
        metavar="FILE",
        help="judge chunks: IN has judged spans (query_id, doc_id, start, end, relevance), FILE has chunks "
        "(chunk_id, doc_id, start, end)",
    )
    chunks.add_argument(
        "--overlap",
        type=float,
        metavar="P",
        help="share of the shorter of chunk and span that both must have (default 0.5)",
    )
    parser.make_epilog = formats_help


def run(args: argparse.Namespace) -> int:
    """Read, check and write, and print notes."""
    if args.chunks is None and args.overlap is not None:
        raise OptionError("--overlap is for judged spans; add --chunks FILE, or leave it out")
    for special in map(CONVERSIONS.load, CONVERSIONS):
        if special.holds(args):
            return int(special.run(args))
    with output.progress("converting", shown=output.is_file(None if args.output == "-" else args.output)):
        notes = _convert(args) if args.chunks is None else _convert_spans(args)
    output.print_notes("note", notes)
    return 0


def _convert(args: argparse.Namespace) -> list[str]:
    from rankgauge.formats.problems import assumption
    from rankgauge.model.recoding import Recoding

    source = formats.Source(args.input)
    kind = args.kind or formats.guess_kind(source, args.format)
    if kind == "run" and args.format in (None, "trec") and not (args.columns or args.grades is not None):
        from rankgauge.engines.local.document_ranks import ranked_rows
        from rankgauge.formats.files import write_parts

        with suppress(RankgaugeError):  # the whole is then read, and the error is the usual one
            if write_parts(ranked_rows(source), args.output, args.to):
                return []
    columns = formats.read(source, kind, args.format, args.columns).checked()
    if args.grades is not None:
        if kind == "run":
            raise OptionError("--grades changes judgments, and this is a run; leave the option out")
        columns = Recoding.of(args.grades).recode(columns)
    formats.write(columns, args.output, args.to)
    notes = [assumption(columns.assumed, kind)] if columns.assumed else []
    if (
        formats.detect(source, kind, args.format).name == "trec"
        and kind == "run"
        and not columns.ranks_known()
    ):
        notes.append("not every rank is a whole number; ranks were assigned anew by score")
    return notes


def _convert_spans(args: argparse.Namespace) -> list[str]:
    from rankgauge.model.recoding import Recoding
    from rankgauge.model.spans import OVERLAP, span_columns

    for option in ("kind", "format", "columns"):
        if getattr(args, option) is not None:
            flag = {"format": "from"}.get(option, option)
            raise OptionError(f"--{flag} is for runs and judgments, not for spans; leave it out")
    columns = span_columns(args.input, args.chunks, OVERLAP if args.overlap is None else args.overlap)
    if args.grades is not None:
        columns = Recoding.of(args.grades).recode(columns)
    formats.write(columns, args.output, args.to)
    return []
