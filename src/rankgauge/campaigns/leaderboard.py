"""Leaderboards: the means of runs on several measures, as published, without the values of topics.

A table has a column of runs and one for each measure, or columns of runs, measures and values; columns that
hold only text, such as teams, are left out. JSON has {run: {measure: mean}}, a list of objects with a run
each, or what `rankgauge evaluate` writes.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rankgauge.errors import InputError, OptionError
from rankgauge.formats.json import unique_names
from rankgauge.formats.problems import quote
from rankgauge.model.provenance import Provenance, QrelsFacts
from rankgauge.model.rules import TopicRules
from rankgauge.model.score_tables import TableColumns, cell_number, cell_text, is_nested, is_number
from rankgauge.model.score_values import find_places
from rankgauge.model.scores import Scores

if TYPE_CHECKING:
    import numpy.typing as npt

NO_LEADERBOARD = (
    'is no leaderboard; expected {"run": {"measure": mean, ...}, ...}, or a list of objects with a run each'
)
Mean = tuple[tuple[str, str], float]  # (run, measure), and the mean


class Leaderboard(Scores, eq=False):
    """The means of runs, and no topics. A mean is NaN where a run has none."""

    means: npt.NDArray[np.float64] = np.empty((0, 0))  # (runs, measures)

    @classmethod
    def of(cls, source: Any) -> Leaderboard:
        """The leaderboard of a CSV, TSV or JSON file, a frame, or a dict {run: {measure: mean}}.

        >>> Leaderboard.of({"bm25": {"AP": 0.25, "RR": 0.5}, "ql": {"AP": 0.2}}).mean()
        {'bm25': {'AP': 0.25, 'RR': 0.5}, 'ql': {'AP': 0.2, 'RR': nan}}
        """
        table, name = source, type(source).__name__
        if isinstance(source, (str, os.PathLike)):
            name = os.fspath(source)
            if Path(source).suffix.lower() == ".json":
                table = json_table(source)
                if table is None:
                    raise InputError(NO_LEADERBOARD, path=name)
        columns = None if is_nested(table) else TableColumns.of(table)
        name = (columns and columns.path) or name
        known: dict[tuple[str, str], float] = {}
        for key, mean in _of_columns(columns) if columns else _of_dict(table):
            if key in known:  # of a dict in which two names have the same text
                raise InputError(f"{quote(key[1])} of run {quote(key[0])} occurs twice; keep one")
            known[key] = mean
        if not known:
            raise InputError("has no means; expected a column of runs, and a number for each", path=name)
        runs, measures = (tuple(dict.fromkeys(key[place] for key in known)) for place in (0, 1))
        return cls(
            runs,
            (),
            measures,
            np.empty((len(runs), len(measures), 0)),
            np.empty((len(runs), 0), dtype=np.bool_),
            TopicRules(),
            Provenance(qrels=QrelsFacts(name)),
            means=np.array([[known.get((run, measure), math.nan) for measure in measures] for run in runs]),
        )

    def _means(self) -> dict[str, dict[str, float]]:
        return {
            run: dict(zip(self.measures, row, strict=True))
            for run, row in zip(self.runs, self.means.tolist(), strict=True)
        }

    def only(
        self, *, runs: Iterable[str] | None = None, measures: Iterable[str] | None = None
    ) -> Leaderboard:
        """The means of some runs and measures, in this order."""
        kept = super().only(runs=runs, measures=measures)
        rows = find_places("run", kept.runs, self.runs)
        columns = find_places("measure", kept.measures, self.measures)
        return kept._replace(means=self.means[np.ix_(rows, columns)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Refused: a file of scores has the values of topics."""
        raise InputError(
            "a leaderboard has no values of topics, and cannot be saved as scores", path=str(path)
        )


def _of_dict(table: Mapping[Any, Mapping[Any, Any]]) -> Iterator[Mean]:
    for run, means in table.items():
        for measure, cell in means.items():
            if isinstance(cell, Mapping):
                raise InputError(f"run {run!r} has values of topics; a leaderboard has one mean")
            value = cell_number(cell, f"run {run!r}, measure {measure!r}")
            yield (cell_text(run), cell_text(measure)), math.nan if value is None else value


def _of_columns(table: TableColumns) -> Iterator[Mean]:
    texts = (name for name, cells in table.columns.items() if not all(map(is_number, cells)))
    run = table.role("run") or next(texts, None)
    if run is None:
        raise table.error("has no column of runs; call one run, such as run,AP,nDCG")
    runs, first = table.texts(run), dict[tuple[str, str], int]()
    for name, measures in table.by_measure(run, table.role("topic")).items():
        if table.role("value") != name and _is_text(table.columns[name]):
            continue
        for row, key in enumerate(zip(runs, measures, strict=True)):
            if not all(map(str.strip, key)):
                raise table.error(
                    f"a row of {quote(name)} has no {'measure' if key[0].strip() else 'run'}", row
                )
            if first.setdefault(key, row) != row:
                raise _twice(key, table, first[key], row)
            mean = table.number(name, row)
            yield key, math.nan if mean is None else mean


def _is_text(cells: list[Any]) -> bool:
    numbers = [cell for cell in cells if is_number(cell)]
    return len(numbers) < len(cells) and all(cell_number(cell, "") is None for cell in numbers)


def _twice(key: tuple[str, str], table: TableColumns, first: int, second: int) -> InputError:
    """The error for two means of one run on one measure, and in what else their rows differ."""
    run, measure = map(quote, key)
    differing = [name for name, cells in table.columns.items() if str(cells[first]) != str(cells[second])]
    where = f", first on line {table.lines[first]}" if table.lines else ""
    how = f" (the rows differ in {', '.join(map(quote, differing))})" if differing else ""
    return table.error(f"{measure} of run {run} occurs twice{where}; keep one{how}", second)


def json_table(path: str | os.PathLike[str]) -> Any:
    """{run: {measure: mean}} or columns, from a file of JSON; None if it holds something else."""
    name = os.fspath(path)
    try:
        document = json.loads(Path(name).read_text(encoding="utf-8-sig"), object_pairs_hook=unique_names)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    except (ValueError, OptionError, RecursionError):
        return None
    if isinstance(document, dict) and "kind" in document:  # as evaluate writes it
        document = None if "scores" in document else document.get("mean")
    if isinstance(document, list) and document and all(isinstance(each, dict) for each in document):
        names = dict.fromkeys(name for each in document for name in each)
        return {name: [each.get(name) for each in document] for name in names}
    if isinstance(document, dict) and document and all(isinstance(each, dict) for each in document.values()):
        return document
    return None
