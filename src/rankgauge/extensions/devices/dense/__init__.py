"""Dense retrieval: every query scored against every document, without a run.

    evaluate     the scores of measures, from vectors of queries and documents
    count        the same in parts: counts of a part of the documents, which can be added, saved and sent
    retrieve     the best documents of each query, as a run
    judged       the vectors of judged documents, which every part is compared with
    distributed  the same by the processes of torch.distributed, each with a part of the documents
    spark        the same of vectors in a Spark DataFrame

The rank of a judged document is 1 plus the number of documents with a better score. Counting them needs no
sorting, no list of the best and no memory beyond a block of documents.
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
