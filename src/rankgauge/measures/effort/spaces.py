"""The total misplacement, forward and backward, and relative to that of the full-scale run."""

from typing import TYPE_CHECKING

from rankgauge.measures.effort.misplacing import (
    CITE,
    INFINITE,
    SIZES,
    SPACES,
    laws_of_lists,
    measure_of_lists,
    of_misplacement,
    part,
    shown_of_lists,
)

if TYPE_CHECKING:
    from rankgauge.measures.rankings.arrays.curves import Floats
    from rankgauge.measures.rankings.arrays.misplacement import Misplacement


@measure_of_lists(
    "ForwardSpace",
    title="Forward space",
    formula="s⁺ = Σ_{RP[i] > 0} RP[i]",
    cite=f"{CITE}, definition 4",
    bounds=(0, INFINITE),
    direction=-1,
    laws=laws_of_lists(monotone=False, linear="always"),
    shows=shown_of_lists(parts=SIZES),
)
@of_misplacement
def forward_space(m: "Misplacement") -> "Floats":
    """The total distance of relevant documents below their ideal intervals."""
    return m.forward


@measure_of_lists(
    "BackwardSpace",
    title="Backward space",
    formula="s⁻ = Σ_{RP[i] < 0} |RP[i]|",
    cite=f"{CITE}, definition 4",
    bounds=(0, INFINITE),
    direction=-1,
    laws=laws_of_lists(linear="always"),
    shows=shown_of_lists(parts=SIZES),
)
@of_misplacement
def backward_space(m: "Misplacement") -> "Floats":
    """The total distance of documents above their ideal intervals, most of it by non-relevant ones."""
    return m.backward


@measure_of_lists(
    "ForwardSpaceRatio",
    title="Forward space ratio",
    formula="σ⁺ = 1 - s⁺ / s⁺ of the full-scale run",
    cite=f"{CITE}, definition 5",
    laws=laws_of_lists(monotone=False, linear="always"),
    shows=shown_of_lists(parts=SIZES | SPACES),
)
@of_misplacement
def forward_space_ratio(m: "Misplacement") -> "Floats":
    """How far the ranking is from the worst that its relevant documents can do by coming late.

    An empty result has 1 like the ideal: only together with the backward ratio does it mean something.
    """
    return m.forward_ratio


@measure_of_lists(
    "BackwardSpaceRatio",
    title="Backward space ratio",
    formula="σ⁻ = 1 - s⁻ / s⁻ of the full-scale run",
    cite=f"{CITE}, definition 5",
    laws=laws_of_lists(linear="always"),
    shows=shown_of_lists(parts=SIZES | SPACES),
)
@of_misplacement
def backward_space_ratio(m: "Misplacement") -> "Floats":
    """How far the ranking is from the worst that can stand at the ranks of relevant documents."""
    return m.backward_ratio


@measure_of_lists(
    "SpaceRatio",
    title="Space ratio",
    formula="σ = 2 σ⁺ σ⁻ / (σ⁺ + σ⁻);  0 if both are",
    cite=f"{CITE}, definition 5",
    laws=laws_of_lists(monotone=False),
    shows=shown_of_lists(parts=SIZES | SPACES | {"σ⁺": part("forward_ratio"), "σ⁻": part("backward_ratio")}),
)
@of_misplacement
def space_ratio(m: "Misplacement") -> "Floats":
    """The harmonic mean of the forward and the backward space ratio: 1 for the ideal ranking alone."""
    return m.space_ratio
