"""ranx's normalisations as functions of a run.

from rankgauge.extensions.tools.ranx.normalization import min_max_norm
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rankgauge.extensions.tools.ranx.fusion import normalised_together, normalize
from rankgauge.extensions.tools.ranx.tables import Run

max_norm = partial(normalize, norm="max")
min_max_norm = partial(normalize, norm="min-max")
rank_norm = partial(normalize, norm="rank")
sum_norm = partial(normalize, norm="sum")
zmuv_norm = partial(normalize, norm="zmuv")


def borda_norm(runs: Sequence[Any]) -> list[Run]:
    """The runs with points by rank as scores."""
    return normalised_together(runs)


def norm_switch(method: str = "min-max") -> Callable[[Any], Any]:
    """The function of a normalisation."""
    return borda_norm if method == "borda" else partial(normalize, norm=method)
