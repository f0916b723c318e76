"""Simulated evaluation campaigns of any size, reproducible from their seed, and worked examples.

    campaign = simulate(topics=50, systems=5, seed=1)
    campaign.write("demo")                      # demo/qrels.txt, demo/runs/bm25.run, …
    campaign.qrels_dict(), campaign.run_dict("bm25")

Topics differ in difficulty and in their number of relevant documents. Systems differ in quality and style.
Judgments are pooled from the top of the systems' rankings. Nothing is generated before it is requested, and
any part can be generated without the rest.

Names are imported when they are first used: `examples` needs no NumPy.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgauge.studies.simulation.campaign import Campaign, simulate
    from rankgauge.studies.simulation.files import SHUFFLE, Written

_HOMES = {"simulate": "campaign", "Campaign": "campaign", "SHUFFLE": "files", "Written": "files"}

__all__ = ["simulate", "Campaign", "Written", "SHUFFLE"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rankgauge.studies.simulation' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f"rankgauge.studies.simulation.{_HOMES[name]}"), name)
    globals()[name] = value  # the next access does not come here
    return value
