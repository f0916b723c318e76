"""The ideal rankings of measures of diversity."""

from typing import TYPE_CHECKING, Any

from rankgauge.measures.rankings.gains import LINEAR, Gains
from rankgauge.measures.rankings.novelty import Novelty

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays import JudgedRankings, Pool


def greedy(
    pool: "Pool",
    level: float,
    depth: int | None,
    alpha: float | str = 0.5,
    gamma: float | None = None,
) -> "JudgedRankings":
    """The greedy ideal ranking."""
    from rankgauge.measures.rankings.arrays.greedy_ideals import greedy_ideal

    return greedy_ideal(pool, Novelty(alpha, gamma), level, depth)


def as_ndeval(pool: "Pool", level: float, depth: int | None, alpha: float = 0.5) -> "JudgedRankings":
    """The ideal ranking of ndeval."""
    from rankgauge.measures.rankings.arrays.greedy_ideals import AS_NDEVAL, greedy_ideal

    return greedy_ideal(pool, Novelty(alpha), level, depth, AS_NDEVAL)


def greedy_at(alpha: float) -> Any:
    """The greedy ideal ranking with a fixed alpha, for measures without that parameter."""
    return lambda pool, level, depth: greedy(pool, level, depth, alpha)


def by_global_gain(
    pool: "Pool", _level: float, _depth: int | None, gains: Gains = LINEAR
) -> "JudgedRankings":
    """The ideal ranking of D-measures."""
    from rankgauge.measures.rankings.arrays.subtopic_rankings import ideal_by_gain

    return ideal_by_gain(pool, gains)
