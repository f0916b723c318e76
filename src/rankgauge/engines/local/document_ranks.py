"""The rank of every document of a run, judged or not, in the order that evaluation uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids, to_bytes
from rankgauge.errors import InputError
from rankgauge.formats import mapping, problems, trec
from rankgauge.formats.arrow_batches import Batches
from rankgauge.formats.columns import Columns, concatenated
from rankgauge.formats.row_reader import identifier
from rankgauge.formats.source import Source
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.run import Run


def load_run(run: Any, order: DocumentOrder) -> Run:
    """What `RunInput.open` returned as a `Run`, with all its documents in memory."""
    if isinstance(run, Batches):
        run = run.read()
    if isinstance(run, Columns):
        return Run.from_columns(run, duplicates=order.duplicates)
    return Run.of(run, duplicates=order.duplicates)


def documents_of_topic(run: Any, topic: str, order: DocumentOrder) -> list[str]:
    """The documents of one topic of what `RunInput.open` returned, judged or not, in rank order."""
    parts = [part for part in rows_of_topic(run, to_bytes(topic)) if len(part)]
    if not parts:
        return []
    chosen = Run.from_columns(concatenated(parts), duplicates=order.duplicates)
    return chosen.docs.take(np.argsort(ranks(chosen, order))).texts()


def rows_of_topic(run: Any, topic: bytes) -> Iterator[Columns]:
    """The rows of one topic, in parts; no others are held in memory, unless the run itself is."""
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
    """(rows,): the rank of each row of a run within its topic."""
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
    """A run with the rank of every document, to look at its topics one after another."""

    def __init__(self, run: Run, order: DocumentOrder) -> None:
        self._run, self._rank = run, ranks(run, order)

    def first(self, depth: int | None) -> tuple[Ids, Ids, Ints]:
        """(topics, documents, ranks) of the rows down to a depth; of all rows if it is None."""
        run, rank = self._run, self._rank
        rows = np.arange(len(run)) if depth is None else np.flatnonzero(rank <= depth)
        return run.topics.take(run.topic[rows]), run.docs.take(rows), rank[rows]

    def documents(self, topic: str) -> list[str]:
        """The documents of one topic, judged or not, in rank order; none if it has no results."""
        place = self._places.get(to_bytes(topic))
        if place is None:
            return []
        begin, end = np.searchsorted(self._sorted_topics, (place, place + 1))
        return self._run.docs.take(self._rows[begin:end]).texts()

    @cached_property
    def _places(self) -> dict[bytes, int]:
        return {topic: place for place, topic in enumerate(self._run.topics)}

    @cached_property
    def _rows(self) -> Ints:
        """The rows by topic, and within a topic by rank."""
        return np.lexsort((self._rank, self._run.topic))

    @cached_property
    def _sorted_topics(self) -> Ints:
        return self._run.topic[self._rows]


def first_documents(run: Run, order: DocumentOrder, depth: int | None) -> tuple[Ids, Ids, Ints]:
    """(topics, documents, ranks) of the rows of a run down to a depth; of all rows if it is None."""
    return RankedRun(run, order).first(depth)
