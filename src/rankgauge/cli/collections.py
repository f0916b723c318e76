"""Collections as commands take them: NAME=QRELS,RUN[,RUN...], judgments and the runs they judge."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rankgauge.errors import OptionError
from rankgauge.formats.source import named
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import repeated

if TYPE_CHECKING:
    from rankgauge.studies import Campaign

SHAPE = "NAME=QRELS,RUN[,RUN...]"
FILES = ("subtopics", "probabilities", "alphas")  # further files of a collection, such as subtopics=FILE


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
        from rankgauge.cli.inputs import subtopic_qrels
        from rankgauge.errors import InputError
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
        if separator and key in FILES:
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
