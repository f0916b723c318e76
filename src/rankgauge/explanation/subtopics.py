"""The subtopics that documents of a ranking cover: how often each was seen before, and what it is worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankgauge.measures import Measure
from rankgauge.measures.rankings.arrays import JudgedRankings
from rankgauge.measures.rankings.arrays.subtopic_rankings import (
    SubtopicRankings,
    relevant_by_subtopic,
    useful_by_subtopic,
    worth_when_seen,
)
from rankgauge.measures.rankings.novelty import Novelty
from rankgauge.schema.text import format_number

SHOWN = 6  # subtopics of one document in a table


@dataclass(frozen=True)
class CoveredSubtopic:
    """A subtopic that a document is relevant to."""

    name: str
    seen: int  # number of documents before it that cover the subtopic
    worth: float | None  # what it adds to the document's gain; None if the measure has no such gain


def subtopics_by_rank(
    measure: Measure, j: JudgedRankings, names: tuple[str, ...]
) -> dict[int, tuple[CoveredSubtopic, ...]]:
    """{rank: subtopics} of a single ranking, as the measure sees it; `names` are those of all subtopics."""
    view = measure.view(j)
    covered = relevant_by_subtopic(view) if measure.spec.binary else useful_by_subtopic(view, measure.gains)
    worth = _worth(measure, covered)
    by_rank: dict[int, list[CoveredSubtopic]] = {}
    rows = zip(
        covered.rankings.rank.tolist(),
        covered.rankings.topic.tolist(),
        covered.rankings.nth.tolist(),
        worth,
        strict=True,
    )
    for rank, name, nth, each in rows:
        by_rank.setdefault(rank, []).append(CoveredSubtopic(names[name], nth - 1, each))
    return {rank: tuple(subtopics) for rank, subtopics in by_rank.items()}


def _worth(measure: Measure, covered: SubtopicRankings) -> Iterable[float | None]:
    if not measure.spec.has("alpha"):
        return [None] * len(covered.rankings.rank)
    declared = {p.name: p.default for p in measure.spec.parameters}
    settings = {**declared, **measure.settings}
    novelty = Novelty(settings["alpha"], settings.get("gamma"))
    weights = covered.weights if measure.spec.has("gamma") else covered.shares
    alone = worth_when_seen(covered, novelty, weights)
    worth: list[float | None] = (alone if novelty.gamma is None else 1.0 - alone).tolist()
    return worth


def format_subtopics(subtopics: tuple[CoveredSubtopic, ...]) -> str:
    """Subtopics as text for a table."""
    parts = []
    for subtopic in subtopics[:SHOWN]:
        seen = "new" if not subtopic.seen else f"seen {subtopic.seen}×"
        worth = "" if subtopic.worth is None else f", {format_number(round(subtopic.worth, 4))}"
        parts.append(f"{subtopic.name} ({seen}{worth})")
    if len(subtopics) > SHOWN:
        parts.append(f"{len(subtopics) - SHOWN} more")
    return ", ".join(parts)
