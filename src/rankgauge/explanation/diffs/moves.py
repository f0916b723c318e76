"""How documents moved between two rankings: of one topic document by document, of all topics in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from rankgauge.core.ids import Ids
from rankgauge.engines.local.document_ranks import RankedRun
from rankgauge.formats.columns import joined_ids
from rankgauge.measures.rankings.arrays.curves import Ints
from rankgauge.model.qrels import Qrels


@dataclass(frozen=True)
class DocumentMove:
    """A document of either ranking: where it was, where it is, and its shares in the differences."""

    document: str
    grade: float | None  # None if it is not judged
    old: int | None  # its rank; None if it is not retrieved
    new: int | None
    title: str = ""  # or how its text begins; empty if there are no texts
    shares: Mapping[str, float | None] = field(default_factory=dict)  # {measure: share}; None if unknown

    @property
    def move(self) -> str:
        """`new` or `lost`, `=`, or the ranks it rose or fell by, such as ↑3 and ↓12."""
        if self.old is None:
            return "new"
        if self.new is None:
            return "lost"
        ranks = self.old - self.new
        return f"↑{ranks}" if ranks > 0 else f"↓{-ranks}" if ranks else "="


@dataclass(frozen=True)
class Moved:
    """How many documents within a depth changed their rank, came in and went out, judged ones and all."""

    moved: int
    came: int
    went: int
    judged_moved: int
    judged_came: int
    judged_went: int


def count_moves(qrels: Qrels, runs: Sequence[RankedRun], depth: int | None) -> Iterator[Moved]:
    """For each judged topic, the moves of documents within a depth, or all of them."""
    tops = [run.first(depth) for run in runs]
    docs = joined_ids([qrels.sorted_docs, *(top[1] for top in tops)])
    codes, known = docs.encode()
    sizes = np.cumsum([0, len(qrels.sorted_docs), *(len(top[1]) for top in tops)])
    of_qrels, of_old, of_new = (codes[a:b] for a, b in pairwise(sizes))
    topics = len(qrels.sorted_topics)
    judged = np.repeat(np.arange(topics), np.diff(qrels.starts)) * len(known) + of_qrels
    (old_keys, old_rank), (new_keys, new_rank) = (
        _keys(qrels, top[0], of_run, top[2], len(known))
        for top, of_run in zip(tops, (of_old, of_new), strict=True)
    )
    _, in_old, in_new = np.intersect1d(old_keys, new_keys, assume_unique=True, return_indices=True)
    differ = old_rank[in_old] != new_rank[in_new]
    changes = (
        old_keys[in_old][differ],
        np.delete(new_keys, in_new),
        np.delete(old_keys, in_old),
    )
    counts = [np.bincount(keys // max(1, len(known)), minlength=topics).tolist() for keys in changes]
    counts += [
        np.bincount(keys[np.isin(keys, judged)] // max(1, len(known)), minlength=topics).tolist()
        for keys in changes
    ]
    return (Moved(*row) for row in zip(*counts, strict=True))


def _keys(qrels: Qrels, topic: Ids, doc: Ints, rank: Ints, docs: int) -> tuple[Ints, Ints]:
    """(a number for each topic and document, rank) of the rows of judged topics."""
    places = {name: place for place, name in enumerate(qrels.sorted_topics)}
    code, names = topic.encode()
    place = np.array([places.get(name, -1) for name in names.texts()], dtype=np.int64)[code]
    kept = place >= 0
    return (place * docs + doc)[kept], rank[kept]
