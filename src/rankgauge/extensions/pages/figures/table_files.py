"""Tables from files: the output of a study, a spreadsheet, or any command with `--format csv`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rankgauge.errors import InputError
from rankgauge.formats.source import Source
from rankgauge.formats.text_files import delimited_rows
from rankgauge.model.output.markup import unguarded
from rankgauge.model.output.tables import Cell, Table

EXTENSIONS = (".csv", ".tsv", ".json", ".jsonl")


def read(path: str) -> Table:
    """Read the table in a file; its first line, or the keys of its objects, name the columns."""
    extension = Path(path).suffix.lower()
    if extension not in EXTENSIONS:
        raise InputError(f"a file with a table has one of the extensions {', '.join(EXTENSIONS)}", path=path)
    table = (_objects if "json" in extension else _delimited)(path, extension)
    if not table.headers:
        raise InputError("the file contains no table", path=path)
    return table


def _delimited(path: str, extension: str) -> Table:
    rows: list[list[str]] = []
    delimiter = "\t" if extension == ".tsv" else ","
    for line, row in delimited_rows(Source(path), delimiter, by_line=False, cell=unguarded):
        rows.append(row)
        if len(row) != len(rows[0]):
            raise InputError(f"expected {len(rows[0])} columns, found {len(row)}", path=path, line=line)
    columns = [_numbers(column) for column in zip(*rows[1:], strict=True)]
    return Table(rows[0] if rows else (), [*zip(*columns, strict=True)])


def _numbers(column: tuple[str, ...]) -> list[Cell]:
    """A column as numbers if every cell is a number or empty, otherwise as text."""
    try:
        return [None if cell == "" else float(cell) for cell in column]
    except ValueError:
        return [*column]


def _objects(path: str, extension: str) -> Table:
    text = b"".join(Source(path).chunks()).decode("utf-8-sig", "surrogateescape")
    try:
        rows: Any = (
            [json.loads(line) for line in text.splitlines() if line.strip()]
            if extension == ".jsonl"
            else json.loads(text)
        )
    except RecursionError:
        raise InputError("the JSON is nested too deeply", path=path) from None
    except ValueError as error:
        raise InputError(f"this is not valid JSON: {error}", path=path) from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise InputError("a table in JSON is a list of objects, [{...}, ...]", path=path)
    headers = [*dict.fromkeys(name for row in rows for name in row)]
    try:
        return Table(headers, [[_cell(row.get(name)) for name in headers] for row in rows])
    except TypeError:
        message = "a table contains text and numbers; a cell of this one is a list or an object"
    except OverflowError:
        message = "a number in this table is too large to be drawn; the largest is about 1.8e308"
    raise InputError(message, path=path)


def _cell(value: Any) -> Any:
    """The value of a cell, checked to be text, a number or nothing."""
    if value is not None and not isinstance(value, str):
        float(value)  # raises if it is no number, or too large
    return value
