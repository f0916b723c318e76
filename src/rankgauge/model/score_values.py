"""Values of runs, measures and topics: selected, sorted and averaged."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from rankgauge.errors import InputError, OptionError
from rankgauge.model.provenance import Provenance
from rankgauge.model.rules import TopicRules
from rankgauge.model.score_cells import best_and_second
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import unknown_name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.measures import Measure

KIND = "rankgauge scores 2"  # the number changes when older versions could not read the file
BY_NAME = "name"  # the order of runs by their names


class ScoreValues(Frozen, eq=False):
    """The value of every measure for every run and topic; `Scores` adds the ways to show and to keep them."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]  # sorted by bytes
    measures: tuple[str, ...]  # canonical texts
    values: npt.NDArray[np.float64]  # (runs, measures, topics)
    counted: npt.NDArray[np.bool_]  # (runs, topics), False where a topic is left out
    rules: TopicRules
    provenance: Provenance
    # {measure: (runs, topics)}: the weight of each topic, for measures with average=micro
    weights: Mapping[str, npt.NDArray[np.float64]] = {}

    @overload
    def mean(self, measure: None = None) -> dict[str, dict[str, float]]: ...

    @overload
    def mean(self, measure: str | Measure) -> dict[str, float]: ...

    def mean(self, measure: str | Measure | None = None) -> dict[str, dict[str, float]] | dict[str, float]:
        """{run: {measure: mean over the topics that count}}, or another average if a measure declares one.

        With a measure, {run: its mean}.
        """
        if measure is None:
            return self._means()
        one = self.only(measures=[str(measure)])
        return {run: mean for run, means in one.mean().items() for mean in means.values()}

    def _means(self) -> dict[str, dict[str, float]]:
        kinds = self._kinds()
        return {
            run: {
                m: self._average(row, m, self._solved(m, topics, v), *kinds[m])
                for m, v in zip(self.measures, values, strict=True)
            }
            for row, (run, topics, values) in enumerate(self._by_run())
        }

    def _solved(self, measure: str, topics: Sequence[str], values: list[float]) -> list[float]:
        """The values of a measure, without topics whose ideal ranking was not found (`ideal=exact`)."""
        unsolved = self.provenance.measure(measure).unsolved
        pairs = zip(topics, values, strict=True)
        return [value for topic, value in pairs if topic not in unsolved] if unsolved else values

    def _kinds(self) -> dict[str, tuple[str, int]]:
        """{measure: (the kind of its average, its direction)}, looked up once for all runs."""
        return {measure: (self.average(measure), self.direction(measure)) for measure in self.measures}

    def interval(self, level: float = 0.95) -> dict[str, dict[str, tuple[float, float]]]:
        """{run: {measure: (low, high)}}: the confidence interval of the mean over topics, by Student's t.

        It is within the bounds of the measure: between finite ones, t is that of the logit of the mean. It is
        NaN, since there is no useful one, for one or two topics and where all values are the same; also for
        infinite values and for averages that are not means.

        >>> from rankgauge import Scores
        >>> scores = Scores.from_table({"bm25": {"1": 0.5, "2": 0.2, "3": 0.2}}, "AP")
        >>> low, high = scores.interval()["bm25"]["AP"]
        >>> round(low, 4), round(high, 4)
        (0.0523, 0.7688)
        """
        kinds, bounds = self._kinds(), {m: self.provenance.bounds(m) for m in self.measures}
        return {
            run: {
                m: self.rules.interval(
                    self._solved(m, topics, v), level, direction=kinds[m][1], bounds=bounds[m]
                )
                if kinds[m][0] == "mean"
                else (math.nan, math.nan)
                for m, v in zip(self.measures, values, strict=True)
            }
            for run, topics, values in self._by_run()
        }

    def direction(self, measure: str) -> int:
        """1 if higher values of a measure are better, -1 if lower are, 0 if neither.

        Where another tool made the scores, the name of the measure decides; 1 if it is unknown.
        """
        return self.provenance.direction(measure)

    def average(self, measure: str) -> str:
        """The kind of average of a measure, one of `AVERAGES`."""
        return self.provenance.measure(measure).average

    def _average(self, row: int, measure: str, values: list[float], kind: str, direction: int) -> float:
        weights: Sequence[float] = ()
        if measure in self.weights:
            kept = self.counted[row].tolist()
            weights = list(itertools.compress(self.weights[measure][row].tolist(), kept))
        return self.rules.average(values, kind, weights=weights, direction=direction)

    def only(self, *, runs: Iterable[str] | None = None, measures: Iterable[str] | None = None) -> Self:
        """The scores of some runs and measures, in this order."""
        rows = find_places("run", self.runs if runs is None else runs, self.runs)
        columns = find_places("measure", self.measures if measures is None else measures, self.measures)
        names = tuple(self.runs[row] for row in rows)
        selected = tuple(self.measures[column] for column in columns)
        provenance = self.provenance
        known = {text: provenance.measures[text] for text in selected if text in provenance.measures}
        of_runs = {name: provenance.runs[name] for name in names if name in provenance.runs}
        return self._replace(
            runs=names,
            measures=selected,
            values=_take(self.values, rows, columns),
            counted=_take(self.counted, rows),
            provenance=provenance._replace(measures=known, runs=of_runs),
            weights={text: _take(each, rows) for text, each in self.weights.items() if text in selected},
        )

    def of_topics(self, topics: Iterable[str]) -> Self:
        """The scores of some topics, in the order of all."""
        kept = sorted(find_places("topic", topics, self.topics))
        values, counted, *weights = map(as_array, (self.values, self.counted, *self.weights.values()))
        return self._replace(
            topics=tuple(self.topics[place] for place in kept),
            values=values[..., kept],
            counted=counted[:, kept],
            weights=dict(zip(self.weights, (each[:, kept] for each in weights), strict=True)),
        )

    def by_segment(self, by: Any) -> dict[str, Self]:
        """{segment: the scores of its topics}; `by` has attributes of topics, in a file, frame or dict.

        A file is `"topics.csv"` or, for one of its columns, `"topics.csv:intent"`.

        >>> from rankgauge import Scores
        >>> scores = Scores.from_table({"bm25": {"1": 0.5, "2": 0.25, "3": 0.75}}, "AP")
        >>> by_length = scores.by_segment({"1": "short", "2": "long", "3": "long"})
        >>> {segment: len(part.topics) for segment, part in by_length.items()}
        {'segment=long': 2, 'segment=short': 1}
        """
        from rankgauge.model.segments import Segments

        return {part.name: self.of_topics(part.topics) for part in Segments.of(by, self.topics).parts}

    def under(self, names: Mapping[str, str]) -> Self:
        """The scores with measures under other names: {name: the one that it has here}, in this order.

        >>> from rankgauge import Scores
        >>> scores = Scores.from_table({"bm25": {"1": 0.5, "2": 0.25}}, "AP")
        >>> scores.under({"map": "AP"}).mean()
        {'bm25': {'map': 0.375}}
        """
        columns = find_places("measure", names.values(), self.measures)
        return self._replace(
            measures=tuple(names),
            values=_take(self.values, [*range(len(self.runs))], columns),
            provenance=self.provenance.under(names),
            weights={name: self.weights[old] for name, old in names.items() if old in self.weights},
        )

    def __getitem__(self, name: object) -> Self:
        """The scores of one run, or of one measure, which may be named in any spelling.

        >>> from rankgauge import Scores
        >>> scores = Scores.from_table({"bm25": {"1": 0.5, "2": 0.25}, "ql": {"1": 0.5, "2": 0.75}}, "AP")
        >>> f"{scores['bm25']['AP']:.3f}"
        '0.375'
        """
        text = str(name)
        measure = self._spelled(text)
        if measure is None and text not in self.runs:
            raise InputError(unknown_name("run or measure here", text, [*self.runs, *self.measures]))
        if measure is not None and text in self.runs:
            raise InputError(f"{text!r} is a run and a measure here; use only(runs=) or only(measures=)")
        return self.only(runs=[text]) if measure is None else self.only(measures=[measure])

    __iter__ = None  # not by index

    def __float__(self) -> float:
        """The mean of the only run and measure."""
        if len(self.runs) != 1 or len(self.measures) != 1:
            raise InputError(
                f"one number needs one run and one measure; here are {len(self.runs)} runs and "
                f"{len(self.measures)} measures: select, as in scores[{self.runs[0]!r}][{self.measures[0]!r}]"
            )
        return self.mean()[self.runs[0]][self.measures[0]]

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def sorted(self, by: str | None = None, *, top: int | None = None) -> Self:
        """The scores with the best runs first by a measure, in any spelling, or with runs by "name".

        `top` keeps that many of the best runs. Without `by`, the first measure decides.
        """
        if by == BY_NAME:
            if top is not None:
                raise OptionError("the top runs are the best by a measure; sort by one of them, not by name")
            return self.only(runs=sorted(self.runs))
        measure = self.measures[0] if by is None else self.find_measure(by)
        better, means = self.direction(measure) or 1, self.mean()

        def place(run: str) -> tuple[bool, float]:
            mean = means[run][measure]
            return math.isnan(mean), -better * mean

        return self.only(
            runs=sorted(self.runs, key=place)[: None if top is None else whole_number("top", top, 1)]
        )

    def find_measure(self, text: str) -> str:
        """A measure of the scores, from its text in any spelling."""
        measure = self._spelled(text)
        if measure is None:
            raise InputError(unknown_name("measure here", text, self.measures))
        return measure

    def _spelled(self, text: str) -> str | None:
        """The measure that a text names in any spelling; None if it is not here."""
        if text in self.measures:
            return text
        from rankgauge.measures.language import canonical

        return {canonical(measure): measure for measure in reversed(self.measures)}.get(canonical(text))

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """{run: {measure: {topic: value}}}; NaN is undefined, topics left out are absent."""
        return {
            run: {m: dict(zip(topics, v, strict=True)) for m, v in zip(self.measures, values, strict=True)}
            for run, topics, values in self._by_run()
        }

    def to_flat(self) -> dict[str, float]:
        """{"run/measure": mean}, under names that MLflow and Weights & Biases accept.

        Other characters than letters and digits become _, and @ becomes _at_; equal names are numbered.

        >>> from rankgauge import Scores
        >>> Scores.from_table({"bm25": {"1": 0.5, "2": 0.25}}, "nDCG@10").to_flat()
        {'bm25/nDCG_at_10': 0.375}
        """
        flat: dict[str, float] = {}
        for run, means in self.mean().items():
            for measure, mean in means.items():
                name = f"{_plain_name(run)}/{_plain_name(measure)}"
                others = (f"{name}_{number}" for number in itertools.count(2))
                flat[name if name not in flat else next(each for each in others if each not in flat)] = mean
        return flat

    def _by_run(self) -> Iterator[tuple[str, Sequence[str], Iterator[list[float]]]]:
        """(run, its topics that count, their values for each measure, made when they are asked for)."""
        for run, values, counted in zip(self.runs, self.values, self.counted, strict=True):
            if counted.all():
                yield run, self.topics, (row.tolist() for row in values)
            else:
                kept = counted.tolist()
                names = list(itertools.compress(self.topics, kept))
                yield run, names, (list(itertools.compress(row.tolist(), kept)) for row in values)

    def json_fields(self) -> dict[str, Any]:
        """What a JSON document has beside values, means and header; for subclasses to override."""
        return {}

    def best(self) -> set[tuple[int, int]]:
        """The (run, measure) indices of the best means; empty if there is nothing to compare."""
        return self._best_and_second(self.mean())[0]

    def _best_and_second(
        self, by_run: Mapping[str, Mapping[str, float]], places: int | None = None
    ) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        best: set[tuple[int, int]] = set()
        second: set[tuple[int, int]] = set()
        means = list(by_run.values())
        for column, measure in enumerate(self.measures):
            values = [mean[measure] for mean in means]
            first, next_best = best_and_second(values, self.direction(measure), places)
            best.update((row, column) for row in first)
            second.update((row, column) for row in next_best)
        return best, second


def topic_values(
    scores: ScoreValues, place: int, direction: int
) -> tuple[npt.NDArray[np.float64], list[str]]:
    """(runs, topics) of one measure, NaN where a topic does not count; and notes on what was left out.

    The only place that decides how undefined and infinite values enter a comparison.
    """
    import numpy as np

    measure = scores.measures[place]
    unsolved = scores.provenance.measure(measure).unsolved
    solved = np.array([topic not in unsolved for topic in scores.topics], dtype=np.bool_)
    values: npt.NDArray[np.float64] = np.where(scores.counted, scores.values[:, place], np.nan)
    notes = []
    undefined = np.isnan(values) & scores.counted & solved
    if undefined.any():
        effect = "are left out"
        if scores.rules.undefined == "zero" and direction >= 0:
            values[undefined] = 0.0
            effect = "count as 0"
        if not any(facts.undefined.get(measure) for facts in scores.provenance.runs.values()):
            notes.append(f"{measure}: undefined values {effect} ({int(undefined.sum())})")
    if np.isinf(values).any():
        notes.append(f"{measure}: infinite values are left out ({int(np.isinf(values).sum())})")
        values[np.isinf(values)] = np.nan
    if (average := scores.average(measure)) != "mean":
        notes.append(f"{measure}: tests compare the means of topic values, not average={average}")
    return values, notes


def header(scores: ScoreValues) -> dict[str, Any]:
    """All that files of scores hold beside the values."""
    return {
        "kind": KIND,
        "runs": scores.runs,
        "measures": scores.measures,
        "topics": scores.topics,
        "values": len(scores.measures) * sum(sum(row.tolist()) for row in scores.counted),
        "rules": scores.rules.as_dict(),
        "provenance": scores.provenance.as_dict(),
        **(
            {"weights": {m: [row.tolist() for row in w] for m, w in scores.weights.items()}}
            if scores.weights
            else {}
        ),
    }


def json_text(
    scores: ScoreValues,
    *,
    topics: bool = True,
    interval: bool = False,
    by: Any = None,
    indent: int | None = None,
) -> str:
    """Scores as JSON text; without topics, only the means, perhaps with their intervals, also by segment."""
    from rankgauge.schema.json_text import to_json

    values: dict[str, Any] = {"interval": scores.interval()} if interval else {}
    if by is not None:
        values["segments"] = {
            name: {"topics": part.topics, "mean": part.mean(), "interval": part.interval()}
            for name, part in scores.by_segment(by).items()
        }
    values |= scores.json_fields()
    if topics:
        values["scores"] = scores.to_dict()
    return to_json({**header(scores), "mean": scores.mean(), **values}, indent, infinity="text")


def _plain_name(text: str) -> str:
    """A name of ASCII letters, digits and _ that does not begin with a digit."""
    import re

    name = re.sub("[^A-Za-z0-9]+", "_", text.replace("@", "_at_")).strip("_")
    return name if name and not name[0].isdigit() else f"_{name}"


def as_array(table: Any) -> npt.NDArray[Any]:
    """A table as an array, also that of a small evaluation, which does without NumPy."""
    import numpy as np

    def plain(part: Any) -> Any:
        part = part if type(part) is list else part.tolist()
        return [*map(plain, part)] if part and hasattr(part[0], "__len__") else part

    return np.array(plain(table)) if isinstance(table, list) else table


def _take(table: Any, rows: list[int], columns: list[int] | None = None) -> Any:
    """Some rows and columns of a table, which is a list where a small evaluation does without NumPy."""
    if isinstance(table, list):
        chosen = [table[row] for row in rows]
        return chosen if columns is None else [[row[column] for column in columns] for row in chosen]
    return table[rows] if columns is None else table[rows][:, columns]


def find_places(what: str, names: Iterable[str], known: Sequence[str]) -> list[int]:
    """The indices of names among those known; an unknown name is an error."""
    places = {name: place for place, name in enumerate(known)}
    indices = []
    for name in names:
        if name not in places:
            raise InputError(unknown_name(f"{what} here", name, known))
        indices.append(places[name])
    if not indices:
        raise InputError(f"no {what} is selected; choose at least one of {len(known)}")
    return indices
