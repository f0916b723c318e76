"""Retrieved judgments: the ranks at which a run has judged documents, for every judged topic."""

from __future__ import annotations

from typing import Any

from rankgauge.schema.frozen import Frozen


class RetrievedJudgments(Frozen, eq=False):
    """The judged documents that one run retrieved, by judged topic; topics are sorted.

    Columns are arrays, or vectors of the scalar back end. A hit is one judged document that was retrieved.
    """

    retrieved: Any  # (topics,) documents retrieved; 0 for a topic without results
    tied: Any  # (topics,) documents tied with a judged one
    decisive: Any  # (topics,) ties that could change a score
    starts: Any  # (topics + 1,) index of the first hit of each topic
    rank: Any  # (hits,) ascending within a topic
    judgment: Any  # (hits,) index of the judgment
    unjudged_topics: int  # topics of the run that have no judgments
    dropped: int = 0  # duplicates left out
    assumed: str = ""  # what reading took for granted: see `formats.assumptions`
    ties: Any = None  # the `Ties` of the hits, if requested; squares are (topics,)

    def within(self, first: int, last: int) -> slice:
        """The hits of a block of topics."""
        return slice(int(self.starts[first]), int(self.starts[last]))

    def counting_ties(self, grades: Any, reach: int) -> RetrievedJudgments:
        """With ties counted anew, where they are known: as decisive, those that begin at `reach` or above.

        `grades` are those of all judgments; documents without one of the hits are a kind of their own.
        """
        if self.ties is None:
            return self
        import numpy as np

        from rankgauge.rankings.arrays import TieGroups
        from rankgauge.rankings.arrays.curves import Ranking

        ties = TieGroups(Ranking(self.starts, self.rank), self.ties)
        grade = grades[self.judgment]
        differ = np.minimum.reduceat(grade, ties.begin) < np.maximum.reduceat(grade, ties.begin)
        decisive = (differ | (ties.hits < ties.size)) & (ties.first <= reach)
        tied, topics = ties.size > 1, len(self.retrieved)
        return self._replace(
            tied=np.bincount(ties.topic[tied], ties.size[tied], topics).astype(np.int64),
            decisive=np.bincount(ties.topic[decisive], minlength=topics),
        )

    def only(self, kept: Any, number: Any = None) -> RetrievedJudgments:
        """Some of the hits (a mask), as if the other documents were unjudged; ranks are unchanged.

        `number` renumbers the judgments if some of them are left out as well. Ties between judged documents
        are unchanged.
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
