"""Time counting ranks from vectors against the product alone: python bench/vectors.py [--repeat N]

W9: 1,000 queries × 200,000 documents of 384 numbers in single precision, on the processor, with about 1.1
judged documents per query: these ranked among all documents, and five measures as `Scores`. The product of
all queries with all documents, by NumPy's BLAS in blocks of the size that suits it best, is what no way of
ranking all documents can do without. Both take turns; the shortest time of each counts. Memory is what a
process of its own takes beyond the vectors; from a file, whose blocks are memory-mapped, beyond the queries.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rankgauge.extensions.devices import dense

QUERIES, DOCUMENTS, DIM = 1_000, 200_000, 384
MEASURES = "nDCG@10 AP RR R@1000 Twist"
GOAL = 1.3  # times the product alone
BLOCKS = (1 << 10, 1 << 12, 1 << 14)  # documents that are multiplied at once


def vectors(scale: float) -> tuple[Any, Any]:
    """Queries and documents, of length 1."""
    rng = np.random.default_rng(9)
    sizes = [max(int(size * scale), 10) for size in (QUERIES, DOCUMENTS)]
    made = [rng.standard_normal((size, DIM), dtype=np.float32) for size in sizes]
    for each in made:
        each /= np.linalg.norm(each, axis=1)[:, None]
    return made[0], made[1]


def judgments(queries: int, documents: int) -> dict[str, dict[str, int]]:
    """One relevant document for each query, and another for every tenth."""
    rng = np.random.default_rng(10)
    return {
        str(query): {str(rng.integers(documents)): 1 for _ in range(1 + (query % 10 == 0))}
        for query in range(queries)
    }


def product(queries: Any, documents: Any, rows: int) -> None:
    """The product of all queries with all documents, a block of documents at a time."""
    space = np.empty((len(queries), rows), dtype=np.float32)
    for first in range(0, len(documents), rows):
        block = documents[first : first + rows]
        np.matmul(queries, block.T, out=space[:, : len(block)])


def shortest(ways: dict[str, Callable[[], object]], repeat: int) -> dict[str, float]:
    """The shortest time of each way in seconds; they take turns."""
    best = dict.fromkeys(ways, float("inf"))
    for _ in range(repeat):
        for name, way in ways.items():
            begin = time.perf_counter()
            way()
            best[name] = min(best[name], time.perf_counter() - begin)
    return best


def memory_of(source: str, scale: float, folder: Path) -> float:
    """What evaluating takes beyond what the process held before, in MB; in a process of its own."""
    argv = [sys.executable, __file__, "--memory-of", source, "--scale", str(scale), "--folder", str(folder)]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


def measure_memory(source: str, scale: float, folder: Path) -> float:
    queries, documents = (np.load(folder / f"{name}.npy") for name in ("queries", "documents"))
    qrels, given = judgments(len(queries), len(documents)), documents
    dense.evaluate({"0": {"0": 1}}, queries[:1], documents[:10], "RR")  # imports
    if source == "file":
        given, documents = str(folder / "documents.npy"), None
    elif source == "array":
        documents = None
    peak = Path("/proc/self/clear_refs")
    if peak.exists():
        peak.write_text("5")  # the peak so far is forgotten
    before = resident("VmRSS")
    dense.evaluate(qrels, queries, given, MEASURES)
    return (resident("VmHWM") - before) / 1024


def resident(name: str) -> float:
    """The memory of this process in kB, now (VmRSS) or at most (VmHWM)."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return next(float(line.split()[1]) for line in status.read_text().splitlines() if line.startswith(name))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="a share of all queries and documents")
    parser.add_argument("--memory-of", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.memory_of:
        print(json.dumps(measure_memory(args.memory_of, args.scale, args.folder)))
        return 0
    queries, documents = vectors(args.scale)
    qrels = judgments(len(queries), len(documents))
    with tempfile.TemporaryDirectory() as folder:
        for name, array in (("queries", queries), ("documents", documents)):
            np.save(Path(folder, f"{name}.npy"), array)
        path = str(Path(folder, "documents.npy"))
        ways: dict[str, Callable[[], object]] = {
            f"product, {rows} at once": lambda rows=rows: product(queries, documents, rows) for rows in BLOCKS
        }
        ways["rankgauge, array"] = lambda: dense.evaluate(qrels, queries, documents, MEASURES)
        ways["rankgauge, file"] = lambda: dense.evaluate(qrels, queries, path, MEASURES)
        ways["rankgauge, best 100"] = lambda: dense.retrieve(queries, documents, 100)
        times = shortest(ways, args.repeat)
        alone = min(times[name] for name in times if name.startswith("product"))
        print(f"{len(queries):,} × {len(documents):,} × {DIM} float32, {os.cpu_count()} cores")
        for name, seconds in times.items():
            print(f"  {name:<24} {seconds:8.3f} s  {seconds / alone:6.2f} × the product")
        size = documents.nbytes / (1 << 20)
        for source in ("array", "file"):
            taken = memory_of(source, args.scale, Path(folder))
            print(f"  memory, {source:<16} {taken:8.0f} MB beyond the vectors of {size:,.0f} MB")
        reached = times["rankgauge, array"] / alone <= GOAL
        print(f"goal: at most {GOAL} × the product: {'reached' if reached else 'missed'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
