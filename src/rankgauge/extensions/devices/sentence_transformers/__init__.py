"""Evaluators with the interfaces of sentence-transformers, for every measure.

    from rankgauge.compat.sentence_transformers import InformationRetrievalEvaluator, NanoBEIREvaluator

`docs/how-to/from-python-tools.md` lists what differs.
"""

from rankgauge.extensions.devices.sentence_transformers.reranking import RerankingEvaluator
from rankgauge.extensions.devices.sentence_transformers.retrieval import (
    InformationRetrievalEvaluator,
    NanoBEIREvaluator,
)

__all__ = ["InformationRetrievalEvaluator", "NanoBEIREvaluator", "RerankingEvaluator"]
