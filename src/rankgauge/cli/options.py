"""Options that several commands share: one table, and those made from the library's own records."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rankgauge.cli.inputs import chosen_qrels, column_names
from rankgauge.errors import OptionError
from rankgauge.model.output.table_cells import COLUMN
from rankgauge.model.rules import CORRECTION_OPTIONS, OPTIONS, OVER_ORDERS, Inputs, OfHumans
from rankgauge.schema.options import LARGEST, Option, read_whole_number
from rankgauge.schema.parameters import Flag, Kind, Number, Parameter, Text, Whole, declared

if TYPE_CHECKING:
    from rankgauge.model.output.labels import Labels
    from rankgauge.model.validation import SubmissionRules

FORMATS_HELP = "(`rankgauge convert --help --all` lists them; default: detected)"
METAVARS: dict[type, str] = {Whole: "N", Number: "X", Text: "NAME"}
CAMPAIGN = "rules of a campaign"  # which a run must not break
HUMAN = "human judgments"  # that correct those of a language model
RUNS_HELP = "run files, or NAME=FILE to name a run; - is standard input"


def whole_number(least: int, what: str, most: int = LARGEST) -> type[int]:
    """A parser of whole numbers; `what` is the option in its error."""

    def read(text: str) -> int:
        return read_whole_number(what, text, least, most)

    return read  # type: ignore[return-value]  # argparse takes any callable


# {title of the group in the help: {option: how argparse reads and describes it}}
SHARED: dict[str, dict[str, dict[str, Any]]] = {
    "": {
        "qrels": {"metavar": "QRELS", "help": "file of judgments"},
        "runs": {"metavar": "RUN", "nargs": "+", "help": RUNS_HELP},
        "--title": {"default": "", "metavar": "TEXT", "help": "the title of the page"},
        "--limit": {
            "type": whole_number(1, "--limit"),
            "default": 20,
            "metavar": "N",
            "help": "maximum number of rows per table (default 20); json has all",
        },
        "--fail-if": {
            "action": "append",
            "default": [],
            "metavar": "CONDITION",
            "help": 'exit with code 1 if it holds, such as "nDCG@10 drops by 2%% significantly"',
        },
    },
    "running": {
        "--no-advice": {
            "action": "store_true",
            "help": "no advice on reading the scores; notes on the data are still shown",
        },
        "--quiet": {"action": "store_true", "help": "no progress"},
        "--threads": {
            "type": whole_number(1, "--threads"),
            "metavar": "N",
            "help": "number of threads (default: one per core)",
        },
    },
    "input": {
        "--kind": {
            "choices": ("run", "qrels"),
            "help": "whether the input is a run or judgments (default: detected)",
        },
        "--columns": {
            "type": column_names,
            "metavar": "NAMES",
            "help": "column names of the input, such as topic=my_q,doc=my_d,score=my_s",
        },
        "--run-format": {"metavar": "FORMAT", "help": f"file format of the runs {FORMATS_HELP}"},
        "--run-columns": {
            "type": column_names,
            "metavar": "NAMES",
            "help": "column names of the runs, such as topic=my_q,doc=my_d,score=my_s; paths in JSON: "
            "hits=found.pages,doc=meta.url,score=rsv; topics=FILE, for lists that name no topic, has an id "
            "in each line",
        },
        "--collapse": {
            "metavar": "RULE",
            "help": "score each document by its best passage: prefix:SEPARATOR for ids up to the last "
            "separator, regex:PATTERN for its first group, or table:FILE; first,RULE or sum,RULE take the "
            "first passage or the sum of scores",
        },
        "--qrels-format": {"metavar": "FORMAT", "help": f"file format of the judgments {FORMATS_HELP}"},
        "--qrels-columns": {
            "type": column_names,
            "metavar": "NAMES",
            "help": "column names of the judgments, such as topic=my_q,doc=my_d,grade=my_g",
        },
        "--grades": {
            "metavar": "MAP",
            "help": "remap grades first, such as 1=0,2=1,3=1; 2=unjudged leaves judgments out",
        },
        "--documents": {
            "metavar": "FILE",
            "help": "titles and texts of documents (default: any in JSON runs)",
        },
        "--topics": {"metavar": "FILE", "help": "titles or queries of topics (default: any in JSON runs)"},
        "--by": {
            "action": "append",
            "metavar": "FILE[:COLUMN]",
            "help": "break results down by topic attributes from a CSV, TSV, JSON lines or Parquet file: all "
            "columns or those named; repeatable",
        },
        "--efficiency": {
            "metavar": "FILE",
            "help": "what runs cost, beside what they are worth: a table with a row per run, or per run and "
            "topic, and columns such as latency",
        },
        "--subtopic-probabilities": {
            "metavar": "FILE",
            "help": "probabilities of subtopics; a line is: topic subtopic probability",
        },
        "--topic-alphas": {
            "metavar": "FILE",
            "help": "the alpha of each topic, for measures with alpha=topic; a line is: topic alpha",
        },
    },
    HUMAN: {
        "--human-qrels": {
            "metavar": "FILE",
            "help": "human judgments of some topics, a random sample: QRELS are by a language model, and "
            "these correct the means",
        },
        "--human-topics": {
            "metavar": "FILE",
            "help": "how these topics were drawn, if by strata: a file that `rankgauge pool --topics` wrote",
        },
        "--human-sample": {
            "metavar": "FILE",
            "help": "human judgments of documents drawn by `rankgauge pool --sample`: QRELS are by a "
            "language model, and these correct its values",
        },
    },
    "test": {
        "--margin": {
            "type": float,
            "metavar": "X",
            "help": "also test whether runs are equivalent: whether they differ by less than this",
        },
    },
    "output": {
        "--labels": {
            "metavar": "FILE",
            "help": "display names for runs, measures, topics, collections and teams: a file of two columns, "
            "name and label, or JSON",
        },
        "--caption": {
            "metavar": "TEXT",
            "help": "caption of the table, which makes it a float in LaTeX and Typst",
        },
        "--table-label": {
            "default": "",
            "metavar": "NAME",
            "help": "label to refer to the table, such as tab:main",
        },
        "--column-width": {
            "type": whole_number(72, "--column-width", 2000),
            "default": COLUMN,
            "metavar": "PT",
            "help": f"width in points that a LaTeX table must fit (default {COLUMN:g}; ACM 241, IEEE 252, "
            "ACL 219, LNCS 347)",
        },
        "--percent": {"action": "store_true", "help": "multiply values between -1 and 1 by 100"},
        "--second": {
            "action": "store_true",
            "help": "underline the second-best values; the best are bold",
        },
    },
    CAMPAIGN: {
        "--max-depth": {
            "type": whole_number(1, "--max-depth"),
            "metavar": "N",
            "help": "at most N results per topic",
        },
        "--tag": {
            "metavar": "PATTERN",
            "help": "every line has the same tag, and it matches a regular expression, such as "
            "'[a-z0-9]{1,12}'",
        },
        "--topics": {
            "metavar": "FILE",
            "help": "results for all topics of a file, and for no others: ids, one per line, or a file of "
            "queries",
        },
    },
}
INPUTS = ("--run-format", "--run-columns", "--collapse", "--qrels-format", "--qrels-columns", "--grades")
SUBTOPICS = ("--subtopic-probabilities", "--topic-alphas")
TEXTS = ("--documents", "--topics")
CAPTION = ("--labels", "--caption", "--table-label", "--column-width")


def group(parser: argparse.ArgumentParser, title: str) -> Any:
    """The group of arguments with this title."""
    if not title:
        return parser
    known = (each for each in parser._action_groups if each.title == title)
    return next(known, None) or parser.add_argument_group(title)


def add(parser: argparse.ArgumentParser, *names: str, of: str = "", **changes: Any) -> None:
    """Add shared options of the group `of`; `changes` are keywords that differ here."""
    for name in names:
        title = of or next(title for title, options in SHARED.items() if name in options)
        group(parser, title).add_argument(name, **{**SHARED[title][name], **changes})


def add_reading(
    parser: argparse.ArgumentParser, *others: str, quiet: str = "no progress", one_order: bool = False
) -> None:
    """Add the options of a command that reads judgments and runs, and other options on its input.

    `quiet` is the help of --quiet.
    """
    add(parser, "--quiet", help=quiet)
    add(parser, "--threads", *INPUTS, *others)
    add_rules(parser, one_order=one_order)


def add_human(parser: argparse.ArgumentParser) -> None:
    """Add human judgments and the options of the correction."""
    add(parser, "--human-qrels", "--human-topics")
    for option in CORRECTION_OPTIONS:
        add_rule(group(parser, HUMAN), option, metavar=option.name.upper())


def chosen_human(args: argparse.Namespace) -> dict[str, Any]:
    """The options of `add_human`, as arguments of `evaluate`."""
    if args.human_qrels is None:
        if args.human_topics is not None:
            raise OptionError("--human-topics is how topics were drawn for --human-qrels FILE; add it")
        for option in CORRECTION_OPTIONS:
            if getattr(args, option.name) != option.default:
                raise OptionError(f"--{option.name} is for means corrected by --human-qrels FILE; add it")
        return {}
    if getattr(args, "human_sample", None) is not None:
        raise OptionError(
            "--human-qrels has whole topics and --human-sample some documents; pass one of them"
        )
    return chosen(args, OfHumans) | {"human_qrels": chosen_qrels(args, args.human_qrels)}


def add_input(parser: argparse.ArgumentParser, format_option: str) -> None:
    """Add the options for reading either runs or judgments."""
    add(parser, "--kind", "--columns")
    group(parser, "input").add_argument(
        format_option,
        dest="format",
        metavar="FORMAT",
        help=f"file format of the input {FORMATS_HELP}",
    )


def add_rules(
    parser: argparse.ArgumentParser, options: Iterable[Option] = OPTIONS, *, one_order: bool = False
) -> None:
    """Add an option for each choice between named rules; its help lists the rules.

    Commands that need a single order of documents (`one_order`) do not offer rules over several orders.
    """
    left_out = OVER_ORDERS if one_order else ()
    for option in options:
        add_rule(group(parser, "order of documents, and topics"), option, left_out)


def add_rule(
    parser: argparse._ActionsContainer, option: Option, left_out: Iterable[str] = (), metavar: str = "RULE"
) -> None:
    """Add an option for a choice between named rules."""
    rules = {word: effect for word, effect in option.rules.items() if word not in left_out}
    parser.add_argument(
        f"--{option.name.replace('_', '-')}",
        type=option.check,
        choices=tuple(option.rules),
        default=option.default,
        metavar=metavar,
        help=f"{option.title} (default {option.default})\n{listed(rules)}".replace("%", "%%"),
    )


def formats_help() -> str:
    """The names and titles of file formats, for help."""
    from rankgauge.cli.parser import listing
    from rankgauge.formats import FORMATS

    return listing("file formats:", {form.name: form.title for form in FORMATS.values()}, 13)


def listed(effects: Mapping[str, str]) -> str:
    """Help that says what each word does."""
    return "\n".join(f"  {word}: {effect}" for word, effect in effects.items())


def chosen(args: argparse.Namespace, kind: type = Inputs, *others: str) -> dict[str, Any]:
    """Options of a kind, and others, as arguments of the library."""
    return {name: getattr(args, name) for name in (*kind.__annotations__, *others) if name in args}


def add_choice(
    parser: argparse.ArgumentParser,
    option: str,
    allowed: Mapping[str, Any],
    text: str,
    default: str | None = None,
    metavar: str | None = None,
) -> None:
    """Add an option whose values, with titles, are those of a table."""
    find = getattr(allowed, "find", None)
    titles = {name: each if isinstance(each, str) else each.title for name, each in allowed.items()}
    parser.add_argument(
        option,
        type=str if find is None else lambda name: find(name).name,
        choices=tuple(allowed),
        default=default,
        metavar=metavar or option[2:].upper(),
        help=f"{text}\n{listed(titles)}".replace("%", "%%"),
    )


def add_test(parser: argparse.ArgumentParser, *, corrections: bool = False) -> None:
    """Add the statistical test and its options, perhaps corrections."""
    from rankgauge.comparison import compare
    from rankgauge.comparison.registry import CORRECTIONS, FAMILIES, TESTS

    add_choice(parser, "--test", TESTS, "statistical test (default t)", "t")
    add(parser, "--margin")
    parser = group(parser, "test")
    if corrections:
        text = (
            "how p is corrected for all pairs on a measure (default holm; none for Tukey's tests and max-t)"
        )
        add_choice(parser, "--correction", CORRECTIONS, text)
    add_choice(parser, "--family", FAMILIES, "which tests p is corrected for (default measure)", "measure")
    add_declared(parser, compare, "alpha", "samples", "seed", alpha="α")


def add_declared(
    parser: argparse.ArgumentParser, function: Callable[..., Any], *names: str, of: str = "", **shown: str
) -> None:
    """Add options for a function's declared parameters; `shown` are metavars."""
    parameters = declared(function)
    for name in names:
        add_parameter(
            group(parser, of), parameters[name], **({"metavar": shown[name]} if name in shown else {})
        )


def add_parameter(parser: argparse._ActionsContainer, parameter: Parameter, **changes: Any) -> None:
    """Add an option for a parameter; `changes` are keywords of argparse."""
    flag = f"--{parameter.name.replace('_', '-')}"
    default = f" (default {parameter.written_default})" if parameter.written_default else ""
    keywords: dict[str, Any] = {"help": f"{parameter.help}{default}".replace("%", "%%")}
    if isinstance(parameter.kind, Flag):
        keywords["action"] = "store_true"
    elif parameter.required:
        keywords["required"] = True
    else:
        keywords["default"] = parameter.default
    if not isinstance(parameter.kind, Flag):
        keywords |= {"type": reader(flag, parameter.kind), "metavar": METAVARS.get(type(parameter.kind))}
    parser.add_argument(flag, **keywords | changes)


def reader(flag: str, kind: Kind) -> Callable[[str], Any]:
    """A reader of an option's text, with an error that says what it takes."""

    def read(text: str) -> Any:
        if isinstance(kind, Whole):
            return read_whole_number(flag, text, kind.low, kind.high)
        try:
            return kind.read(float(text) if isinstance(kind, Number) else text)
        except ValueError:
            raise OptionError(f"{flag} must be {kind.words}, not {text!r}") from None

    return read


def chosen_submission_rules(args: argparse.Namespace) -> SubmissionRules:
    """The rules of a campaign."""
    from rankgauge.formats.texts import topic_ids
    from rankgauge.model.validation import SubmissionRules

    return SubmissionRules(
        max_depth=args.max_depth,
        tag=args.tag,
        topics=topic_ids(args.topics) if args.topics else None,
        only_topics=args.topics is not None,
        one_tag=args.tag is not None,
    )


def chosen_labels(args: argparse.Namespace) -> Labels:
    """The labels of --labels."""
    from rankgauge.model.output.labels import Labels

    return Labels.read(args.labels)


def add_measures(parser: argparse.ArgumentParser, text: str) -> None:
    """Add -m, which is repeatable; `text` is its help."""
    several = "a grid such as P(rel=1|2)@5|10 or a set such as graded names several"
    parser.add_argument(
        "-m",
        "--measure",
        action="append",
        dest="measures",
        metavar="MEASURE",
        help=f"{text}; {several}".replace("%", "%%"),
    )
