"""Simulated evaluation campaigns of any size, reproducible from their seed, and worked examples.

    campaign = simulate(topics=50, systems=5, seed=1)
    campaign.write("demo")                      # demo/qrels.txt, demo/runs/bm25.run, …
    campaign.qrels_dict(), campaign.run_dict("bm25")

Topics differ in difficulty and in their number of relevant documents, systems in quality and style. Judgments
are pooled from the top of rankings. Nothing is generated before it is requested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from rankgauge.schema.lazy import lazy_names
from rankgauge.schema.parameters import Number, Whole

if TYPE_CHECKING:
    from rankgauge.extensions.studies.simulation.campaign import SHUFFLE, Campaign, Written

_HOMES = dict.fromkeys(("Campaign", "SHUFFLE", "Written"), f"{__name__}.campaign")  # which start NumPy

__all__ = ["simulate", "Campaign", "Written", "SHUFFLE"]

__getattr__ = lazy_names(__name__, _HOMES)


def simulate(
    topics: Annotated[int, Whole(0), "number of topics"] = 50,
    depth: Annotated[int, Whole(0), "documents retrieved per topic"] = 1000,
    systems: Annotated[int, Whole(0), "number of systems: six styles, then variants of these"] = 5,
    *,
    judged: Annotated[
        float | None,
        Number(),
        "mean number of judged documents per topic (default 200, or twice the depth if that is less); "
        "1.1 makes sparse judgments: a relevant document and little else",
    ] = None,
    grades: Annotated[int, Whole(0), "the highest grade; few documents have it"] = 3,
    ties: Annotated[float, Number(), "share of documents with the same score as the previous one"] = 0.01,
    subtopics: Annotated[
        int, Whole(0), "maximum number of subtopics per topic; 0: no judgments by subtopic"
    ] = 0,
    missing: Annotated[float, Number(), "share of topics for which a system retrieves nothing"] = 0.0,
    short: Annotated[
        float, Number(), "share of topics for which it retrieves fewer documents than the depth"
    ] = 0.0,
    unjudged: Annotated[
        float, Number(), "share of the relevant documents, and of the pool, left unjudged"
    ] = 0.05,
    seed: Annotated[int, Whole(0), "seed of the random numbers"] = 1,
) -> Campaign:
    """A simulated campaign; the same arguments always give the same campaign.

    The systems are called bm25, dense, hybrid, rerank, rm3, rewrite, then bm25-2, ...
    """
    from rankgauge.extensions.studies.simulation.campaign import Campaign
    from rankgauge.extensions.studies.simulation.topics import FULL_POOL, Sizes

    judged = min(FULL_POOL, 2.0 * depth) if judged is None else judged
    return Campaign(
        Sizes(topics, depth, systems, judged, grades, ties, subtopics, missing, short, unjudged, seed)
    )
