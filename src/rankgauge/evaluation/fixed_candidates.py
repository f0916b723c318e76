"""Candidates that stay while their scores change, evaluated again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankgauge.engines import facts
from rankgauge.engines.local.candidates import Candidates
from rankgauge.engines.run_inputs import RunInput, is_results
from rankgauge.errors import InputError
from rankgauge.model.run import Run
from rankgauge.model.scores import Scores
from rankgauge.schema.text import counted

if TYPE_CHECKING:
    from rankgauge.evaluation.evaluator import Evaluator


class FixedCandidates:
    """Candidates that stay while their scores change, as in training a re-ranker.

    Candidates are given once, as a run or as {topic: [documents]}; `evaluate` then takes their
    scores in that order: one flat array, one row a topic, or a list of one array a topic; NumPy or
    anything with the array protocol.

    >>> from rankgauge import Evaluator
    >>> plan = Evaluator({"q1": {"d1": 1}}, "RR").fixed({"q1": ["d1", "d2"]})
    >>> plan.evaluate([0.2, 0.5]).mean(), plan.evaluate([0.7, 0.5]).mean()
    ({'run': {'RR': 0.5}}, {'run': {'RR': 1.0}})
    """

    def __init__(self, evaluator: Evaluator, candidates: Any) -> None:
        if isinstance(candidates, Mapping) and not is_results(candidates):
            candidates = {topic: dict.fromkeys(docs, 0.0) for topic, docs in _without_repeats(candidates)}
        run = Run.of(candidates, duplicates="first")
        if run.dropped and run is not candidates:  # no rule for duplicates: a score would have no place
            again = counted(run.dropped, "row")
            raise InputError(f"{again} of the candidates repeat a document of their topic; give each once")
        self._evaluator = evaluator
        self._candidates = Candidates(
            run, evaluator.qrels, evaluator.order, evaluator._least, detail=evaluator._detail
        )
        if not self._candidates.retrieved.any():
            raise facts.no_common_topic(run.name, evaluator.qrels.sorted_topics)
        self.name = run.name

    def evaluate(self, scores: Any, *, name: str | None = None) -> Scores:
        """The scores of the run that these scores of the candidates make."""
        hits = self._candidates.hits(scores)
        return self._evaluator._scores([RunInput(name or self.name, "plan")], [hits])


def _without_repeats(candidates: Mapping[Any, Any]) -> Iterator[tuple[Any, list[Any]]]:
    """Each topic's candidates; one that is there twice is an error, since a score would have no place."""
    for topic, docs in candidates.items():
        listed = list(docs)
        if len(set(listed)) < len(listed):
            twice = next(doc for doc in listed if listed.count(doc) > 1)
            raise InputError(f"candidate {twice!r} of topic {topic!r} is given twice; give each once")
        yield topic, listed
