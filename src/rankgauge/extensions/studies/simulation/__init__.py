"""Simulated evaluation campaigns of any size, reproducible from their seed, and worked examples.

    campaign = simulate(topics=50, systems=5, seed=1)
    campaign.write("demo")                      # demo/qrels.txt, demo/runs/bm25.run, …
    campaign.qrels_dict(), campaign.run_dict("bm25")

Topics differ in difficulty and in their number of relevant documents, systems in quality and style. Judgments
are pooled from the top of rankings. Nothing is generated before it is requested.
"""

from typing import TYPE_CHECKING

from rankgauge.schema.lazy import lazy_names

if TYPE_CHECKING:
    from rankgauge.extensions.studies.simulation.campaign import SHUFFLE, Campaign, Written, simulate

_HOMES = {"simulate": "campaign", "Campaign": "campaign", "SHUFFLE": "campaign", "Written": "campaign"}

__all__ = ["simulate", "Campaign", "Written", "SHUFFLE"]

__getattr__ = lazy_names(__name__, {name: f"{__name__}.{home}" for name, home in _HOMES.items()})
