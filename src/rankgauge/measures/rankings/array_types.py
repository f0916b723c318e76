"""The array types of annotations: numbers per hit, (hits,), or per topic, (topics, 1)."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
