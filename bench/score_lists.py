"""W11: score matrices and lists, beside torchmetrics: python bench/score_lists.py [--repeat N] [--write]

Everything is in memory, and on the GPU if torch has one. A turn goes from tensors to values: five measures of
all queries by rankgauge, as `Scores` with their means; one measure by torchmetrics, its mean.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

import rankgauge
from report import facts

MEASURES = "nDCG@10 AP RR R@1000 P@10"
RESULTS = Path(__file__).parent / "RESULTS-scores.md"
INTRODUCTION = """\
# Results on score matrices and lists

Written by `python bench/score_lists.py --write`: five measures by rankgauge, one by torchmetrics.

"""


class Shape(NamedTuple):
    """Lists with labels: a tenth of short ones is relevant, a hundredth or all of long ones."""

    queries: int
    documents: int
    relevant: float

    def __str__(self) -> str:
        return f"{self.queries:,} × {self.documents:,}"


LISTS = (Shape(8000, 40, 0.1), Shape(1000, 1000, 0.01), Shape(1000, 1000, 1.0))
MATRIX = Shape(1000, 200_000, 1.1 / 200_000)  # all documents; judgments by ids


class Turn(NamedTuple):
    """What is timed."""

    shape: Shape
    place: str
    tool: str
    call: Callable[[], float]  # returns nDCG@10, to be compared
    slow: bool = False  # of which one turn is enough


def generate(shape: Shape) -> tuple[Any, Any]:
    """(scores, labels): no ties, grades 1 to 3."""
    rng = np.random.default_rng(shape.queries)
    scores = rng.random((shape.queries, shape.documents), dtype=np.float32)
    relevant = rng.random(scores.shape, dtype=np.float32) < shape.relevant
    return scores, relevant * rng.integers(1, 4, scores.shape)


def places() -> Iterator[tuple[str, Callable[[Any], Any], Callable[[], None]]]:
    """(name, puts an array there, waits until all is done)."""
    yield "NumPy", np.asarray, lambda: None
    if importlib.util.find_spec("torch"):
        import torch

        yield "torch, CPU", torch.as_tensor, lambda: None
        if torch.cuda.is_available():
            name = torch.cuda.get_device_name()
            yield (
                f"torch, {name}",
                lambda array: torch.as_tensor(array, device="cuda"),
                torch.cuda.synchronize,
            )


def turns(scale: float) -> Iterator[Turn]:
    """Everything that is timed; the input is prepared before."""
    for shape in LISTS:
        shape = shape._replace(queries=max(3, int(shape.queries * scale)))
        scores, labels = generate(shape)
        for place, put, wait in places():
            there = put(scores), put(labels)
            wait()

            def ours(there: Any = there) -> float:
                result = rankgauge.evaluate_scores(there[1], there[0], MEASURES)
                return result.mean()["run"]["nDCG@10"]

            yield Turn(shape, place, f"rankgauge: {MEASURES}", ours)
            if place != "NumPy" and importlib.util.find_spec("torchmetrics"):
                yield Turn(shape, place, "torchmetrics: nDCG@10", _torchmetrics(*there), slow=True)
    shape = MATRIX._replace(documents=max(1000, int(MATRIX.documents * scale)))
    scores, labels = generate(shape._replace(relevant=1.1 / shape.documents))
    judged = {str(q): {str(d): 1 for d in np.flatnonzero(labels[q])} for q in range(shape.queries)}
    evaluator = rankgauge.Evaluator({q: docs for q, docs in judged.items() if docs}, MEASURES)
    for place, put, wait in places():
        matrix = put(scores)
        wait()

        def counted(matrix: Any = matrix) -> float:
            return evaluator.evaluate_scores(matrix).mean()["run"]["nDCG@10"]

        yield Turn(shape, place, f"rankgauge: {MEASURES}, judgments by ids", counted)


def _torchmetrics(scores: Any, labels: Any) -> Callable[[], float]:
    import torch
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    indexes = torch.arange(len(scores), device=scores.device).repeat_interleave(scores.shape[1])
    columns = scores.reshape(-1), labels.reshape(-1)

    def call() -> float:
        metric = RetrievalNormalizedDCG(top_k=10).to(scores.device)
        metric.update(*columns, indexes=indexes)
        return float(metric.compute())

    return call


def timed(turn: Turn, repeat: int) -> tuple[float, float, float]:
    """(median seconds, the least, the value) of a call, after one that is not counted."""
    value = turn.call()
    taken = []
    for _ in range(1 if turn.slow else repeat):
        begin = time.perf_counter()
        turn.call()
        taken.append(time.perf_counter() - begin)
    return median(taken), min(taken), value


def report(scale: float, repeat: int) -> Iterator[str]:
    """The lines of the report."""
    libraries = [name for name in ("numpy", "torch", "torchmetrics") if importlib.util.find_spec(name)]
    yield from (f"- {line}" for line in facts(libraries))
    yield ""
    yield "| queries × documents | where | what | median ms | least ms | × torchmetrics |"
    yield "|---|---|---|---:|---:|---:|"
    results = [(turn, *timed(turn, repeat)) for turn in turns(scale)]
    peers = {(t.shape, t.place): (seconds, value) for t, seconds, _, value in results if t.slow}
    for turn, seconds, least, value in results:
        peer, other = peers.get((turn.shape, turn.place), (None, value))
        if abs(value - other) > 1e-4:
            raise SystemExit(f"{turn.shape} on {turn.place}: nDCG@10 is {value} and {other}")
        ratio = "" if peer is None else f"{peer / seconds:,.0f}"
        cells = (turn.shape, turn.place, turn.tool, f"{1e3 * seconds:,.1f}", f"{1e3 * least:,.1f}", ratio)
        yield f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """Print the report, or write it."""
    parser = argparse.ArgumentParser(
        "bench/score_lists.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=9, metavar="N", help="turns of rankgauge (9)")
    parser.add_argument(
        "--scale", type=float, default=1, help="a share of the queries or documents: a smoke test"
    )
    parser.add_argument("--write", action="store_true", help=f"write {RESULTS.name}")
    args = parser.parse_args()
    if args.write and args.scale != 1:
        parser.error("--write keeps results of full size only; leave out --scale or --write")
    lines = list(report(args.scale, args.repeat))
    sys.stdout.write("\n".join([*lines, ""]))
    if args.write:
        RESULTS.write_text(INTRODUCTION + "\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
