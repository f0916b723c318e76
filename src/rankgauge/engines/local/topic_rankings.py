"""The rankings of single topics, read from a run when they are asked for.

Evaluation keeps the ranks of judged documents alone. Whoever wants to see a ranking reads its lines again: an
uncompressed TREC file has an index of byte offsets, a large Parquet or Arrow file one of its groups of rows,
and what is in memory is looked up there. Any other file is read as a whole; a few of these are kept.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from rankgauge.core.ids import Ids, to_bytes
from rankgauge.engines.local.document_ranks import load_run, ranks, rows_of_topic
from rankgauge.engines.run_inputs import RunInput
from rankgauge.formats import trec
from rankgauge.formats.arrow_batches import Batches, Group
from rankgauge.formats.columns import Columns, concatenated
from rankgauge.formats.source import Source
from rankgauge.measures.rankings.arrays.curves import Floats
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.run import Run
from rankgauge.schema.cache import Cache
from rankgauge.schema.frozen import Frozen

MOST_ROWS = 1 << 22  # of runs and groups of rows that are kept in memory
Reader = Callable[[bytes], Iterator[Columns]]  # from a topic to its rows, in parts


class TopicRanking(Frozen, eq=False):
    """The documents of one topic in the order that evaluation uses, with their scores."""

    documents: Ids
    scores: Floats

    @property
    def texts(self) -> list[str]:
        """The documents as texts."""
        return self.documents.texts()

    def __len__(self) -> int:
        return len(self.documents)


class TopicRankings:
    """The rankings of several runs, one topic at a time. May be used from several threads."""

    def __init__(self, runs: Sequence[RunInput], order: DocumentOrder) -> None:
        self._runs = {run.name: run for run in runs}
        self._order = order
        self._readers: dict[str, Reader] = {}
        self._kept: Cache[Hashable, Any] = Cache(MOST_ROWS, len)
        self._locks = {name: threading.Lock() for name in self._runs}  # an index is made once

    def prepare(self) -> None:
        """Make the indexes of all uncompressed TREC files, so that nobody has to wait for them later."""
        for name, run in self._runs.items():
            opened = run.open() if run.file is not None and run.file.in_place else None
            if isinstance(opened, Source):
                self._reader(name)

    def read(self, run: str, topic: str) -> TopicRanking:
        """The ranking of one topic of a run; it is empty if the run has no such topic."""
        rows = self.rows(run, topic)
        if rows is None:
            return TopicRanking(Ids.of([]), np.zeros(0))
        by_rank = np.argsort(ranks(rows, self._order))
        return TopicRanking(rows.docs.take(by_rank), rows.scores[by_rank])

    def rows(self, run: str, topic: str) -> Run | None:
        """The same as a run of one topic, in the order of the input; None if it has no such topic."""
        reader = self._reader(run)
        parts = [part for part in reader(to_bytes(topic)) if len(part)]
        return Run.from_columns(concatenated(parts), duplicates=self._order.duplicates) if parts else None

    def _reader(self, name: str) -> Reader:
        with self._locks[name]:
            if name not in self._readers:
                self._readers[name] = self._make_reader(name)
            return self._readers[name]

    def _make_reader(self, name: str) -> Reader:
        run = self._runs[name]
        opened = run.open()
        if isinstance(opened, Source) and opened.in_place:
            return TextIndex(opened)
        if isinstance(opened, Batches):
            return GroupIndex(opened, name, self._kept)
        if isinstance(opened, (Mapping, Run)):
            return lambda topic: rows_of_topic(opened, topic)
        if run.file is None:  # what is read from memory is not read again
            whole = load_run(opened, self._order)
            return lambda topic: rows_of_topic(whole, topic)
        return partial(self._whole, run, run.file)

    def _whole(self, run: RunInput, file: Source, topic: bytes) -> Iterator[Columns]:
        with file.opened():  # refuses one that has changed, also if it is kept
            pass
        return rows_of_topic(self._kept.get(run.name, lambda: load_run(run.open(), self._order)), topic)


class TextIndex:
    """Where the lines of each topic are in an uncompressed TREC file."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._numbers: dict[bytes, int] = {}
        topic, begin, end = array("q"), array("q"), array("q")
        for name, first, last in trec.topic_places(source):
            number = self._numbers.setdefault(name, len(self._numbers))
            if topic and topic[-1] == number and end[-1] == first:
                end[-1] = last
            else:
                topic.append(number)
                begin.append(first)
                end.append(last)
        of_place = np.array(topic, dtype=np.int64)
        order = np.argsort(of_place, kind="stable")
        self._begin, self._end = (np.array(each, dtype=np.int64)[order] for each in (begin, end))
        self._starts = np.searchsorted(of_place[order], np.arange(len(self._numbers) + 1))

    def __call__(self, topic: bytes) -> Iterator[Columns]:
        """The rows of a topic."""
        if topic in self._numbers:
            first, last = self._starts[self._numbers[topic] :][:2].tolist()
            yield trec.run_lines(self._source, self._lines(first, last))

    def _lines(self, first: int, last: int) -> Iterator[bytes]:
        with self._source.opened() as file:
            for begin, end in zip(self._begin[first:last], self._end[first:last], strict=True):
                file.seek(int(begin))
                text = file.read(int(end - begin))
                yield text if text.endswith(b"\n") else text + b"\n"


class GroupIndex:
    """Which groups of rows of Parquet or Arrow files have rows of a topic."""

    def __init__(self, batches: Batches, name: str, kept: Cache[Hashable, Any]) -> None:
        self._batches, self._name, self._kept = batches, name, kept
        self._groups: dict[bytes, list[Group]] = {}
        for group, topics in batches.groups():
            for topic in topics:
                self._groups.setdefault(topic, []).append(group)

    def __call__(self, topic: bytes) -> Iterator[Columns]:
        """The rows of a topic, one part per group."""
        for source in self._batches.sources:
            with source.opened():  # refuses a file that has changed, also for a group that is kept
                pass
        for group in self._groups.get(topic, ()):
            rows = self._kept.get((self._name, group), partial(self._batches.read_group, group))
            yield from rows_of_topic(rows, topic)
