"""Arguments that describe the input, for input that is not recognised by itself."""

from __future__ import annotations

import argparse
from collections.abc import Collection, Iterable
from typing import Any

from rankgauge.errors import OptionError

INPUT = "input"
FORMATS_HELP = "(`rankgauge convert --help` lists them; default: detected)"
NOUNS = {"run": "runs", "qrels": "judgments"}


def group(parser: argparse.ArgumentParser, title: str) -> Any:
    """The group of arguments with this title, under which help lists them; made if it is not there."""
    return next((g for g in parser._action_groups if g.title == title), None) or parser.add_argument_group(
        title
    )


def add_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that reads judgments and runs."""
    add = group(parser, INPUT).add_argument
    for kind, noun in NOUNS.items():
        value = "score=my_s" if kind == "run" else "grade=my_g"
        add(f"--{kind}-format", metavar="FORMAT", help=f"file format of the {noun} {FORMATS_HELP}")
        add(
            f"--{kind}-columns",
            metavar="NAMES",
            help=f"column names of the {noun}, such as topic=my_q,doc=my_d,{value}",
        )
    add_grades(parser)


def add_grades(parser: argparse.ArgumentParser) -> None:
    """Add the option that changes the grades of judgments."""
    group(parser, INPUT).add_argument(
        "--grades",
        metavar="MAP",
        help="give documents of some grades another one before anything else, such as 1=0,2=1,3=1; "
        "2=unjudged leaves judgments out",
    )


def add_subtopics(parser: argparse.ArgumentParser) -> None:
    """Add the arguments for judgments by subtopic."""
    add = group(parser, INPUT).add_argument
    add(
        "--subtopic-probabilities",
        metavar="FILE",
        help="probabilities of subtopics; a line is: topic subtopic probability",
    )
    add(
        "--topic-alphas",
        metavar="FILE",
        help="the alpha of each topic, for measures with alpha=topic; a line is: topic alpha",
    )


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Add the files of titles and texts, which are shown beside ids."""
    add = group(parser, INPUT).add_argument
    add("--documents", metavar="FILE", help="titles and texts of documents")
    add("--topics", metavar="FILE", help="titles or queries of topics")


def chosen_qrels(args: argparse.Namespace) -> Any:
    """The judgments with the options of `add_subtopics` applied; their path if there is nothing to apply."""
    if args.subtopic_probabilities is None and args.topic_alphas is None:
        return args.qrels
    return subtopic_qrels(
        args.qrels,
        args.subtopic_probabilities,
        args.topic_alphas,
        format=args.qrels_format,
        columns=columns_of(args.qrels_columns),
        duplicates=args.duplicates,
        grades=args.grades,
    )


def subtopic_qrels(path: Any, probabilities: str | None, alphas: str | None, **reading: Any) -> Any:
    """Judgments by subtopic, with the probabilities of subtopics and the alphas of topics, if any."""
    from rankgauge.model.subtopics import SubtopicQrels

    qrels = SubtopicQrels.read(path, **reading)
    if probabilities is not None:
        qrels = qrels.with_subtopic_probabilities(probabilities)
    return qrels if alphas is None else qrels.with_alphas(alphas)


def refuse_judgment_options(args: argparse.Namespace, what: str) -> None:
    """Raise an error if an option that changes judgments is used with something that has none."""
    for option in ("grades", "subtopic_probabilities", "topic_alphas"):
        if getattr(args, option) is not None:
            raise OptionError(
                f"--{option.replace('_', '-')} changes judgments, and {what} has none; "
                "pass QRELS RUN..., or leave it out"
            )


def chosen_inputs(args: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_inputs`, as arguments of the library."""
    return {
        "run_format": args.run_format,
        "qrels_format": args.qrels_format,
        "run_columns": columns_of(args.run_columns),
        "qrels_columns": columns_of(args.qrels_columns),
        "grades": args.grades,
    }


def add_input(parser: argparse.ArgumentParser, format_option: str) -> None:
    """Add the arguments of a command that reads either runs or judgments."""
    add = group(parser, INPUT).add_argument
    add(
        "--kind", choices=("run", "qrels"), help="whether the input is a run or judgments (default: detected)"
    )
    add(
        format_option,
        dest="format",
        metavar="FORMAT",
        help="file format of the input, see below (default: detected)",
    )
    add(
        "--columns", metavar="NAMES", help="column names of the input, such as topic=my_q,doc=my_d,score=my_s"
    )


def run_called(text: str, runs: Collection[str], files: Iterable[str]) -> str:
    """The name of one of the runs, from its name, its path or NAME=path; files are those of the runs."""
    from rankgauge.formats.source import named, run_name

    if text in runs:
        return text
    paths = {str(file): run_name(file) for file in files}
    name = paths.get(text) or run_name(named(text))
    return name if name in runs else text


def formats_help() -> str:
    """The names and titles of the file formats, for the end of a help page."""
    from textwrap import wrap

    from rankgauge.cli.parser import terminal_width
    from rankgauge.formats import FORMATS

    lines = ["file formats:"]
    for form in FORMATS.values():
        first, rest = f"  {form.name:<11}", " " * 13
        lines += wrap(form.title, terminal_width() - 2, initial_indent=first, subsequent_indent=rest)
    return "\n".join(lines)


def columns_of(text: str | None) -> dict[str, str] | None:
    """{role: column name} from the text of an option."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(role and name for role, _, name in pairs):
        raise OptionError(f"column names look like topic=my_q,doc=my_d, not {text!r}")
    return {role.strip(): name.strip() for role, _, name in pairs}
