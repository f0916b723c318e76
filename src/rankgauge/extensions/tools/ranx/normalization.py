"""ranx's normalisations as functions of a run.

from rankgauge.extensions.tools.ranx.normalization import min_max_norm
"""

from __future__ import annotations

from functools import partial

from rankgauge.extensions.tools.ranx.fusion import normalize

max_norm = partial(normalize, norm="max")
min_max_norm = partial(normalize, norm="min-max")
rank_norm = partial(normalize, norm="rank")
sum_norm = partial(normalize, norm="sum")
zmuv_norm = partial(normalize, norm="zmuv")
