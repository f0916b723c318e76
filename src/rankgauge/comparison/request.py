"""What a comparison is asked for: runs, measures, margins, and the options of the test."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real

import numpy as np

from rankgauge.comparison.corrections import factor
from rankgauge.comparison.registry import CORRECTIONS, MAX_SAMPLES, StatisticalTest, TestOptions
from rankgauge.comparison.result import STRONG
from rankgauge.errors import MeasureError, OptionError
from rankgauge.measures import Measure, named_set
from rankgauge.measures.language import canonical, pieces
from rankgauge.model.scores import Scores
from rankgauge.numbers.differences import Ints, all_pairs
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import nearest


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
    """The options of a test, with as many random samples as α and the correction ask for, or an error."""
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
    """The numbers of the runs that are baselines."""
    names = [baseline] if isinstance(baseline, str) else list(baseline or ())
    for name in names:
        if name not in scores.runs:
            raise OptionError(
                f"no run is called {name!r}, so it cannot be a baseline{nearest(str(name), scores.runs)}; "
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
    """The names of measures in a text: columns of any name, measures, grids and sets."""
    words = text.split()
    for name in [text] if text in known else words if known.keys() >= {*words} else pieces(text):
        members = () if canonical(name) in known else named_set(name)
        yield from map(str, members) if members else [name]
