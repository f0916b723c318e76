"""Check runs and judgments: list every problem with its line, and summarise the files.

For example:
  rankgauge validate bm25.run
  rankgauge validate runs/*.gz --qrels qrels.txt
  rankgauge validate judgments.csv --kind qrels --json
  rankgauge validate runs/*.gz --topics topics.tsv --max-depth 1000 --tag '[A-Za-z0-9_.-]{1,20}'
  rankgauge validate qrels.diversity.txt --subtopic-probabilities weights.txt

Problems are errors in evaluation; remarks are not. The exit code is 1 if there is a problem.
"""

from __future__ import annotations

import argparse
from typing import Any

from rankgauge.cli import output
from rankgauge.cli.options import (
    CAMPAIGN,
    SHARED,
    SUBTOPICS,
    add,
    add_input,
    chosen_submission_rules,
    formats_help,
    whole_number,
)
from rankgauge.cli.parser import Parser
from rankgauge.errors import InputError
from rankgauge.formats.source import expand
from rankgauge.model.output.tables import printable
from rankgauge.schema.json_text import to_json


def configure(parser: Parser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="runs or judgments; - is standard input")
    parser.add_argument(
        "--qrels", metavar="QRELS", help="judgments to compare the topics and documents of runs with"
    )
    parser.add_argument(
        "--limit",
        type=whole_number(0, "--limit"),
        default=10,
        metavar="N",
        help="maximum number of problems of each kind to list (default 10); all are counted",
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list with one object per file")
    add(parser, *SHARED[CAMPAIGN], of=CAMPAIGN)
    add_input(parser, "--format")
    add(parser, *SUBTOPICS)
    parser.make_epilog = formats_help


def run(args: argparse.Namespace) -> int:
    """Print reports; return 1 after a problem, 2 if a file cannot be opened."""
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.subtopics import alphas_of, subtopic_probabilities_of
    from rankgauge.model.validation import note_copy, validate

    qrels = Qrels.read(args.qrels, duplicates="first") if args.qrels else None  # may be by subtopic
    probabilities, alphas = args.subtopic_probabilities, args.topic_alphas
    of_subtopics: dict[str, Any] = {
        "subtopic_probabilities": probabilities and subtopic_probabilities_of(probabilities),
        "topic_alphas": alphas and alphas_of(alphas),
    }
    names, rules = args.columns, chosen_submission_rules(args)
    reports, listings, status = [], dict[str, str](), 0
    for pattern in args.files:
        try:
            with output.progress("checking"):
                checked = [
                    validate(
                        file, qrels, args.kind, args.format, names, args.limit, rules=rules, **of_subtopics
                    )
                    for file in expand(pattern)
                ]
        except InputError as error:  # no such file, and the like: the others are still checked
            output.print_message(f"rankgauge: {printable(str(error))}")
            status = 2
            continue
        for report in (note_copy(each, listings) for each in checked):
            reports.append(report)
            status = max(status, 0 if report.ok else 1)
            if not args.json:
                print("\n".join(map(printable, str(report).splitlines())))
    if (probabilities or alphas) and reports and all(report.kind == "run" for report in reports):
        option = "--subtopic-probabilities" if probabilities else "--topic-alphas"
        output.print_message(
            f"rankgauge: {option} is compared with judgments, and all files are runs; add the judgments"
        )
        status = 2
    if args.json:
        print(to_json([report.as_dict() for report in reports], indent=2))
    return status
