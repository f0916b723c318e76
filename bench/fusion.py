"""Fusion beside ranx, of the same runs in the same process: python bench/fusion.py RUN... [--repeat N]

Runs are in memory, and ranx is compiled before it is timed. Scores are replaced by ranks, so that there are
no ties, of which ranx has an order of its own.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import rankgauge
from rankgauge.compat import ranx as ours

METHODS: dict[str, dict[str, Any]] = {"sum": {}, "mnz": {}, "med": {}, "rrf": {}, "isr": {}, "wsum": {}}


def timed(call: Callable[[], Any], repeat: int) -> tuple[float, Any]:
    """(the least CPU time in seconds, the result)."""
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        result = call()
        times.append(time.process_time() - begin)
    return min(times), result


def main() -> None:
    """Fuse by every method, and print times and the largest difference between scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--repeat", type=int, default=3)
    args = parser.parse_args()
    import ranx

    tables = []
    for path in args.runs:
        lists = ours.Run.from_file(path).to_dict().items()
        tables.append({topic: {doc: -float(n) for n, doc in enumerate(docs)} for topic, docs in lists})
    topics = set.intersection(*({*table} for table in tables))
    tables = [{topic: table[topic] for topic in sorted(topics)} for table in tables]
    plain = [rankgauge.Run.from_dict(table) for table in tables]
    drop_in, theirs = ([*map(tool.Run, tables)] for tool in (ours, ranx))
    print(f"{len(tables)} runs, {len(topics)} topics, {sum(map(len, plain)):,} results; CPU seconds")
    print("method  rankgauge  compat.ranx    ranx  largest difference")
    METHODS["wsum"]["weights"] = [1 / len(tables)] * len(tables)
    for method, params in METHODS.items():
        ranx.fuse(theirs, "min-max", method, params)  # compiles
        seconds, _ = timed(lambda: rankgauge.fuse(plain, method, threads=1, **params), args.repeat)  # noqa: B023
        of_compat, found = timed(lambda: ours.fuse(drop_in, "min-max", method, params), args.repeat)  # noqa: B023
        of_ranx, fused = timed(lambda: ranx.fuse(theirs, "min-max", method, params), args.repeat)  # noqa: B023
        largest = max(
            abs(found[topic][doc] - score)
            for topic, docs in fused.to_dict().items()
            for doc, score in docs.items()
        )
        print(f"{method:7} {seconds:9.3f} {of_compat:12.3f} {of_ranx:7.3f}  {largest:.1e}")


if __name__ == "__main__":
    main()
