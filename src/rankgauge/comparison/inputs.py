"""The inputs of `compare`: scores or runs to evaluate, measures, baselines, margins, options."""

from __future__ import annotations

import glob
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.comparison.corrections import factor
from rankgauge.comparison.registry import CORRECTIONS, MAX_SAMPLES, StatisticalTest, TestOptions
from rankgauge.comparison.result import STRONG
from rankgauge.errors import InputError, MeasureError, OptionError
from rankgauge.evaluation.evaluator import Measures, evaluate
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import first_trec
from rankgauge.measures import Measure, named_set
from rankgauge.measures.language import canonical, pieces
from rankgauge.measures.named_sets import ONE
from rankgauge.model.qrels import Qrels
from rankgauge.model.scores import Scores
from rankgauge.numbers.differences import Ints, all_pairs
from rankgauge.schema.options import in_python, whole_number
from rankgauge.schema.text import brief, nearest

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
    """Whether this may be {topic: {document: grade}} as well as {run: {topic: value}}, or a file of it."""
    if isinstance(given, (str, os.PathLike)) and os.path.isfile(given):  # noqa: PTH113  # Path raises for long names
        return first_trec(Source(given), "qrels")
    if not isinstance(given, Mapping) or not all(isinstance(each, Mapping) for each in given.values()):
        return False
    values = [value for each in given.values() for value in each.values()]
    return bool(values) and all(isinstance(value, Integral) for value in values)


def _names_measures(first: Any, second: Any) -> bool:
    """Whether this names measures of a table of scores, rather than files of runs."""
    if isinstance(first, Qrels) or not _is_text(second):
        return False
    texts = [second] if isinstance(second, (str, Measure)) else list(second)
    return not any(isinstance(text, str) and _is_file(text) for text in texts)


def _is_text(given: Any) -> bool:
    """Whether this is a text or a measure, or several, and not a run."""
    several = given if isinstance(given, (list, tuple, Set)) else [given]
    return all(isinstance(each, (str, Measure)) for each in several)


def _is_file(text: str) -> bool:
    """Whether a text names files, with a pattern or a name in front, as in bm25=path."""
    paths = filter(None, (text, text.partition("=")[2]))
    return any(glob.has_magic(path) or os.path.exists(path) for path in paths)  # noqa: PTH110


def test_options(
    spec: StatisticalTest,
    correction: str,
    pairs: int,
    *,
    alpha: float,
    samples: int | None,
    seed: int,
    threads: int | None,
) -> TestOptions:
    """The options of a test, with as many random samples as α and the correction ask for."""
    if not isinstance(alpha, (int, float)) or not 0 < alpha < 1:
        raise OptionError(f"alpha must be a number between 0 and 1, not {alpha!r}")
    if samples is not None and spec.samples is None:
        raise OptionError(f"the {spec.title} draws no random samples; leave their number out")
    taken = spec.samples if samples is None else whole_number("samples", samples, most=MAX_SAMPLES)
    times = factor(correction, pairs)
    if taken:
        for needed, why in ((1 / alpha, ""), (times / alpha, f" with {CORRECTIONS[correction].title}")):
            have = MAX_SAMPLES if why and spec.sequential else taken
            if have < needed - 1e-9:
                most = f"more than {MAX_SAMPLES}"
                enough = f"at least {math.ceil(needed - 1e-9)}" if needed <= MAX_SAMPLES else most
                without = "; leave the correction out, the test accounts for all pairs" * spec.familywise
                raise OptionError(
                    f"alpha {alpha:g}{why} needs {enough} random samples, not {taken}{without if why else ''}"
                )
    return TestOptions(
        float(alpha),
        taken or 0,
        resolution=max(alpha / STRONG / times, 1 / MAX_SAMPLES),
        seed=whole_number("seed", seed, 0),
        threads=threads,
    )


def baseline_runs(scores: Scores, baseline: str | Sequence[str] | None) -> list[int]:
    """The places of the baselines among the runs."""
    names: list[Any] = [] if baseline is None else [baseline]
    if baseline is not None and not isinstance(baseline, str):
        with suppress(TypeError):  # what holds no names is none that a run has
            names = [*baseline]
    for name in names:
        if name not in scores.runs:
            meant = nearest(name, scores.runs) if isinstance(name, str) else ""
            raise OptionError(
                f"no run named {brief(name)}, so it cannot be a baseline{meant}; "
                f"the runs are {', '.join(scores.runs[:10])}{', ...' if len(scores.runs) > 10 else ''}"
            )
    return [scores.runs.index(name) for name in dict.fromkeys(names)]


def run_pairs(scores: Scores, baselines: list[int]) -> tuple[Ints, Ints]:
    """(run, against) of every pair; without baselines, each run against the earlier ones."""
    if len(scores.runs) < 2:
        raise OptionError(f"a comparison needs at least two runs; there is only {scores.runs[0]!r}")
    if not baselines:
        earlier, later = all_pairs(len(scores.runs))
        return later, earlier
    pairs = [
        (run, against) for against in baselines for run in range(len(scores.runs)) if run not in baselines
    ]
    if not pairs:
        raise OptionError("all runs are baselines; leave out at least one, to compare with them")
    first, second = np.array(pairs, dtype=np.int64).T
    return first, second


def measure_places(scores: Scores, measures: str | Measure | Iterable[str | Measure] | None) -> list[int]:
    """The places of measures among those of the scores, in any spelling."""
    if measures is None:
        return list(range(len(scores.measures)))
    known = {canonical(name): place for place, name in reversed(list(enumerate(scores.measures)))}
    known |= {name: place for place, name in enumerate(scores.measures)}
    places = []
    named = [measures] if isinstance(measures, (str, Measure)) else measures
    if not isinstance(named, Iterable):
        raise MeasureError(f"measures are texts such as 'nDCG@10', not {measures!r}")
    for name in (name for text in map(str, named) for name in _names(text, known)):
        if canonical(name) not in known:
            raise MeasureError(f"the scores have no {name}, only {', '.join(scores.measures)}")
        places.append(known.get(name, known[canonical(name)]))
    if not places:
        raise MeasureError(f"no measures; name at least one of {', '.join(scores.measures)}")
    return list(dict.fromkeys(places))


def margins_by_place(
    scores: Scores, margin: float | Mapping[str, float] | None, places: list[int]
) -> dict[int, float]:
    """{place of a measure: its margin}."""
    if margin is None:
        return {}
    given = margin if isinstance(margin, Mapping) else {scores.measures[place]: margin for place in places}
    found: dict[int, float] = {}
    for measure, value in given.items():
        if not isinstance(value, Real) or not 0 < value < math.inf:
            raise OptionError(f"the margin of {measure} must be a number above 0, not {value!r}")
        for place in measure_places(scores, measure):
            if place not in places:
                raise OptionError(
                    f"the margin is of {scores.measures[place]}, which is not compared; leave it out"
                )
            if found.setdefault(place, float(value)) != float(value):
                both = f"{found[place]:g} and {float(value):g}"
                raise OptionError(f"{scores.measures[place]} has two margins, {both}; pass one of them")
    return found


def _names(text: str, known: Mapping[str, int]) -> Iterator[str]:
    """Columns of any name, measures, grids and sets in a text."""
    words = text.split()
    for name in [text] if text in known else words if known.keys() >= {*words} else pieces(text):
        members = () if canonical(name) in known else named_set(name)
        yield from map(str, members) if members else [name]
