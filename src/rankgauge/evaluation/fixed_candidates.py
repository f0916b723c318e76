"""Fixed candidates: documents that stay the same while their scores change, as in re-ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from rankgauge.engines.facts import no_common_topic
from rankgauge.engines.local.candidates import Candidates
from rankgauge.engines.retrieved import RetrievedJudgments
from rankgauge.engines.run_inputs import is_results
from rankgauge.engines.sights import Sights
from rankgauge.errors import InputError
from rankgauge.model.document_order import DocumentOrder
from rankgauge.model.qrels import Qrels
from rankgauge.model.run import Run
from rankgauge.model.scores import Scores
from rankgauge.schema.text import counted, repeated

Evaluate = Callable[[str, RetrievedJudgments], Scores]  # takes the name of a run and its retrieved judgments


class FixedCandidates:
    """Candidates that stay the same while their scores change, as in training a re-ranker.

    Made by `Evaluator.fixed` from a run or {topic: [documents]}. `evaluate` then takes the candidates' scores
    in that order: one flat array, one row per topic, or a list of one array per topic; NumPy or anything with
    the array protocol.

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
        sights: Sights,
        evaluate: Evaluate,
    ) -> None:
        if isinstance(candidates, Mapping) and not is_results(candidates):
            candidates = {topic: dict.fromkeys(docs, 0.0) for topic, docs in _checked(candidates)}
        run = Run.of(candidates, duplicates="first")
        if (
            run.dropped and run is not candidates
        ):  # whatever the rule for duplicates: which of them would a score belong to?
            rows = counted(run.dropped, "row")
            raise InputError(
                f"{rows} of the candidates repeat a document of their topic; list each document once"
            )
        self._candidates = Candidates(run, qrels, order, lowest_grade, detail=detail, sights=sights)
        if not self._candidates.retrieved.any():
            raise no_common_topic(run.name, qrels.sorted_topics)
        self._evaluate = evaluate
        self.name = run.name

    def evaluate(self, scores: Any, *, name: str | None = None) -> Scores:
        """The evaluation of the candidates, ordered by these scores."""
        return self._evaluate(name or self.name, self._candidates.retrieve(scores))


def _checked(candidates: Mapping[Any, Any]) -> Iterator[tuple[Any, list[Any]]]:
    """(topic, candidates); a candidate listed twice is an error."""
    for topic, docs in candidates.items():
        listed = list(docs)
        if len(set(listed)) < len(listed):
            twice = repeated(listed)[0]
            raise InputError(f"candidate {twice!r} of topic {topic!r} is listed twice; list each once")
        yield topic, listed
