"""Scores: what evaluation returns, a value for every run, measure and topic."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from rankgauge.errors import InputError, OptionError
from rankgauge.model import notes, score_cells
from rankgauge.model.output.table_cells import COLUMN, PLACES, SCREEN, fitted, plain_widths
from rankgauge.model.output.tables import (
    Framed,
    LongTable,
    Rendered,
    Table,
    ids_for_frames,
    printable,
    render,
)
from rankgauge.model.provenance import Provenance
from rankgauge.model.rules import TopicRules, Undefined
from rankgauge.model.score_cells import best_and_second, call
from rankgauge.model.score_values import BY_NAME, as_array, find_places, plain_name, take, topic_values
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import keywords, whole_number
from rankgauge.schema.text import counted, notebook, unknown_name

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from typing_extensions import Self  # part of typing from Python 3.11 on

    from rankgauge.measures import Measure
    from rankgauge.model.output.labels import LabelsLike


SHOWN_RUNS, SHOWN_VALUES = 20, 240  # in a repr


class Scores(Framed, Rendered, Frozen, eq=False):
    """The value of every measure for every run and topic, with its provenance.

    A value is NaN where the measure is undefined; a topic that is left out for a run
    (missing="skip") has no value there at all.
    """

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
        """The values, without topics whose ideal ranking was not found (`ideal=exact`)."""
        unsolved = self.provenance.measure(measure).unsolved
        pairs = zip(topics, values, strict=True)
        return [value for topic, value in pairs if topic not in unsolved] if unsolved else values

    def _kinds(self) -> dict[str, tuple[str, int]]:
        """{measure: (kind of average, direction)}."""
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
            values=take(self.values, rows, columns),
            counted=take(self.counted, rows),
            provenance=provenance._replace(measures=known, runs=of_runs),
            weights={text: take(each, rows) for text, each in self.weights.items() if text in selected},
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
            values=take(self.values, [*range(len(self.runs))], columns),
            provenance=self.provenance.under(names),
            weights={name: self.weights[old] for name, old in names.items() if old in self.weights},
        )

    def with_efficiency(self, table: Any) -> Self:
        """The scores with what runs cost as further measures, of which lower values are better.

        The table, a file, frame or dict, has a row per run, or per run and topic, and columns such as
        latency.

        >>> from rankgauge import Scores
        >>> scores = Scores.from_table({"bm25": {"1": 0.5, "2": 0.25}}, "AP")
        >>> scores.with_efficiency({"run": ["bm25"], "latency": [12.5]}).mean()
        {'bm25': {'AP': 0.375, 'latency': 12.5}}
        """
        from rankgauge.model import efficiency

        return self._replace(**efficiency.fields(self, table))

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
                name = f"{plain_name(run)}/{plain_name(measure)}"
                others = (f"{name}_{number}" for number in itertools.count(2))
                flat[name if name not in flat else next(each for each in others if each not in flat)] = mean
        return flat

    def _by_run(self) -> Iterator[tuple[str, Sequence[str], Iterator[list[float]]]]:
        """(run, its topics that count, their values for each measure)."""
        for run, values, counts in zip(self.runs, self.values, self.counted, strict=True):
            if counts.all():
                yield run, self.topics, (row.tolist() for row in values)
            else:
                kept = counts.tolist()
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

    def table(
        self,
        *,
        topics: bool = False,
        sort: str | None = None,
        top: int | None = None,
        labels: LabelsLike = None,
        percent: bool = False,
        second: bool = False,
        interval: bool = False,
        by: Any = None,
        places: int = PLACES,
        caption: str = "",
        label: str = "",
        width: float = COLUMN,
    ) -> Table:
        """Runs as rows and measures as columns, with the best means marked; `topics` adds a row per topic.

        `interval` adds the confidence interval of each mean, with `places` decimals. `by` adds the means and
        intervals of each segment of topics, as in `by_segment`.

        `sort` and `top` are those of `sorted`: the best runs first, by a measure, and how many of them.
        For print: `labels` of runs, measures and topics, a dict or a file; `percent` multiplies values
        between -1 and 1 by 100; `second` underlines the second-best means, and those that look equal with
        `places` decimals are marked alike; a `caption`, and a `label` to refer to the table. LaTeX fits it
        into a column of `width` pt.
        """
        if topics and (interval or by is not None):
            raise OptionError("intervals are those of means; leave out the topics, or the intervals")
        kept = self if sort is None and top is None else self.sorted(sort, top=top)
        if by is not None:
            printed: dict[str, Any] = {"labels": labels, "percent": percent, "second": second}
            printed |= {"places": places, "caption": caption, "label": label, "width": width}
            return score_cells.stacked_by(kept, by, lambda part: part.table(interval=True, **printed))
        some = "" if len(kept.runs) == len(self.runs) else f"{len(kept.runs)} of {len(self.runs)} runs."
        table = score_cells.means_table(
            kept,
            call(labels),
            topics=topics,
            interval=interval,
            percent=percent,
            second=second,
            places=places,
            some=some,
        )
        return table._replace(caption=caption, label=label, width=width)

    def by_topic(
        self,
        measure: str | None = None,
        *,
        baseline: str | None = None,
        worst: int | None = None,
        labels: LabelsLike = None,
        percent: bool = False,
        second: bool = False,
        places: int = PLACES,
    ) -> Table:
        """Topics as rows and runs as columns, by one measure; the last row has the means.

        With a `baseline`, a run, each other run is followed by its differences from it. `worst` shows so many
        topics: those that lose most against the baseline first, or without one those with the worst values.
        Of a single run, all measures are columns unless one is chosen, and the first decides what is worst.
        """
        return score_cells.topics_table(
            self,
            measure,
            call(labels),
            baseline=baseline,
            worst=worst,
            percent=percent,
            second=second,
            places=places,
        )

    def _options(self, form: str) -> Iterable[str]:
        return (name for name in keywords(self.table) if name != "places")

    def _table_in(
        self,
        form: str,
        places: int,
        *,
        topics: bool = False,
        interval: bool = False,
        by: Any = None,
        **options: Any,
    ) -> Table:
        if not score_cells.is_long(form, topics, interval or by is not None):
            return self.table(topics=topics, interval=interval, by=by, places=places, **options)
        if options:
            what = "topics" if topics else "intervals"
            raise OptionError(f"{form} of {what} has names and values as they are; omit {', '.join(options)}")
        return self.long_table(topics=topics, interval=interval, by=by)

    def long_table(self, *, topics: bool = True, interval: bool = False, by: Any = None) -> Table:
        """Rows of run, topic, measure and value; the mean of a run comes last, as topic `all`.

        `interval` adds the ends of the confidence intervals of means, and leaves out the topics; `by` has
        them for each segment of topics, too.
        """
        if by is not None:
            without_topic = (0, 2, 3, 4, 5)
            return score_cells.stacked_by(
                self, by, lambda part: part.long_table(interval=True).columns(without_topic)
            )
        return score_cells.long_table(self, topics=topics, interval=interval)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is missing, undefined or tied, and advice on reading the scores."""
        return self.data_notes + notes.advice(self.provenance)

    @property
    def correction(self) -> str:
        """A phrase on how human judgments correct the means; empty if none do."""
        return ""

    @property
    def undecided(self) -> str:
        """Why human judgments do not correct the means; empty if they do, or there are none."""
        return ""

    def test_for(self, name: str) -> Any:
        """The statistical test that stands for the one of this name; None if it is that one itself."""
        return None

    def compared_values(self, place: int) -> tuple[npt.NDArray[np.float64], list[str]]:
        """(runs, topics) of the measure at this place, as tests compare them; notes on what was left out."""
        return topic_values(self, place, self.direction(self.measures[place]))

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on what makes human judgments unfit to correct the means."""
        return ()

    @property
    def data_notes(self) -> tuple[str, ...]:
        """Sentences on what is missing, undefined or tied."""
        return notes.on_data(self.provenance)

    def __repr__(self) -> str:
        table, footer = self._shown()
        blocks = (render(block) for block in fitted(table, SCREEN, plain_widths()))
        return "\n".join(["\n".join(blocks).rstrip("\n"), *map(printable, footer)])

    def _repr_html_(self) -> str:
        import html

        table, footer = self._shown()
        below = "\n".join(f"<div>{html.escape(printable(line))}</div>" for line in footer)
        blocks = fitted(table, SCREEN, plain_widths())
        return notebook("".join(render(block, "html") for block in blocks) + below)

    def _shown(self) -> tuple[Table, list[str]]:
        """(the beginning of the table of means, the lines below it)."""
        most = max(SHOWN_VALUES // max(min(len(self.runs), SHOWN_RUNS), 1), 1)  # measures
        table = self.table()
        table = table.columns(range(min(most, len(self.measures)) + 1))
        table = table._replace(rows=list(table.rows)[:SHOWN_RUNS])
        more = [
            f"… and {counted(hidden, f'more {what}')}; mean() has them all"
            for hidden, what in (
                (len(self.runs) - SHOWN_RUNS, "run"),
                (len(self.measures) - most, "measure"),
            )
            if hidden > 0
        ]
        return table, [*more, counted(len(self.topics), "topic"), *self.data_notes]

    def _long(self) -> LongTable:
        import numpy as np

        values, counted = as_array(self.values), as_array(self.counted)
        shape = (len(self.runs), len(self.topics), len(self.measures))
        kept = np.broadcast_to(counted[:, :, None], shape)
        codes = dict(zip(("run", "topic", "measure"), np.nonzero(kept), strict=True))
        names = {
            "run": ids_for_frames(self.runs),
            "topic": ids_for_frames(self.topics),
            "measure": list(self.measures),
        }
        return LongTable(names, codes, values.transpose(0, 2, 1)[kept])

    def ir_metadata(self) -> dict[str, Any]:
        """What these scores tell of their run, in the schema of ir_metadata, for `Run.write(metadata=)`."""
        (run,) = self.runs
        return {
            "schema-version": 0.1,
            "run-version": 1.0,
            "tag": run,
            "research goal": {"evaluation": {"reported measures": [*self.measures]}},
            "data": {"test collection": {"qrels": self.provenance.qrels.source}},
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the scores to a .parquet or .json file, for `Scores.load`, or their means to a .csv."""
        from rankgauge.model import score_files

        if str(path).lower().endswith(".csv"):
            return self.to_csv(path)
        return score_files.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scores:
        """Read scores written by `save`."""
        from rankgauge.model import score_files

        return cls(**score_files.load(path))

    @classmethod
    def from_table(cls, table: Any, measure: str | None = None, undefined: Undefined = "skip") -> Scores:
        """Scores written by another tool: a CSV or TSV file, a frame or a dict.

        The table has one column per run and one row per topic, all of one `measure`, also as
        {run: {topic: value}}; or columns of runs, topics, measures and values; or columns of runs and
        topics, and one column per measure. A missing value leaves its topic out. NaN is an undefined
        value; `undefined` decides how it counts in averages.

        >>> Scores.from_table({"bm25": {"1": 0.5, "2": 0.25}, "ql": {"1": 0.5, "2": 0.75}}, "AP").mean()
        {'bm25': {'AP': 0.375}, 'ql': {'AP': 0.625}}
        """
        from rankgauge.model import score_tables

        return cls(**score_tables.from_table(table, measure, undefined))
