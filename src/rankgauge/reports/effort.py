"""The data behind the points of the effort/gain plot, from which the page draws the curves of a ranking.

CRP and DCG follow from the ranks and grades of the relevant documents retrieved and from the recall base, so
the page carries these: a few bytes per document instead of thousands of values per curve.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.figures.labels import unique_labels
from rankgauge.schema.json_text import json_value
from rankgauge.studies.effort import ARCHETYPES, archetype_of

if TYPE_CHECKING:
    from rankgauge.model.scores import Scores
    from rankgauge.studies.campaign import Campaign

MAX_HITS = 2_000_000  # relevant documents retrieved; a page with more would be slow to open
DEPTH = 1000  # ranks that are drawn
NAMES = tuple(ARCHETYPES)


def points(campaign: Campaign, scores: Scores) -> dict[str, Any] | None:
    """Data for the curves of each point; `scores` are Twist and a gain. None if there are too many hits."""
    twist, gain = scores.values[:, 0], scores.values[:, 1]
    topics, levels = len(scores.topics), campaign.qrels.levels
    result: list[dict[str, Any]] = [{} for _ in range(len(scores.runs) * topics)]
    bases: list[list[list[float]]] = [[] for _ in range(topics)]
    total = 0
    for runs, block, rankings in campaign.rankings():
        relevant = rankings.found
        total += len(relevant.rank)
        if total > MAX_HITS:
            return None
        steps = relevant.rank - relevant.previous(relevant.rank, 0)
        archetypes = archetype_of(rankings).tolist()
        per_run = block.stop - block.start
        for place, (begin, end) in enumerate(
            zip(relevant.starts[:-1].tolist(), relevant.starts[1:].tolist(), strict=True)
        ):
            run, topic = runs.start + place // per_run, block.start + place % per_run
            if not bases[topic]:
                bases[topic] = _base(rankings.pool.only(place).grades, rankings.level, levels)
            number = {grade: n for n, (grade, _) in enumerate(bases[topic])}
            result[run * topics + topic] = {
                "twist": json_value(twist[run, topic]),
                "gain": json_value(gain[run, topic]),
                "archetype": NAMES[archetypes[place]] if archetypes[place] >= 0 else None,
                "hits": [
                    [step, number[grade]]
                    for step, grade in zip(
                        steps[begin:end].tolist(), relevant.grade[begin:end].tolist(), strict=True
                    )
                ],
            }
    return {
        "N": scores.provenance.measure(scores.measures[0]).N,
        "shown": DEPTH,
        "gain": scores.measures[1],
        "runs": list(unique_labels(scores.runs).values()),
        "topics": [
            {"name": name, "base": base}
            for name, base in zip(unique_labels(scores.topics).values(), bases, strict=True)
        ],
        "points": result,
    }


def _base(grades: Any, level: float, levels: Any) -> list[list[float]]:
    """[[grade, number of documents], ...] of the recall base of a topic, best grade first."""
    counts = [
        [grade, int(np.count_nonzero(grades == grade))] for grade in levels[::-1].tolist() if grade >= level
    ]
    return [[grade, count] for grade, count in counts if count]
