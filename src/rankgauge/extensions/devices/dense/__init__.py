"""Dense retrieval: every query scored against every document, without a run.

    evaluate     the scores of measures, from vectors of queries and documents
    count        counts of a part of the documents, which can be added, saved and sent
    retrieve     the best documents of each query, as a run
    judged       the vectors of judged documents, with which every part is compared
    distributed  evaluation by the processes of torch.distributed
    spark        evaluation of vectors in a Spark DataFrame

The rank of a judged document is 1 plus the number of documents with a better score: counting needs no
sorting, and no memory beyond a block of documents.
"""

from typing import TYPE_CHECKING

from rankgauge.extensions.devices.dense.counts import Counts, JudgedVectors, judged
from rankgauge.extensions.devices.dense.evaluation import count, evaluate
from rankgauge.extensions.devices.dense.retrieval import retrieve
from rankgauge.schema.lazy import lazy_names

if TYPE_CHECKING:
    from rankgauge.extensions.devices.dense import distributed, spark

__all__ = ["Counts", "JudgedVectors", "count", "distributed", "evaluate", "judged", "retrieve", "spark"]

__getattr__ = lazy_names(__name__, {}, {name: f"{__name__}.{name}" for name in ("distributed", "spark")})
