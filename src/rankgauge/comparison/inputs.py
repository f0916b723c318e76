"""The inputs of `compare`: scores and measures, or judgments, runs and measures."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping, Set
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError, OptionError
from rankgauge.evaluation.evaluator import Measures, evaluate
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import first_trec
from rankgauge.measures import Measure
from rankgauge.measures.named_sets import ONE
from rankgauge.model.qrels import Qrels
from rankgauge.model.scores import Scores
from rankgauge.schema.options import in_python

if TYPE_CHECKING:
    from rankgauge.model.rules import CorrectedInputs

USAGE = (
    "compare takes scores and measures, compare(scores, 'AP'), or judgments, runs and measures, "
    "compare(qrels, runs, 'AP')"
)


def scores_to_compare(
    first: Any, second: Any, measures: Measures | None, threads: int | None, options: CorrectedInputs
) -> tuple[Scores, Measures | None, bool]:
    """(scores, measures to select or None for all, whether the scores were made here).

    `first` and `second` are scores and measures, or judgments and runs.
    """
    if isinstance(first, Scores) or second is None or (measures is None and _names_measures(first, second)):
        second = list(second) if isinstance(second, Iterator) else second
        if second is not None and (measures is not None or not _is_text(second)):
            given = type(second).__name__
            raise OptionError(
                f"these are scores, without runs to evaluate, and {given} is no measure; {USAGE}"
            )
        if options:
            raise OptionError(f"{', '.join(options)}: for judgments and runs, and these are scores; {USAGE}")
        return _read(first), second if measures is None else measures, False
    scores = evaluate(first, second, ONE if measures is None else measures, threads=threads, **options)
    return scores, None, True


def _read(given: Any) -> Scores:
    if isinstance(given, Scores):
        return given
    if isinstance(given, Qrels):
        raise OptionError(f"these are judgments without runs; {USAGE}")
    if _may_be_grades(given):
        raise OptionError(
            "these are judgments without runs, or scores that are all whole numbers, as grades are; "
            f"{USAGE}; for scores, pass Scores.from_table(...)"
        )
    try:
        return Scores.from_table(given)
    except InputError as error:
        raise InputError(f"{error}{in_python(f'; {USAGE}')}") from None


def _may_be_grades(given: Any) -> bool:
    """Whether this may as well be {topic: {document: grade}} as {run: {topic: value}}, or is a file of it."""
    if isinstance(given, (str, Path)) and Path(given).is_file():
        return first_trec(Source(given), "qrels")
    if not isinstance(given, Mapping) or not all(isinstance(each, Mapping) for each in given.values()):
        return False
    values = [value for each in given.values() for value in each.values()]
    return bool(values) and all(isinstance(value, Integral) for value in values)


def _names_measures(first: Any, second: Any) -> bool:
    """Whether the second argument names measures of a table of scores, rather than files of runs."""
    if isinstance(first, Qrels) or not _is_text(second):
        return False
    texts = [second] if isinstance(second, (str, Measure)) else list(second)
    return not any(isinstance(text, str) and _is_file(text) for text in texts)


def _is_text(given: Any) -> bool:
    """Whether this is a text or a measure, or several of them, and not a run."""
    several = given if isinstance(given, (list, tuple, Set)) else [given]
    return all(isinstance(each, (str, Measure)) for each in several)


def _is_file(text: str) -> bool:
    """Whether a text names a file, or is a pattern of such names; a name may come first, as in bm25=path."""
    paths = filter(None, (text, text.partition("=")[2]))
    return any(glob.has_magic(path) or Path(path).exists() for path in paths)
