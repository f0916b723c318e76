"""Spans of a run in Parquet or Arrow files, each read, ordered and joined by a thread of its own.

The first topic of a span may have begun in the span before. Its rows wait, and go to the join of that span as
soon as it has read all of its own; so every topic is whole where the rows of a topic are consecutive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

from rankgauge.core.ids import Ids
from rankgauge.engines.threads import ahead, in_order
from rankgauge.errors import InputError
from rankgauge.formats.arrow_batches import Batches, Span
from rankgauge.formats.columns import Columns
from rankgauge.measures.rankings.arrays.curves import Floats, Ints
from rankgauge.model.document_order import DocumentOrder


class Rows(NamedTuple):
    """Rows of a run as the core takes them."""

    topics: Ids
    topic: Ints  # the number of a row's topic among them; of 32 or 64 bits
    docs: Ids
    scores: Floats
    ranks: Ints | None

    @classmethod
    def of(cls, columns: Columns, order: DocumentOrder) -> Rows:
        """The rows of columns, with ranks if the order needs them."""
        topic, topics = columns.topic.entries()
        if order.needs_ranks and not columns.ranks_known():
            raise order.no_ranks()
        return cls(topics, topic, columns.doc, columns.value, columns.rank if order.needs_ranks else None)

    def part(self, rows: slice) -> Rows:
        """A slice of the rows."""
        ranks = None if self.ranks is None else self.ranks[rows]
        return Rows(self.topics, self.topic[rows], self.docs.part(rows), self.scores[rows], ranks)

    def join(self, join: Any) -> Any:
        """Give the rows to a join, which returns a problem or None."""
        columns = (self.topic, *self.docs.buffers(), self.scores, self.ranks)
        return join.columns(*self.topics.buffers(), *columns)


def span_results(
    batches: Batches,
    order: DocumentOrder,
    new_join: Callable[[], Any],
    threads: int,
    tick: Callable[[int], None],
) -> list[Any] | None:
    """The core's results for the spans of a run: hits, or at last a problem. None if something is wrong.

    What that is, and in which row, is for a reader to say that goes through the rows one after the other.
    """
    try:
        spans = [*batches.spans()]
        within = max(1, threads // max(1, len(spans)))

        def read(span: Span) -> tuple[list[Rows], Any]:
            rows = batches.read_span(span, ranks=order.needs_ranks, threads=within)
            with closing(ahead((Rows.of(some, order) for some in rows), within)) as pieces:
                return _joined(pieces, new_join)

        results, last = [], new_join()
        with closing(in_order(read, spans, threads)) as parts:
            for span, (first_topic, join) in zip(spans, parts, strict=True):
                for rows in first_topic:
                    rows.join(last)
                if join is not None:
                    results.append(last.finish())
                    last = join
                tick(span.size)
                if results and isinstance(results[-1], tuple):
                    return results
        return [*results, last.finish()]
    except (InputError, ValueError):  # ValueError: the core does not take the columns
        return None


def _joined(pieces: Iterator[Rows], new_join: Callable[[], Any]) -> tuple[list[Rows], Any]:
    """(rows of the first topic, a join of the others; None if there are none)."""
    waiting: list[Rows] = []
    topic: bytes | None = None
    join = None
    for rows in pieces:
        begin = 0
        if join is None:
            number = rows.topic[0]
            topic = rows.topics[int(number)] if topic is None else topic
            others = rows.topic != number
            if rows.topics[int(number)] == topic:
                begin = int(others.argmax()) if others.any() else len(others)
                waiting.append(rows.part(slice(0, begin)))
            if begin == len(others):
                continue
            join = new_join()
        if rows.part(slice(begin, len(rows.topic))).join(join):
            break
    return waiting, join
