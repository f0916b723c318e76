"""Scores: what evaluation returns, a value for every run, measure and topic."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rankgauge.errors import OptionError
from rankgauge.model import notes
from rankgauge.model.long_frames import Framed, LongTable, texts
from rankgauge.model.output.table_cells import COLUMN, PLACES, SCREEN, fitted, plain_widths
from rankgauge.model.output.tables import Cell, Rendered, Table, printable, render
from rankgauge.model.rules import ALL, MIN_TOPICS
from rankgauge.model.score_cells import (
    BEST_AND_SECOND,
    MeasureCells,
    TopicColumn,
    lower_notes,
    percent_note,
    topic_table,
)
from rankgauge.model.score_values import ScoreValues, as_array, find_places, topic_values
from rankgauge.schema.options import keywords
from rankgauge.schema.text import counted, notebook

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from rankgauge.model.output.labels import LabelsLike


SHOWN_RUNS, SHOWN_VALUES = 20, 240  # in a repr
INTERVAL = "95 % interval"
INTERVAL_NOTE = (
    "Intervals: 95 % confidence intervals of the means, by Student's t within the bounds of each measure."
)
NO_INTERVAL = (
    f" A dash: no useful interval, for fewer than {MIN_TOPICS} topics, equal or infinite values, and "
    "averages that are not means."
)


class Scores(Framed, Rendered, ScoreValues, eq=False):
    """The value of every measure for every run and topic, with its provenance.

    A value is NaN where the measure is undefined; a topic that is left out for a run
    (missing="skip") has no value there at all.
    """

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
            return kept._stacked(by, lambda part: part.table(interval=True, **printed))
        named = call(labels)
        cells = {each: MeasureCells.of(each, kept.average(each), percent) for each in kept.measures}
        means = {
            run: {each: cells[each].average(mean) for each, mean in by_measure.items()}
            for run, by_measure in kept.mean().items()
        }
        rows: list[list[Cell]] = []
        last = []  # the row of each run's means
        for run, names, values in kept._by_run() if topics else ((run, (), iter(())) for run in kept.runs):
            columns = (shown.values(column) for shown, column in zip(cells.values(), values, strict=False))
            rows += [[named(run), *row] for row in zip(map(named, names), *columns, strict=True)]
            last.append(len(rows))
            rows.append([named(run), *([ALL] if topics else []), *means[run].values()])
        headers, step, interval_note = [*map(named, kept.measures)], 1, ""
        if interval:
            found = kept.interval()
            for row, run in zip(rows, kept.runs, strict=True):
                texts_of = (interval_text(found[run][each], cells[each], places) for each in kept.measures)
                row[1:] = itertools.chain(*zip(row[1:], texts_of, strict=True))
            headers = [*itertools.chain(*((name, INTERVAL) for name in headers))]
            is_open = any(math.isnan(low) for ends in found.values() for low, _ in ends.values())
            step, interval_note = 2, INTERVAL_NOTE + NO_INTERVAL * (is_open and not self.correction)
        lead = ("run", "topic") if topics else ("run",)
        best, underlined = (
            {(last[row], column * step + len(lead)) for row, column in positions}
            for positions in kept._best_and_second(means, places)
        )
        some = "" if len(kept.runs) == len(self.runs) else f"{len(kept.runs)} of {len(self.runs)} runs."
        lower = lower_notes({named(text): kept.direction(text) for text in kept.measures if best})
        correction = self.correction and f"{self.correction}."
        note = [
            percent_note(kept.measures, named) if percent else "",
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
            caption=caption,
            label=label,
            note=" ".join(filter(None, note)),
            emphasis=BEST_AND_SECOND if second else "",
            width=width,
            keys=len(lead),
            across="" if topics else "measure",
        )

    def _stacked(self, by: Any, table_of: Callable[[Scores], Table]) -> Table:
        """The tables of all topics and of each segment, below one another."""
        from rankgauge.model.segments import stacked

        parts: dict[str, Scores] = {ALL: self, **self.by_segment(by)}
        sizes = {name: len(part.topics) for name, part in parts.items()}
        return stacked({name: table_of(part) for name, part in parts.items()}, sizes)

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
        named, means = call(labels), self.mean()
        chosen = self.measures if measure is None else (self.find_measure(measure),)
        if len(chosen) > 1 and len(self.runs) > 1:
            raise OptionError(f"choose one of the measures: {', '.join(self.measures)}")
        columns = {
            run: [
                TopicColumn(
                    named(run if len(chosen) == 1 else text),
                    dict(zip(topics, of_topics, strict=True)),
                    means[run][text],
                    self.direction(text),
                    MeasureCells.of(text, self.average(text), percent),
                )
                for text, of_topics in zip(self.measures, values, strict=True)
                if text in chosen
            ]
            for run, topics, values in self._by_run()
        }
        against = None
        if baseline is not None:
            find_places("run", [baseline], self.runs)
            if len(self.runs) == 1:
                raise OptionError(f"{baseline!r} is the only run; a baseline needs another to compare with")
            (against,) = columns.pop(baseline)
        table = topic_table(
            named(chosen[0] if len(chosen) == 1 else self.runs[0]),
            self.topics,
            [column for each in columns.values() for column in each],
            across="run" if len(chosen) == 1 else "measure",
            baseline=against,
            worst=worst,
            second=second,
            places=places,
            call=named,
        )
        lower = lower_notes({named(text): self.direction(text) for text in chosen if table.best})
        note = [table.note, percent_note(chosen, named) if percent else "", *lower]
        return table._replace(note=" ".join(filter(None, note)), emphasis=BEST_AND_SECOND if second else "")

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
        if not is_long(form, topics, interval or by is not None):
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
            return self._stacked(by, lambda part: part.long_table(interval=True).columns(without_topic))
        if interval:
            found = self.interval()
            means = self.mean()
            ends = (
                (run, ALL, measure, means[run][measure], *found[run][measure])
                for run in self.runs
                for measure in self.measures
            )
            return Table(("run", "topic", "measure", "value", "low", "high"), ends)

        def rows() -> Iterator[Iterable[tuple[Cell, ...]]]:
            means = self.mean()
            for run, names, values in self._by_run():
                if topics:  # there may be millions: no Python code for each
                    times = len(self.measures)
                    each = itertools.chain.from_iterable(itertools.repeat(name, times) for name in names)
                    row = itertools.chain.from_iterable(zip(*values, strict=True))
                    yield zip(itertools.repeat(run), each, itertools.cycle(self.measures), row)
                yield ((run, ALL, measure, value) for measure, value in means[run].items())

        return Table(("run", "topic", "measure", "value"), itertools.chain.from_iterable(rows()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is missing, undefined or tied, and advice on reading the scores."""
        return self.data_notes + notes.advice(self.provenance)

    @property
    def correction(self) -> str:
        """A phrase on how human judgments correct the means; empty if none do."""
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
        names = {"run": texts(self.runs), "topic": texts(self.topics), "measure": list(self.measures)}
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
        """Write the scores to a .parquet or .json file, to be read by `Scores.load`."""
        from rankgauge.model import score_files

        score_files.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scores:
        """Read scores written by `save`."""
        from rankgauge.model import score_files

        return cls(**score_files.load(path))

    @classmethod
    def from_table(cls, table: Any, measure: str | None = None, undefined: str = "skip") -> Scores:
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


def is_long(form: str, topics: bool, interval: bool = False) -> bool:
    """Whether a format for programs has a row for every value, and not a table of runs by measures."""
    return form == "jsonl" or ((topics or interval) and form in ("tsv", "csv"))


def interval_text(ends: tuple[float, float], cells: MeasureCells, places: int) -> str:
    """An interval for reading, without a space, where a line could break; a dash if there is none."""
    low, high = map(cells.average, ends)
    return "–" if math.isnan(low) else f"[{low:.{places}f},{high:.{places}f}]"


def call(labels: LabelsLike) -> Callable[[str], str]:
    """The function from a name to its label."""
    if labels is None:
        return str
    from rankgauge.model.output.labels import Labels

    return Labels.read(labels)
