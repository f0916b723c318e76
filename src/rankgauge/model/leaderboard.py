"""Leaderboards: the means of runs by several measures, as they are published, without the values of topics.

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

from rankgauge.errors import InputError
from rankgauge.formats.problems import quote
from rankgauge.model.provenance import Provenance, QrelsFacts
from rankgauge.model.score_values import find_places
from rankgauge.model.scores import Scores
from rankgauge.model.table_columns import TableColumns, cell_number, cell_text, is_number
from rankgauge.model.topic_rules import TopicRules

if TYPE_CHECKING:
    import numpy.typing as npt

NO_LEADERBOARD = (
    'is no leaderboard; expected {"run": {"measure": mean, ...}, ...}, or a list of objects with a run each'
)
Row = tuple[str, str, float, int | None]  # run, measure, mean, row of a table


class Leaderboard(Scores, eq=False):
    """The means of runs, and no topics. A mean is NaN where a run has none."""

    means: npt.NDArray[np.float64] = np.empty((0, 0))  # (runs, measures)

    @classmethod
    def of(cls, source: Any) -> Leaderboard:
        """The leaderboard of a CSV, TSV or JSON file, a frame, or a dict {run: {measure: mean}}.

        >>> Leaderboard.of({"bm25": {"AP": 0.25, "RR": 0.5}, "ql": {"AP": 0.2}}).mean()
        {'bm25': {'AP': 0.25, 'RR': 0.5}, 'ql': {'AP': 0.2, 'RR': nan}}
        """
        table: Any = source
        if isinstance(source, (str, os.PathLike)) and Path(source).suffix.lower() == ".json":
            table = json_table(source)
            if table is None:
                raise InputError(NO_LEADERBOARD, path=os.fspath(source))
        if not isinstance(table, Mapping) or not all(isinstance(each, Mapping) for each in table.values()):
            table = TableColumns.of(table)
        name = os.fspath(source) if isinstance(source, (str, os.PathLike)) else type(source).__name__
        return cls._of_rows(_rows(table), table, getattr(table, "source", name))

    @classmethod
    def _of_rows(cls, rows: Iterable[Row], table: Any, source: str) -> Leaderboard:
        known: dict[tuple[str, str], tuple[float, int | None]] = {}
        for run, measure, value, row in rows:
            if (run, measure) in known:
                raise _twice(run, measure, table, known[run, measure][1], row)
            known[run, measure] = value, row
        if not known:
            raise InputError("has no means; expected a column of runs, and a number for each", path=source)
        runs, measures = (tuple(dict.fromkeys(key[place] for key in known)) for place in (0, 1))
        empty = [(r, m) for r in runs for m in measures if (r, m) not in known]
        means = {**{key: value for key, (value, _) in known.items()}, **dict.fromkeys(empty, math.nan)}
        rules = TopicRules()
        return cls(
            runs,
            (),
            measures,
            np.empty((len(runs), len(measures), 0)),
            np.empty((len(runs), 0), dtype=np.bool_),
            rules,
            Provenance(qrels=QrelsFacts(source)),
            means=np.array([[means[run, measure] for measure in measures] for run in runs]),
        )

    def mean(self) -> dict[str, dict[str, float]]:
        """{run: {measure: mean}}."""
        return {
            run: dict(zip(self.measures, row, strict=True))
            for run, row in zip(self.runs, self.means.tolist(), strict=True)
        }

    def only(
        self, *, runs: Iterable[str] | None = None, measures: Iterable[str] | None = None
    ) -> Leaderboard:
        """The means of some runs and measures, in this order."""
        rows = find_places("run", self.runs if runs is None else runs, self.runs)
        columns = find_places("measure", self.measures if measures is None else measures, self.measures)
        return self._replace(
            runs=tuple(self.runs[row] for row in rows),
            measures=tuple(self.measures[column] for column in columns),
            values=self.values[np.ix_(rows, columns)],
            counted=self.counted[rows],
            means=self.means[np.ix_(rows, columns)],
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Refused: a file of scores has the values of topics."""
        raise InputError(
            "a leaderboard has no values of topics, and cannot be saved as scores", path=str(path)
        )


def _rows(table: Any) -> Iterator[Row]:
    if not isinstance(table, TableColumns):
        for run, means in table.items():
            for measure, cell in means.items():
                if isinstance(cell, Mapping):
                    raise InputError(f"run {run!r} has values of topics; a leaderboard has one mean")
                value = cell_number(cell, f"run {run!r}, measure {measure!r}")
                yield cell_text(run), cell_text(measure), math.nan if value is None else value, None
        return
    run = table.role("run") or next((name for name in table.columns if table.has_text(name)), None)
    if run is None:
        raise table.error("has no column of runs; call one run, such as run,AP,nDCG")
    names = [cell_text(cell) for cell in table.columns[run]]
    named, of_value = table.role("measure"), table.role("value")
    sources: Mapping[str, list[str]]
    if named is not None and of_value is not None:
        sources = {of_value: [cell_text(cell) for cell in table.columns[named]]}
    else:
        sources = {
            name: [name] * len(names) for name in table.columns if name not in (run, table.role("topic"))
        }
        sources = {name: texts for name, texts in sources.items() if not _is_text(table.columns[name])}
    for name, texts in sources.items():
        for row, text in enumerate(texts):
            if not names[row].strip() or not text.strip():
                raise table.error(
                    f"a row of {quote(name)} has no {'run' if text.strip() else 'measure'}", row
                )
            mean = table.number(name, row)
            yield names[row], text, math.nan if mean is None else mean, row


def _is_text(cells: list[Any]) -> bool:
    """Whether a column describes runs: it has text, and no number."""
    numbers = [cell for cell in cells if is_number(cell)]
    return len(numbers) < len(cells) and all(cell_number(cell, "") is None for cell in numbers)


def _twice(run: str, measure: str, table: Any, first: int | None, second: int | None) -> InputError:
    """The error for two means of one run by one measure, and in what else their rows differ."""
    message = f"{quote(measure)} of run {quote(run)} occurs twice"
    if not isinstance(table, TableColumns) or first is None or second is None:
        return InputError(f"{message}; keep one")
    differing = [name for name, cells in table.columns.items() if str(cells[first]) != str(cells[second])]
    where = f", first on line {table.lines[first]}" if table.lines else ""
    how = f" (the rows differ in {', '.join(map(quote, differing))})" if differing else ""
    return table.error(f"{message}{where}; keep one{how}", second)


def json_table(path: str | os.PathLike[str]) -> Any:
    """{run: {measure: mean}} or columns, from a file of JSON; None if it holds something else."""
    name = os.fspath(path)
    try:
        document = json.loads(Path(name).read_text(encoding="utf-8-sig"), object_pairs_hook=_object)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=name) from None
    except (ValueError, RecursionError):
        return None
    if isinstance(document, dict) and "kind" in document:  # as evaluate writes it
        document = None if "scores" in document else document.get("mean")
    if isinstance(document, list) and document and all(isinstance(each, dict) for each in document):
        names = dict.fromkeys(name for each in document for name in each)
        return {name: [each.get(name) for each in document] for name in names}
    if isinstance(document, dict) and document and all(isinstance(each, dict) for each in document.values()):
        return document
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = dict(pairs)
    if len(names) < len(pairs):
        raise ValueError(f"an object has a name twice: {', '.join(name for name, _ in pairs)}")
    return names
