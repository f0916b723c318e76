"""The ideal rankings of documents that are judged by subtopic, as measures name them."""

from typing import TYPE_CHECKING, Any

from rankgauge.measures.novelty import Novelty
from rankgauge.measures.scales import LINEAR, Gains

if TYPE_CHECKING:
    from rankgauge.judged import Judged, Pool


def greedy(
    pool: "Pool",
    level: float,
    depth: int | None,
    alpha: float | str = 0.5,
    gamma: float | None = None,
) -> "Judged":
    """The greedy ideal ranking."""
    from rankgauge.judged.greedy import greedy_ideal

    return greedy_ideal(pool, Novelty(alpha, gamma), level, depth)


def as_ndeval(pool: "Pool", level: float, depth: int | None, alpha: float = 0.5) -> "Judged":
    """The ideal ranking of ndeval."""
    from rankgauge.judged.greedy import AS_NDEVAL, greedy_ideal

    return greedy_ideal(pool, Novelty(alpha), level, depth, AS_NDEVAL)


def greedy_at(alpha: float) -> Any:
    """The greedy ideal ranking with a certain alpha, for measures that have none."""
    return lambda pool, level, depth: greedy(pool, level, depth, alpha)


def by_global_gain(pool: "Pool", _level: float, _depth: int | None, gains: Gains = LINEAR) -> "Judged":
    """The ideal ranking of D-measures."""
    from rankgauge.judged.subtopics import ideal_by_gain

    return ideal_by_gain(pool, gains)
