"""The effort of search, beyond the measures of the family `effort` (Ferro et al., Twist).

    ideal_run(qrels), worst_run(qrels), full_scale_run(qrels)   the rankings that bound all others, as runs
    bounds(qrels, N)                                            the bounds of propositions 1 to 3, per topic
    archetype_of(rankings)                                      the shape of each CRP curve
    quadrants(effort, gain)                                     the sixteen quadrants of an effort/gain plot

For whole collections there are the studies `archetypes`, `effort-gain` and `twist`.
"""

from rankgauge.studies.effort.archetypes import ARCHETYPES, CONFLATED, archetype_of
from rankgauge.studies.effort.gain_plots import EFFORTS, GAINS, Quadrants, quadrants
from rankgauge.studies.effort.propositions import Bounds, bounds
from rankgauge.studies.effort.references import full_scale_run, ideal_run, worst_run

__all__ = [
    "ARCHETYPES",
    "Bounds",
    "CONFLATED",
    "EFFORTS",
    "GAINS",
    "Quadrants",
    "archetype_of",
    "bounds",
    "full_scale_run",
    "ideal_run",
    "quadrants",
    "worst_run",
]
