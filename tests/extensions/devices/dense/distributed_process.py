"""One of two processes that evaluate a corpus together: distributed_process.py RANK FOLDER."""

import json
import pickle
import sys
from pathlib import Path

import numpy as np
import torch

from extensions.devices.dense.shards import MEASURES, Corpus
from rankgauge.errors import RankgaugeError
from rankgauge.extensions.devices import dense
from rankgauge.extensions.devices.dense import distributed

rank, folder = int(sys.argv[1]), Path(sys.argv[2])
corpus = Corpus(8)
parts = [np.arange(11), np.arange(11, 40)]


def evaluate(documents, ids, **options):
    given = {"query_ids": corpus.query_ids, "doc_ids": ids, "ties": "average", **options}
    return distributed.evaluate(corpus.qrels, corpus.queries, documents, MEASURES, **given)


def message(call, *given, **options):
    try:
        call(*given, **options)
    except RankgaugeError as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


vectors, ids = corpus.part(parts[rank])
results = {"before": message(evaluate, vectors, ids)}
torch.distributed.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=2)
scores = {
    "arrays": evaluate(vectors, ids),
    # One process has tensors, and its documents as a stream; the other has arrays.
    "mixed": evaluate(
        torch.from_numpy(vectors) if rank else lambda: iter([(ids, vectors)]), ids if rank else None
    ),
    "bfloat16": evaluate(torch.from_numpy(vectors).bfloat16(), ids),
    "excluded": evaluate(vectors, ids, exclude={"q1": corpus.ids[:20]}, depth=7),
    "added": distributed.add_up(corpus.count(parts[rank], corpus.judged(parts))).scores(),
}
results |= {
    "number": message(evaluate, np.where(rank == 1, np.nan, vectors), ids),
    "depth": message(evaluate, vectors, ids, depth=5 + rank),
    "same documents": message(evaluate, *corpus.part(parts[0])),
    "numbered": message(evaluate, vectors, None),
    "empty": message(evaluate, vectors[: rank * 99], ids[: rank * 99]),
    "sizes": message(evaluate, vectors[:, : 2 + rank], ids),
    "judgments": message(
        distributed.add_up, corpus.count(parts[rank], corpus.judged(parts), "RR AP"[: 2 + 3 * rank])
    ),
}
alone = torch.distributed.new_group([1])
results["alone"] = message(evaluate, *corpus.part(np.arange(40)), group=alone)
(folder / f"{rank}.json").write_text(json.dumps(results))
(folder / f"{rank}.pickle").write_bytes(pickle.dumps(scores))
assert dense.distributed is distributed
torch.distributed.destroy_process_group()
