"""How much ground misplacements cover, forward and backward, beside the full-scale run."""

from typing import TYPE_CHECKING

from rankgauge.measures.effort.misplacing import (
    CITE,
    COLUMNS,
    INFINITE,
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
from rankgauge.measures.scales import BINARY

if TYPE_CHECKING:
    from rankgauge.curve import Floats
    from rankgauge.judged import Judged


@measure(
    "ForwardSpace",
    title="Forward space",
    formula="s⁺ = Σ_{RP[i] > 0} RP[i]",
    cite=f"{CITE}, definition 4",
    bounds=(0, INFINITE),
    binary=True,
    sees="relevant",
    direction=-1,
    uncut="endless",
    monotone=False,
    linear="always",
    together=True,
    varies="domain",
    sets="effort",
    example="ForwardSpace",
    columns=COLUMNS,
    parts=SIZES,
)
def forward_space(
    j: "Judged",
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
    binary=True,
    sees="relevant",
    direction=-1,
    uncut="endless",
    linear="always",
    together=True,
    varies="domain",
    sets="effort",
    example="BackwardSpace",
    columns=COLUMNS,
    parts=SIZES,
)
def backward_space(
    j: "Judged",
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
    binary=True,
    sees="relevant",
    uncut="endless",
    monotone=False,
    linear="always",
    together=True,
    varies="domain",
    sets="effort",
    example="ForwardSpaceRatio",
    columns=COLUMNS,
    parts=SIZES | SPACES,
)
def forward_space_ratio(
    j: "Judged",
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
    binary=True,
    sees="relevant",
    uncut="endless",
    linear="always",
    together=True,
    varies="domain",
    sets="effort",
    example="BackwardSpaceRatio",
    columns=COLUMNS,
    parts=SIZES | SPACES,
)
def backward_space_ratio(
    j: "Judged",
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
    binary=True,
    sees="relevant",
    uncut="endless",
    monotone=False,
    together=True,
    varies="domain",
    sets="effort",
    example="SpaceRatio",
    columns=COLUMNS,
    parts=SIZES | SPACES | {"σ⁺": part("forward_ratio"), "σ⁻": part("backward_ratio")},
)
def space_ratio(
    j: "Judged",
    N: Length | None = None,
    domain: Domain = "pad",
    gains: Weight = BINARY,
    discount: Steps = "none",
) -> "Floats":
    """The harmonic mean of the forward and the backward space ratio: 1 for the ideal ranking alone."""
    m = misplaced(j, N, gains, discount)
    return within(m, m.space_ratio, domain)
