"""Curves: the value of measures at every rank, for every run and topic, together with the ideal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.errors import MeasureError, OptionError
from rankgauge.model.output.documents import Document, Section, notebook
from rankgauge.model.output.table_cells import Shown
from rankgauge.model.output.tables import Cell, Framed, LongTable, Rendered, Table, ids_for_frames
from rankgauge.model.provenance import bounds_by_name
from rankgauge.model.rules import ALL, NORMALISE, TopicRules
from rankgauge.schema.options import choice, keywords

Vectors = dict[str, dict[str, list[float]]]
Floats = npt.NDArray[np.float64]

IDEAL = "ideal"  # column of the ideal rankings

SHOWN_RANKS = (1, 2, 3, 4, 5, 10, 15, 20, 30, 50, 100, 200, 500, 1000)  # of long curves


@dataclass(frozen=True, eq=False)
class Curves(Framed, Rendered):
    """The values of measures at ranks 1 to depth; NaN where undefined."""

    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]  # canonical texts
    values: Floats  # (runs, measures, topics, depth)
    ideal: Floats  # (measures, topics, depth): values of the ideal rankings
    counted: npt.NDArray[np.bool_]  # (runs, topics), False where a topic is left out
    rules: TopicRules
    # {measure: (kind of average, direction)}
    averages: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    # (runs, topics): the documents retrieved, where values end that are not padded; None if it is unknown
    retrieved: npt.NDArray[np.int64] | None = None

    @property
    def depth(self) -> int:
        """The number of ranks."""
        return int(self.values.shape[-1])

    @property
    def shown_ranks(self) -> tuple[int, ...]:
        """The ranks to show if there is no room for all."""
        return (*(rank for rank in SHOWN_RANKS if rank < self.depth), self.depth)

    def mean(self, normalise: str = NORMALISE.default) -> Vectors:
        """{run: {measure: the average vector over the topics that count}}; `normalise` it by the ideal."""
        return {
            run: {m: self._average(row, column, normalise) for column, m in enumerate(self.measures)}
            for row, run in enumerate(self.runs)
        }

    def mean_ideal(self) -> dict[str, list[float]]:
        """{measure: the average vector of the ideal rankings}."""
        return {m: self._mean(m, v) for m, v in zip(self.measures, self.ideal, strict=True)}

    def drawn_mean(self, ranks: Sequence[int]) -> tuple[Floats, Floats]:
        """(runs, measures, ranks) and (measures, ranks): `mean` and `mean_ideal` at some ranks, for drawings.

        They come at once for thousands of topics; the last digits may differ.
        """
        places = [rank - 1 for rank in ranks]
        mean = np.empty((len(self.runs), len(self.measures), len(places)))
        ideal = np.empty(mean.shape[1:])
        for column, measure in enumerate(self.measures):
            kind, direction = self._averaging(measure)
            ideal[column] = self.rules.averages(self.ideal[column][:, places], kind, direction)
            for row, counted in enumerate(self.counted):
                values = self.values[row, column][counted][:, places]
                mean[row, column] = self.rules.averages(values, kind, direction)
        return mean, ideal

    def distance(self) -> Vectors:
        """{run: {measure: the distance to the average ideal, at every rank}}."""
        best = self.mean_ideal()
        return {
            run: {
                m: [self._direction(m) * (i - v) for i, v in zip(best[m], vector, strict=True)]
                for m, vector in vectors.items()
            }
            for run, vectors in self.mean().items()
        }

    def band(
        self, level: float = 0.95, normalise: str = NORMALISE.default
    ) -> dict[str, dict[str, tuple[list[float], list[float]]]]:
        """{run: {measure: (low, high)}}: the confidence interval of the mean, at every rank.

        It is that of `Scores.interval`; curves divided by the ideal are between 0 and 1.
        """
        if choice("normalise", normalise, NORMALISE.rules) == "averages":
            raise OptionError(
                f"a curve divided by an average has no band over topics; use {NORMALISE.set_to('topics')}"
            )
        bands: dict[str, dict[str, tuple[list[float], list[float]]]] = {run: {} for run in self.runs}
        for row, run in enumerate(self.runs):
            for column, measure in enumerate(self.measures):
                kind, _ = self._averaging(measure)
                if kind != "mean":
                    raise MeasureError(
                        f"{measure}: bands are for means, and this is a {kind}; leave out average="
                    )
                direction = self._direction(measure)
                bounds = (0.0, 1.0) if normalise == "topics" else bounds_by_name(measure)
                ends = [
                    self.rules.interval(values, level, direction=direction, bounds=bounds)
                    for values in self._vectors(row, column, normalise).T.tolist()
                ]
                bands[run][measure] = [low for low, _ in ends], [high for _, high in ends]
        return bands

    def reach(self, run: str, measure: str | None = None, goal: str | None = None) -> list[int | None]:
        """For each rank, the rank at which a run reaches the value of the goal there, on average curves.

        The goal is another run, or the ideal; None where the value is not reached within the depth.
        """
        return [rank for rank, _ in self.read_across(run, measure, goal)]

    def read_across(
        self, run: str, measure: str | None = None, goal: str | None = None
    ) -> list[tuple[int | None, float | None]]:
        """For each rank, that of `reach`, and how many more documents it takes than the goal, in per cent.

        The goal takes as many as the first rank at which it has the value, also where it is constant.
        """
        measure = self._measure(measure)
        column, direction = self.measures.index(measure), self._direction(measure)

        def mean(name: str, called: str) -> Floats:
            row = self.runs.index(choice(called, name, self.runs))
            return direction * np.array(self._average(row, column, NORMALISE.default))

        mine = mean(run, "run")
        wanted = (
            direction * np.array(self._mean(measure, self.ideal[column]))
            if goal is None
            else mean(goal, "goal")
        )
        found: list[tuple[int | None, float | None]] = []
        for value in wanted.tolist():
            there, first = np.flatnonzero(mine >= value), np.flatnonzero(wanted >= value)
            if len(there):
                rank, needed = int(there[0]) + 1, int(first[0]) + 1
                found.append((rank, 100 * (rank - needed) / needed))
            else:
                found.append((None, None))
        return found

    def flat(self) -> dict[str, int]:
        """{measure: the rank from which the average ideal is constant}.

        From there on reading gains nothing. It is the depth if the ideal still changes at the end, and always
        rank 1 for a measure that is divided by its ideal.
        """
        ranks = {}
        for measure, vector in self.mean_ideal().items():
            ideal = np.array(vector)
            same = (ideal[1:] == ideal[:-1]) | (np.isnan(ideal[1:]) & np.isnan(ideal[:-1]))
            changes = np.flatnonzero(~same)
            ranks[measure] = int(changes[-1]) + 2 if len(changes) else 1
        return ranks

    def to_dict(self) -> dict[str, dict[str, dict[str, list[float]]]]:
        """{run: {measure: {topic: vector}}}; topics left out are absent."""
        return {
            run: {
                m: {t: v.tolist() for t, v, c in zip(self.topics, vectors, counted, strict=True) if c}
                for m, vectors in zip(self.measures, values, strict=True)
            }
            for run, values, counted in zip(self.runs, self.values, self.counted, strict=True)
        }

    def table(
        self,
        measure: str | None = None,
        *,
        normalise: str = NORMALISE.default,
        ranks: Sequence[int] | None = None,
    ) -> Table:
        """Ranks as rows, runs and the ideal as columns."""
        measure = self._measure(measure)
        column = self.measures.index(measure)
        vectors = [self._average(row, column, normalise) for row in range(len(self.runs))]
        ideal = () if normalise != "no" else (self.mean_ideal()[measure],)
        rows = [[rank, *(v[rank - 1] for v in (*vectors, *ideal))] for rank in ranks or self._all_ranks]
        return Table(("rank", *self.runs, *([IDEAL] if ideal else [])), rows)

    def _options(self, form: str) -> Iterable[str]:
        return keywords(self.long_table if form == "csv" else self.table)

    def _table_in(self, form: str, places: int, **options: Any) -> Table:
        return self.long_table(**options) if form == "csv" else self.table(**options)

    def reach_table(
        self, measure: str | None = None, goal: str | None = None, ranks: Sequence[int] | None = None
    ) -> Table:
        """For each rank of the goal, where runs reach its value, and how many more documents in per cent."""
        others = [run for run in self.runs if run != goal]
        reached = [self.read_across(run, measure, goal) for run in others]
        rows: list[list[Cell]] = []
        for rank in ranks or self._all_ranks:
            row: list[Cell] = [rank]
            for there, more in (ranks_of[rank - 1] for ranks_of in reached):
                row += [there, None if more is None else Shown(more, f"{more:+.0f}")]
            rows.append(row)
        headers = [header for run in others for header in (run, f"{run}: %")]
        return Table((f"rank of {goal or IDEAL}", *headers), rows)

    def long_table(
        self,
        *,
        topics: bool = False,
        normalise: str = NORMALISE.default,
        level: float | None = None,
        ranks: Sequence[int] | None = None,
        goal: str | None = None,
    ) -> Table:
        """Rows of run, topic, measure, rank, value and ideal; with a level, also the band of the means.

        `reach` and `more` are what `read_across` has of the means: towards a goal, or else towards the ideal.
        """
        means, best = self.mean(normalise), self.mean_ideal()  # first, since they may raise
        bands = None if level is None else self.band(level, normalise)
        whole = normalise == "no"  # normalised curves have no ideal column
        shown = ranks or self._all_ranks

        def rows() -> Iterator[tuple[Cell, ...]]:
            for row, run in enumerate(self.runs):
                for column, measure in enumerate(self.measures):
                    own = self._vectors(row, column, normalise).tolist() if topics else []
                    ideals = self.ideal[column, self.counted[row]].tolist()
                    for topic, vector, ideal in zip(self._topics(row), own, ideals, strict=False):
                        for rank in shown:
                            pair = vector[rank - 1], ideal[rank - 1]
                            gap = (None,) * (2 * (bands is not None) + 2 * whole)
                            yield run, topic, measure, rank, *pair[: 1 + whole], *gap
                    vectors: list[Sequence[Cell]] = [means[run][measure], *([best[measure]] if whole else [])]
                    vectors += () if bands is None else bands[run][measure]
                    vectors += zip(*self.read_across(run, measure, goal), strict=True) if whole else ()
                    for rank in shown:
                        yield run, ALL, measure, rank, *(vector[rank - 1] for vector in vectors)

        headers = ("run", "topic", "measure", "rank", "value", *([IDEAL] if whole else []))
        ends = (*(() if bands is None else ("low", "high")), *(("reach", "more") if whole else ()))
        return Table((*headers, *ends), rows())

    @property
    def _all_ranks(self) -> range:
        return range(1, self.depth + 1)

    def _long(self) -> LongTable:
        runs, measures, topics, depth = self.values.shape
        kept = np.broadcast_to(self.counted[:, :, None, None], (runs, topics, measures, depth))
        codes = dict(zip(("run", "topic", "measure", "rank"), np.nonzero(kept), strict=True))
        names = {
            "run": ids_for_frames(self.runs),
            "topic": ids_for_frames(self.topics),
            "measure": list(self.measures),
            "rank": list(self._all_ranks),
        }
        return LongTable(names, codes, self.values.transpose(0, 2, 1, 3)[kept])

    def _topics(self, row: int) -> list[str]:
        return list(itertools.compress(self.topics, self.counted[row].tolist()))

    def _measure(self, measure: str | None) -> str:
        if measure is None and len(self.measures) > 1:
            raise OptionError(f"choose one of the measures: {', '.join(self.measures)}")
        return self.measures[0] if measure is None else choice("measure", measure, self.measures)

    def _direction(self, measure: str) -> int:
        return self.averages.get(measure, ("mean", 1))[1] or 1

    def _vectors(self, row: int, column: int, normalise: str) -> Floats:
        """(topics that count, depth), divided by the ideal with normalise=topics."""
        counted = self.counted[row]
        vectors: Floats = self.values[row, column, counted]
        if choice("normalise", normalise, NORMALISE.rules) != "topics":
            return vectors
        with np.errstate(divide="ignore", invalid="ignore"):  # 0/0 is undefined
            shares: Floats = vectors / self.ideal[column, counted]
        return shares

    def _average(self, row: int, column: int, normalise: str) -> list[float]:
        measure = self.measures[column]
        mean = self._mean(measure, self._vectors(row, column, normalise))
        if normalise != "averages":
            return mean
        best = self._mean(measure, self.ideal[column, self.counted[row]])
        return [value / ideal if ideal else np.nan for value, ideal in zip(mean, best, strict=True)]

    def _averaging(self, measure: str) -> tuple[str, int]:
        kind, direction = self.averages.get(measure, ("mean", 1))
        if kind == "micro":
            raise MeasureError(f"{measure}: there is no micro average of curves; use another average")
        return kind, direction

    def _mean(self, measure: str, vectors: Floats) -> list[float]:
        kind, direction = self._averaging(measure)
        return [self.rules.average(column, kind, direction=direction) for column in vectors.T.tolist()]

    def __repr__(self) -> str:
        return (
            f"Curves to depth {self.depth}: {len(self.runs)} runs, {len(self.topics)} topics, "
            f"{', '.join(self.measures)}"
        )

    def _repr_html_(self) -> str:
        tables = {each: self.table(each, ranks=self.shown_ranks) for each in self.measures}
        return notebook(Document(repr(self), tuple(Section(each, table=t) for each, t in tables.items())))
