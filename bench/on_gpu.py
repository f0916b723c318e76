"""Dense retrieval on a graphics card: counting beside the product alone and beside sentence-transformers.

The size is that of MS MARCO: 6,980 queries, 8,841,823 documents, 768 numbers of 16 bits each.

    python bench/on_gpu.py                             # judged documents anywhere: the worst case
    python bench/on_gpu.py --near                      # judged documents near their queries, as in use
    python bench/on_gpu.py --documents 500000 --peer   # with sentence-transformers' evaluator: some minutes
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import torch

import rankgauge
from rankgauge.extensions.devices import dense
from rankgauge.extensions.devices.vectors.torch_arithmetic import TorchArithmetic

MEASURES = "nDCG@10 AP RR R@1000 Twist"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--queries", type=int, default=6980)
    parser.add_argument("--documents", type=int, default=8_841_823)
    parser.add_argument("--dim", type=int, default=768)
    parser.add_argument("--dtype", default="float16")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--peer", action="store_true", help="sentence-transformers' evaluator as well")
    parser.add_argument(
        "--near", action="store_true", help="judged documents near their queries, as a good model has them"
    )
    parser.add_argument("--write", type=Path)
    args = parser.parse_args()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, Python {platform.python_version()}")
    queries, documents, qrels = made(args)
    judgments = rankgauge.Qrels.from_dict(qrels)  # made once, as for many evaluations in a training
    held = torch.cuda.memory_allocated()

    def evaluate() -> rankgauge.Scores:
        return dense.evaluate(judgments, queries, documents, MEASURES)

    results = {"product": timed(lambda: product(queries, documents), args.repeat)}
    scores = {}
    for name, change in {
        "fused": nullcontext(),
        "plain torch": mock.patch(
            "rankgauge.extensions.devices.dense.evaluation.arithmetic_for", without_triton
        ),
    }.items():
        with change:
            scores[name] = evaluate()
            torch.cuda.synchronize()
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            results[name] = timed(evaluate, args.repeat)
            memory = torch.cuda.max_memory_allocated() - held
            print(f"{name:12} {memory / 1e9:6.2f} GB beyond the inputs")
    same = np.array_equal(scores["fused"].values, scores["plain torch"].values, equal_nan=True)
    print("fused and plain torch have", "the same values" if same else "DIFFERENT VALUES")
    if args.peer:
        results["sentence-transformers"] = timed(lambda: peer(queries, documents, qrels), 1)
    for name, seconds in results.items():
        of_fused, of_product = seconds / results["fused"], seconds / results["product"]
        print(f"{name:22} {seconds:9.3f} s {of_fused:9.2f} x fused {of_product:8.2f} x product")
    print(scores["fused"].mean())
    if args.write:
        args.write.write_text(json.dumps(results))


def made(args: argparse.Namespace) -> tuple[Any, Any, dict[str, dict[str, int]]]:
    """Random vectors of length 1, and about 1.1 judgments per query."""
    torch.manual_seed(2026)
    dtype = getattr(torch, args.dtype)

    def vectors(count: int) -> Any:
        out = torch.empty((count, args.dim), dtype=dtype, device="cuda")
        for begin in range(0, count, 1 << 19):
            some = torch.randn((min(1 << 19, count - begin), args.dim), device="cuda")
            out[begin : begin + len(some)] = torch.nn.functional.normalize(some, dim=1).to(dtype)
        return out

    rng = np.random.default_rng(2026)
    queries, documents = vectors(args.queries), vectors(args.documents)
    judged = {
        q: rng.choice(args.documents, 1 + (q % 10 == 0), replace=False).tolist() for q in range(args.queries)
    }
    if args.near:
        for q, docs in judged.items():
            documents[docs] = torch.nn.functional.normalize(
                queries[q].float() + 0.8 * torch.randn((len(docs), args.dim), device="cuda") / args.dim**0.5,
                dim=1,
            ).to(dtype)
    return queries, documents, {str(q): {str(d): 1 for d in docs} for q, docs in judged.items()}


def product(queries: Any, documents: Any) -> None:
    """All products, as one library call per block, into memory that is reused."""
    rows = (1 << 31) // (2 * len(queries)) // 1024 * 1024  # libraries are slow where rows are not aligned
    out = torch.empty((len(queries), rows), dtype=queries.dtype, device="cuda")
    for begin in range(0, len(documents), rows):
        some = documents[begin : begin + rows]
        torch.mm(
            queries,
            some.T,
            out=out[:, : len(some)] if len(some) == rows else out[:, : len(some)].contiguous(),
        )


def without_triton(queries: Any, rows: Any, dtype: str, _documents: Any, device: Any) -> TorchArithmetic:
    return TorchArithmetic(queries, rows, dtype, queries.device if device is None else device)


def peer(queries: Any, documents: Any, qrels: dict[str, dict[str, int]]) -> None:
    """sentence-transformers' evaluator, with all vectors ready."""
    from sentence_transformers.evaluation import InformationRetrievalEvaluator
    from sentence_transformers.util import cos_sim

    texts = {str(n): str(n) for n in range(len(documents))}
    evaluator = InformationRetrievalEvaluator(
        {str(n): str(n) for n in range(len(queries))},
        texts,
        {query: {*of_query} for query, of_query in qrels.items()},
        score_functions={"cosine": cos_sim},
        show_progress_bar=False,
        write_csv=False,
    )

    class Ready:
        similarity_fn_name = "cosine"

        def encode_query(self, sentences: list[str], **_: Any) -> Any:
            return queries[[*map(int, sentences)]]

        def encode_document(self, sentences: list[str], **_: Any) -> Any:
            return documents[[*map(int, sentences)]]

        encode = encode_document

    vectors = {"queries": queries, "documents": documents}
    evaluator.compute_metrices(Ready(), corpus_embeddings=vectors["documents"])


def timed(work: Callable[[], Any], repeat: int) -> float:
    """The median of some turns, in seconds."""
    turns = []
    for _ in range(repeat):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        work()
        torch.cuda.synchronize()
        turns.append(time.perf_counter() - begin)
    return sorted(turns)[len(turns) // 2]


if __name__ == "__main__":
    main()
