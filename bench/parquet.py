"""A process that evaluates a run in a Parquet file on request, or only decodes the columns that this needs.

    python parquet.py TOOL MEASURES QRELS RUN

It prints the means as JSON (none for pyarrow), then, for each line on its standard input, the seconds that it
took. TOOL is rankgauge, or pyarrow: its own reading of the three columns on all cores, as a floor.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from memory import seconds
from peers import MEASURE_SETS

COLUMNS = ["query_id", "doc_id", "score"]


def evaluation(measures: str, qrels: str, run: str) -> Callable[[], dict[str, float]]:
    """Evaluation by rankgauge."""
    from rankgauge import Evaluator

    evaluator = Evaluator(qrels, MEASURE_SETS[measures])
    return lambda: next(iter(evaluator.evaluate(run).mean().values()))


def decoding(run: str) -> Callable[[], dict[str, float]]:
    """Decoding by pyarrow."""
    from pyarrow import parquet

    def decode() -> dict[str, float]:
        parquet.ParquetFile(run).read(columns=COLUMNS)
        return {}

    return decode


def main(tool: str, measures: str, qrels: str, run: str) -> None:
    work = decoding(run) if tool == "pyarrow" else evaluation(measures, qrels, run)
    print(json.dumps(work()), flush=True)
    for _ in sys.stdin:
        print(seconds(work), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
