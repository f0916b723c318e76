"""Retrieved judgments: the ranks at which a run has judged documents, for every judged topic."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from rankgauge.engines.requirements import UNSEEN, TieVisibility
from rankgauge.model.provenance import hardly_any
from rankgauge.schema.frozen import Frozen


class RunWarnings(Frozen):
    """Warnings about a run, found by `engines.local.reading`."""

    rising_scores: int = 0  # neighbours looked at whose scores rise with the ranks, if nearly all do
    judged: int | None = None  # results that are judged, counted if hardly any is a hit
    ids_differ: str = ""  # how documents differ from judged ones, if hardly any is judged and that is clear
    copy_of: str = ""  # an earlier run with the same documents in the same order
    unmapped: int = 0  # passages without a document, if passages were collapsed


class RetrievedJudgments(Frozen, eq=False):
    """The judged documents that one run retrieved, by judged topic; topics are sorted.

    Columns are arrays, or `Counts` where there is no NumPy. A hit is one judged document that was retrieved.
    """

    retrieved: Any  # (topics,) documents retrieved; 0 for a topic without results
    tied: Any  # (topics,) documents tied with a judged one
    decisive: Any  # (topics,) ties that could change a score
    starts: Any  # (topics + 1,) index of the first hit of each topic
    rank: Any  # (hits,) ascending within a topic
    judgment: Any  # (hits,) index of the judgment
    unjudged_topics: int  # topics of the run that have no judgments
    dropped: int = 0  # duplicates left out
    assumed: str = ""  # what reading took for granted: see `formats.problems.assumption`
    warnings: RunWarnings = RunWarnings()
    ties: Any = None  # the `Ties` of the hits, if requested; squares are (topics,)

    @staticmethod
    def of(columns: Mapping[str, Any], ints: Callable[[Any], Any], ties: Any = None) -> RetrievedJudgments:
        """From columns of the core; `ints` makes a column of a buffer of int64."""
        named = ("retrieved", "tied", "decisive", "starts", "rank", "judgment")
        numbers = {name: columns[name] for name in ("unjudged_topics", "dropped")}
        return RetrievedJudgments(**{name: ints(columns[name]) for name in named}, **numbers, ties=ties)

    @property
    def hardly_any(self) -> bool:
        """Whether hardly any result is a hit."""
        return hardly_any(len(self.rank), int(self.retrieved.sum()), int((self.retrieved > 0).sum()))

    @property
    def outline(self) -> tuple[int, int, int]:
        """Numbers that are equal for the same judged documents at the same ranks."""
        return int(self.retrieved.sum()), len(self.rank), int(self.rank.sum())

    @property
    def contents(self) -> tuple[bytes, ...]:
        """The same bytes for the same judged documents at the same ranks, in topics of equal length."""
        import numpy as np

        columns = self.retrieved, self.starts, self.rank, self.judgment
        return tuple(np.asarray(each, dtype=np.int64).tobytes() for each in columns)

    def hits_within(self, cutoff: int) -> int:
        """The number of hits at ranks up to a cutoff."""
        ranks, parts = self.rank[:], pairwise(self.starts.tolist())  # of `Counts`, what is in them
        return sum(bisect_right(ranks, cutoff, begin, end) - begin for begin, end in parts)

    def within(self, first: int, last: int) -> slice:
        """The hits of a block of topics."""
        return slice(int(self.starts[first]), int(self.starts[last]))

    def narrowed(self) -> RetrievedJudgments:
        """The same in half the memory; `assemble` widens it."""
        from dataclasses import replace

        import numpy as np

        def narrow(values: Any) -> Any:
            return values.astype(np.int32) if values.max(initial=0) <= np.iinfo(np.int32).max else values

        ties = self.ties and replace(self.ties, first=narrow(self.ties.first), last=narrow(self.ties.last))
        return self._replace(rank=narrow(self.rank), judgment=narrow(self.judgment), ties=ties)

    def counting_ties(self, kinds: Any, visible: TieVisibility) -> RetrievedJudgments:
        """With ties counted anew, where known; `kinds` are those of all judgments."""
        if self.ties is None:
            return self
        import numpy as np

        from rankgauge.measures.rankings.arrays import TieGroups
        from rankgauge.measures.rankings.arrays.curves import Ranking

        some, topics = self.only(self.ties.first < self.ties.last), len(self.retrieved)
        ties = TieGroups(Ranking(some.starts, some.rank), some.ties)
        level = np.searchsorted(visible.levels, kinds[some.judgment])
        decisive = np.zeros(len(ties.begin), dtype=np.bool_)
        for group in visible.groups:
            kind = np.array(group.kinds)[level]
            lowest, highest = (of.reduceat(kind, ties.begin) for of in (np.minimum, np.maximum))
            lowest[ties.hits < ties.size] = UNSEEN  # documents that are no hits
            seen = ties.first <= group.reach
            for cutoff in group.cutoffs:
                seen |= (ties.first <= cutoff) & (cutoff < ties.last)
            if group.first:
                first = self._first_seen(kinds, visible.levels, np.array(group.kinds))
                seen &= ties.first <= first[ties.topic]
            decisive |= seen & (lowest < highest)
        return self._replace(
            tied=np.bincount(ties.topic, ties.size, topics).astype(np.int64),
            decisive=np.bincount(ties.topic[decisive], minlength=topics),
        )

    def _first_seen(self, kinds: Any, levels: Any, kinds_of_levels: Any) -> Any:
        """(topics,): the rank of the first hit of a kind that is seen, or 0."""
        import numpy as np

        seen = np.flatnonzero(kinds_of_levels[np.searchsorted(levels, kinds[self.judgment])] != UNSEEN)[::-1]
        first = np.zeros(len(self.retrieved), dtype=np.int64)
        topic = np.repeat(np.arange(len(first)), np.diff(self.starts))
        first[topic[seen]] = self.rank[seen]  # the highest comes last, and stays
        return first

    def only(self, kept: Any, number: Any = None) -> RetrievedJudgments:
        """Some of the hits (a mask), as if the other documents were unjudged; ranks and ties are unchanged.

        `number` renumbers the judgments if some of them are left out as well.
        """
        if kept.all() and number is None:
            return self
        import numpy as np

        judgment = self.judgment[kept]
        return self._replace(
            starts=np.concatenate(([0], np.cumsum(kept)))[self.starts],
            rank=self.rank[kept],
            judgment=judgment if number is None else number[judgment],
            ties=self.ties and self.ties.only(kept),
        )
