"""The local engine: from a run, wherever it is held, to hits.

A TREC file that is not compressed is read in as many parts as there are threads, each part
beginning where a topic begins. That is the fast road, for files whose topics stand together and
that have nothing wrong with them. Whatever else comes up takes the road after it: topics that
are spread over the file are collected, and a file with something wrong is read once more, line
by line, to say what. Columns in memory are treated alike.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any

from rankgauge import core
from rankgauge.core.ids import Ids
from rankgauge.engines.assembly import gather_retrieved
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.threads import ahead, in_threads
from rankgauge.errors import InputError
from rankgauge.formats import problems
from rankgauge.formats.arrow import Batches
from rankgauge.formats.columns import Columns
from rankgauge.formats.source import Source
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.rankings.arrays.curves import Floats, Ints

CHUNK = 1 << 18  # bytes unpacked at once: they stay in the processor's cache until they are parsed
STEP = 1 << 24  # bytes that the core reads at once, between two reports of progress
LEAST_PART = 1 << 22  # bytes below which a thread of its own is not worth its while
LEAST_ROWS = 1 << 16  # the same for columns, in rows
SEARCH = 1 << 22  # bytes in which a part must find the beginning of a topic

Tick = Callable[[int], None]  # told of bytes that are done
Starts = Callable[[Source, int], int | None]  # where, behind a place of the file, a part may begin


class LocalEngine:
    """Puts documents in order and looks them up in the judgments, on this machine.

    Of hits below the grade `least` nothing is told: that spares work where no measure looks at them.
    Which documents tie, and their scores, are told only if asked for (`detail`).
    """

    def __init__(
        self, qrels: Qrels, order: DocumentOrder, least: float = -math.inf, *, detail: bool = False
    ) -> None:
        self.qrels = qrels
        self.order = order
        self._detail = detail
        self._judgments = qrels.judgments(least)

    def retrieve(
        self,
        run: Source | Run | Columns | Batches | Mapping[str, Any],
        threads: int = 1,
        tick: Tick = lambda _: None,
    ) -> RetrievedJudgments:
        """The hits of a run: files, a Run, the columns of a frame, or {topic: {document: score}}."""
        if isinstance(run, Source):
            return self._of_file(run, threads, tick)
        if isinstance(run, Batches):
            return self._of_batches(run, threads, tick)
        if isinstance(run, Run):
            hits = self._of_columns(run.topics, run.topic, run.docs, run.scores, run.ranks, threads)
            return hits._replace(dropped=hits.dropped + run.dropped)
        if isinstance(run, Columns):
            topic, topics = run.checked().topic.encode()
            ranks = run.rank if run.ranks_known() else None
            try:
                return self._of_columns(topics, topic, run.doc, run.value, ranks, threads)
            except InputError:
                Run.from_columns(run, duplicates=self.order.duplicates)  # says in which row
                raise
        return self._of_mapping(run) or self.retrieve(Run.from_dict(run), threads)

    def _join(self, collect: bool = False) -> Any:
        return core.Join(
            self._judgments, *self.order.core_rules(), self.order.duplicates, collect, self._detail
        )

    def _together(self, results: list[Any]) -> RetrievedJudgments | None:
        """The hits of all parts; None if one met with trouble, or a topic is spread over several."""
        if any(isinstance(result, tuple) for result in results):
            return None
        return gather_retrieved(results, len(self.qrels.sorted_topics))

    def _of_mapping(self, results: Mapping[str, Any]) -> RetrievedJudgments | None:
        """The hits of a dict as it stands; None if it is not of plain strings and numbers."""
        join = self._join()
        plain = not self.order.needs_ranks and join.mapping(results)
        return self._together([join.finish()]) if plain else None

    def _of_columns(
        self, topics: Ids, topic: Ints, docs: Ids, scores: Floats, ranks: Ints | None, threads: int
    ) -> RetrievedJudgments:
        rows = topics, topic, docs, scores, ranks, threads
        hits = self._together(self._results(*rows))
        return hits if hits is not None else self._collected(self._results(*rows, collect=True))

    def _collected(self, results: list[Any]) -> RetrievedJudgments:
        """The hits of whole topics; trouble is an error."""
        hits = self._together(results)
        if hits is None:
            code, _, found = next(result for result in results if isinstance(result, tuple))
            raise InputError(problems.sentence(code, found, "run"))
        return hits

    def _results(
        self,
        topics: Ids,
        topic: Ints,
        docs: Ids,
        scores: Floats,
        ranks: Ints | None,
        threads: int,
        collect: bool = False,
    ) -> list[Any]:
        """What the core has to say of these rows."""
        if not self.order.needs_ranks:
            ranks = None
        elif ranks is None:
            raise self.order.rankless()

        def read(rows: slice) -> Any:
            join, some = self._join(collect), docs.part(rows)
            join.columns(
                topics.data,
                topics.offsets,
                topic[rows],
                some.data,
                some.offsets,
                scores[rows],
                None if ranks is None else ranks[rows],
            )
            return join

        joins = in_threads(read, list(_row_parts(topic, threads)), threads)
        return _whole_topics(joins, threads) if collect else [join.finish() for join in joins]

    def _of_batches(self, batches: Batches, threads: int, tick: Tick) -> RetrievedJudgments:
        """The hits of a run that is not held in memory: some topics at a time."""
        from rankgauge.engines.local.topic_batches import (  # with what other runs do without
            consecutive,
            whole_topics,
        )

        def results(tables: Iterator[Any], collect: bool) -> Iterator[Any]:
            first = 0
            for table in tables:
                try:
                    rows = batches.columns(table)
                except InputError as error:
                    more = f" (rows are counted from row {first:,} on)" if first and not collect else ""
                    raise InputError(f"{error}{more}", path=batches.sources[0].path) from None
                topic, topics = rows.topic.encode()
                ranks = rows.rank if rows.ranks_known() else None
                yield from self._results(topics, topic, rows.doc, rows.value, ranks, threads, collect)
                first += len(rows)

        found: list[Any] = []
        ranks = self.order.needs_ranks
        tables = ahead(consecutive(batches(tick, ranks=ranks), batches.topic), threads)
        for result in results(tables, collect=False):
            found.append(result)
            if isinstance(result, tuple):
                break
        hits = self._together(found) if found else None
        if hits is None and found:
            rows = batches(ranks=ranks)
            with closing(whole_topics(rows, batches.topic)) as whole:  # or files stay after an error
                hits = self._collected(list(results(whole, collect=True)))
        if hits is None:
            raise InputError(problems.empty("run"), path=batches.sources[0].path)
        return hits

    def _of_file(self, source: Source, threads: int, tick: Tick) -> RetrievedJudgments:
        if core.NAME == "pure":
            threads = 1  # they would only take turns
        joins = self._read(source, _next_topic, threads, tick)
        results = [join.finish() for join in joins]
        hits = self._together(results)
        if hits is None:
            joins = self._read(source, _next_line, threads, tick, collect=True)
            results = _whole_topics(joins, threads)
            hits = self._together(results)
        if hits is None or not sum(result["rows"] for result in results):
            Run.read(source, format="trec", duplicates=self.order.duplicates)  # says what is wrong, and where
            code, line, found = results[0]
            raise InputError(problems.sentence(code, found, "run"), path=source.path, line=line)
        return hits

    def _read(
        self, source: Source, starts: Starts, threads: int, tick: Tick, collect: bool = False
    ) -> list[Any]:
        """A join for each part of the file, which has read it."""
        if not source.uncompressed:
            join = self._join(collect)
            for chunk in source.chunks(CHUNK, tick):
                if join.feed(chunk):
                    break
            return [join]

        def read(part: tuple[int, int]) -> Any:
            join = self._join(collect)
            with source.opened() as file:
                for begin in range(*part, STEP):
                    end = min(begin + STEP, part[1])
                    if join.scan(file.fileno(), begin, end):
                        break
                    tick(end - begin)
            return join

        return in_threads(read, list(_parts(source, starts, threads)), threads)


def _whole_topics(joins: list[Any], threads: int) -> list[Any]:
    """The hits of joins that have collected parts of a run: each has some topics, with all their rows."""
    joins[0].regroup(joins[1:])
    return in_threads(lambda join: join.finish(), joins, threads)


def _parts(source: Source, starts: Starts, threads: int) -> Iterator[tuple[int, int]]:
    """(begin, end) of parts of about the same size, each beginning where one may begin."""
    begin = source.start
    wanted = max(1, min(threads, (source.size - begin) // LEAST_PART))
    for part in range(1, wanted):
        middle = source.start + (source.size - source.start) * part // wanted
        end = starts(source, middle) if middle > begin else None
        if end is not None:
            yield begin, end
            begin = end
    yield begin, source.size


def _next_line(source: Source, place: int) -> int | None:
    """Where, behind this place, the next line begins; None if it does not soon."""
    with source.opened() as file:
        file.seek(place)
        at = file.read(CHUNK).find(b"\n") + 1
    return place + at if at else None


def _next_topic(source: Source, place: int) -> int | None:
    """Where, behind this place, the first line of another topic begins; None if it does not soon."""
    with source.opened() as file:
        for size in (CHUNK, SEARCH):
            file.seek(place)
            text, topic = file.read(size), None
            at = text.find(b"\n") + 1
            while (end := text.find(b"\n", at)) >= 0:
                first = text[at:end].split(maxsplit=1)[:1]
                if first and not first[0].startswith(b"#"):
                    if topic is not None and first != topic:
                        return place + at
                    topic = first
                at = end + 1
    return None


def _row_parts(topic: Ints, threads: int) -> Iterator[slice]:
    """Rows in parts of about the same size, each beginning where a topic begins."""
    begin, wanted = 0, max(1, min(threads, len(topic) // LEAST_ROWS))
    for part in range(1, wanted):
        middle = len(topic) * part // wanted
        others = topic[middle : middle + LEAST_ROWS] != topic[middle]
        if middle > begin and others.any():
            end = middle + int(others.argmax())
            yield slice(begin, end)
            begin = end
    yield slice(begin, len(topic))
