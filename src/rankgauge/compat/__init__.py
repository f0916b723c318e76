"""The interfaces of other tools, imported when they are used: `from rankgauge.compat import pytrec_eval`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgauge.schema.lazy import lazy_names

if TYPE_CHECKING:
    from rankgauge.compat import pytrec_eval as pytrec_eval
    from rankgauge.compat import scikit_learn as scikit_learn
    from rankgauge.compat import trec_eval as trec_eval

_OWN = ("pytrec_eval", "scikit_learn", "trec_eval")
__all__ = [
    "ir_measures",
    "pytrec_eval",
    "ranx",
    "scikit_learn",
    "sentence_transformers",
    "torchmetrics",
    "trec_eval",
]

__getattr__ = lazy_names(__name__, {}, {name: f"{__name__}.{name}" for name in _OWN})


def __dir__() -> list[str]:
    return __all__
