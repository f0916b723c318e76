"""A run: one system's results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids, to_text
from rankgauge.formats.columns import Columns, Ints
from rankgauge.model.rows import Rows, constant, distinct
from rankgauge.schema.text import counted


@dataclass(frozen=True, eq=False, repr=False)
class Run(Rows):
    """One system's results: documents with scores, topic by topic.

    Made by `Run.read` from files, by `Run.from_dict` and `Run.from_frame`, or by `Run.of` from any of
    these. Rows stay in the order of the input; documents are ordered during evaluation.
    """

    name: str
    topics: Ids  # distinct, in order of appearance
    topic: npt.NDArray[np.int64]  # (n,) index of the topic in `topics`
    docs: Ids  # (n,)
    scores: npt.NDArray[np.float64]  # (n,)
    ranks: npt.NDArray[np.int64] | None = None  # (n,) the rank column; None unless every row has a rank
    tag: str | None = None  # of the first row
    dropped: int = 0  # number of duplicates left out
    assumed: str = ""  # what reading took for granted: see `formats.problems.assumption`
    shape: tuple[int, int | None] | None = None  # of the array that the results come from
    unmapped: int = 0  # passages without a document, if passages were collapsed

    kind = "run"

    @classmethod
    def from_columns(cls, columns: Columns, name: str | None = None, duplicates: str = "error") -> Run:
        """The run in these columns, validated."""
        columns, topic, topics, dropped = distinct(columns, duplicates)
        tag = to_text(columns.label[0]) if columns.label is not None else None
        ranks = columns.rank if columns.ranks_known() else None
        return cls(
            name or tag or "run",
            topics,
            topic,
            columns.doc,
            columns.value,
            ranks,
            tag,
            dropped,
            columns.assumed,
            columns.shape,
        )

    def columns(self) -> Columns:
        """All rows as columns, for writing."""
        # A name may contain whitespace, which a TREC file cannot hold; a tag from a file has none.
        tag = self.tag or "_".join(self.name.split()) or "run"
        topic, label = self.topics.take(self.topic), constant(tag, len(self))
        return Columns("run", topic, self.docs, self.scores, self.ranks, label)

    def __repr__(self) -> str:
        return f"Run {self.name!r}: {counted(len(self.topics), 'topic')}, {counted(len(self), 'result')}"


def listing(topics: Ids, topic: Ints, docs: Ids, rank: Ints) -> str:
    """A digest of topics and their documents by rank; `topic` is the number of each document's topic."""
    import hashlib  # which loads OpenSSL

    names = [*topics]
    by_name = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names), dtype=np.int64)
    place[by_name] = np.arange(len(names))
    ordered = docs.take(np.lexsort((rank, place[topic])))
    digest = hashlib.blake2b(digest_size=16)
    known = topics.take(np.array(by_name, dtype=np.int64))
    for part in (known.data, known.offsets, np.bincount(place[topic]), ordered.data, ordered.offsets):
        digest.update(bytes(part))
        digest.update(b"\0")
    return digest.hexdigest()
