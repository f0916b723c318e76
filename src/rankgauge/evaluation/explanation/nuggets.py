"""The nuggets of the documents of a ranking: which are new, which were seen before, what each is worth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankgauge.measures import Measure
from rankgauge.rankings.arrays import JudgedRankings
from rankgauge.rankings.arrays.subtopic_rankings import (
    SubtopicRankings,
    left_when_seen,
    relevant_by_subtopic,
    useful_by_subtopic,
)
from rankgauge.rankings.novelty import Novelty
from rankgauge.schema.text import format_number

SHOWN = 6  # nuggets of one document


@dataclass(frozen=True)
class Nugget:
    """A subtopic that a document is relevant to."""

    name: str
    seen: int  # in how many documents before it
    worth: float | None  # what it adds to the document's gain; None if the measure adds up something else


def nuggets_by_rank(
    measure: Measure, j: JudgedRankings, names: tuple[str, ...]
) -> dict[int, tuple[Nugget, ...]]:
    """{rank: nuggets} of the one ranking there is, as the measure sees it; names: of its subtopics."""
    view = measure.view(j)
    nuggets = relevant_by_subtopic(view) if measure.spec.binary else useful_by_subtopic(view, measure.gains)
    worth = _worth(measure, nuggets)
    found: dict[int, list[Nugget]] = {}
    rows = zip(
        nuggets.rankings.rank.tolist(),
        nuggets.rankings.topic.tolist(),
        nuggets.rankings.nth.tolist(),
        worth,
        strict=True,
    )
    for rank, name, nth, each in rows:
        found.setdefault(rank, []).append(Nugget(names[name], nth - 1, each))
    return {rank: tuple(of) for rank, of in found.items()}


def _worth(measure: Measure, nuggets: SubtopicRankings) -> Iterable[float | None]:
    if not measure.spec.has("alpha"):
        return [None] * len(nuggets.rankings.rank)
    declared = {p.name: p.default for p in measure.spec.parameters}
    settings = {**declared, **measure.settings}
    novelty = Novelty(settings["alpha"], settings.get("gamma"))
    weights = nuggets.weights if measure.spec.has("gamma") else nuggets.shares
    alone = novelty.worth(nuggets.of_hits(weights), left_when_seen(nuggets, novelty), nuggets.alphas)
    worth: list[float | None] = (alone if novelty.gamma is None else 1.0 - alone).tolist()
    return worth


def written_nuggets(nuggets: tuple[Nugget, ...]) -> str:
    """Nuggets as a table shows them."""
    parts = []
    for nugget in nuggets[:SHOWN]:
        seen = "new" if not nugget.seen else f"seen {nugget.seen}×"
        worth = "" if nugget.worth is None else f", {format_number(round(nugget.worth, 4))}"
        parts.append(f"{nugget.name} ({seen}{worth})")
    if len(nuggets) > SHOWN:
        parts.append(f"{len(nuggets) - SHOWN} more")
    return ", ".join(parts)
