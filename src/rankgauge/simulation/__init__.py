"""Made data: evaluation campaigns of any size, the same for the same seed.

    campaign = simulate(topics=50, systems=5, seed=1)
    campaign.write("demo")                      # demo/qrels.txt, demo/runs/bm25.run, …
    campaign.qrels_dict(), campaign.run_dict("bm25")

Topics differ in difficulty and in how many relevant documents they have, systems in quality and
in style, judgments are a pool of what systems return near the top. Nothing is made before it is
asked for, and any part is made without the rest.
"""

from rankgauge.simulation.campaign import Campaign, simulate
from rankgauge.simulation.files import SHUFFLE, Written

__all__ = ["simulate", "Campaign", "Written", "SHUFFLE"]
