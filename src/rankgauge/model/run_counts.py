"""What validation counts in a run, as a whole or in parts of whole topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from rankgauge import core
from rankgauge.core import codes
from rankgauge.core.ids import Ids
from rankgauge.formats.columns import Columns, Ints
from rankgauge.formats.text_files import MORE_RISES
from rankgauge.model.notes import rising_scores
from rankgauge.model.qrels import Qrels
from rankgauge.model.rules import ORDER, DocumentOrder
from rankgauge.model.run import topic_listings
from rankgauge.model.validation_report import some, tags_of
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.options import setting
from rankgauge.schema.text import counted


class RunCounts(Frozen):
    """Counts of a run."""

    sizes: list[int]  # results of each topic
    scores: tuple[float, float]  # the lowest and the highest
    first_rank: int | None
    unranked: int  # results without a rank
    same_rank: int  # results with the rank of another
    tied: int  # results, and
    tied_topics: int  # topics with tied scores
    changing: int  # topics whose scores change from rank to rank, of which
    rising: int  # have some that rise, and
    opposed: int  # nearly all
    broken: int  # topics that come again after another one
    tags: tuple[str, ...]

    @classmethod
    def of(cls, rows: Columns, topic: Ints) -> RunCounts:
        """Of some rows, at least one."""
        sizes = np.bincount(topic)
        tied, ranks = _tied(rows, topic), _Ranks(rows, topic)
        return cls(
            sizes=sizes.tolist(),
            scores=(float(rows.value.min()), float(rows.value.max())),
            first_rank=ranks.first,
            unranked=ranks.unknown,
            same_rank=ranks.same,
            tied=int(tied.sum()),
            tied_topics=len(np.unique(topic[tied])),
            changing=ranks.changing,
            rising=ranks.rising,
            opposed=ranks.opposed,
            broken=int((np.diff(topic) != 0).sum()) + 1 - len(sizes),
            tags=tags_of(rows),
        )

    @classmethod
    def together(cls, parts: Sequence[RunCounts]) -> RunCounts:
        """Of all parts."""
        first = [part.first_rank for part in parts if part.first_rank is not None]
        sums = ("unranked", "same_rank", "tied", "tied_topics", "changing", "rising", "opposed", "broken")
        return cls(
            sizes=[size for part in parts for size in part.sizes],
            scores=(min(part.scores[0] for part in parts), max(part.scores[1] for part in parts)),
            first_rank=min(first, default=None),
            tags=tuple(dict.fromkeys(tag for part in parts for tag in part.tags)),
            **{name: sum(getattr(part, name) for part in parts) for name in sums},
        )

    def facts(self) -> dict[str, Any]:
        """A summary in numbers."""
        least, highest = self.scores
        return {
            "rows": sum(self.sizes),
            **per_topic(self.sizes),
            "scores": {"min": least, "max": highest},
            "first_rank": self.first_rank,
            "ties": self.tied,
        }

    def remarks(self) -> Iterator[str]:
        """Remarks on the run."""
        if self.tied:
            results, topics = counted(self.tied, "result"), counted(self.tied_topics, "topic")
            yield f"{results} with tied scores, in {topics}; {setting('ties')} decides their order"
        if self.first_rank is not None:
            yield from self._remarks_on_ranks()
        if len(self.tags) > 1:
            yield f"{len(self.tags):,} different tags: {some(self.tags)}"
        if self.broken:
            yield "the lines are not grouped by topic, which makes reading slower"

    def _remarks_on_ranks(self) -> Iterator[str]:
        if self.unranked:
            yield (
                f"{counted(self.unranked, 'result')} whose rank is not a whole number below 2^53, "
                f"an error with {ORDER.set_to('rank')}"
            )
            return
        if 2 * self.opposed > self.changing:
            yield rising_scores(counted(self.opposed, "topic"))
        elif self.rising:
            yield (
                f"ranks contradict scores in {counted(self.rising, 'topic')}; scores decide, "
                f"unless {ORDER.set_to('rank')}"
            )
        if self.same_rank:
            yield f"{counted(self.same_rank, 'result')} with the same rank as another of the topic"


def per_topic(sizes: Sequence[int]) -> dict[str, Any]:
    """The number of topics, and how many rows they have."""
    spread = {"min": min(sizes), "median": float(np.median(sizes)), "max": max(sizes)}
    return {"topics": len(sizes), "per_topic": spread}


class _Ranks:
    """The ranks of rows, and how scores change along them."""

    def __init__(self, rows: Columns, topic: Ints) -> None:
        rank = np.full(len(rows), codes.NO_RANK) if rows.rank is None else rows.rank
        known = rank[rank != codes.NO_RANK]
        self.first = int(known.min()) if len(known) else None
        self.unknown = len(rank) - len(known)
        order = np.lexsort((rank, topic))
        same, score, ordered = np.diff(topic[order]) == 0, rows.value[order], topic[order][1:]
        rising, falling = same & (score[1:] > score[:-1]), same & (score[1:] < score[:-1])
        rises, falls = (np.bincount(ordered[each], minlength=topic.max() + 1) for each in (rising, falling))
        self.rising, self.changing = int((rises > 0).sum()), int((rises + falls > 0).sum())
        self.opposed = int(((rises > 0) & (rises >= MORE_RISES * falls)).sum())
        self.same = int((same & (np.diff(rank[order]) == 0)).sum())


def _tied(rows: Columns, topic: Ints) -> Any:
    """(rows,): whether another row of the topic has the same score."""
    order = np.lexsort((rows.value, topic))
    same = np.diff(topic[order]) == 0
    same &= rows.value[order][1:] == rows.value[order][:-1]
    tied = np.zeros(len(order), dtype=np.bool_)
    tied[order[1:]] |= same
    tied[order[:-1]] |= same
    return tied


def listings(rows: Columns, topic: Ints, topics: Ids) -> dict[bytes, bytes]:
    """{topic: a digest of its documents by rank}."""
    rules = DocumentOrder().core_rules()
    rank = core.ranks(topic, rows.doc.data, rows.doc.offsets, rows.value, None, *rules)
    return topic_listings(topics, topic, rows.doc, np.frombuffer(rank, dtype=np.int64))


class Looked:
    """The results of judged topics, looked up in judgments."""

    def __init__(self, rows: Columns, topic: Ints, topics: Ids, qrels: Qrels) -> None:
        numbers = {judged: number for number, judged in enumerate(qrels.sorted_topics)}
        self.number = np.array([numbers.get(name, -1) for name in topics.texts()], dtype=np.int64)[topic]
        table = qrels.judgments()
        self.judgment = np.frombuffer(
            table.lookup(self.number, rows.doc.data, rows.doc.offsets), dtype=np.int64
        )
        self.results = np.flatnonzero(self.number >= 0)
        # (documents that are judged, results, topics)
        found = self.number[self.results]
        self.counts = np.array([(self.judgment >= 0).sum(), len(found), len(np.unique(found))])
