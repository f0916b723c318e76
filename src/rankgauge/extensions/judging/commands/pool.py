"""Collect the top documents of several runs, each once, for judging.

For example:
  rankgauge pool runs/*.gz --depth 50 -o pool.csv
  rankgauge pool runs/*.gz --depth 50 --judged qrels.txt --format trec -o to_judge.txt
  rankgauge pool runs/*.gz --depth all --format trec -o votes.txt
  rankgauge pool runs/*.gz --depth 10 --show overlap
  rankgauge pool runs/*.gz --depth 10 --topics 20 --seed 1 -o pool.csv
  rankgauge pool runs/*.gz --depth 10 --requests requests.jsonl --documents corpus.jsonl --queries topics.tsv
  rankgauge pool runs/*.gz --sample 30 --llm-qrels llm.txt -o sample.qrels
  rankgauge pool runs/*.gz --depth 10 --plan 400 --llm-qrels llm.txt --judged pilot.txt

Documents are sorted by topic and id, which hides the runs that retrieved them and their ranks. In the format
trec they are judgments whose grade is the number of runs that have the document: votes. To estimate what
pools miss, judge a random sample of the collection; `rankgauge agreement --docs` estimates recall from it.

--requests writes a line for each document: {"query_id", "query", "doc_id", "text", "grade": null}. Once a
program has filled in the grades, such as by asking a language model, every command reads it as judgments.

--sample draws documents to judge from the strata of each topic's pool. All documents are written with their
strata; those drawn have grade -2, others -1; --requests has those drawn, with texts. Run the command again
with --judged to fill in grades. `rankgauge evaluate` estimates measures from the file: xinfAP, infNDCG,
statAP, HT(P@10); with --human-sample it corrects LLM judgments.

--topics draws topics at random: human judgments of them correct means by LLM judgments of all topics
(`rankgauge evaluate --human-qrels`). --plan shows what so many judgments would buy, of whole topics or of
documents of each topic, by a pilot: human judgments (--judged) of some topics.
"""

from __future__ import annotations

import argparse
from typing import Any

from rankgauge.cli import output
from rankgauge.cli.options import HUMAN, INPUTS, add, add_choice, add_rules, chosen, group, whole_number
from rankgauge.cli.output_options import add_output
from rankgauge.errors import OptionError
from rankgauge.formats.target import write_text
from rankgauge.model.output.tables import FORMATS, render
from rankgauge.model.rules import ORDER_OPTIONS, OrderInputs, Reading
from rankgauge.schema.text import counted

STRATA = {
    "relevant": "by number of relevant documents",
    "difficulty": "by mean nDCG@10 of the runs",
}
SHOWN = {
    "documents": "each document with its topic, its votes and its best rank (default)",
    "topics": "the number of documents of each topic",
    "runs": "the number of documents of each run, and how many no other run has",
    "overlap": "for every two runs, documents of both / documents of either, mean over topics",
}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.usage = "%(prog)s RUN... [--depth N] [--show WHAT] [--format FORMAT] [-o FILE] [options]"
    add(parser, "runs")
    parser.add_argument(
        "--depth",
        type=lambda text: None if text == "all" else whole_number(1, "--depth")(text),
        default=100,
        metavar="N",
        help="documents to take from each run and topic, or all (default 100)",
    )
    add_choice(parser, "--show", SHOWN, "what to write", "documents", "WHAT")
    parser.add_argument(
        "--judged",
        metavar="QRELS",
        help="leave out documents that are judged in this file; with --sample, fill in grades of those drawn",
    )
    asked = group(parser, "requests for a language model")
    asked.add_argument("--requests", metavar="FILE", help="write the documents with texts, to be graded")
    asked.add_argument("--documents", metavar="FILE", help="titles and texts of documents")
    asked.add_argument("--queries", metavar="FILE", help="texts of topics")
    drawn = group(parser, HUMAN)
    drawn.add_argument(
        "--topics", type=whole_number(1, "--topics"), metavar="N", help="draw so many topics at random"
    )
    drawn.add_argument(
        "--sample", type=whole_number(1, "--sample"), metavar="N", help="draw so many documents of each topic"
    )
    drawn.add_argument(
        "--plan",
        type=whole_number(1, "--plan"),
        metavar="N",
        help="show how narrow intervals would be with so many judgments (needs --llm-qrels and --judged)",
    )
    drawn.add_argument(
        "-m", "--measure", metavar="MEASURE", default="P@10", help="for --plan, a sum over documents (P@10)"
    )
    drawn.add_argument(
        "--seed", type=whole_number(0, "--seed"), metavar="N", help="seed for the draw (default 0)"
    )
    drawn.add_argument(
        "--llm-qrels",
        metavar="FILE",
        help="LLM judgments: the topics to draw from (default: of the runs), and grades that define strata",
    )
    titles = "draw topics from groups that are alike (needs --llm-qrels)"
    add_choice(drawn, "--strata", STRATA, titles, None, "STRATA")
    drawn.add_argument(
        "--record",
        metavar="FILE",
        help="write the topics, their strata and which were drawn, for --human-topics",
    )
    add_output(parser, (*FORMATS, "trec", "strata"))
    add(parser, "--quiet", help="no notes")
    add(parser, "--threads", *INPUTS)
    add_rules(parser, ORDER_OPTIONS, one_order=True)


def run(args: argparse.Namespace) -> int:
    """Write the pool, or a table about it."""
    from rankgauge.engines.run_inputs import resolve_runs
    from rankgauge.extensions.judging import draw_topics, judged_sample, pool, sample
    from rankgauge.extensions.judging.planning import plan
    from rankgauge.extensions.judging.samples import TO_JUDGE, sample_table
    from rankgauge.model.qrels import Qrels
    from rankgauge.model.texts import Texts
    from rankgauge.schema.json_text import to_json

    kind = "trec" if args.sample is None else "strata"
    form = output.suitable(args.format, args.output, own={".qrels": kind})
    if form in ("trec", "strata") and (form != kind or args.show != "documents"):
        held = "all documents" if form == "trec" else "a sample (--sample N)"
        raise OptionError(f"{form} holds {held}; choose one of {', '.join(FORMATS)}, {kind}")
    if args.sample is not None and args.show != "documents":
        raise OptionError(f"--sample draws documents; leave it out, or --show {args.show}")
    if args.topics is None and (args.strata or args.record):
        raise OptionError("--strata and --record are for topics to draw; add --topics N")
    if args.topics is None and args.sample is None and args.plan is None:
        for option in ("llm_qrels", "seed"):
            if getattr(args, option) is not None:
                raise OptionError(
                    f"--{option.replace('_', '-')} is for topics or documents to draw; add --topics N or "
                    "--sample N"
                )
    if args.strata and not (args.llm_qrels and args.record):
        raise OptionError(
            "--strata needs --llm-qrels FILE, and --record FILE, by which estimates know the strata"
        )
    if args.plan and not (args.llm_qrels and args.judged and form not in ("trec", "strata")):
        raise OptionError("--plan writes a table, and needs --llm-qrels FILE, and --judged FILE: a pilot")
    reading = chosen(args, OrderInputs)
    seed = args.seed or 0

    def judgments(path: str | None, duplicates: Any) -> Qrels | None:
        if not path:
            return None
        return Qrels.read(path, args.qrels_format, None, args.qrels_columns, duplicates, args.grades)

    # Which documents are judged is all that counts here, so one may be judged for several subtopics.
    judged, llm = judgments(args.judged, "first"), judgments(args.llm_qrels, args.duplicates)
    with output.progress("reading", shown=not args.quiet):
        documents = pool(
            args.runs,
            depth=args.depth,
            judged=judged if args.sample is None and args.plan is None else None,
            threads=args.threads,
            **reading,
        )
    if args.plan is not None:
        found = plan(documents, args.plan, llm, judged, args.measure)
        output.show(found.table("designs"), form, args.output, args.places)
        output.print_notes("note", [*found.captions.values(), *found.sentences], quiet=args.quiet)
        return 0
    if args.topics is not None:
        by_topic = draw_topics(
            llm or documents.qrels(),
            args.topics,
            seed=seed,
            strata=args.strata,
            runs=args.runs,
            threads=args.threads,
            **reading,
        )
        if args.record:
            write_text(args.record, render(by_topic.table(), "csv"))
        documents = documents.of_topics(by_topic.drawn)
    notes = [repr(documents), *documents.notes]
    drawn, to_judge = None, documents
    if args.sample is not None:
        drawn = sample(documents, args.sample, llm_qrels=llm, seed=seed)
        drawn = judged_sample(drawn, judged) if judged else drawn
        others = drawn.sorted_grades != TO_JUDGE
        to_judge = documents.without(drawn.only(others)) if others.any() else documents
        notes.append(f"to be judged: {counted(int((~others).sum()), 'document')}")
    if args.requests:
        files = [run.file for run in resolve_runs(args.runs, Reading.of({**reading, "collapse": None}))]
        texts = Texts.of_runs(args.documents, args.queries, files)
        rows = list(to_judge.requests(*texts))
        write_text(args.requests, "".join(f"{to_json(row)}\n" for row in rows))
        for name, option in (("query", "--queries"), ("text", "--documents")):
            if lacking := sum(not row[name] for row in rows):
                notes.append(f"{counted(lacking, 'request')} without a {name} ({option} FILE has them)")
    if args.requests and not args.output and drawn is None:
        pass  # what would fill the screen is in the requests
    elif form == "strata" and drawn is not None:
        drawn.write(args.output or "-", form)
    elif drawn is not None:
        output.show(sample_table(drawn), form, args.output, args.places)
    elif form == "trec":
        documents.qrels().write(args.output or "-", "trec")
    else:
        tables = {
            "documents": documents.table,
            "topics": documents.topics_table,
            "runs": documents.runs_table,
            "overlap": documents.overlap_table,
        }
        output.show(tables[args.show](), form, args.output, args.places)
    output.print_notes("note", notes, quiet=args.quiet)
    return 0
