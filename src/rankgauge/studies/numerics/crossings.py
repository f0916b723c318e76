"""How much values, and the order of runs by them, depend on the reading of a measure's definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgauge.engines.facts import other_reading
from rankgauge.model.notes import on_reading

if TYPE_CHECKING:
    from rankgauge.measures import Measure
    from rankgauge.studies.campaign import Campaign


def on_readings(campaign: Campaign, measure: Measure) -> list[str]:
    """A sentence on another reading of the measure's definition; none if all values are the same."""
    other = measure.other_reading
    if other is None:
        return []
    scores = campaign.scores([measure, other])
    means, others = ([of_run[text] for of_run in scores.mean().values()] for text in scores.measures)
    facts = other_reading(str(other), scores.values[:, 0], scores.values[:, 1], means, others)
    return [f"{on_reading(str(measure), facts)}."] if facts.differing else []
