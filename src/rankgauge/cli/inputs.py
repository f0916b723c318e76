"""The input of commands: paths among their arguments, judgments and runs, collections."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection as Container
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.formats.source import NamedPath, named, run_name
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import repeated

if TYPE_CHECKING:
    from rankgauge.studies import Campaign

FILES = ("QRELS", "RUN", "QRELS RUN", "OLD NEW", "OTHER", "TABLE", "FILE", "IN", "OUT")
DIRECTORIES = ("DIR", "FOLDER")
RUNS = ("RUN", "QRELS RUN", "OLD NEW", "FILE")  # arguments that can name a run: NAME=path
WRITTEN = ("output", "run_file")  # arguments that are written
SHAPE = "NAME=QRELS,RUN[,RUN...]"
FURTHER_FILES = ("subtopics", "probabilities", "alphas")  # of a collection, such as subtopics=FILE


def kind_of(action: argparse.Action) -> str | None:
    """Whether an argument is the path of a file or of a directory; None if it is no path.

    An option that takes RUN names a run, by its path or otherwise; one that takes TABLE names a table.
    """
    if action.metavar in DIRECTORIES:
        return "directory"
    is_table = action.metavar == "TABLE" and action.option_strings
    return "file" if action.metavar in FILES and not is_table else None


def read_by(args: argparse.Namespace) -> Iterator[str]:
    """The paths and patterns that a command is to read."""
    for action in args.parser._actions:
        value = getattr(args, action.dest, None)
        if action.dest == "select":
            yield from (rule.removeprefix("teams=") for rule in value or () if rule.startswith("teams="))
        elif action.dest == "collections":
            for collection in value or ():
                yield from collection.paths
        elif action.option_strings and action.metavar == "RUN":
            continue  # the name of a run
        elif action.dest not in WRITTEN and kind_of(action) == "file":
            yield from _texts(value)


def _texts(value: object) -> Iterator[str]:
    """The texts in the value of an argument, which may be lists of lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def name_runs(args: argparse.Namespace) -> None:
    """Replace NAME=path among the files of a command by paths that know the names of their runs.

    A command that reads one file shows no names, and refuses them.
    """
    for action in args.parser._actions:
        files = getattr(args, action.dest, None)
        if action.option_strings or action.metavar not in (*RUNS, "IN"):
            continue
        if isinstance(files, list):
            setattr(args, action.dest, [named(file) for file in files])
        elif isinstance(files, str) and isinstance(path := named(files), NamedPath) and os.path.exists(path):  # noqa: PTH110
            raise OptionError(f"{files}: the results of this command have no names of runs; pass {path}")


def run_called(text: str, runs: Container[str], files: Iterable[str]) -> str:
    """The name of one of the runs, from its name, its path or NAME=path; files are those of the runs."""
    if text in runs:
        return text
    paths = {str(file): run_name(file) for file in files}
    name = paths.get(text) or run_name(named(text))
    return name if name in runs else text


def columns_of(text: str | None) -> dict[str, str] | None:
    """{role: column name} from the text of an option."""
    if text is None:
        return None
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(role and name for role, _, name in pairs):
        raise OptionError(f"column names look like topic=my_q,doc=my_d, not {text!r}")
    return {role.strip(): name.strip() for role, _, name in pairs}


def chosen_inputs(args: argparse.Namespace) -> dict[str, Any]:
    """The options on the formats, columns and grades of input, as arguments of the library."""
    return {
        "run_format": args.run_format,
        "qrels_format": args.qrels_format,
        "run_columns": columns_of(args.run_columns),
        "qrels_columns": columns_of(args.qrels_columns),
        "grades": args.grades,
    }


def chosen_qrels(args: argparse.Namespace) -> Any:
    """The judgments with the options on subtopics applied; their path if there is nothing to apply."""
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


class Collection(Frozen):
    """The files of one collection; nothing is read before `campaign`.

    Without runs, `qrels` is a file of scores.
    """

    name: str
    qrels: str
    runs: tuple[Any, ...] = ()  # paths, patterns, or inputs that have been resolved
    subtopics: str | None = None  # judgments by subtopic, where `qrels` has none
    probabilities: str | None = None  # of subtopics
    alphas: str | None = None  # of topics

    @property
    def paths(self) -> tuple[str, ...]:
        """All its paths and patterns."""
        further = (self.subtopics, self.probabilities, self.alphas)
        return (self.qrels, *self.runs, *(path for path in further if path is not None))

    def campaign(self, *, by_subtopic: bool = False, needs_runs: bool = True, **options: Any) -> Campaign:
        """The campaign of these files; options are those of `Campaign`."""
        from rankgauge.studies import Campaign

        if needs_runs and not self.runs:
            try:
                return Campaign.of_scores(self.qrels, threads=options.get("threads"))
            except InputError as error:
                raise InputError(
                    f"there are no runs, and the file cannot be read as scores: {error}"
                ) from None
        qrels: Any = self.subtopics if by_subtopic and self.subtopics else self.qrels
        if self.probabilities or self.alphas:
            names = {"qrels_format": "format", "qrels_columns": "columns"}
            kept = (*names, "duplicates", "grades")
            reading = {names.get(key, key): value for key, value in options.items() if key in kept}
            qrels = subtopic_qrels(qrels, self.probabilities, self.alphas, **reading)
        return Campaign(qrels, list(self.runs) or None, by_subtopic=by_subtopic, **options)


def add_collections(parser: argparse.ArgumentParser) -> None:
    """Add --collection, which can be repeated."""
    parser.add_argument(
        "--collection",
        action="append",
        type=collection,
        dest="collections",
        metavar=SHAPE,
        help="a collection with a name of its own, instead of QRELS RUN...; can be repeated\n"
        "  RUN may be a pattern such as 'runs/*.gz', or NAME=FILE; without any, QRELS is a file of scores\n"
        "  subtopics=FILE among the files: judgments by subtopic, where a study needs them\n"
        "  probabilities=FILE, alphas=FILE: those of its subtopics and topics",
    )


def collection(text: str) -> Collection:
    """The collection that a text NAME=QRELS,RUN[,RUN...] describes."""
    name, equals, rest = text.partition("=")
    others: dict[str, str] = {}
    files = []
    for file in map(str.strip, rest.split(",")):
        key, separator, path = file.partition("=")
        if separator and key in FURTHER_FILES:
            if key in others:
                raise OptionError(f"the collection {name!r} has {key}= twice; give it once")
            others[key] = path
        else:
            files.append(file)
    if not equals or not name.strip() or not all([*files, *others.values()]) or not files:
        raise OptionError(
            f"a collection looks like {SHAPE}, not {text!r}; a path cannot have a comma (use ?)"
        )
    return Collection(name.strip(), files[0], tuple(map(named, files[1:])), **others)


def check_names(collections: Iterable[Collection]) -> None:
    """Refuse two collections of one name."""
    for name in repeated(each.name for each in collections):
        raise OptionError(f"two collections are called {name!r}; give each a name of its own")
