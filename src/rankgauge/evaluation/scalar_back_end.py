"""The back end without NumPy, for TREC files.

Anything it does not support raises `Unsupported` before results are shown.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NoReturn

from rankgauge import core
from rankgauge.core.buffers import checksum, numbers, strings
from rankgauge.core.ids import to_text
from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.local.trec_files import Tick, read_trec
from rankgauge.engines.requirements import lowest_grade, tie_visibility
from rankgauge.engines.retrieved import RetrievedJudgments, RunWarnings
from rankgauge.engines.run_inputs import RunInput, first_topics
from rankgauge.engines.threads import Progress, available, ticker
from rankgauge.errors import InputError
from rankgauge.evaluation import Measured
from rankgauge.formats import text_files
from rankgauge.formats.problems import LARGEST_GRADE, sentence, twice
from rankgauge.formats.source import Source, run_name
from rankgauge.measures import Measure
from rankgauge.measures.rankings.scalars import JudgedRankings, Pool
from rankgauge.measures.rankings.vector import Unsupported, Vector
from rankgauge.model.provenance import QrelsFacts
from rankgauge.model.rules import DocumentOrder

MAX_BYTES = 1 << 23  # of all files together, uncompressed; a larger run must be certain to be supported
RATIO = 4  # about, by which compressed runs are larger than their files
MAX_JUDGMENT_BYTES = 1 << 20  # of judgments that are worth a try with a larger run
# Judged documents to process, over all runs and measures. Each takes about a third of a microsecond, and
# importing NumPy takes longer than this many. A topic costs as much as some documents, even if it has none.
MAX_WORK = 300_000
WORK_PER_TOPIC = 6


class ScalarBackEnd:
    """Judgments and measures, prepared for evaluating run after run; without measures, for reading them.

    Judgments are sorted by topic and then by document, both ascending as bytes, as in `Qrels`.
    """

    sharing = 1  # measures that cost as much as one, since they share what they compute

    def __init__(
        self, measures: tuple[Measure, ...], order: DocumentOrder, qrels: Any, **reading: Any
    ) -> None:
        _require(isinstance(qrels, str), "judgments that are not in a file")
        _require(reading.get("grades") is None, "other grades")
        _require(not order.over_orders, f"ties={order.ties}")
        for measure in measures:
            _require(is_supported(measure), str(measure))
        self.measures, self._order = measures, order
        lowest = lowest_grade(measures)
        reader = core.Table(text_files.TREC_FIELDS["qrels"], 1)
        source = Source(qrels)
        _require(text_files.first_trec(source, "qrels"), "judgments in another format")
        size = 0
        for chunk in source.chunks():
            size += len(chunk)
            _require(size <= MAX_BYTES, "large files")
            reader.feed(chunk)
        columns = reader.finish()
        grades = numbers(columns["value"], "d")
        for code, line, text in columns["problems"]:
            raise InputError(sentence(code, bytes(text), "qrels"), path=qrels, line=line)
        _require(bool(grades), "judgments without rows")
        levels = Vector(sorted({*grades}))
        _require(max(map(abs, levels)) <= LARGEST_GRADE, "a grade that is too large")
        topics: tuple[Any, Any] = columns["topic"]
        docs: tuple[Any, Any] = columns["doc"]
        topic, firsts = core.encode(*topics)
        for row, first in zip(*(numbers(rows, "q") for rows in core.duplicates(topic, *docs)), strict=True):
            _require(order.duplicates == "error", "duplicate judgments")
            lines = numbers(columns["line"], "q")
            text = twice(strings(*topics)[row], strings(*docs)[row], f"on line {lines[first]}")
            raise InputError(text, path=qrels, line=lines[row])
        used = (Vector(grades) >= lowest).sum()
        self._work = (used + len(numbers(firsts, "q")) * WORK_PER_TOPIC) * len(measures)
        _require(self._work <= MAX_WORK * self.sharing, "many judgments")
        ordered = core.sort_judgments(*core.take(*topics, firsts), topic, *docs)
        self.levels = levels.tolist()  # distinct grades, ascending
        self.grades = list(map(grades.__getitem__, numbers(ordered["rows"], "q")))
        self.starts: list[int] = numbers(ordered["starts"], "q")
        by_topic = core.take(*docs, ordered["rows"])
        judged = (*ordered["topics"], ordered["starts"], *by_topic, array("d", self.grades))
        self._sorted = *judged, lowest
        self.topics = tuple(map(to_text, strings(*ordered["topics"])))
        self.qrels_facts = QrelsFacts(qrels, len(self.topics), len(grades), digest=checksum(*judged))
        self._pool = Pool(Vector(self.grades), self.starts, levels).keeping(lowest)
        self.pools = [self._pool]

    @cached_property
    def _judgments(self) -> Any:
        return core.Judgments(*self._sorted)

    def __getstate__(self) -> dict[str, Any]:
        """All but the judgments in the core, which are made anew."""
        return {name: value for name, value in vars(self).items() if name != "_judgments"}

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # which copy and pickle look for
            raise AttributeError(name)
        raise Unsupported(f"`{name}`")

    def read(
        self, runs: Sequence[RunInput], threads: int | None = None, progress: Progress | None = None
    ) -> list[RetrievedJudgments]:
        """Read runs, order their documents, join them with the judgments."""
        _require(self._work * len(runs) <= MAX_WORK * self.sharing, "many judgments and runs")
        # What is not supported should not show only after reading all this.
        if sum(map(_uncompressed_size, runs)) > MAX_BYTES:
            _require(len(runs) == 1, "large runs that may have to be compared")
            self._try_measures()
        tick = ticker(sum(run.size for run in runs), progress)
        retrieved = [self._read(run, available(threads), tick) for run in runs]
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

    def _try_measures(self) -> None:
        """Measure one topic without results; some unsupported words show only after reading."""
        none, pool = Vector([]), self._pool.only(0)
        rankings = JudgedRankings(starts=[0, 0], rank=none, grade=none, retrieved=Vector([0]), pool=pool)
        self._values(rankings)

    def retrieve(
        self,
        source: Source,
        threads: int = 1,
        tick: Tick = lambda _: None,
    ) -> RetrievedJudgments:
        """Read a run, order its documents, join them with the judgments."""
        _require(text_files.first_trec(source, "run"), "a run in another format")
        rules = *self._order.core_rules(), self._order.run_duplicates
        visible = tie_visibility(self.measures, self.levels, self.levels).for_core()

        def join(collect: bool) -> Any:
            return core.Join(self._judgments, *rules, collect, False, visible)

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

    def _gather(self, results: list[Any]) -> RetrievedJudgments | None:
        """The retrieved judgments of all parts; None after a problem, or if parts share a topic."""
        if any(isinstance(result, tuple) for result in results):
            return None
        columns = core.gather_hits(results, len(self.topics))
        if columns is None:
            return None
        names = ("retrieved", "tied", "decisive", "starts", "rank", "judgment")
        retrieved, tied, decisive, starts, rank, judgment = (numbers(columns[name], "q") for name in names)
        return RetrievedJudgments(
            retrieved=Vector(retrieved),
            tied=Vector(tied),
            decisive=Vector(decisive),
            starts=starts,
            rank=Vector(rank),
            judgment=judgment,
            unjudged_topics=columns["unjudged_topics"],
            dropped=columns["dropped"],
        )

    def measure(self, runs: Sequence[RetrievedJudgments], *, readings: bool = False) -> Measured:
        """The values of all measures."""
        values = []
        weights: dict[str, list[Any]] = {str(m): [] for m in self.measures if m.is_weighed}
        for run in runs:
            of_run, weights_of_run = self._values(self.rankings(run))
            values.append(of_run)
            for measure, weight in weights_of_run.items():
                weights[measure].append(weight)
        none = [[0] * len(self.measures) for _ in runs]  # not with the measures supported here
        return Measured(values, weights, none, none)

    def _values(self, rankings: Any) -> tuple[Vector, dict[str, Any]]:
        """([measure][topic], the weights of topics by measure)."""
        values = Vector(m.value(rankings).astype(float) for m in self.measures)
        return values, {str(m): m.weight(rankings).astype(float) for m in self.measures if m.is_weighed}

    def rankings(self, run: RetrievedJudgments) -> JudgedRankings:
        """The judged rankings of all topics."""
        return JudgedRankings(
            starts=run.starts,
            rank=run.rank,
            grade=Vector(map(self.grades.__getitem__, run.judgment)),
            retrieved=run.retrieved,
            pool=self._pool,
        )

    def table(self, rows: Sequence[Any]) -> Any:
        """[run][topic], as it is."""
        return rows


def are_small(paths: Iterable[str]) -> bool:
    """Whether files are so small that the scalar back end is faster."""
    return sum(map(file_size, paths)) <= MAX_BYTES


def file_size(path: str) -> int:
    """The size of a regular file; 0 for standard input."""
    if path == "-":
        return 0
    _require(os.path.isfile(path), path)  # noqa: PTH113 (importing pathlib takes too long)
    return os.path.getsize(path)  # noqa: PTH202


def _require(supported: bool, what: str) -> None:
    if not supported:
        raise Unsupported(what)


def _uncompressed_size(run: RunInput) -> int:
    compressed = run.file is not None and not run.file.uncompressed
    return run.size * RATIO if compressed else run.size


def is_supported(measure: Measure) -> bool:
    """Whether a measure is ours and depends on the ranks of one topic alone."""
    spec = measure.spec
    special = spec.needs.ties_or_scores or spec.needs.subtopics or spec.needs.pads_to_longest
    return spec.is_own and not special
