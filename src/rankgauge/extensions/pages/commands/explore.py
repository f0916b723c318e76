"""Look at judgments and runs in a browser: leaderboard, topics, rankings, what if.

For example:
  rankgauge explore qrels.txt runs/*.run
  rankgauge explore qrels.txt bm25.run new.run -m "nDCG@10 AP" --baseline bm25
  rankgauge explore qrels.txt runs/*.run --journal judgments.jsonl --grades-to-give 0,1,2
  rankgauge explore runs/*.run --journal judgments.jsonl
  rankgauge explore scores.json

Without judgments, the page has the rankings, and with --journal it opens on judging. Scores saved by
`evaluate -q` or `nuggets -q` have no rankings.
The page is served on this machine alone, at an address that it prints, until Ctrl-C.
"""

from __future__ import annotations

import argparse
import functools
import shlex
import sys
from contextlib import nullcontext

from rankgauge.cli import output
from rankgauge.cli.inputs import chosen_qrels, refuse_input_options, refuse_judgment_options
from rankgauge.cli.options import (
    INPUTS,
    SUBTOPICS,
    TEXTS,
    add,
    add_choice,
    add_human,
    add_measures,
    add_reading,
    chosen,
    chosen_human,
    chosen_labels,
    whole_number,
)
from rankgauge.errors import InputError, NoCommonTopic, OptionError
from rankgauge.formats import guess_kind
from rankgauge.formats.source import Source, expand, named
from rankgauge.model.rules import OPTIONS, Inputs, Reading, RunInputs


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    from rankgauge.extensions.pages.explorer.session import LLM_SHOWN

    parser.usage = "%(prog)s [QRELS] RUN... [-m MEASURES] [--baseline RUN] [options]"
    add(parser, "qrels", help="file of judgments; may be left out")
    add(parser, "runs", nargs="*")
    add_measures(parser, "the measures to show at first")
    parser.add_argument("--baseline", metavar="RUN", help="the run to compare the others with at first")
    add(parser, "--by", "--margin", "--title")
    parser.add_argument(
        "--journal",
        metavar="FILE",
        help="judge documents: a file to which each decision is written, new or from before",
    )
    parser.add_argument(
        "--grades-to-give",
        metavar="GRADES",
        help="the grades to choose from when judging, such as 0,1,2,3 (default: those of the judgments)",
    )
    parser.add_argument(
        "--guide",
        metavar="FILE",
        help="instructions for people who judge, in JSON: meanings of grades, a rubric, and who judges which "
        'topics: {"grades": {"0": "irrelevant"}, "rubric": "...", "topics": {"Ann": ["101"]}}',
    )
    parser.add_argument(
        "--llm-qrels",
        metavar="FILE",
        help="labels of language models: a view compares them with the judgments, and when judging they are "
        "further assessors; repeated ones are combined by majority",
    )
    add_choice(parser, "--llm-shown", LLM_SHOWN, "when assessors see these labels", "after", "WHEN")
    parser.add_argument(
        "--port",
        type=whole_number(0, "--port", 65535),
        metavar="N",
        help="the port to serve at (default: 8700, or a free one if that is in use)",
    )
    parser.add_argument("--no-browser", action="store_true", help="print the address, and open no browser")
    add(parser, "--labels")
    add_human(parser)
    add_reading(parser, *TEXTS, *SUBTOPICS)


def run(args: argparse.Namespace) -> int:
    """Serve the page."""
    from rankgauge.campaigns.campaign import Campaign, needs_subtopics
    from rankgauge.comparison.baseline import is_saved
    from rankgauge.extensions.pages.explorer import Exploration, Session
    from rankgauge.extensions.pages.explorer.exploration import PARTS

    add_guide = None if args.guide is None else PARTS.load("guide")(args.guide)
    if args.grades_to_give is not None and args.journal is None:
        raise OptionError("--grades-to-give needs --journal FILE, where the decisions are kept")
    add_labels = PARTS.load("llm_qrels") if args.llm_qrels is not None else None
    add_judging = None
    if args.journal is not None:
        Reading.of(chosen(args)).order.require_one_order("judging follows")
        add_judging = PARTS.load("journal")(args.journal, args.grades_to_give)
    with output.progress("reading", shown=not args.quiet) as progress:
        try:
            if not args.runs and is_saved(args.qrels):
                refuse_input_options(args)
                campaign = Campaign.of_scores(args.qrels, threads=args.threads)
            elif not args.runs:
                raise InputError("there is no run; pass QRELS RUN..., or runs without judgments")
            else:
                campaign = Campaign(
                    chosen_qrels(args),
                    args.runs,
                    by_subtopic=needs_subtopics(args.measures),
                    progress=progress,
                    **chosen(args, Inputs, "threads"),
                    **chosen_human(args),
                )
        except InputError as error:
            first = named(args.qrels)
            if isinstance(error, NoCommonTopic) or guess_kind(Source(expand(first)[0])) != "run":
                raise
            refuse_judgment_options(args, "a set of runs")
            if args.margin is not None and args.journal is None:  # which is to have judgments
                raise OptionError("--margin needs judgments; pass QRELS RUN..., or leave it out") from None
            reading = chosen(args, RunInputs, "threads")
            campaign = Campaign.of_runs([first, *args.runs], progress=progress, **reading)
    session = Session(
        campaign,
        args.measures,
        baseline=args.baseline,
        margin=args.margin,
        documents=args.documents,
        topics=args.topics,
        labels=chosen_labels(args),
        by=args.by,
        title=args.title,
        command=shlex.join(["rankgauge", *sys.argv[1:]]),
        options=_repeated(args),
    )
    if add_labels is not None:
        add_labels(session, args.llm_qrels, args.llm_shown)
    if add_guide is not None:
        add_guide(session)
    judging = None if add_judging is None else add_judging(session)
    output.print_notes("note", judging.journal.notes if judging else (), quiet=args.quiet)
    output.print_notes("note", session.unmatched(any_measure=True), quiet=args.quiet)
    announce = functools.partial(print, flush=True)
    with judging or nullcontext():
        Exploration(session).serve(port=args.port, browser=not args.no_browser, announce=announce)
    return 0


def _repeated(args: argparse.Namespace) -> list[str]:
    """The options that change numbers, to repeat in other commands."""
    defaults = {f"--{option.name.replace('_', '-')}": option.default for option in OPTIONS}
    words: list[str] = []
    for flag, default in {**defaults, **dict.fromkeys((*INPUTS, *SUBTOPICS))}.items():
        value = getattr(args, flag[2:].replace("-", "_"))
        if value != default:
            names = value.items() if isinstance(value, dict) else ()
            words += flag, ",".join(f"{role}={name}" for role, name in names) or value
    return words
