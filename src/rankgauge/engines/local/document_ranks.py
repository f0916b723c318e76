"""The rank of every document of a run, judged or not, in the order that evaluation uses.

To show a ranking, its lines are read again: an uncompressed TREC file has an index of byte offsets, a large
Parquet or Arrow file one of its groups of rows. Any other file is read as a whole; a few of these are kept.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import Any, TypeVar, cast

import numpy as np

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_bytes
from rankgauge.engines.run_inputs import RunInput, load_run
from rankgauge.engines.threads import in_order, in_threads
from rankgauge.errors import InputError, RankgaugeError
from rankgauge.formats import mapping, problems, trec
from rankgauge.formats.arrow_batches import Batches, Group
from rankgauge.formats.columns import Columns, concatenated
from rankgauge.formats.row_reader import identifier
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import first_trec
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.rules import DocumentOrder
from rankgauge.model.run import Run
from rankgauge.schema.cache import Cache
from rankgauge.schema.frozen import Frozen


class TopicRanking(Frozen, eq=False):
    """The documents of one topic in the order of evaluation, with scores."""

    documents: Ids
    scores: Floats

    @property
    def texts(self) -> list[str]:
        """The documents as texts."""
        return self.documents.texts()

    def __len__(self) -> int:
        return len(self.documents)


def documents_of_topic(run: Any, topic: str, order: DocumentOrder) -> list[str]:
    """The documents of one topic of an opened run, judged or not, by rank."""
    return RankedRun(_joined(rows_of_topic(run, to_bytes(topic)), order), order).documents(topic)


def _joined(parts: Iterable[Columns], order: DocumentOrder) -> Run:
    some = [part for part in parts if len(part) or part.problems]
    if some:
        return Run.from_columns(concatenated(some), duplicates=order.duplicates)
    none, numbers = Ids.of([]), np.zeros(0, dtype=np.int64)
    return Run("run", none, numbers, none, np.zeros(0), numbers)


def rows_of_topic(run: Any, topic: bytes) -> Iterator[Columns]:
    """The rows of one topic, in parts, without holding others in memory."""
    if isinstance(run, Source):
        yield trec.read_topic(run, topic)
    elif isinstance(run, Mapping):
        yield mapping.read({name: run[name] for name in run if identifier(name) == topic}, "run")
    elif isinstance(run, Batches):
        yield from (_only(run.columns(batch), topic) for batch in run() if len(batch))
    elif isinstance(run, Run):
        number = next((place for place, each in enumerate(run.topics) if each == topic), -1)
        rows = np.flatnonzero(run.topic == number)
        ranks = None if run.ranks is None else run.ranks[rows]
        names = run.topics.take(run.topic[rows])
        yield Columns("run", names, run.docs.take(rows), run.scores[rows], ranks)
    else:
        yield _only(run, topic)


def _only(rows: Columns, topic: bytes) -> Columns:
    code, topics = rows.topic.encode()
    wanted = np.array([each == topic for each in topics], dtype=np.bool_)
    return rows.take(np.flatnonzero(wanted[code]))


def ranks(run: Run, order: DocumentOrder) -> Ints:
    """(rows,): the rank of each row within its topic."""
    if order.needs_ranks and run.ranks is None:
        raise order.no_ranks()
    repeated, _ = core.duplicates(run.topic, run.docs.data, run.docs.offsets)
    if len(repeated):
        row = int(np.frombuffer(repeated, dtype=np.int64)[0])
        document = run.topics[int(run.topic[row])] + b"\0" + run.docs[row]
        raise InputError(problems.sentence(codes.DUPLICATE, document, "run"))
    columns = run.topic, run.docs.data, run.docs.offsets, run.scores, run.ranks
    return np.frombuffer(core.ranks(*columns, *order.core_rules()), dtype=np.int64)


class RankedRun:
    """A run with the rank of every document."""

    def __init__(self, run: Run, order: DocumentOrder) -> None:
        self._run, self._rank = run, ranks(run, order)

    def first(self, depth: int | None) -> tuple[Ids, Ids, Ints]:
        """(topics, documents, ranks) of the rows down to a depth, or of all."""
        run, rank = self._run, self._rank
        rows = np.arange(len(run)) if depth is None else np.flatnonzero(rank <= depth)
        return run.topics.take(run.topic[rows]), run.docs.take(rows), rank[rows]

    def ranking(self, topic: str) -> TopicRanking:
        """The ranking of one topic, perhaps empty."""
        docs, scores, places = self._sorted
        rows = places.get(to_bytes(topic), slice(0, 0))
        return TopicRanking(docs.part(rows), scores[rows])

    def documents(self, topic: str) -> list[str]:
        """The documents of one topic, judged or not, in rank order."""
        return self.ranking(topic).texts

    @cached_property
    def _sorted(self) -> tuple[Ids, Floats, dict[bytes, slice]]:
        """(documents, scores, the rows of each topic), sorted once: a topic is then a slice."""
        rows = np.lexsort((self._rank, self._run.topic))
        ends = np.cumsum(np.bincount(self._run.topic, minlength=len(self._run.topics))).tolist()
        places = zip(self._run.topics, map(slice, [0, *ends], ends), strict=True)
        return self._run.docs.take(rows), self._run.scores[rows], dict(places)


class RankedFile:
    """The same for a valid, uncompressed TREC file, of which only some lines are held."""

    def __init__(self, source: Source, order: DocumentOrder) -> None:
        self._index, self._order = TextIndex(source), order

    def of_topics(self, topics: Sequence[str]) -> RankedRun:
        """The results of some topics."""
        return RankedRun(self._index.run(map(to_bytes, topics), self._order), self._order)

    def documents(self, topic: str) -> list[str]:
        """The documents of one topic, judged or not, in rank order."""
        return self.of_topics([topic]).documents(topic)


def ranked(run: RunInput, order: DocumentOrder) -> RankedRun | RankedFile:
    """A run that was read before, to look at its topics."""
    opened = run.open()
    if isinstance(opened, Source) and opened.in_place:
        return RankedFile(opened, order)
    return RankedRun(load_run(opened, order), order)


MAX_ROWS = 1 << 22  # of runs and groups of rows that are kept in memory
Reader = Callable[[bytes], Iterator[Columns]]  # from a topic to its rows, in parts


class TopicRankings:
    """The rankings of several runs, one topic at a time; thread-safe."""

    def __init__(self, runs: Sequence[RunInput], order: DocumentOrder) -> None:
        self._runs = {run.name: run for run in runs}
        self._order = order
        self._readers: dict[str, Reader] = {}
        self._kept: Cache[Hashable, Any] = Cache(MAX_ROWS, len)
        self._locks = {name: threading.Lock() for name in self._runs}  # an index is made once

    def prepare(self) -> None:
        """Make the indexes of all uncompressed TREC files."""
        for name, run in self._runs.items():
            opened = run.open() if run.file is not None and run.file.in_place and not run.collapse else None
            if isinstance(opened, Source):
                self._reader(name)

    def read(self, run: str, topic: str) -> TopicRanking:
        """The ranking of one topic of a run, perhaps empty."""
        return RankedRun(self.rows(run, topic), self._order).ranking(topic)

    def rows(self, run: str, topic: str) -> Run:
        """The same as a run, in the order of the input."""
        return _joined(self._reader(run)(to_bytes(topic)), self._order)

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
        if isinstance(opened, (Mapping, Run)) and run.file is None:
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
    """The place of each topic's lines in an uncompressed TREC file."""

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

    @property
    def topics(self) -> Sequence[bytes]:
        """All topics, in the order of the file."""
        return [*self._numbers]

    @property
    def size(self) -> int:
        """The bytes of all lines."""
        return int((self._end - self._begin).sum())

    @property
    def is_by_topic(self) -> bool:
        """Whether the file has one topic after the other, and no other lines."""
        places = len(self._begin)
        return 0 < places == len(self._numbers) and self.size >= self._source.size - self._source.start

    def __call__(self, topic: bytes) -> Iterator[Columns]:
        """The rows of a topic."""
        if topic in self._numbers:
            yield self.rows([topic])

    def run(self, topics: Iterable[bytes], order: DocumentOrder) -> Run:
        """The results of some topics, which may have none."""
        return _joined([self.rows(topics)], order)

    def rows(self, topics: Iterable[bytes]) -> Columns:
        """The rows of some topics, one topic after the other."""
        return trec.run_lines(self._source, self._lines(topics))

    def _lines(self, topics: Iterable[bytes]) -> Iterator[bytes]:
        numbers = [self._numbers[topic] for topic in topics if topic in self._numbers]
        with self._source.opened() as file:
            for number in numbers:
                first, last = self._starts[number], self._starts[number + 1]
                for begin, end in zip(self._begin[first:last], self._end[first:last], strict=True):
                    file.seek(int(begin))
                    left = int(end - begin)
                    while text := file.read(left):  # which may be less
                        left -= len(text)
                        yield text
                    if left:  # the last line has no newline
                        yield b"\n"


BYTES = 1 << 22  # of all files together in a part, about; each thread reads one
Part = TypeVar("Part")


def in_parts(
    runs: Sequence[RunInput], order: DocumentOrder, work: Callable[[list[Run], int], Part], threads: int = 1
) -> list[Part]:
    """What each part of the runs becomes, or the whole; `work` gets runs, and how many threads to use."""
    with suppress(RankgaugeError):  # whole files are then read, and the error names the line
        if parts := [*each_part(runs, order, work, threads)]:
            return parts
    return [work(in_threads(lambda run: load_run(run.open(), order), runs, threads), threads)]


def each_part(
    runs: Sequence[RunInput], order: DocumentOrder, work: Callable[[list[Run], int], Part], threads: int
) -> Iterator[Part]:
    """What some topics of the runs become, then the next, if all are uncompressed TREC files by topic."""
    if order.duplicates == "error" and all(map(_is_plain, runs)):
        indexes = in_threads(lambda run: TextIndex(cast("Source", run.file)), runs, threads)
        if all(index.is_by_topic for index in indexes):
            yield from in_order(
                lambda some: work([each.run(some, order) for each in indexes], 1), _split(indexes), threads
            )


def _split(indexes: Sequence[TextIndex]) -> list[list[bytes]]:
    """The topics of each part."""
    topics = [*dict.fromkeys(topic for index in indexes for topic in index.topics)]
    several = max(1, BYTES * len(topics) // sum(index.size for index in indexes))
    return [topics[first : first + several] for first in range(0, len(topics), several)]


def ranked_rows(source: Source) -> Iterator[Columns]:
    """The rows of such a file in parts; a row without a rank is an error."""
    if source.in_place and first_trec(source, "run") and (index := TextIndex(source)).is_by_topic:
        for rows in (index.rows(some).checked() for some in _split([index])):
            if not rows.ranks_known():
                raise InputError("not every rank is a whole number", path=source.path)
            yield rows


def _is_plain(run: RunInput) -> bool:
    in_place = run.file is not None and run.file.in_place and not run.collapse
    return in_place and first_trec(cast("Source", run.file), "run") and isinstance(run.open(), Source)


class GroupIndex:
    """An index from topics to the row groups of files."""

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
