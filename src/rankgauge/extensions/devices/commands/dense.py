"""Evaluate a dense retriever from vectors of queries and documents: exact ranks, without a run.

For example:
  rankgauge dense qrels.txt --queries q.npy --query-ids q.txt --documents d.npy --doc-ids d.txt
  rankgauge dense qrels.txt --queries q.npy --query-ids q.txt --documents 'd*.npy' --doc-ids d.txt -m RR@10
  rankgauge dense qrels.txt --queries q.parquet --documents corpus.parquet --similarity cosine -q
  rankgauge dense qrels.txt --queries q.npy --documents d.npy --depth 100 --run out.run.gz

Every document is scored for every query, a block of documents at a time, so that a corpus may be larger than
memory. The rank of a judged document is 1 plus the number of documents with a better score.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rankgauge.cli import output
from rankgauge.cli.evaluate import add_shown, show_scores
from rankgauge.cli.inputs import chosen_qrels
from rankgauge.cli.options import (
    SUBTOPICS,
    add,
    add_measures,
    add_rules,
    chosen,
    group,
    whole_number,
)
from rankgauge.errors import OptionError
from rankgauge.measures.named_sets import SEVERAL

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores

VECTORS = "a .npy file or a Parquet file with a column of lists"
IDS = "one id per line, a .npy file or a JSON list (default: those of a Parquet file, or rows from 0)"
NAME = "dense"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.usage = "%(prog)s QRELS --queries FILE --documents FILE... [-m MEASURE]... [options]"
    add(parser, "qrels")
    vectors = group(parser, "vectors").add_argument
    vectors("--queries", metavar="FILE", required=True, help=f"vectors of the queries: {VECTORS}")
    vectors("--query-ids", metavar="FILE", help=f"ids of the queries: {IDS}")
    vectors(
        "--documents",
        metavar="FILE",
        nargs="+",
        required=True,
        help=f"vectors of the documents: {VECTORS}, or several of them, in order",
    )
    vectors("--doc-ids", metavar="FILE", nargs="+", help=f"ids of the documents: {IDS}")
    vectors(
        "--similarity",
        choices=("dot", "cosine", "euclidean"),
        default="dot",
        help="what scores a document: the inner product, the cosine, or minus the squared distance "
        "(default dot)",
    )
    vectors(
        "--exclude",
        metavar="FILE",
        help="documents to leave out of the rankings of topics; a line is: topic document",
    )
    vectors(
        "--device",
        metavar="DEVICE",
        help="compute with torch, on this device: cpu, cuda, cuda:1 (default: NumPy)",
    )
    add_measures(parser, f'such as nDCG@10; repeatable, or list several (default "{SEVERAL}")')
    parser.add_argument(
        "--depth",
        type=whole_number(1, "--depth"),
        metavar="N",
        help="evaluate the N best documents of each topic, as in a run (default: all documents)",
    )
    parser.add_argument(
        "--run",
        dest="run_file",
        metavar="OUT",
        help="write the N best documents of each topic as a run, with --depth N; the extension decides the "
        "format and compression",
    )
    parser.add_argument(
        "--metadata",
        action="store_true",
        help="with --run: begin the run with comments on how it was made, in the schema of ir_metadata; "
        "trec_eval cannot read them",
    )
    parser.add_argument("--name", default=NAME, metavar="NAME", help=f"name of the run (default {NAME})")
    add_shown(parser, several=False)
    add(parser, "--quiet", help="no progress, no notes, no advice")
    add(parser, "--qrels-format", "--qrels-columns", "--grades", *SUBTOPICS)
    add_rules(parser)


def run(args: argparse.Namespace) -> int:
    """Evaluate; write scores and run."""
    if args.run_file is not None and args.depth is None:
        raise OptionError("--run writes the best documents of each topic; add --depth N, such as 1000")
    if args.metadata and args.run_file is None:
        raise OptionError("--metadata describes a run; add --run FILE, or leave it out")
    if args.run_file is not None and args.run_file == (args.output or "-"):
        raise OptionError(f"the scores and the run would both be written to {args.run_file}; use two files")
    _check_order(args.documents, args.doc_ids)
    return show_scores(args, _evaluate)


def _check_order(documents: list[str], ids: list[str] | None) -> None:
    """Refuse files in a shell's order (d1 d10 d2), which may not be that of the ids."""
    from rankgauge.extensions.devices.ids import natural

    if ids is not None and len(ids) == len(documents):  # each file has its own ids
        return
    for files in (documents, ids or []):
        if files != sorted(files, key=natural) and files == sorted(files):
            raise OptionError(
                f"the order of the files is not clear: {' '.join(files[:3])} ... is how a shell lists them; "
                "quote the pattern for the order of their numbers, or pass as many files of ids as of vectors"
            )


def _evaluate(args: argparse.Namespace) -> Scores:
    from rankgauge.evaluation.evaluator import evaluate
    from rankgauge.extensions.devices import dense

    judgments: Any = {
        "qrels": chosen_qrels(args),
        "measures": args.measures or SEVERAL,
        **chosen(args),
    }
    title = "counting" if args.run_file is None else "searching"
    with output.progress(title, shown=not args.quiet) as progress:
        vectors: Any = {**_vectors(args), "depth": args.depth, "progress": progress}
        if args.run_file is None:
            return dense.evaluate(**judgments, **vectors)
        run = dense.retrieve(**vectors, ties=args.ties, score_precision=args.score_precision)
    run.write(args.run_file)
    scores = evaluate(runs=run, **judgments)
    if args.metadata:
        run.write(args.run_file, metadata=_metadata(args, scores))
    return scores


def _metadata(args: argparse.Namespace, scores: Scores) -> dict[str, Any]:
    import platform

    search = {"name": args.name, "method": "exact search", "similarity": args.similarity, "depth": args.depth}
    metadata = scores.ir_metadata()
    metadata["data"]["other"] = [
        {"name": "vectors of queries", "source": args.queries},
        *({"name": "vectors of documents", "source": path} for path in args.documents),
    ]
    versions = [f"{name}=={version}" for name, version in scores.provenance.versions.items()]
    return metadata | {
        "platform": {
            "hardware": {"cpu": {"architecture": platform.machine()}},
            "operating system": {"kernel": f"{platform.system()} {platform.release()}"},
            "software": {"libraries": {"python": versions}},
        },
        "method": {"automatic": True, "score ties": args.ties, "retrieval": [search]},
    }


def _vectors(args: argparse.Namespace) -> dict[str, Any]:
    from pathlib import Path

    return {
        "queries": args.queries,
        "documents": args.documents,
        "query_ids": args.query_ids,
        "doc_ids": None if args.doc_ids is None else [Path(path) for path in args.doc_ids],
        "similarity": args.similarity,
        "exclude": None if args.exclude is None else read_exclusions(args.exclude),
        "device": args.device,
        "name": args.name,
    }


def read_exclusions(path: str) -> dict[str, set[str]]:
    """{topic: documents} of a file with lines of topic and document."""
    from rankgauge.core.ids import to_text
    from rankgauge.formats.source import Source
    from rankgauge.formats.text_files import fields_of_lines

    excluded: dict[str, set[str]] = {}
    for _, fields in fields_of_lines(Source(path), "topic document"):
        topic, document = map(to_text, fields)
        excluded.setdefault(topic, set()).add(document)
    return excluded
