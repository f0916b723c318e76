"""Fast path for TREC files with few judgments, without importing NumPy, which would take longer."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rankgauge.errors import RankgaugeError
from rankgauge.evaluation.back_ends import scalars
from rankgauge.evaluation.evaluator import Evaluator
from rankgauge.formats.source import expand
from rankgauge.measures.rankings.vector import Unsupported
from rankgauge.model.scores import Scores

if TYPE_CHECKING:
    from rankgauge.engines.threads import Progress


def evaluate_small_files(
    qrels: str,
    runs: Iterable[str],
    measures: str | Iterable[str],
    *,
    inputs: dict[str, Any],
    threads: int | None = None,
    progress: Progress | None = None,
    **rules: Any,
) -> Scores | None:
    """The scores of TREC files, by the scalar back end; None if `evaluate` has to be used.

    That is the case for many judgments or large runs, other formats, anything the scalar back end does not
    support, and invalid files, whose problem `evaluate` reports. `inputs` are formats and column names, if
    specified.
    """
    if any(inputs.values()):
        return None
    try:
        paths = [path for run in runs for path in expand(run)]
        if not (are_small([qrels, *paths]) or _size(qrels) <= scalars.FEW_BYTES):
            return None
        evaluator = Evaluator(qrels, measures, back_end="scalars", **rules)
        return evaluator.evaluate(paths, threads=threads, progress=progress)
    except (RankgaugeError, OSError):
        return None


def are_small(paths: Iterable[str]) -> bool:
    """Whether files are so small that the scalar back end is faster, as far as their sizes are known."""
    return sum(map(_size, paths)) <= scalars.MOST_BYTES


def _size(path: str) -> int:
    """The size in bytes of a regular file; 0 for standard input, which is buffered."""
    if path == "-":
        return 0
    if not os.path.isfile(path):  # noqa: PTH113 (importing pathlib takes too long)
        raise Unsupported(path)
    return os.path.getsize(path)  # noqa: PTH202
