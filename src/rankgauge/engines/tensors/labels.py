"""Judgments that come as numbers beside the scores: a grade for each candidate, and no ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from rankgauge.core.ids import Ids
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.tensors.engine import ScoreEngine
from rankgauge.errors import InputError
from rankgauge.formats.problems import LARGEST_GRADE
from rankgauge.measures.rankings.array_types import Floats, Ints
from rankgauge.model.qrels import Qrels


@dataclass(frozen=True, eq=False, repr=False)
class LabelQrels(Qrels):
    """Judgments of documents without ids: topics are sorted, and judgments are those that measures need."""

    all_levels: Any = None  # the distinct grades of all judgments
    all_judged: int = 0  # the number of all judgments

    @classmethod
    def of_hits(
        cls, topics: tuple[str, ...], starts: Ints, grades: Floats, levels: Floats, judged: int
    ) -> LabelQrels:
        """The judgments of hits, topic by topic."""
        topic = np.repeat(np.arange(len(topics)), np.diff(starts))
        unnamed = Ids(b"", np.zeros(len(grades) + 1, dtype=np.int64))
        qrels = cls(
            _column(topics), topic, unnamed, grades, name="labels", all_levels=levels, all_judged=judged
        )
        vars(qrels)["sorted_topics"] = topics  # they are at hand
        vars(qrels)["_in_order"] = (qrels.topics, starts, unnamed, grades)
        return qrels

    @property
    def levels(self) -> npt.NDArray[np.float64]:
        """The distinct grades, ascending."""
        levels: Floats = self.all_levels
        return levels

    @property
    def judged_documents(self) -> int:
        """How many documents are judged."""
        return self.all_judged


@lru_cache(maxsize=8)
def _column(topics: tuple[str, ...]) -> Ids:
    """The ids of topics, which are often the same as before: those of numbers, or of a training."""
    return Ids.of(topics)


class Labels:
    """The grades of score lists."""

    def __init__(self, labels: Any, engine: ScoreEngine) -> None:
        lists = engine.lists
        self._engine, self._grades = engine, lists.arrays.numbers(lists.alike(labels, "labels"))
        if not lists.lengths.any():
            raise InputError("there are no scores; give at least one candidate of one query")

    @cached_property
    def levels(self) -> Floats:
        """The distinct grades, ascending."""
        lists = self._engine.lists
        candidates = None if lists.is_flat else lists.candidates(slice(0, lists.rows), lists.width)
        levels: Floats = lists.arrays.distinct(self._grades, candidates)
        if not (np.abs(levels) <= LARGEST_GRADE).all():
            wrong = levels[~(np.abs(levels) <= LARGEST_GRADE)][0]
            raise InputError(
                f"the labels have {wrong}; grades must be numbers from {-LARGEST_GRADE:g} "
                f"to {LARGEST_GRADE:g}"
            )
        return levels

    def join(
        self, lowest_grade: float, *, scores: bool, squares: bool
    ) -> tuple[LabelQrels, RetrievedJudgments]:
        """(the judgments, the retrieved judgments), both without those below `lowest_grade`."""
        used = self.levels[self.levels >= lowest_grade]
        # A number that the labels have is compared exactly, whatever their type is.
        least = float(used[0]) if len(used) else None
        if least is not None and least.is_integer():
            least = int(least)
        topics, grades, retrieved = self._engine.rank_grades(
            self._grades, least, scores=scores, squares=squares
        )
        judged = int(self._engine.lists.lengths.sum())
        return LabelQrels.of_hits(topics, retrieved.starts, grades, self.levels, judged), retrieved
