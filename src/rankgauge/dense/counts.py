"""Counts of documents that score better than judged ones, in all of a corpus or in a part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import RunInput
from rankgauge.errors import InputError
from rankgauge.model.scores import Scores
from rankgauge.rankings.arrays import Ties
from rankgauge.rankings.arrays.curves import Floats, Ints
from rankgauge.schema.frozen import Frozen
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.evaluation.evaluator import Evaluator

# Arrays that add up over the parts of a corpus.
SUMS = ("better", "equal", "before", "seen", "excluded")


class Counts(Frozen, eq=False):
    """What is counted of documents: how many score better than each judged one, or as it does.

    Counts of parts of a corpus add up, in any order; `scores` evaluates those of the whole. They can be
    pickled and saved.
    """

    evaluator: Evaluator
    name: str
    source: str  # what was counted, for the provenance of scores
    depth: int | None
    searched: Ints  # (topics,) 1 for topics with a query
    unjudged_topics: int  # queries without judgments
    judgment: Ints  # (pairs,) index of the judgment
    score: Floats  # (pairs,) the exact score of the judged document
    better: Ints  # (pairs,) documents that score better
    equal: Ints  # (pairs,) documents with its score, itself among them
    before: Ints  # (pairs,) those of them that come before it by the rule for ties
    seen: Ints  # (pairs,) how often the judged document itself was counted
    excluded: Ints  # (topics,) documents that were excluded
    documents: int

    def __add__(self, other: Counts) -> Counts:
        if not isinstance(other, Counts):
            return NotImplemented
        same = all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("searched", "judgment", "score")
        )
        if not same or (self.source, self.depth) != (other.source, other.depth):
            raise InputError(
                "these counts are not of parts of one corpus: their queries, judgments, similarities or "
                "depths differ; count every part with the same arguments, with the `judged` vectors of all"
            )
        sums = {name: getattr(self, name) + getattr(other, name) for name in SUMS}
        return self._replace(documents=self.documents + other.documents, **sums)

    __radd__ = lambda self, other: self if other == 0 else NotImplemented  # noqa: E731  for sum()

    def scores(self) -> Scores:
        """The scores of the measures, once all documents are counted."""
        for wrong, problem in (
            (self.seen == 0, "not among the documents that were counted: a part of the corpus is missing"),
            (self.seen > 1, "counted more than once: parts of the corpus have documents in common"),
        ):
            if wrong.any():
                few = counted(int(wrong.sum()), "judged document")
                raise InputError(f"{few}, each for a query, {problem}")
        return self.evaluator.evaluate_retrieved([RunInput(self.name, self.source)], [self.retrieved()])

    def retrieved(self) -> RetrievedJudgments:
        """The judged documents at their ranks."""
        topics, starts = len(self.searched), self.evaluator.qrels.starts
        retrieved = self.searched * self.documents - self.excluded
        rank, last = self.better + self.before + 1, self.better + self.equal
        topic = np.searchsorted(starts, self.judgment, side="right") - 1
        kept = np.ones(len(rank), dtype=np.bool_)
        if self.depth is not None:
            kept = rank <= self.depth
            retrieved, last = np.minimum(retrieved, self.depth), np.minimum(last, self.depth)
        order = np.lexsort((rank, topic))
        order = order[kept[order]]
        return RetrievedJudgments(
            retrieved=retrieved,
            tied=np.zeros(topics, dtype=np.int64),  # ties are counted by the evaluator
            decisive=np.zeros(topics, dtype=np.int64),
            starts=np.searchsorted(topic[order], np.arange(topics + 1)),
            rank=rank[order],
            judgment=self.judgment[order],
            unjudged_topics=self.unjudged_topics,
            ties=Ties(self.better[order] + 1, last[order], self.score[order], np.full(topics, np.nan)),
        )
