"""Values of measures as people see them: in per cent, without decimals, marked, and in tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.errors import OptionError
from rankgauge.model.output.table_cells import PLACES, Cell, Shown, Signed
from rankgauge.model.output.tables import Table
from rankgauge.model.provenance import is_count, is_share
from rankgauge.model.rules import ALL, MIN_TOPICS, ROW, is_mean
from rankgauge.model.score_values import find_places
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import whole_number
from rankgauge.schema.text import joined

if TYPE_CHECKING:
    from rankgauge.model.output.labels import LabelsLike


class MeasureCells(Frozen):
    """The display of the values of a measure."""

    factor: float = 1.0  # 100 for values in per cent
    counts: bool = False  # values of topics are numbers of things, which have no decimals ...
    sums: bool = False  # ... and their average has none if it is their sum

    @classmethod
    def of(cls, measure: str, average: str, percent: bool) -> MeasureCells:
        """The display of a measure with a kind of average."""
        return cls(100.0 if percent and is_share(measure) else 1.0, is_count(measure), average == "sum")

    def values(self, values: list[float]) -> list[float]:
        """The values of topics."""
        if self.counts:
            return list(map(Shown.count, values))
        return values if self.factor == 1.0 else [self.factor * value for value in values]

    def average(self, value: float) -> float:
        """The average over topics."""
        return Shown.count(value) if self.counts and self.sums else self.factor * value

    def difference(self, value: float, *, of_averages: bool = False) -> float:
        """A difference of values of topics, or of averages, with its sign."""
        if self.counts and (self.sums or not of_averages) and value.is_integer():
            return Shown(value, f"{value:+.0f}")
        return Signed(self.factor * value)


INTERVAL = "95 % interval"
INTERVAL_NOTE = (
    "Intervals: 95 % confidence intervals of the means, by Student's t within the bounds of each measure."
)
NO_INTERVAL = (
    f" A dash: no useful interval, for fewer than {MIN_TOPICS} topics, equal or infinite values, and "
    "averages that are not means."
)
BEST = "The best values are bold."
BEST_AND_SECOND = "The best values are bold, the second-best ones underlined."


def best_and_second(
    values: Sequence[float], direction: int, places: int | None = None
) -> tuple[list[int], list[int]]:
    """The indices of the best and of the second-best values; empty if there is nothing to compare.

    Where several are best, none is second. Values that look equal with `places` decimals are equal.
    """
    if direction == 0 or len(values) < 2:
        return [], []
    if places is not None:
        values = [round(value, places) for value in values]
    levels = sorted({direction * value for value in values if not math.isnan(value)}, reverse=True)[:2]
    found = [[i for i, value in enumerate(values) if direction * value == level] for level in levels]
    best, second = [*found, [], []][:2]
    return best, second if len(best) == 1 else []


def lower_notes(directions: Mapping[str, int]) -> list[str]:
    """A sentence on measures whose lower values are better, if any."""
    lower = [measure for measure, direction in directions.items() if direction < 0]
    return [f"{', '.join(lower)}: lower is better."] * bool(lower)


def percent_note(measures: Iterable[str], labels: Callable[[str], str] = str) -> str:
    """A sentence on the values that are multiplied by 100."""
    others = [labels(measure) for measure in measures if not is_share(measure)]
    return f"Values are per cent{f', except those of {joined(others)}' if others else ''}."


class TopicColumn(Frozen):
    """The values of a run by a measure, and their average."""

    name: str  # of the run, or of the measure
    values: Mapping[str, float]  # {topic: value}; topics left out are absent
    average: float
    direction: int = 1
    shown: MeasureCells = MeasureCells()

    def cells(self, topics: Iterable[str]) -> list[Cell]:
        """The values of some topics, and the average."""
        values = ([self.values[topic]] if topic in self.values else [] for topic in topics)
        return [
            *(self.shown.values(value)[0] if value else None for value in values),
            self.shown.average(self.average),
        ]

    def differences(self, baseline: TopicColumn, topics: Iterable[str]) -> list[Cell]:
        """The differences from the values and the average of a baseline."""
        found = (self.difference(baseline, topic) for topic in topics)
        return [
            *(None if each is None else self.shown.difference(each) for each in found),
            self.shown.difference(self.average - baseline.average, of_averages=True),
        ]

    def difference(self, baseline: TopicColumn, topic: str) -> float | None:
        """The difference from a baseline's value for a topic, if both have one."""
        value, other = self.values.get(topic), baseline.values.get(topic)
        return None if value is None or other is None else value - other


def topic_table(
    title: str,
    topics: Sequence[str],
    columns: Sequence[TopicColumn],
    *,
    across: str = "run",
    baseline: TopicColumn | None = None,
    worst: int | None = None,
    second: bool = False,
    places: int = PLACES,
    call: Callable[[str], str] = str,
) -> Table:
    """Topics as rows, under a title, and runs or measures as columns; their averages come last.

    With a baseline, which comes first, each column is followed by its differences. Only the `worst` topics
    are shown. `call` has their labels.
    """
    shown, note = list(topics), ""
    if worst is not None:
        decide = columns if across == "run" else columns[:1]
        means = {topic: _mean_value(topic, decide, baseline) for topic in topics}
        shown = sorted(topics, key=means.__getitem__)[: whole_number("worst", worst, 1)]
        where = _where(title, across, decide, baseline, loses=any(means[topic] < 0 for topic in shown))
        note = f"The {len(shown)} of {len(topics)} topics where {where}."
    headers, cells = [title], [list[Cell]([*map(call, shown), ALL])]
    values = []  # the columns that hold them
    together = [*columns] if baseline is None else [baseline, *columns]
    for column in together:
        values.append(len(headers))
        headers.append(column.name)
        cells.append(column.cells(shown))
        if baseline is not None and column is not baseline:
            headers.append(f"Δ {column.name}")
            cells.append(column.differences(baseline, shown))
    averages = [c.shown.average(c.average) for c in together] if across == "run" else []
    best, next_best = (
        {(len(shown), values[place]) for place in found}
        for found in best_and_second(averages, columns[0].direction, places)
    )
    return Table(
        headers,
        list(zip(*cells, strict=True)),
        best,
        next_best if second else frozenset(),
        note=note,
        across=title if baseline is None else "",
    )


def _mean_value(topic: str, columns: Sequence[TopicColumn], baseline: TopicColumn | None) -> float:
    """The mean over columns of the value of a topic, or of its gain on the baseline; higher is better."""
    found = (
        each.values.get(topic) if baseline is None else each.difference(baseline, topic) for each in columns
    )
    known = [value for value in found if value is not None and not math.isnan(value)]
    return (columns[0].direction or 1) * math.fsum(known) / len(known) if known else math.inf


def _where(
    title: str, across: str, columns: Sequence[TopicColumn], baseline: TopicColumn | None, *, loses: bool
) -> str:
    mean = ", on average over runs" if len(columns) > 1 else ""
    if baseline is not None:
        one = len(columns) == 1
        who = (
            f"{columns[0].name} {'loses' if loses else 'gains'}"
            if one
            else f"runs {'lose' if loses else 'gain'}"
        )
        how = f"most against {baseline.name}" if loses else f"least over {baseline.name}"
        return f"{who} {how}{mean}{'' if loses else ', as nothing is lost'}"
    measure = title if across == "run" else columns[0].name
    return f"{measure} is {'highest' if columns[0].direction < 0 else 'lowest'}{mean}"


def means_table(
    scores: Any,
    named: Callable[[str], str],
    *,
    topics: bool,
    interval: bool,
    percent: bool,
    second: bool,
    places: int,
    some: str,
) -> Table:
    """The table of `Scores.table`; `some` says how many of all runs."""
    cells = {each: MeasureCells.of(each, scores.average(each), percent) for each in scores.measures}
    means = {
        run: {each: cells[each].average(mean) for each, mean in by_measure.items()}
        for run, by_measure in scores.mean().items()
    }
    rows: list[list[Cell]] = []
    last = []  # the row of each run's means
    for run, names, values in scores._by_run() if topics else ((run, (), iter(())) for run in scores.runs):
        columns = (shown.values(column) for shown, column in zip(cells.values(), values, strict=False))
        rows += [[named(run), *row] for row in zip(map(named, names), *columns, strict=True)]
        last.append(len(rows))
        rows.append([named(run), *([ALL] if topics else []), *means[run].values()])
    headers, step, interval_note = [*map(named, scores.measures)], 1, ""
    if interval:
        found = scores.interval()
        for row, run in zip(rows, scores.runs, strict=True):
            texts_of = (interval_text(found[run][each], cells[each], places) for each in scores.measures)
            row[1:] = itertools.chain(*zip(row[1:], texts_of, strict=True))
        headers = [*itertools.chain(*((name, INTERVAL) for name in headers))]
        is_open = any(math.isnan(low) for ends in found.values() for low, _ in ends.values())
        step, interval_note = 2, INTERVAL_NOTE + NO_INTERVAL * (is_open and not scores.correction)
    lead = ("run", "topic") if topics else ("run",)
    best, underlined = (
        {(last[row], column * step + len(lead)) for row, column in positions}
        for positions in scores._best_and_second(means, places)
    )
    lower = lower_notes({named(text): scores.direction(text) for text in scores.measures if best})
    correction = scores.correction and f"{scores.correction}."
    note = [
        percent_note(scores.measures, named) if percent else "",
        some,
        *lower,
        correction,
        interval_note,
    ]
    return Table(
        (*lead, *headers),
        rows,
        best,
        underlined if second else frozenset(),
        note=" ".join(filter(None, note)),
        emphasis=BEST_AND_SECOND if second else "",
        keys=len(lead),
        across="" if topics else "measure",
    )


def topics_table(
    scores: Any,
    measure: str | None,
    named: Callable[[str], str],
    *,
    baseline: str | None,
    worst: int | None,
    percent: bool,
    second: bool,
    places: int,
) -> Table:
    """The table of `Scores.by_topic`."""
    means = scores.mean()
    chosen = scores.measures if measure is None else (scores.find_measure(measure),)
    if len(chosen) > 1 and len(scores.runs) > 1:
        raise OptionError(f"choose one of the measures: {', '.join(scores.measures)}")
    columns = {
        run: [
            TopicColumn(
                named(run if len(chosen) == 1 else text),
                dict(zip(topics, of_topics, strict=True)),
                means[run][text],
                scores.direction(text),
                MeasureCells.of(text, scores.average(text), percent),
            )
            for text, of_topics in zip(scores.measures, values, strict=True)
            if text in chosen
        ]
        for run, topics, values in scores._by_run()
    }
    against = None
    if baseline is not None:
        find_places("run", [baseline], scores.runs)
        if len(scores.runs) == 1:
            raise OptionError(f"{baseline!r} is the only run; a baseline needs another to compare with")
        (against,) = columns.pop(baseline)
    table = topic_table(
        named(chosen[0] if len(chosen) == 1 else scores.runs[0]),
        scores.topics,
        [column for each in columns.values() for column in each],
        across="run" if len(chosen) == 1 else "measure",
        baseline=against,
        worst=worst,
        second=second,
        places=places,
        call=named,
    )
    lower = lower_notes({named(text): scores.direction(text) for text in chosen if table.best})
    note = [table.note, percent_note(chosen, named) if percent else "", *lower]
    return table._replace(note=" ".join(filter(None, note)), emphasis=BEST_AND_SECOND if second else "")


def stacked_by(scores: Any, by: Any, table_of: Callable[[Any], Table]) -> Table:
    """The tables of all topics and of each segment."""
    from rankgauge.model.segments import stacked

    parts: dict[str, Any] = {ALL: scores, **scores.by_segment(by)}
    sizes = {name: len(part.topics) for name, part in parts.items()}
    return stacked({name: table_of(part) for name, part in parts.items()}, sizes)


def long_table(scores: Any, *, topics: bool, interval: bool) -> Table:
    """The table of `Scores.long_table`."""
    if interval:
        found = scores.interval()
        means = scores.mean()
        ends = (
            (run, ALL, measure, means[run][measure], *found[run][measure])
            for run in scores.runs
            for measure in scores.measures
        )
        return Table(("run", "topic", "measure", "value", "low", "high"), ends)

    marked = topics and any(map(is_mean, scores.topics))

    def rows() -> Iterator[Iterable[tuple[Cell, ...]]]:
        means = scores.mean()
        for run, names, values in scores._by_run():
            if topics:  # there may be millions: no Python code for each
                times = len(scores.measures)
                each = itertools.chain.from_iterable(itertools.repeat(name, times) for name in names)
                row = itertools.chain.from_iterable(zip(*values, strict=True))
                kind = [itertools.repeat("topic")] * marked
                yield zip(itertools.repeat(run), each, itertools.cycle(scores.measures), row, *kind)
            yield ((run, ALL, measure, value, *["mean"] * marked) for measure, value in means[run].items())

    headers = "run", "topic", "measure", "value", *[ROW] * marked
    return Table(headers, itertools.chain.from_iterable(rows()))


def is_long(form: str, topics: bool, interval: bool = False) -> bool:
    """Whether a format for programs has a row for every value."""
    return form == "jsonl" or ((topics or interval) and form in ("tsv", "csv"))


def interval_text(ends: tuple[float, float], cells: MeasureCells, places: int) -> str:
    """An interval without a space; a dash if there is none."""
    low, high = map(cells.average, ends)
    return "–" if math.isnan(low) else f"[{low:.{places}f},{high:.{places}f}]"


def call(labels: LabelsLike) -> Callable[[str], str]:
    """The function from a name to its label."""
    if labels is None:
        return str
    from rankgauge.model.output.labels import Labels

    return Labels.read(labels)
