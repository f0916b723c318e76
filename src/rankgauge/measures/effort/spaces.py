"""How much ground misplacements cover, forward and backward, beside the full-scale run."""

from typing import TYPE_CHECKING

from rankgauge.measures.effort.misplacing import (
    CITE,
    INFINITE,
    OF_LISTS,
    SIZES,
    SPACES,
    Domain,
    Length,
    Steps,
    Weight,
    misplaced,
    part,
    within,
)
from rankgauge.measures.registry import measure
from rankgauge.rankings.gains import BINARY

if TYPE_CHECKING:
    from rankgauge.rankings.arrays import JudgedRankings
    from rankgauge.rankings.arrays.curves import Floats


@measure(
    "ForwardSpace",
    title="Forward space",
    formula="s⁺ = Σ_{RP[i] > 0} RP[i]",
    cite=f"{CITE}, definition 4",
    bounds=(0, INFINITE),
    direction=-1,
    monotone=False,
    linear="always",
    example="ForwardSpace",
    parts=SIZES,
    **OF_LISTS,
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


@measure(
    "BackwardSpace",
    title="Backward space",
    formula="s⁻ = Σ_{RP[i] < 0} |RP[i]|",
    cite=f"{CITE}, definition 4",
    bounds=(0, INFINITE),
    direction=-1,
    linear="always",
    example="BackwardSpace",
    parts=SIZES,
    **OF_LISTS,
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


@measure(
    "ForwardSpaceRatio",
    title="Forward space ratio",
    formula="σ⁺ = 1 - s⁺ / s⁺ of the full-scale run",
    cite=f"{CITE}, definition 5",
    bounds=(0, 1),
    monotone=False,
    linear="always",
    example="ForwardSpaceRatio",
    parts=SIZES | SPACES,
    **OF_LISTS,
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


@measure(
    "BackwardSpaceRatio",
    title="Backward space ratio",
    formula="σ⁻ = 1 - s⁻ / s⁻ of the full-scale run",
    cite=f"{CITE}, definition 5",
    bounds=(0, 1),
    linear="always",
    example="BackwardSpaceRatio",
    parts=SIZES | SPACES,
    **OF_LISTS,
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


@measure(
    "SpaceRatio",
    title="Space ratio",
    formula="σ = 2 σ⁺ σ⁻ / (σ⁺ + σ⁻);  0 if both are",
    cite=f"{CITE}, definition 5",
    bounds=(0, 1),
    monotone=False,
    example="SpaceRatio",
    parts=SIZES | SPACES | {"σ⁺": part("forward_ratio"), "σ⁻": part("backward_ratio")},
    **OF_LISTS,
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
