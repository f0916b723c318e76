"""Fixed candidates: documents that stay the same while their scores change, as in re-ranking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.local.candidates import Candidates
from rankgauge.engines.requirements import TieVisibility
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.errors import InputError
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.model.scores import Scores
from rankgauge.schema.text import counted

Evaluate = Callable[[str, RetrievedJudgments], Scores]  # takes the name of a run and its retrieved judgments


class FixedCandidates:
    """Candidates that stay the same while their scores change, as in training a re-ranker.

    Made by `Evaluator.fixed` from a run or {topic: [documents]}. `evaluate` then takes the candidates' scores
    in that order: one flat array, one row per topic, or a list of one array per topic; of NumPy, torch, or
    any library of the array API. Scores on a GPU are ranked there, unless some are infinite.

    >>> from rankgauge import Evaluator
    >>> candidates = Evaluator({"q1": {"d1": 1}}, "RR").fixed({"q1": ["d1", "d2"]})
    >>> candidates.evaluate([0.2, 0.5]).mean(), candidates.evaluate([0.7, 0.5]).mean()
    ({'run': {'RR': 0.5}}, {'run': {'RR': 1.0}})
    """

    def __init__(
        self,
        candidates: Any,
        qrels: Qrels,
        order: DocumentOrder,
        lowest_grade: float,
        detail: bool,
        visible: TieVisibility,
        evaluate: Evaluate,
    ) -> None:
        run = Run.of(candidates, duplicates="first")
        # Whatever the rule for duplicates is: which of them would a score belong to?
        if run.dropped and run is not candidates:
            rows = counted(run.dropped, "row")
            raise InputError(
                f"a document is listed twice among the candidates of its topic ({rows} too many); "
                "list each document once"
            )
        self._candidates = Candidates(run, qrels, order, lowest_grade, detail=detail, visible=visible)
        if not self._candidates.retrieved.any():
            raise no_common_topic(run.name, qrels.sorted_topics, run.topics.texts())
        self._evaluate = evaluate
        self.name = run.name

    def evaluate(self, scores: Any, *, name: str | None = None) -> Scores:
        """The evaluation of the candidates, ordered by these scores."""
        return self._evaluate(name or self.name, self._candidates.retrieve(scores))
