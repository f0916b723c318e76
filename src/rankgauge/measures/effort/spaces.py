"""How much ground misplacements cover, forward and backward, beside the full-scale run."""

from typing import TYPE_CHECKING

from rankgauge.measures.effort.misplacing import (
    CITE,
    INFINITE,
    SIZES,
    SPACES,
    Domain,
    Length,
    Steps,
    Weight,
    laws_of_lists,
    measure_of_lists,
    misplaced,
    part,
    shown_of_lists,
    within,
)
from rankgauge.rankings.gains import BINARY

if TYPE_CHECKING:
    from rankgauge.rankings.arrays import JudgedRankings
    from rankgauge.rankings.arrays.curves import Floats


@measure_of_lists(
    "ForwardSpace",
    title="Forward space",
    formula="s⁺ = Σ_{RP[i] > 0} RP[i]",
    cite=f"{CITE}, definition 4",
    example="ForwardSpace",
    bounds=(0, INFINITE),
    direction=-1,
    laws=laws_of_lists(monotone=False, linear="always"),
    shows=shown_of_lists(parts=SIZES),
)
def forward_space(
    j: "JudgedRankings",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How far relevant documents stand below their ideal intervals, all together."""
    m = misplaced(j, N, gains, discount)
    return within(m, m.forward, domain)


@measure_of_lists(
    "BackwardSpace",
    title="Backward space",
    formula="s⁻ = Σ_{RP[i] < 0} |RP[i]|",
    cite=f"{CITE}, definition 4",
    example="BackwardSpace",
    bounds=(0, INFINITE),
    direction=-1,
    laws=laws_of_lists(linear="always"),
    shows=shown_of_lists(parts=SIZES),
)
def backward_space(
    j: "JudgedRankings",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How far documents stand above their ideal intervals, all together: most of all those not relevant."""
    m = misplaced(j, N, gains, discount)
    return within(m, m.backward, domain)


@measure_of_lists(
    "ForwardSpaceRatio",
    title="Forward space ratio",
    formula="σ⁺ = 1 - s⁺ / s⁺ of the full-scale run",
    cite=f"{CITE}, definition 5",
    example="ForwardSpaceRatio",
    bounds=(0, 1),
    laws=laws_of_lists(monotone=False, linear="always"),
    shows=shown_of_lists(parts=SIZES | SPACES),
)
def forward_space_ratio(
    j: "JudgedRankings",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How far the ranking is from the worst that its relevant documents can do by coming late.

    An empty result has 1 like the ideal: only together with the backward ratio does it mean something.
    """
    m = misplaced(j, N, gains, discount)
    return within(m, m.forward_ratio, domain)


@measure_of_lists(
    "BackwardSpaceRatio",
    title="Backward space ratio",
    formula="σ⁻ = 1 - s⁻ / s⁻ of the full-scale run",
    cite=f"{CITE}, definition 5",
    example="BackwardSpaceRatio",
    bounds=(0, 1),
    laws=laws_of_lists(linear="always"),
    shows=shown_of_lists(parts=SIZES | SPACES),
)
def backward_space_ratio(
    j: "JudgedRankings",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """How far the ranking is from the worst that can stand at the ranks of relevant documents."""
    m = misplaced(j, N, gains, discount)
    return within(m, m.backward_ratio, domain)


@measure_of_lists(
    "SpaceRatio",
    title="Space ratio",
    formula="σ = 2 σ⁺ σ⁻ / (σ⁺ + σ⁻);  0 if both are",
    cite=f"{CITE}, definition 5",
    example="SpaceRatio",
    bounds=(0, 1),
    laws=laws_of_lists(monotone=False),
    shows=shown_of_lists(parts=SIZES | SPACES | {"σ⁺": part("forward_ratio"), "σ⁻": part("backward_ratio")}),
)
def space_ratio(
    j: "JudgedRankings",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """The harmonic mean of the forward and the backward space ratio: 1 for the ideal ranking alone."""
    m = misplaced(j, N, gains, discount)
    return within(m, m.space_ratio, domain)
