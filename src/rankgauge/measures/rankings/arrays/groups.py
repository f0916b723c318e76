"""Arrays of groups, one after the other: `starts` (groups + 1,) is where the members of each begin."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankgauge.measures.rankings.array_types import Ints


def picked(starts: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """(starts, places of the members) of some groups, in the order given; groups may repeat."""
    sizes = np.diff(starts)[groups]
    ends = np.cumsum(sizes)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts[groups] - (ends - sizes), sizes)
    return np.concatenate(([0], ends)), places


def read_only(array: Any) -> Any:
    """A view of an array that cannot be written to; None if there is none."""
    if array is None:
        return None
    view = array.view()
    view.flags.writeable = False
    return view
