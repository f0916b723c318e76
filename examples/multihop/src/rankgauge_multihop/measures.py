"""The measure AllFound."""

import numpy as np

import rankgauge


@rankgauge.measure(
    "AllFound",
    title="All relevant documents found",
    formula="AllFound@k = 1 if hits(k) = R, else 0",
    cite="Yang et al. 2018, HotpotQA: A dataset for diverse, explainable multi-hop question answering",
    example="AllFound@10",
    bounds=(0, 1),
    binary=True,
    depends_on="relevant",
)
def all_found(j) -> "Curve":  # noqa: F821
    """Whether all relevant documents are among the first k: 1 if so, else 0."""
    return (j.hits / j.recall_base).map(np.floor)
