"""Types of arrays, groups and read-only views."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def picked(starts: Ints, groups: Ints) -> tuple[Ints, Ints]:
    """(starts, places of the members) of some groups, which begin at `starts` and may repeat."""
    sizes = np.diff(starts)[groups]
    ends = np.cumsum(sizes)
    places = np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts[groups] - (ends - sizes), sizes)
    return np.concatenate(([0], ends)), places


def read_only(array: Any) -> Any:
    """A read-only view of an array, or None."""
    if array is None:
        return None
    view = array.view()
    view.flags.writeable = False
    return view
