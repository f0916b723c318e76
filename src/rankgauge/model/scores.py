"""Scores: what evaluation returns, a value for every run, measure and topic."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankgauge.errors import InputError
from rankgauge.model import notes
from rankgauge.model.long_frames import Framed, Long, texts
from rankgauge.model.provenance import NOTHING, Provenance
from rankgauge.model.tables import Cell, Table, printable, render
from rankgauge.model.topic_rules import TopicRules
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import nearest

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


SHOWN_RUNS, SHOWN_MEASURES = 20, 12  # what a repr has room for
MEAN = "all"  # the topic under which a mean is listed, as in trec_eval


class Scores(Framed, Frozen, eq=False):
    """The value of every measure for every run and topic, with how it was made.

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
    # {measure: (runs, topics)} what each topic weighs, for those that are averaged by average=micro
    weights: Mapping[str, npt.NDArray[np.float64]] = NOTHING

    def mean(self) -> dict[str, dict[str, float]]:
        """{run: {measure: mean over the topics that count}}, or what else its `average` asks for."""
        return {
            run: {m: self._average(row, m, v) for m, v in zip(self.measures, values, strict=True)}
            for row, (run, _, values) in enumerate(self._by_run())
        }

    def _average(self, row: int, measure: str, values: list[float]) -> float:
        record = self.provenance.measures.get(measure, {})
        weights: Sequence[float] = ()
        if measure in self.weights:
            kept = self.counted[row].tolist()
            weights = list(itertools.compress(self.weights[measure][row].tolist(), kept))
        return self.rules.average(
            values, record.get("average", "mean"), weights=weights, direction=record.get("direction", 1)
        )

    def only(self, *, runs: Iterable[str] | None = None, measures: Iterable[str] | None = None) -> Scores:
        """The scores of some runs, or by some measures, in this order."""
        import numpy as np

        rows = chosen_places("run", self.runs if runs is None else runs, self.runs)
        columns = chosen_places("measure", self.measures if measures is None else measures, self.measures)
        names = tuple(self.runs[row] for row in rows)
        chosen = tuple(self.measures[column] for column in columns)
        record = self.provenance
        return Scores(
            names,
            self.topics,
            chosen,
            self.values[np.ix_(rows, columns)],
            self.counted[rows],
            self.rules,
            record._replace(
                measures={text: record.measures[text] for text in chosen if text in record.measures},
                runs={name: record.runs[name] for name in names if name in record.runs},
            ),
            {text: weights[rows] for text, weights in self.weights.items() if text in chosen},
        )

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """{run: {measure: {topic: value}}}; NaN is undefined, topics left out are absent."""
        return {
            run: {m: dict(zip(topics, v, strict=True)) for m, v in zip(self.measures, values, strict=True)}
            for run, topics, values in self._by_run()
        }

    def _by_run(self) -> Iterator[tuple[str, Sequence[str], list[list[float]]]]:
        """(run, its topics that count, their values for each measure)."""
        for run, values, counted in zip(self.runs, self.values, self.counted, strict=True):
            if counted.all():
                yield run, self.topics, values.tolist()
            else:
                kept = counted.tolist()
                names, *rows = (
                    list(itertools.compress(each, kept)) for each in (self.topics, *values.tolist())
                )
                yield run, names, rows

    def best(self) -> set[tuple[int, int]]:
        """The (run, measure) places of the best means; none where there is nothing to compare."""
        found: set[tuple[int, int]] = set()
        if len(self.runs) < 2:
            return found
        means = list(self.mean().values())
        for column, measure in enumerate(self.measures):
            direction = self.provenance.measures.get(measure, {}).get("direction", 1)
            if direction == 0:
                continue
            values = [direction * mean[measure] for mean in means]
            top = max((v for v in values if not math.isnan(v)), default=math.nan)
            found.update((row, column) for row, value in enumerate(values) if value == top)
        return found

    def table(self, *, topics: bool = False) -> Table:
        """Runs as rows and measures as columns, best means marked; with a row for every topic, too."""
        means = self.mean()
        if not topics:
            rows: list[list[Cell]] = [[run, *mean.values()] for run, mean in means.items()]
            return Table(("run", *self.measures), rows, {(row, column + 1) for row, column in self.best()})
        rows, last = [], []
        for run, names, values in self._by_run():
            rows += [[run, *row] for row in zip(names, *values, strict=True)]
            last.append(len(rows))
            rows.append([run, MEAN, *means[run].values()])
        best = {(last[row], column + 2) for row, column in self.best()}
        return Table(("run", "topic", *self.measures), rows, best)

    def long_table(self, *, topics: bool = True) -> Table:
        """Rows of run, topic, measure and value; the mean of a run comes last, as topic `all`."""

        def rows() -> Iterator[Iterable[tuple[Cell, ...]]]:
            means = self.mean()
            for run, names, values in self._by_run():
                if topics:  # there may be millions: no line of Python for each
                    times = len(self.measures)
                    each = itertools.chain.from_iterable(itertools.repeat(name, times) for name in names)
                    row = itertools.chain.from_iterable(zip(*values, strict=True))
                    yield zip(itertools.repeat(run), each, itertools.cycle(self.measures), row)
                yield ((run, MEAN, measure, value) for measure, value in means[run].items())

        return Table(("run", "topic", "measure", "value"), itertools.chain.from_iterable(rows()))

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences on what is missing, undefined or tied, and advice on reading the scores."""
        return notes.facts(self.provenance) + notes.advice(self.provenance)

    def __repr__(self) -> str:
        table, footer = self._shown()
        return "\n".join([render(table).rstrip("\n"), *map(printable, footer)])

    def _repr_html_(self) -> str:
        import html

        table, footer = self._shown()
        return render(table, "html") + "".join(f"<div>{html.escape(printable(f))}</div>\n" for f in footer)

    def _shown(self) -> tuple[Table, list[str]]:
        """(the beginning of the table of means, what there is to say below it)."""
        table = self.table()
        rows = [row[: SHOWN_MEASURES + 1] for row in itertools.islice(table.rows, SHOWN_RUNS)]
        more = [
            f"… and {hidden} more {what}; mean() has them all"
            for hidden, what in (
                (len(self.runs) - SHOWN_RUNS, "runs"),
                (len(self.measures) - SHOWN_MEASURES, "measures"),
            )
            if hidden > 0
        ]
        best = {(row, column) for row, column in table.best if row < SHOWN_RUNS and column <= SHOWN_MEASURES}
        count = f"{len(self.topics)} topic{'' if len(self.topics) == 1 else 's'}"
        return Table(table.headers[: SHOWN_MEASURES + 1], rows, best), [
            *more,
            count,
            *notes.facts(self.provenance),
        ]

    def _long(self) -> Long:
        import numpy as np

        shape = (len(self.runs), len(self.topics), len(self.measures))
        kept = np.broadcast_to(self.counted[:, :, None], shape)
        codes = dict(zip(("run", "topic", "measure"), np.nonzero(kept), strict=True))
        names = {"run": texts(self.runs), "topic": texts(self.topics), "measure": list(self.measures)}
        return Long(names, codes, self.values.transpose(0, 2, 1)[kept])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all of it to a .parquet or .json file, from which `Scores.load` brings it back."""
        from rankgauge.model import score_files

        score_files.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Scores:
        """The scores that `save` wrote."""
        from rankgauge.model import score_files

        return score_files.load(path)

    @classmethod
    def from_table(cls, table: Any, measure: str | None = None, undefined: str = "skip") -> Scores:
        """Scores that another tool made: a CSV or TSV file, a frame or a dict.

        Either a column for each run and a row for each topic, all of one `measure`, also as
        {run: {topic: value}}; or columns of runs, topics, measures and values; or of runs, topics and
        a column for each measure. A value that is not there leaves its topic out; one that is NaN is
        undefined, and `undefined` says what that means for averages.

        >>> Scores.from_table({"bm25": {"1": 0.5, "2": 0.25}, "ql": {"1": 0.5, "2": 0.75}}, "AP").mean()
        {'bm25': {'AP': 0.375}, 'ql': {'AP': 0.625}}
        """
        from rankgauge.model import score_tables

        return score_tables.from_table(table, measure, undefined)


def chosen_places(what: str, names: Iterable[str], known: Sequence[str]) -> list[int]:
    """The places of names among those that are known; an error names the first that is not."""
    places = {name: place for place, name in enumerate(known)}
    found = []
    for name in names:
        if name not in places:
            listed = ", ".join([*known[:5], *["..."][: len(known) > 5]])
            raise InputError(f"there is no {what} {name!r} here{nearest(name, known)}; there are {listed}")
        found.append(places[name])
    if not found:
        raise InputError(f"no {what} is left; choose at least one of {len(known)}")
    return found
