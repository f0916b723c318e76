"""What figures draw, and how it is made from files: one entry for each word that a figure may need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankgauge.errors import OptionError

Given = Mapping[str, Any]
SCORES = (".parquet", ".json")  # endings of files of scores


@dataclass(frozen=True)
class Need:
    """Results that figures draw: what they are, the files they are made from, and how."""

    words: str
    first: str  # what the first file is; what follows are runs
    files: tuple[str, ...]  # as the usage of the command says it
    options: tuple[str, ...]  # what can be said on how they are made
    # of files, what was said on how they are made, what holds where nothing was said, and other options
    make: Callable[[Sequence[str], Given, Given, Given], Any]


def _curves(files: Sequence[str], given: Given, made: Given, options: Given) -> Any:
    from rankgauge.evaluation import curves

    qrels, *runs = _with_runs(files)
    return curves(qrels, runs, **{**made, **given}, **options)


def _scores(files: Sequence[str], given: Given, made: Given, options: Given) -> Any:
    from rankgauge.evaluation import evaluate
    from rankgauge.measures import parse_all
    from rankgauge.model.scores import Scores

    if len(files) == 1 and files[0].lower().endswith(SCORES):
        scores = Scores.load(files[0])
        return scores.only(measures=map(str, parse_all(given["measures"]))) if given else scores
    qrels, *runs = _with_runs(files)
    return evaluate(qrels, runs, **{**made, **given}, **options)


def _with_runs(files: Sequence[str]) -> Sequence[str]:
    if len(files) < 2:
        raise OptionError(
            f"no run was given; a figure needs judgments and runs, not {', '.join(files)!r} alone"
        )
    return files


def _table(files: Sequence[str], given: Given, made: Given, options: Given) -> Any:
    from rankgauge.figures.tablefile import read

    if len(files) != 1:
        raise OptionError(f"this figure is of one table, not of {len(files)} files")
    return read(files[0])


NEEDS = {
    "curves": Need(
        "measures at every rank, as `rankgauge.curves` gives them",
        "a file of judgments",
        ("QRELS", "RUN"),
        ("measures", "depth"),
        _curves,
    ),
    "scores": Need(
        "scores, as `rankgauge.evaluate` gives them or `Scores.load` brings them back",
        "a file of judgments; or of scores (.parquet, .json), without runs",
        ("QRELS", "RUN"),
        ("measures",),
        _scores,
    ),
    "table": Need(
        "a table", "a table with a line of names: .csv, .tsv, .json or .jsonl", ("TABLE",), (), _table
    ),
}
