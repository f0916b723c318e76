"""The back end without NumPy: programs on TREC files.

Importing NumPy takes longer than all the rest of a small evaluation. Anything this back end does not support
raises `Unsupported` before results are shown, and is left to `array_back_end`.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NoReturn

from rankgauge import core
from rankgauge.core.buffers import checksum, numbers, strings
from rankgauge.core.ids import to_text
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.local.trec_files import Tick, read_trec
from rankgauge.engines.programs import Programmed, alone, record, record_measures
from rankgauge.engines.requirements import lowest_grade, tie_visibility
from rankgauge.engines.retrieved import RetrievedJudgments, RunWarnings
from rankgauge.engines.run_inputs import RunInput, first_topics
from rankgauge.engines.threads import Progress, available, in_threads, ticker
from rankgauge.errors import InputError
from rankgauge.evaluation import Measured
from rankgauge.evaluation.plain_counts import Counts, JudgedGrades
from rankgauge.formats import text_files
from rankgauge.formats.problems import LARGEST_GRADE, sentence, twice
from rankgauge.formats.source import Source, run_name
from rankgauge.measures import Measure
from rankgauge.measures.rankings.programs import Program, Unsupported
from rankgauge.model.provenance import QrelsFacts
from rankgauge.model.rules import DocumentOrder

MAX_JUDGMENT_BYTES = 1 << 22  # of judgments; NumPy sorts and counts more of them in less time


class ProgramBackEnd:
    """Judgments and measures, prepared for evaluating run after run; without measures, for reading them.

    Judgments are sorted by topic and then by document, both ascending as bytes, as in `Qrels`. `formulas` are
    computed instead of measures, which are then those that the formulas use.
    """

    def __init__(
        self,
        measures: tuple[Measure, ...],
        order: DocumentOrder,
        qrels: Any,
        *,
        formulas: Sequence[Callable[[Any], Any]] | None = None,
        **reading: Any,
    ) -> None:
        _require(isinstance(qrels, str), "judgments that are not in a file")
        _require(reading.get("grades") is None, "other grades")
        _require(not order.over_orders, f"ties={order.ties}")
        self.measures, self._order = measures, order
        self._lowest = lowest = lowest_grade(measures)
        reader = core.Table(text_files.TREC_FIELDS["qrels"], 1)
        source = Source(qrels)
        _require(text_files.first_trec(source, "qrels"), "judgments in another format")
        size = 0
        for chunk in source.chunks():
            size += len(chunk)
            _require(size <= MAX_JUDGMENT_BYTES, "large files of judgments")
            reader.feed(chunk)
        columns = reader.finish()
        grades = numbers(columns["value"], "d")
        for code, line, text in columns["problems"]:
            raise InputError(sentence(code, bytes(text), "qrels"), path=qrels, line=line)
        _require(bool(grades), "judgments without rows")
        self.levels = sorted({*grades})
        _require(max(map(abs, self.levels)) <= LARGEST_GRADE, "a grade that is too large")
        topics: tuple[Any, Any] = columns["topic"]
        docs: tuple[Any, Any] = columns["doc"]
        topic, firsts = core.encode(*topics)
        for row, first in zip(*(numbers(rows, "q") for rows in core.duplicates(topic, *docs)), strict=True):
            _require(order.duplicates == "error", "duplicate judgments")
            lines = numbers(columns["line"], "q")
            text = twice(strings(*topics)[row], strings(*docs)[row], f"on line {lines[first]}")
            raise InputError(text, path=qrels, line=lines[row])
        if formulas is None:
            self._program, recorded = record_measures(measures, tuple(self.levels))
        else:
            self._program, recorded = record([*map(alone, formulas)], self.levels)
        _require(len(recorded) == len(measures if formulas is None else formulas), "all of these measures")
        ordered = core.sort_judgments(*core.take(*topics, firsts), topic, *docs)
        self.grades = array("d", map(grades.__getitem__, numbers(ordered["rows"], "q")))
        self.starts: list[int] = numbers(ordered["starts"], "q")
        by_topic = core.take(*docs, ordered["rows"])
        self._sorted: tuple[Any, ...] = *ordered["topics"], ordered["starts"], *by_topic, self.grades
        self.topics = tuple(map(to_text, strings(*ordered["topics"])))
        self.qrels_facts = QrelsFacts(qrels, len(self.topics), len(grades), digest=checksum(*self._sorted))
        kept = ([g for g in self.grades[begin:end] if g >= lowest] for begin, end in pairwise(self.starts))
        self.pools = [JudgedGrades([*kept], self.levels, self.values_of_ideal)]

    @cached_property
    def _judgments(self) -> Any:
        columns: tuple[Any, ...] = *self._sorted, self._lowest
        return core.Judgments(*columns)

    @cached_property
    def _programmed(self) -> Programmed:
        return self.programmed(self._program)

    def programmed(self, program: Program) -> Programmed:
        """A program on these judgments."""
        starts = array("q", self.starts)
        return Programmed(program, (), self._judgments, self._order, starts, self.grades, self._lowest)

    def rows(self, run: RetrievedJudgments) -> list[array[float]]:
        """The values of all topics of a run, a row for each measure or formula, and then for each weight."""
        columns = (run.starts, run.rank, run.judgment, run.retrieved)
        values = array("d", self._programmed.measure(*(column.values for column in columns)))
        return [values[begin : begin + len(self.topics)] for begin in range(0, len(values), len(self.topics))]

    def values_of_ideal(self, measures: Sequence[Measure]) -> list[float]:
        """The values of the first measure's ideal rankings, of all topics for one measure after the other."""

        def formula(rankings: Any) -> list[Any]:
            ideal = measures[0].ideal(rankings.pool)
            return [measure.value(ideal) for measure in measures]

        program, recorded = record([formula], self.levels)
        _require(bool(recorded), "this ideal ranking")
        none = array("q", bytes(8 * (len(self.topics) + 1)))
        values = self.programmed(program).measure(none, array("q"), array("q"), none[1:])
        return array("d", values).tolist()

    def __getstate__(self) -> dict[str, Any]:
        """All but what is in the core, which is made anew."""
        return {
            name: value for name, value in vars(self).items() if name not in ("_judgments", "_programmed")
        }

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # which copy and pickle look for
            raise AttributeError(name)
        raise Unsupported(f"`{name}`")

    def read(
        self, runs: Sequence[RunInput], threads: int | None = None, progress: Progress | None = None
    ) -> list[RetrievedJudgments]:
        """Read runs, order their documents, join them with the judgments."""
        tick, workers = ticker(sum(run.size for run in runs), progress), available(threads)
        within = max(1, workers // len(runs))
        retrieved = in_threads(lambda run: self._read(run, within, tick), runs, workers)
        outlines = {run.outline for run in retrieved}
        _require(len(outlines) == len(runs), "runs that may be copies")  # which are compared
        return retrieved

    def _read(self, run: RunInput, threads: int, tick: Tick) -> RetrievedJudgments:
        source = run.file
        _require(source is not None, "a run that is not in a file")
        assert source is not None
        retrieved = self.retrieve(source, threads, tick)
        _require(not retrieved.hardly_any, "a run of which hardly anything is judged")  # why, is looked into
        rising = text_files.rising_scores(source) if self._order.order == "score" else 0
        return retrieved._replace(warnings=RunWarnings(rising_scores=rising))

    def retrieve(
        self,
        source: Source,
        threads: int = 1,
        tick: Tick = lambda _: None,
    ) -> RetrievedJudgments:
        """Read a run, order its documents, join them with the judgments."""
        _require(text_files.first_trec(source, "run"), "a run in another format")
        judgments, rules = self._judgments, (*self._order.core_rules(), self._order.run_duplicates)

        def join(collect: bool) -> Any:
            return core.Join(judgments, *rules, collect, False, self._visible)

        with source.opened() as file:
            retrieved, results = read_trec(source, file, join, self._gather, threads, tick)
        for code, line, text in (part for part in results if isinstance(part, tuple)):
            _require(len(results) == 1 and line is not None, "a run with problems")  # parts count their lines
            raise InputError(sentence(code, bytes(text), "run"), path=source.path, line=line)
        _require(retrieved is not None and sum(part["rows"] for part in results) > 0, "a run with problems")
        assert retrieved is not None
        if not retrieved.retrieved.any():
            of_run = first_topics(RunInput("", source.path, open=lambda: source))
            raise no_common_topic(run_name(source.path), self.topics, of_run)
        return retrieved

    @cached_property
    def _visible(self) -> Any:
        return tie_visibility(self.measures, self.levels, self.levels).for_core()

    def _gather(self, results: list[Any]) -> RetrievedJudgments | None:
        """The retrieved judgments of all parts; None after a problem, or if parts share a topic."""
        if any(isinstance(result, tuple) for result in results):
            return None
        columns = core.gather_hits(results, len(self.topics))
        if columns is None:
            return None
        return RetrievedJudgments.of(columns, lambda column: Counts(memoryview(column).cast("B").cast("q")))

    def measure(self, runs: Sequence[RetrievedJudgments], *, readings: bool = False) -> Measured:
        """The values of all measures."""
        rows = [self.rows(run) for run in runs]
        size = len(self.measures)
        weighed = (str(measure) for measure in self.measures if measure.is_weighed)
        weights = {text: [of_run[size + n] for of_run in rows] for n, text in enumerate(weighed)}
        none = [[0] * size for _ in runs]  # not with the measures supported here
        return Measured([of_run[:size] for of_run in rows], weights, none, none)

    def table(self, rows: Sequence[Any]) -> Any:
        """[run][topic], as it is."""
        return rows


def file_size(path: str) -> int:
    """The size of a regular file; 0 for standard input."""
    if path == "-":
        return 0
    _require(os.path.isfile(path), path)  # noqa: PTH113 (importing pathlib takes too long)
    return os.path.getsize(path)  # noqa: PTH202


def is_small(qrels: str) -> bool:
    """Whether a file of judgments is so small that programs alone are faster."""
    return file_size(qrels) <= MAX_JUDGMENT_BYTES


def _require(supported: bool, what: str) -> None:
    if not supported:
        raise Unsupported(what)
