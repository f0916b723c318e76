"""A process that holds a run in memory and evaluates it on request.

    python memory.py TOOL FORM MEASURES QRELS RUN

It prints the means as JSON, then, for each line on its standard input, the seconds that one
evaluation took. Reading, building an evaluator and preparing fixed candidates are done before.
TOOL is rankgauge, or a peer; FORM is one of FORMS, or `values`: the call of pytrec_eval alone, from
a dict to a dict of values by topic, which rankgauge.compat.pytrec_eval has as well.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from peers import MEASURE_SETS, PEERS, TABLE, like_pytrec_eval

Evaluation = Callable[[], dict[str, float]]  # computes values by topic, returns means
FORMS = ("dict", "pandas", "polars", "fixed float64", "fixed float32")
LONG_ENOUGH = 0.2  # seconds; shorter evaluations are repeated


def held_by_rankgauge(form: str, measures: str, qrels: dict[str, Any], run: dict[str, Any]) -> Evaluation:
    """Evaluation by rankgauge of a run in one of the FORMS."""
    from rankgauge import Evaluator

    evaluator = Evaluator(qrels, MEASURE_SETS[measures])
    if form.startswith("fixed"):
        import numpy as np

        candidates = evaluator.fixed({topic: list(results) for topic, results in run.items()})
        scores = np.array([s for results in run.values() for s in results.values()], dtype=form.split()[1])
        return lambda: next(iter(candidates.evaluate(scores).mean().values()))
    held = run if form == "dict" else frame(form, run)
    return lambda: next(iter(evaluator.evaluate(held).mean().values()))


def frame(library: str, run: dict[str, Any]) -> Any:
    """The run as a pandas or polars data frame."""
    columns: dict[str, list[Any]] = {
        "query_id": [topic for topic, results in run.items() for _ in results],
        "doc_id": [document for results in run.values() for document in results],
        "score": [score for results in run.values() for score in results.values()],
    }
    if library == "pandas":
        import pandas

        return pandas.DataFrame(columns)
    import polars

    return polars.DataFrame(columns)


def held_by_peer(name: str, measures: str, qrels: dict[str, Any], run: dict[str, Any]) -> Evaluation:
    """Evaluation by a peer of a run as a dict."""
    score = PEERS[name](measures).evaluator(qrels)
    return lambda: score(run)[1]


def called(
    name: str, measures: str, qrels: dict[str, Any], run: dict[str, Any]
) -> tuple[dict[str, float], Callable[[], Any]]:
    """(means, the call that returns values by topic) of a tool with pytrec_eval's interface."""
    if name == "rankgauge":
        from rankgauge.compat import pytrec_eval as tool
    else:
        import pytrec_eval as tool  # type: ignore[no-redef]
    means = like_pytrec_eval(tool, measures).evaluator(qrels)(run)[1]
    names = {TABLE[name] for name in MEASURE_SETS[measures]}
    evaluate = tool.RelevanceEvaluator(qrels, names).evaluate
    return means, lambda: evaluate(run)


def read(path: str, column: int, number: Callable[[str], Any]) -> dict[str, dict[str, Any]]:
    """{topic: {document: value of the column}}, in the order of the file for all tools."""
    held: dict[str, dict[str, Any]] = {}
    with Path(path).open() as lines:
        for line in lines:
            fields = line.split()
            held.setdefault(fields[0], {})[fields[2]] = number(fields[column])
    return held


def seconds(evaluate: Callable[[], Any]) -> float:
    """The seconds that one evaluation takes."""
    start, passed, count = time.perf_counter(), 0.0, 0
    while passed < LONG_ENOUGH:
        evaluate()
        count += 1
        passed = time.perf_counter() - start
    return passed / count


def main(tool: str, form: str, measures: str, qrels_path: str, run_path: str) -> None:
    qrels, run = read(qrels_path, 3, int), read(run_path, 4, float)
    evaluate: Callable[[], Any]
    if form == "values":
        means, evaluate = called(tool, measures, qrels, run)
    elif tool == "rankgauge":
        evaluate = held_by_rankgauge(form, measures, qrels, run)
        means = evaluate()
    else:
        evaluate = held_by_peer(tool, measures, qrels, run)
        means = evaluate()
    del qrels, run  # only what the tool itself keeps stays in memory
    print(json.dumps(means), flush=True)
    for _ in sys.stdin:
        print(seconds(evaluate), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
